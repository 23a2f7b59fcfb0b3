package pipeline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/pipeline/audit"
	"github.com/pgask/pgask/pipeline/stmt"
)

// audited gives the fixture's pipeline an audit log, and a function that ends it
// and gives its lines.
func (f *fixture) audited(o audit.Options) (lines func() []audit.Line) {
	f.t.Helper()
	o.Logger, o.Now = slog.New(slog.DiscardHandler), time.Now
	if o.Path == "" {
		o.Path = filepath.Join(f.t.TempDir(), "audit.jsonl")
	}
	log := audit.Open(o)
	f.pipe = New(testRules(f.t, testPolicy), Options{Limits: stmt.DefaultLimits(), Samples: true, Verdicts: 1 << 20, Observer: deaf{}, Log: o.Logger, Audit: log, Now: time.Now})
	return func() []audit.Line {
		if err := log.Close(); err != nil {
			f.t.Error(err)
		}
		text, err := os.ReadFile(o.Path)
		if err != nil {
			f.t.Fatal(err)
		}
		var out []audit.Line
		for line := range bytes.Lines(text) {
			var l audit.Line
			if err := json.Unmarshal(line, &l); err != nil {
				f.t.Fatalf("%v in %s", err, line)
			}
			if l.Event == "" {
				out = append(out, l)
			}
		}
		return out
	}
}

// in is what a line says, in short.
func in(l audit.Line) string {
	out := fmt.Sprintf("%s %s%s %d: %s", l.Kind, l.Verdict, l.SQLState, l.Rows, l.Text)
	for flag, set := range map[string]bool{" truncated": l.Truncated, " suspended": l.Suspended, " unfinished": l.Unfinished} {
		if set {
			out += flag
		}
	}
	return out
}

func short(all []audit.Line) []string {
	out := make([]string, len(all))
	for i, l := range all {
		out[i] = in(l)
	}
	return out
}

// TestAudited writes a line for everything that is judged, about what it reads.
func TestAudited(t *testing.T) {
	f := newFixture(t)
	lines := f.audited(audit.Options{Full: true, Instance: 7})
	s := f.session("clerk")
	s.From("10.1.2.3:4567", "psql\n")
	for _, text := range []string{
		"SELECT count(*) FROM shops; SHOW timezone",
		"SELECT id FROM sales ORDER BY id",
		"PREPARE p(int) AS SELECT city FROM shops WHERE id = $1",
		"EXECUTE p(4711)",
		"BEGIN; DECLARE c CURSOR FOR SELECT id FROM shops; FETCH 2 FROM c; FETCH 3 FROM c; COMMIT",
		"SHOW pgask.status",
		"ASK 'how many shops'",
		"SELECT a.* FROM ask('how many shops') AS a",
	} {
		f.play(s.Query(t.Context(), text))
	}
	for _, text := range []string{"SELECT 1; SELECT * FROM secrets", "SELEC 'x'", "ASK 'how many unicorns'"} {
		if d := s.Query(t.Context(), text); d.Denial == nil {
			t.Errorf("%s: not denied", text)
		}
	}
	all := lines()
	want := []string{
		"select allowed 1: SELECT count(*) FROM shops",
		"show allowed 1: SHOW timezone",
		"select allowed 10: SELECT id FROM sales ORDER BY id truncated",
		"prepare allowed 0: PREPARE p(int) AS SELECT city FROM shops WHERE id = $1",
		"execute allowed 0: PREPARE p(int) AS SELECT city FROM shops WHERE id = $1",
		"begin allowed 0: BEGIN",
		"declare cursor allowed 0: DECLARE c CURSOR FOR SELECT id FROM shops",
		"fetch allowed 2: DECLARE c CURSOR FOR SELECT id FROM shops",
		"fetch allowed 3: DECLARE c CURSOR FOR SELECT id FROM shops",
		"commit allowed 0: COMMIT",
		"told allowed 1: SHOW pgask.status",
		"ask allowed 1: ASK 'how many shops'",
		"ask allowed 1: SELECT a.* FROM ask('how many shops') AS a",
		"sql 42501 0: SELECT 1; SELECT * FROM secrets",
		"unparsed 42601 0: SELEC 'x'",
		"ask PA002 0: ASK 'how many unicorns'",
	}
	if diff := cmp.Diff(want, short(all)); diff != "" {
		t.Fatal(diff)
	}
	for i, l := range all {
		if l.Instance != 7 || l.User != "u" || cmp.Diff(l.Roles, []string{"clerk"}) != "" || l.Client != "10.1.2.3:4567" || l.Database != "shop" ||
			l.Application != "psql?" || l.RequestID == "" || l.PolicyVersion == "" || l.SchemaVersion == "" || l.Time.IsZero() {
			t.Errorf("line %d: %+v", i, l)
		}
	}
	one, asked, refused := all[0], all[11], all[15]
	if cmp.Diff(one.Tables, []string{"public.shops"}) != "" || cmp.Diff(one.Scopes, []string{"public.shops: tenant_id = :tenant_id"}) != "" || one.Estimated == nil {
		t.Errorf("tables, scopes and estimate: %+v", one)
	}
	if asked.Question != "how many shops" || asked.Source != "builtin" || asked.PlanHash == "" || !strings.Contains(asked.SQL, "public.shops") {
		t.Errorf("a question: %+v", asked)
	}
	if all[12].Question != "how many shops" {
		t.Errorf("a question inside: %+v", all[12])
	}
	if refused.Question != "how many unicorns" || refused.SQL != "" {
		t.Errorf("a refused question: %+v", refused)
	}
	for _, l := range all {
		if strings.Contains(fmt.Sprint(l), "4711") {
			t.Errorf("a parameter's value: %+v", l)
		}
	}
}

