package pipeline

import "testing"

// A pipeline is judged before it has run: the last receipt is that of what
// ended last, not of what was judged last.
func TestReceiptsUnderPipelining(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	allowed, refused := s.Query(t.Context(), "SELECT 1"), s.Query(t.Context(), "SELECT * FROM secrets")
	f.play(allowed)
	if l := f.last(s); l["verdict"] != "allowed" {
		t.Errorf("before the refusal arrives: %v", l)
	}
	refused.Denial.Shown()
	if l := f.last(s); l["verdict"] != "42501" {
		t.Errorf("after it: %v", l)
	}
	failing, skipped := s.Parse(t.Context(), "SELECT 1", nil), s.Parse(t.Context(), "DELETE FROM shops", nil)
	s.Bind(t.Context(), &failing).Run.Fail("57014")
	if l := f.last(s); skipped.Denial == nil || l["verdict"] != "57014" {
		t.Errorf("a refusal that Postgres skipped: %v", l)
	}
}

// TestReceiptHasOneID: without an audit log nobody needs an execution's id until
// its receipt is read, and from then on it is that one.
func TestReceiptHasOneID(t *testing.T) {
	s := offline(t)
	s.Query(t.Context(), point)
	ids := map[string]bool{}
	for range 2 {
		d, ok := s.QueryNow(point)
		if !ok {
			t.Fatal("not known")
		}
		execution(d.Runs[0])
		for range 2 {
			ids[s.lastReceipt().RequestID] = true
		}
	}
	if len(ids) != 2 || ids[""] {
		t.Errorf("two executions have the ids %v", ids)
	}
}
