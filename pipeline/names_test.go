package pipeline

import (
	"strings"
	"sync"
	"testing"
)

// bound plays a Bind of a name on Postgres, as the proxy would.
func (f *fixture) bound(s *Session, name string) (rows int, code string) {
	f.t.Helper()
	d := f.names[name]
	if d == nil {
		return 0, "26000"
	}
	b := s.Bind(f.t.Context(), d)
	if b.Denial != nil {
		return 0, sqlState(b.Denial.Err)
	}
	r := f.conn.PgConn().ExecPrepared(f.t.Context(), name, nil, nil, nil).Read()
	if r.Err != nil {
		f.t.Fatal(r.Err)
	}
	for range r.Rows {
		if b.Run.Row(9) {
			rows++
		}
	}
	b.Run.Complete(r.CommandTag.String())
	return rows, ""
}

// parsed plays a Parse under a name.
func (f *fixture) parsed(s *Session, name, text string) {
	f.t.Helper()
	d := s.Parse(f.t.Context(), text, nil)
	if d.Denial != nil {
		f.t.Fatal(d.Denial.Err)
	}
	if _, err := f.conn.PgConn().Prepare(f.t.Context(), name, d.Text, nil); err != nil {
		f.t.Fatal(err)
	}
	f.names[name] = &d
}

// What PREPARE made is bound under the row cap, and what Parse made is executed
// under it; a reload judges both again, their columns as well.
func TestOneNameSpace(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	f.play(s.Query(t.Context(), "PREPARE mine AS SELECT id FROM sales"))
	f.parsed(s, "theirs", "SELECT id FROM sales")
	if rows, code := f.bound(s, "mine"); rows != 10 || code != "" {
		t.Errorf("bound: %d rows, %s", rows, code)
	}
	if l := f.last(s); l["truncated"] != true || l["rows"] != 10.0 {
		t.Errorf("receipt of what was bound: %v", l)
	}
	if rows, notices := f.play(s.Query(t.Context(), "EXECUTE theirs")); len(rows) != 10 || len(notices) != 1 {
		t.Errorf("executed: %d rows, %v", len(rows), notices)
	}
	f.pipe.Reload(testRules(t, testPolicy))
	for _, name := range []string{"mine", "theirs"} {
		if rows, code := f.bound(s, name); rows != 10 || code != "" {
			t.Errorf("%s by the same rules again: %d rows, %s", name, rows, code)
		}
		f.play(s.Query(t.Context(), "EXECUTE "+name))
	}
	f.pipe.Reload(testRules(t, strings.Replace(testPolicy, "deny: [public.secrets]", "deny: [public.secrets, public.sales]", 1)))
	for _, name := range []string{"mine", "theirs"} {
		if _, code := f.bound(s, name); code != "42501" {
			t.Errorf("binding %s after a reload: %s", name, code)
		}
		if d := s.Describe(t.Context(), f.names[name]); d == nil || sqlState(d.Err) != "42501" {
			t.Errorf("describing %s after a reload: %v", name, d)
		}
		if got := denial(t, s.Query(t.Context(), "EXECUTE "+name)); got != "42501" {
			t.Errorf("EXECUTE %s after a reload: %s", name, got)
		}
	}
}

