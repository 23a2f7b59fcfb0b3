package pipeline

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/pipeline/audit"
	"github.com/pgask/pgask/pipeline/stmt"
	"pgregory.net/rapid"
)

// counted is an Observer that counts stages.
type counted struct {
	deaf
	mu     sync.Mutex
	stages map[string]int
}

func (c *counted) Stage(stage string, _ time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stages[stage]++
}

// took is how often a stage ran since it was asked last.
func (c *counted) took(stage string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.stages[stage]
	c.stages[stage] = 0
	return n
}

// observed makes a pipeline over the fixture's database that counts, with a clock
// of its own.
func (f *fixture) observed(t testing.TB, text string, verdicts int, now func() time.Time) *counted {
	c := &counted{stages: map[string]int{}}
	f.pipe = New(testRules(t, text), Options{Limits: stmt.DefaultLimits(), Verdicts: verdicts, Observer: c, Log: slog.New(slog.DiscardHandler), Now: now})
	return c
}

func (f *fixture) as(t testing.TB, user string, tenant int64, roles ...string) *Session {
	who := auth.Principal{User: user, Roles: roles, Attributes: map[string]any{"tenant_id": tenant}}
	s, err := f.pipe.Open(t.Context(), who, f.db, auth.Login{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRepeatedTextIsNotJudgedAgain: not by the session that sent it, nor by
// another of the same user; by another user and under other rules it is.
func TestRepeatedTextIsNotJudgedAgain(t *testing.T) {
	f := newFixture(t)
	seen := f.observed(t, testPolicy, 1<<20, time.Now)
	const text = "SELECT count(*) FROM shops"
	ana, again, ben := f.as(t, "ana", 1, "clerk"), f.as(t, "ana", 1, "clerk"), f.as(t, "ben", 2, "clerk")
	if ana.at != again.at {
		t.Error("sessions of one user don't share their standing")
	}
	if ana.at == ben.at || f.as(t, "ana", 2, "clerk").at == ana.at || f.as(t, "ana", 1, "mute").at == ana.at {
		t.Error("a standing is shared by others")
	}
	if _, known := ana.QueryNow(text); known {
		t.Error("known before it was judged")
	}
	ana.Query(t.Context(), text)
	for _, s := range []*Session{ana, again} {
		d, known := s.QueryNow(text)
		if !known || d.Denial != nil || len(d.Runs) != 1 {
			t.Fatalf("not known afterwards: %+v", d)
		}
		if _, known := s.ParseNow(text, nil); !known {
			t.Error("not known when parsed")
		}
		if _, known := s.ParseNow(text, []uint32{23}); known {
			t.Error("known with other parameters")
		}
	}
	if _, known := ben.QueryNow(text); known {
		t.Error("another tenant has it")
	}
	if n := seen.took("authorize"); n != 1 {
		t.Errorf("authorized %d times", n)
	}
	d := ana.Parse(t.Context(), text, nil)
	if b, known := ana.BindNow(&d, &Run{}); !known || b.Denial != nil || b.Run == nil {
		t.Errorf("bound %+v", b)
	}
	f.pipe.Reload(testRules(t, testPolicy))
	if n := f.pipe.verdicts.bytes(); n != 0 {
		t.Errorf("%d bytes of verdicts outlive the rules", n)
	}
	if _, known := ana.QueryNow(text); known {
		t.Error("known under other rules")
	}
	if _, known := ana.BindNow(&d, &Run{}); known {
		t.Error("bound under other rules")
	}
	if n := seen.took("authorize"); n != 0 {
		t.Errorf("authorized %d times more", n)
	}
	if b := ana.Bind(t.Context(), &d); b.Denial != nil {
		t.Error(b.Denial.Err)
	}
	if _, known := ana.QueryNow(text); !known || seen.took("authorize") != 1 {
		t.Error("not judged once under the new rules")
	}
	if _, err := f.conn.Exec(t.Context(), "CREATE TABLE more (id int)"); err != nil {
		t.Fatal(err)
	}
	f.db.now = func() time.Time { return time.Now().Add(time.Hour) }
	if _, err := f.db.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, known := ana.QueryNow(text); known {
		t.Error("known for another schema")
	}
	ben.Query(t.Context(), "SELECT 1")
	if len(f.pipe.verdicts.all()) != 1 {
		t.Error("verdicts outlive the schema")
	}
}

func (c *cache) all() (keys []textKey) {
	for i := range c.parts {
		for k := range c.parts[i].by {
			keys = append(keys, k)
		}
	}
	return keys
}

// TestNotRepeated: what depends on more than its text is judged each time.
func TestNotRepeated(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	for _, text := range []string{"ASK 'how many shops'", "SELECT * FROM ask('how many shops') a", "SHOW pgask.last", "/* ask: how many shops */ SELECT 1",
		"PREPARE p AS SELECT 1", "DEALLOCATE ALL", "BEGIN; DECLARE c CURSOR FOR SELECT 1; FETCH c; CLOSE c; COMMIT", "DISCARD ALL",
		"SELECT tax FROM shops", "SELEC", "", "SELECT 1; ASK 'how many shops'", "SELECT * FROM secrets"} {
		s.Query(t.Context(), text)
		if _, known := s.QueryNow(text); known {
			t.Errorf("%s: known", text)
		}
		s.Parse(t.Context(), text, nil)
		if _, known := s.ParseNow(text, nil); known {
			t.Errorf("%s: known when parsed", text)
		}
	}
	for _, text := range []string{"BEGIN", "SELECT 1; SELECT 2", "SHOW search_path", "SET client_min_messages TO error", "COMMIT", "EXPLAIN SELECT id FROM shops",
		"COPY (SELECT id FROM shops) TO STDOUT"} {
		s.Query(t.Context(), text)
		if _, known := s.QueryNow(text); !known {
			t.Errorf("%s: not known", text)
		}
	}
	boss := f.session("boss")
	boss.Query(t.Context(), "/* pgask: governed */ SELECT 1")
	if _, known := boss.QueryNow("/* pgask: governed */ SELECT 1"); known {
		t.Error("known to a passthrough session")
	}
}

// TestEstimatesAreMadeAgain: once they are old, and each time where the limit is
// near. A statement that has grown past it is refused then, and one that
// can't be estimated, too.
func TestEstimatesAreMadeAgain(t *testing.T) {
	f := newFixture(t)
	now := time.Now()
	seen := f.observed(t, strings.Replace(testPolicy, "explain_rows: 100000", "explain_rows: 1000", 1), 1<<20, func() time.Time { return now })
	s := f.session("clerk")
	ask := func(text, want string, estimates, authorized int) {
		t.Helper()
		d, known := s.QueryNow(text)
		if !known {
			d = s.Query(t.Context(), text)
		}
		got := ""
		if d.Denial != nil {
			got = sqlState(d.Denial.Err)
		}
		if e, a := seen.took("preflight"), seen.took("authorize"); got != want || e != estimates || a != authorized {
			t.Errorf("%s: %q after %d estimates and %d judgements, want %q after %d and %d", text, got, e, a, want, estimates, authorized)
		}
	}
	pass := func(d time.Duration) { // and the schema is as new as before
		now = now.Add(d)
		f.db.schema.checked.Store(now.UnixNano())
	}
	const far, near = "SELECT id FROM shops", "SELECT id FROM sales"
	ask(far, "", 1, 1)
	ask(far, "", 0, 0)
	ask(near, "", 1, 1)
	ask(near, "", 1, 0)
	pass(estimateHolds - time.Second)
	ask(far, "", 0, 0)
	pass(time.Second)
	ask(far, "", 1, 0)
	ask(far, "", 0, 0)
	if l := f.lastOf(s, far); l["estimated_rows"] != 12.0 {
		t.Errorf("receipt %v", l)
	}
	if _, err := f.conn.Exec(t.Context(), "INSERT INTO sales SELECT 1000 + i, 1, 1, i, '2026-01-01' FROM generate_series(1, 900) i; ANALYZE sales"); err != nil {
		t.Fatal(err)
	}
	ask(near, "PA004", 1, 0)
	if _, err := f.conn.Exec(t.Context(), "ALTER TABLE shops RENAME TO stores"); err != nil {
		t.Fatal(err)
	}
	pass(estimateHolds)
	ask(far, "42P01", 1, 0)
	ask(far, "42P01", 1, 0)
}

// lastOf plays a text and gives its receipt.
func (f *fixture) lastOf(s *Session, text string) map[string]any {
	f.play(s.Query(f.t.Context(), text))
	return f.last(s)
}

const otherPolicy = `
version: 1
roles:
  clerk:
    mode: governed
    tables: {allow: ["public.*"]}
    columns: [{table: public.shops, mask: {city: "'somewhere'"}}]
    scopes: [{tables: [public.sales], where: "tenant_id = :tenant_id"}]
    limits: {rows: 3, explain_rows: 1000}
  strict:
    mode: governed
    tables: {allow: ["public.*"], deny: [public.secrets]}
    limits: {rows: 5, on_truncate: error}
`

var planted = regexp.MustCompile(`denied_[0-9a-f]{32}`)

// described is what of a decision may not depend on whether it was known.
func described(d Decision) string {
	text := planted.ReplaceAllString(d.Text, "denied_word")
	if d.Denial != nil {
		text += fmt.Sprintf(" | %s %v %t", sqlState(d.Denial.Err), d.Denial.Err, d.Text == d.Denial.Word)
	}
	verdicts := []*verdict{d.verdict}
	for _, r := range d.Runs {
		verdicts = append(verdicts, r.of)
	}
	for _, v := range verdicts {
		if v == nil {
			continue
		}
		r := v.receipt
		r.RequestID, r.EstimatedRows = "", nil
		text += fmt.Sprintf(" | %s %s %t %+v %s", v.kind, planted.ReplaceAllString(v.text, "denied_word"), v.quiet, v.facts, (&r).rows())
		if v.trap != nil && !strings.Contains(d.Text, v.trap.Word) {
			text += " | another word"
		}
	}
	return text
}

// compare tells how a decision differs from one that wasn't known. Where a table
// changed since the schema was read, EXPLAIN finds out first; of a statement that
// isn't estimated again, Postgres says the same when it is sent.
func (f *fixture) compare(got, want Decision) string {
	refused := func(d Decision) bool { return d.Denial != nil && d.Text == d.Denial.Word }
	if !refused(got) && refused(want) && strings.HasPrefix(sqlState(want.Denial.Err), "42") {
		text := strings.TrimSuffix(strings.TrimPrefix(got.Text, "BEGIN; "), "; COMMIT")
		_, err := f.conn.PgConn().Prepare(f.t.Context(), "", text, nil)
		if strings.HasPrefix(text, "COPY") { // which Postgres looks into when it runs
			_, err = f.conn.PgConn().CopyTo(f.t.Context(), io.Discard, text)
		}
		if err == nil {
			return "Postgres takes " + got.Text
		}
		return cmp.Diff(sqlState(want.Denial.Err), sqlState(err))
	}
	return cmp.Diff(described(want), described(got))
}

// TestKnownIsWhatWouldBeJudged plays statements of several users, changes of the
// policy and of the schema in any order, and compares a pipeline that
// remembers with one that doesn't.
func TestKnownIsWhatWouldBeJudged(t *testing.T) {
	f := newFixture(t)
	known, later := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		if _, err := f.conn.Exec(t.Context(), "DROP TABLE IF EXISTS notes, stores CASCADE; CREATE TABLE notes (id int, tenant_id int, body text); ANALYZE notes"); err != nil {
			r.Fatal(err)
		}
		f.db.now = func() time.Time { later++; return time.Now().Add(time.Duration(later) * time.Hour) }
		if _, err := f.db.Refresh(t.Context()); err != nil {
			r.Fatal(err)
		}
		f.db.now = time.Now
		with, without := *f, *f
		with.observed(t, testPolicy, 1<<20, time.Now)
		without.observed(t, testPolicy, 0, time.Now)
		type pair struct{ with, without *Session }
		var users []pair
		for _, u := range []struct {
			name   string
			tenant int64
		}{{"ana", 1}, {"ana", 1}, {"ben", 2}, {"cara", 1}} {
			users = append(users, pair{with.as(t, u.name, u.tenant, "clerk"), without.as(t, u.name, u.tenant, "clerk")})
		}
		prepared := map[pair][2]*Decision{}
		texts := []string{"SELECT * FROM notes", "SELECT id FROM shops", "SELECT city FROM shops ORDER BY 1", "SELECT current_user, count(*) FROM sales",
			"SELECT body FROM notes WHERE id = $1", "SELECT tax FROM shops", "SELECT * FROM secrets", "BEGIN; SELECT count(*) FROM notes; COMMIT",
			"SELECT extra FROM notes", "SHOW search_path", "SELECT * FROM sales", "COPY (SELECT * FROM notes) TO STDOUT"}
		roles := []string{testPolicy, otherPolicy, strings.Replace(testPolicy, "rows: 10,", "rows: 10, on_truncate: error,", 1),
			strings.Replace(testPolicy, "deny: [tax]", "deny: [city]", 1)}
		changes := []string{"ALTER TABLE notes ADD COLUMN IF NOT EXISTS extra int", "ALTER TABLE notes DROP COLUMN IF EXISTS extra",
			"ALTER TABLE notes DROP COLUMN IF EXISTS body", "INSERT INTO notes SELECT i, 1 FROM generate_series(1, 500) i; ANALYZE notes"}
		steps := []string{"reload", "change", "parse", "parse", "parse", "bind", "bind", "query", "query", "query", "query", "query", "query", "query"}
		texts = rapid.SliceOfN(rapid.SampledFrom(texts), 3, 3).Draw(r, "texts")
		for range 16 {
			u := rapid.SampledFrom(users).Draw(r, "user")
			text := rapid.SampledFrom(texts).Draw(r, "text")
			switch rapid.SampledFrom(steps).Draw(r, "step") {
			case "reload":
				rules := testRules(t, rapid.SampledFrom(roles).Draw(r, "policy"))
				with.pipe.Reload(rules)
				without.pipe.Reload(rules)
			case "change":
				if _, err := f.conn.Exec(t.Context(), rapid.SampledFrom(changes).Draw(r, "change")); err != nil {
					r.Fatal(err)
				}
				if !rapid.Bool().Draw(r, "read") {
					continue
				}
				f.db.now = func() time.Time { later++; return time.Now().Add(time.Duration(later) * time.Hour) }
				if _, err := f.db.Refresh(t.Context()); err != nil {
					r.Fatal(err)
				}
				f.db.now = time.Now
			case "parse":
				oids := rapid.SampledFrom([][]uint32{nil, {23}, {25}}).Draw(r, "types")
				a, ok := u.with.ParseNow(text, oids)
				if !ok {
					a = u.with.Parse(t.Context(), text, oids)
				} else {
					known++
				}
				b := u.without.Parse(t.Context(), text, oids)
				if diff := f.compare(a, b); diff != "" {
					r.Fatal(text, diff)
				}
				prepared[u] = [2]*Decision{&a, &b}
			case "bind":
				p := prepared[u]
				if p[0] == nil {
					continue
				}
				a, ok := u.with.BindNow(p[0], &Run{})
				if !ok {
					a = u.with.Bind(t.Context(), p[0])
				}
				b := u.without.Bind(t.Context(), p[1])
				if (a.Denial == nil) != (b.Denial == nil) || a.Denial != nil && sqlState(a.Denial.Err) != sqlState(b.Denial.Err) {
					r.Fatalf("bound %+v, want %+v", a.Denial, b.Denial)
				}
			case "query":
				a, ok := u.with.QueryNow(text)
				if !ok {
					a = u.with.Query(t.Context(), text)
				} else {
					known++
				}
				if diff := f.compare(a, u.without.Query(t.Context(), text)); diff != "" {
					r.Fatal(text, diff)
				}
			}
		}
	})
	if known < 20 { // about 150 as a rule
		t.Errorf("only %d decisions were known", known)
	}
}

// TestTrapsAreKept: a statement that was known raises the word it was planted
// with, and a reload finds the same text again.
func TestTrapsAreKept(t *testing.T) {
	f := newFixture(t)
	f.observed(t, otherPolicy, 1<<20, time.Now)
	s := f.session("strict")
	const text = "SELECT id FROM sales"
	first := s.Query(t.Context(), text)
	again, known := s.QueryNow(text)
	if !known || again.Denial == nil || again.Text != first.Text || !strings.Contains(again.Text, again.Denial.Word) {
		t.Fatalf("%+v", again)
	}
	if sqlState(again.Denial.Err) != "PA011" {
		t.Error(again.Denial.Err)
	}
	d, known := s.ParseNow(text, nil)
	if !known {
		t.Fatal("not known when parsed")
	}
	f.pipe.Reload(testRules(t, otherPolicy))
	other := f.session("strict")
	other.Query(t.Context(), text) // with a word of its own
	if b := s.Bind(t.Context(), &d); b.Denial != nil {
		t.Errorf("the same rules again: %v", b.Denial.Err)
	}
}

// TestKnownIsAudited: each execution has its line, whether the verdict was known
// or not, and they differ in nothing but when and how long.
func TestKnownIsAudited(t *testing.T) {
	f := newFixture(t)
	lines := f.audited(audit.Options{Full: true})
	s := f.session("clerk")
	const text = "SELECT id FROM shops"
	f.play(s.Query(t.Context(), text))
	d, known := s.QueryNow(text)
	if !known {
		t.Fatal("not known")
	}
	f.play(d)
	all := lines()
	if len(all) != 2 {
		t.Fatalf("%d lines", len(all))
	}
	first, second := all[0].Statement, all[1].Statement
	if first.Text != text || len(first.Tables) != 1 || !reflect.DeepEqual(first, second) {
		t.Errorf("%+v\n%+v", first, second)
	}
}

// TestStandings: those nobody has are forgotten.
func TestStandings(t *testing.T) {
	var all standings
	db, rules := &Database{}, &Rules{}
	stand := func(user string) *standing {
		s, _, err := all.get(place{db: db, rules: rules, user: user}, nil, func() (*standing, error) { return &standing{rules: rules}, nil })
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := stand("first")
	for i := range 1000 {
		if stand(fmt.Sprint(i)).number == first.number {
			t.Fatal("one number for two")
		}
	}
	if stand("first") != first {
		t.Error("not found while somebody has it")
	}
	if _, _, err := all.get(place{db: db, rules: rules, user: "bad"}, nil, func() (*standing, error) { return nil, context.Canceled }); err == nil {
		t.Error("a failure was swallowed")
	}
	old := rules
	rules = &Rules{}
	if stand("first") == first {
		t.Error("found under other rules")
	}
	if all.current(db, first.era) {
		t.Error("the old rules are still current")
	}
	if n := len(all.by); n != 1 {
		t.Errorf("%d places of other rules", n)
	}
	if slices.ContainsFunc(all.kept[:], func(s *standing) bool { return s != nil && s.rules == old }) {
		t.Error("standings of other rules are kept")
	}
}