// TestAuditedReceipt has the same request id in the receipt and the log.
func TestAuditedReceipt(t *testing.T) {
	f := newFixture(t)
	lines := f.audited(audit.Options{})
	s := f.session("clerk")
	f.play(s.Query(t.Context(), "SELECT 1"))
	id := f.last(s)["request_id"]
	s.Query(t.Context(), "SELECT * FROM secrets").Denial.Shown()
	refused := f.last(s)["request_id"]
	if all := lines(); len(all) != 2 || all[0].RequestID != id || all[1].RequestID != refused {
		t.Errorf("receipts %v and %v, lines %+v", id, refused, all)
	}
}

// TestAuditedPieces has a line for each piece of a portal, of a statement that
// fails, and of one whose session ends.
func TestAuditedPieces(t *testing.T) {
	f := newFixture(t)
	lines := f.audited(audit.Options{Full: true})
	s := f.session("clerk")
	d := s.Parse(t.Context(), "SELECT id FROM sales", nil)
	rows := func(r *Run, n int) {
		for range n {
			r.Row(9)
		}
	}
	pieces, failed, left := s.Bind(t.Context(), &d).Run, s.Bind(t.Context(), &d).Run, s.Bind(t.Context(), &d).Run
	rows(pieces, 4)
	pieces.Suspend()
	rows(pieces, 3)
	pieces.Complete("SELECT 3")
	rows(failed, 1)
	id := failed.RequestID()
	failed.Fail("57014")
	failed.Fail("25P02") // executed again in the failed transaction
	rows(left, 2)
	left.Abandon("57P01")
	s.Bind(t.Context(), &d) // and never executed
	s.Refused(&Error{Code: "54000", Message: "too long"})
	s.Query(t.Context(), "SELECT 1")
	s.Cancelled()
	want := []string{
		"select allowed 4: SELECT id FROM sales suspended",
		"select allowed 3: SELECT id FROM sales",
		"select allowed57014 1: SELECT id FROM sales",
		"select allowed25P02 0: SELECT id FROM sales",
		"select allowed57P01 2: SELECT id FROM sales unfinished",
		"protocol 54000 0: ",
		"sql 57014 0: SELECT 1",
	}
	all := lines()
	if diff := cmp.Diff(want, short(all)); diff != "" {
		t.Fatal(diff)
	}
	for i, l := range all {
		if (l.RequestID == id) != (i == 2) {
			t.Errorf("line %d is of request %q", i, l.RequestID)
		}
	}
}

// TestAuditedFingerprints writes no text, question or constant.
func TestAuditedFingerprints(t *testing.T) {
	f := newFixture(t)
	lines := f.audited(audit.Options{})
	s := f.session("clerk")
	for _, text := range []string{"SELECT id FROM shops WHERE city = 'Oslo'", "SELECT id FROM  shops WHERE city = 'Lima'", "ASK 'how many shops'",
		"ASK 'how many shops in Oslo'"} {
		f.play(s.Query(t.Context(), text))
	}
	s.Query(t.Context(), "SELEC 'Oslo'")
	s.Query(t.Context(), "ASK 'how many unicorns'")
	all := lines()
	for i, l := range all {
		if l.Text != "" || l.Question != "" || l.SQL != "" || strings.Contains(fmt.Sprintf("%+v", l), "Oslo") || len(l.Digest) != 64 {
			t.Errorf("line %d: %+v", i, l)
		}
		if (l.Fingerprint != "") != (i < 4) {
			t.Errorf("line %d has the fingerprint %q", i, l.Fingerprint)
		}
	}
	if len(all) != 6 || all[0].Fingerprint != all[1].Fingerprint || all[0].Digest == all[1].Digest || all[0].Fingerprint == all[2].Fingerprint {
		t.Errorf("%d lines: %+v", len(all), all)
	}
}