// A name that was closed by a message and given to another statement has that
// statement's verdict.
func TestExecuteOfANameUsedAgain(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	f.play(s.Query(t.Context(), "PREPARE n AS SELECT count(*) FROM shops"))
	if err := f.conn.PgConn().Deallocate(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	delete(f.names, "n")
	f.parsed(s, "n", "SELECT id FROM sales")
	f.pipe.Reload(testRules(t, strings.Replace(testPolicy, "deny: [public.secrets]", "deny: [public.secrets, public.sales]", 1)))
	if got := denial(t, s.Query(t.Context(), "EXECUTE n")); got != "42501" {
		t.Errorf("%s, want what the second statement deserves", got)
	}
}

// A message's own statements count before its later ones.
func TestNamesWithinAMessage(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	if rows, _ := f.play(s.Query(t.Context(), "PREPARE n AS SELECT count(*) FROM shops; EXECUTE n; DEALLOCATE n")); rows[0][0] != "6" {
		t.Errorf("rows %v", rows)
	}
	f.play(s.Query(t.Context(), "PREPARE n AS SELECT 1"))
	for text, want := range map[string]string{
		"EXECUTE m": "26000", "DEALLOCATE n; EXECUTE n": "26000", "DEALLOCATE ALL; EXECUTE n": "26000", "DISCARD ALL; EXECUTE n": "26000",
		"DEALLOCATE m; EXECUTE n": "none",
	} {
		if got := denial(t, s.Query(t.Context(), text)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// EXECUTE reaches data only: what else a Parse may have named has effects of
// its own.
func TestExecuteRunsQueries(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	for text, want := range map[string]string{
		"SELECT 1": "none", "SHOW search_path": "none", "": "none", "SHOW pgask.last": "0A000", "SET search_path = public": "0A000", "PREPARE x AS SELECT 1": "0A000",
		"EXECUTE x": "0A000", "FETCH c": "0A000", "DECLARE c CURSOR FOR SELECT 1": "0A000", "DEALLOCATE ALL": "0A000", "BEGIN": "0A000",
	} {
		d := s.Parse(t.Context(), text, nil)
		f.names["n"] = &d
		if got := denial(t, s.Query(t.Context(), "EXECUTE n")); got != want {
			t.Errorf("EXECUTE of %q: %s, want %s", text, got, want)
		}
	}
}

// An EXECUTE that was parsed finds its name when it is executed.
func TestExecuteLater(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	d := s.Parse(t.Context(), "EXECUTE n", nil)
	b := s.Bind(t.Context(), &d)
	if b.Denial != nil || !b.Run.Executes() {
		t.Fatalf("%+v", b)
	}
	if e := s.Execute(t.Context(), b.Run); e.Denial == nil || sqlState(e.Denial.Err) != "26000" {
		t.Errorf("nothing there yet: %+v", e)
	}
	f.play(s.Query(t.Context(), "PREPARE n AS ASK 'how many shops'"))
	e := s.Execute(t.Context(), b.Run)
	if e.Denial != nil {
		t.Error(e.Denial.Err)
	}
	b.Run.Begin(e)
	b.Run.Row(9)
	if _, notices := b.Run.Complete("SELECT 1"); len(notices) != 1 || f.last(s)["source"] != "builtin" {
		t.Errorf("it isn't told of as the question: %v", notices)
	}
}

// The Bind of an EXECUTE may fail in Postgres while what its Execute runs is
// still being looked up: only the race detector sees whether one disturbs the other.
func TestBindFailsWhileExecuteIsJudged(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	f.play(s.Query(t.Context(), "PREPARE n AS ASK 'how many shops'"))
	d := s.Parse(t.Context(), "EXECUTE n", nil)
	b := s.Bind(t.Context(), &d)
	var judged sync.WaitGroup
	judged.Go(func() {
		if e := s.Execute(t.Context(), b.Run); e.Denial != nil {
			t.Error(e.Denial.Err)
		}
	})
	b.Run.Fail("22P02")
	judged.Wait()
}

// A passthrough session's EXECUTE of a prepared question is counted and told
// of; all else stays Postgres's.
func TestPassthroughExecutesAQuestion(t *testing.T) {
	f := newFixture(t)
	s := f.session("boss")
	f.play(s.Query(t.Context(), "PREPARE n AS ASK 'how many shops'"))
	rows, notices := f.play(s.Query(t.Context(), "EXECUTE n"))
	if len(rows) != 1 || len(notices) != 1 || f.last(s)["source"] != "builtin" {
		t.Errorf("%v %v %v", rows, notices, f.last(s))
	}
	if n, code := f.bound(s, "n"); n != 1 || code != "" {
		t.Errorf("bound: %d, %s", n, code)
	}
	if d := s.Query(t.Context(), "EXECUTE other"); !d.Untouched {
		t.Error("EXECUTE of a name of Postgres's was touched")
	}
	f.play(s.Query(t.Context(), "DEALLOCATE n"))
	if len(f.names) != 0 {
		t.Errorf("still there: %v", f.names)
	}
}