// TestAuditedPassthrough writes what asks or has a tag, and nothing else.
func TestAuditedPassthrough(t *testing.T) {
	f := newFixture(t)
	lines := f.audited(audit.Options{Full: true})
	s := f.session("boss")
	for _, text := range []string{
		"/* pgask: governed */ SELECT count(*) FROM shops", "SET client_min_messages = warning", "ASK 'how many shops'",
		"SELECT 1; ASK 'how many shops'", "PREPARE q AS ASK 'how many shops'", "EXECUTE q", "DEALLOCATE q",
	} {
		f.play(s.Query(t.Context(), text))
	}
	if d := s.Query(t.Context(), "SELECT * FROM secrets"); !d.Untouched {
		t.Error("a plain statement was touched")
	}
	want := []string{
		"select allowed 1: /* pgask: governed */ SELECT count(*) FROM shops",
		"ask allowed 1: ASK 'how many shops'",
		"ask allowed 1: ASK 'how many shops'",
		"ask allowed 0: PREPARE q AS ASK 'how many shops'",
		"execute allowed 1: PREPARE q AS ASK 'how many shops'",
	}
	if diff := cmp.Diff(want, short(lines())); diff != "" {
		t.Error(diff)
	}
}

// TestAuditRequired refuses what can't be written down, and leaves alone what
// isn't judged.
func TestAuditRequired(t *testing.T) {
	f := newFixture(t)
	folder := filepath.Join(t.TempDir(), "logs")
	_ = f.audited(audit.Options{Path: filepath.Join(folder, "audit.jsonl"), Required: true})
	t.Cleanup(func() { _ = f.pipe.audit.Close() })
	clerk, boss := f.session("clerk"), f.session("boss")
	for _, d := range []Decision{
		clerk.Query(t.Context(), "SELECT 1"), clerk.Query(t.Context(), "SELECT * FROM secrets"), clerk.Query(t.Context(), "BEGIN"),
		clerk.Parse(t.Context(), "SELECT 1", nil), boss.Query(t.Context(), "ASK 'how many shops'"),
		boss.Query(t.Context(), "SELECT 1; /* pgask: governed */ SELECT 2"),
	} {
		if d.Denial == nil || sqlState(d.Denial.Err) != "58030" || !strings.Contains(d.Denial.Err.Error(), "incident") {
			t.Errorf("without a log: %+v", d)
		}
	}
	for _, text := range []string{"SELECT 1", "DEALLOCATE ALL", "SET client_min_messages = error"} {
		if d := boss.Query(t.Context(), text); d.Denial != nil {
			t.Errorf("a passthrough user's %s: %v", text, d.Denial.Err)
		}
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	var d Decision
	for tick := time.NewTicker(10 * time.Millisecond); !f.pipe.audit.Ready(); <-tick.C {
	}
	if d = clerk.Parse(t.Context(), "SELECT 1", nil); d.Denial != nil {
		t.Fatal(d.Denial.Err)
	}
	portal := clerk.Bind(t.Context(), &d).Run
	if !clerk.ExecuteNow(portal) {
		t.Error("with a log: nothing can be executed")
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	for tick := time.NewTicker(10 * time.Millisecond); f.pipe.audit.Ready(); <-tick.C {
	}
	if clerk.ExecuteNow(portal) {
		t.Error("a portal would be executed without a line")
	}
	if e := clerk.Execute(t.Context(), portal); e.Denial == nil || sqlState(e.Denial.Err) != "58030" {
		t.Errorf("a portal: %+v", e)
	}
	if b := clerk.Bind(t.Context(), &d); b.Denial == nil || sqlState(b.Denial.Err) != "58030" {
		t.Errorf("a prepared statement: %+v", b)
	}
}

// TestAuditedReload has the message in the line of its refusal, also where it made
// a prepared statement be judged again.
func TestAuditedReload(t *testing.T) {
	f := newFixture(t)
	lines := f.audited(audit.Options{Full: true})
	s := f.session("clerk")
	d := s.Parse(t.Context(), "SELECT id FROM sales", nil)
	s.Follow(one{&d})
	f.pipe.Reload(testRules(t, testPolicy))
	const text = "EXECUTE p; SELECT * FROM secrets"
	if refused := s.Query(t.Context(), text); refused.Denial == nil {
		t.Fatal("not refused")
	}
	f.pipe.Reload(testRules(t, strings.Replace(testPolicy, "deny: [public.secrets]", "deny: [public.secrets, public.sales]", 1)))
	if b := s.Bind(t.Context(), &d); b.Denial == nil {
		t.Fatal("not refused")
	}
	want := []string{"sql 42501 0: " + text, "sql 42501 0: SELECT id FROM sales"}
	if diff := cmp.Diff(want, short(lines())); diff != "" {
		t.Error(diff)
	}
}

// one is a single prepared statement under every name.
type one struct{ d *Decision }

func (o one) Prepared(string) (*Decision, error) { return o.d, nil }
func (o one) Room(string, int) bool              { return true }
