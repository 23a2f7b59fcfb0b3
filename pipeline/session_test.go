package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

const testSchema = `
CREATE TABLE shops (id int PRIMARY KEY, tenant_id int NOT NULL, city text NOT NULL, tax text);
CREATE TABLE sales (id int PRIMARY KEY, shop_id int NOT NULL REFERENCES shops, tenant_id int NOT NULL, amount numeric NOT NULL, sold_on date NOT NULL);
CREATE TABLE secrets (id int);
INSERT INTO shops SELECT i, 1 + i % 2, (ARRAY['Oslo','Lima','Pune'])[1 + i % 3], 'tax ' || i FROM generate_series(1, 12) i;
INSERT INTO sales SELECT i, 1 + i % 12, 1 + (1 + i % 12) % 2, i, date '2026-01-01' + i % 300 FROM generate_series(1, 600) i;
ANALYZE;
CREATE TABLE uncounted AS SELECT i AS id FROM generate_series(1, 5000) i;`

const testPolicy = `
version: 1
roles:
  clerk:
    mode: governed
    ask: true
    search_path: [public]
    tables: {allow: ["public.*"], deny: [public.secrets]}
    columns: [{table: public.shops, deny: [tax]}]
    scopes: [{tables: [public.shops, public.sales], where: "tenant_id = :tenant_id"}]
    limits: {rows: 10, explain_rows: 100000}
  mute:
    mode: governed
    tables: {allow: ["public.*"]}
  boss:
    mode: passthrough
    ask: true
    governed_as: clerk
`

// fixture is a pipeline over a database of its own, with fixed time.
type fixture struct {
	t    *testing.T
	pipe *Pipeline
	db   *Database
	conn *pgx.Conn
	// names are the connection's prepared statements, as the proxy knows them.
	names heldNames
}

type heldNames map[string]*Decision

func (h heldNames) Prepared(name string) (*Decision, error) { return h[name], nil }
func (h heldNames) Room(string, int) bool                   { return len(h) < 100 }

func (h heldNames) change(c *NameChange) {
	switch {
	case c.All:
		clear(h)
	case c.To == nil:
		delete(h, c.Name)
	default:
		h[c.Name] = c.To
	}
}

func newFixture(t *testing.T) *fixture {
	server := postgres.ForTest(t)
	dsn := server.DSN(server.CreateDatabase(t))
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), testSchema); err != nil {
		t.Fatal(err)
	}
	db := NewDatabase(&configs.Database{Name: "shop", DSN: dsn}, slog.New(slog.DiscardHandler), time.Now)
	t.Cleanup(db.Close)
	pipe := New(testRules(t, testPolicy), Options{Limits: stmt.DefaultLimits(), Samples: true, Verdicts: 1 << 20, Observer: deaf{}, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	return &fixture{t: t, pipe: pipe, db: db, conn: conn, names: heldNames{}}
}

func testRules(t testing.TB, text string) *Rules {
	t.Helper()
	file, faults := configs.DecodePolicy("policy.yaml", []byte(text))
	p, more := policy.Compile(file)
	for _, f := range append(faults, more...) {
		t.Fatal(f)
	}
	return &Rules{Policy: p, Semantic: &configs.Semantic{}, Planners: planner.New(planner.NewBuiltin())}
}

func (f *fixture) session(role string) *Session {
	f.t.Helper()
	who := auth.Principal{User: "u", Roles: []string{role}, Attributes: map[string]any{"tenant_id": int64(1)}}
	s, err := f.pipe.Open(f.t.Context(), who, f.db, auth.Login{}, slog.New(slog.DiscardHandler))
	if err != nil {
		f.t.Fatal(err)
	}
	s.Follow(f.names)
	return s
}

// deaf is an Observer that doesn't listen.
type deaf struct{}

func (deaf) Judged(string, string)              {}
func (deaf) Answered(string, int, int64, int64) {}
func (deaf) Told()                              {}
func (deaf) Narrated(int, int64, int64)         {}
func (deaf) Stage(string, time.Duration)        {}
func (deaf) Rows(int64, bool)                   {}

// play runs a decision's text on Postgres as the proxy would, through its runs.
func (f *fixture) play(d Decision) (rows [][]string, notices []Notice) {
	f.t.Helper()
	if d.Denial != nil {
		f.t.Fatalf("denied: %v", d.Denial.Err)
	}
	results, err := f.conn.PgConn().Exec(f.t.Context(), d.Text).ReadAll()
	if err != nil {
		f.t.Fatalf("%s\n%v", d.Text, err)
	}
	for i, r := range results {
		for _, row := range r.Rows {
			if d.Runs[i] != nil && !d.Runs[i].Row(9) {
				continue
			}
			out := make([]string, len(row))
			for j, v := range row {
				out[j] = string(v)
			}
			rows = append(rows, out)
		}
		if d.Runs[i] != nil {
			_, n := d.Runs[i].Complete(r.CommandTag.String())
			notices = append(notices, n...)
		}
		if len(d.Renames) > i && d.Renames[i] != nil {
			f.names.change(d.Renames[i])
		}
	}
	return rows, notices
}

func (f *fixture) last(s *Session) map[string]any {
	f.t.Helper()
	var out []map[string]any
	if err := json.Unmarshal([]byte(s.lastReceipt().rows()), &out); err != nil || len(out) != 1 {
		f.t.Fatal(err, len(out))
	}
	return out[0]
}

func TestGovernedStatements(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	rows, _ := f.play(s.Query(t.Context(), "SELECT count(*) FROM shops"))
	if rows[0][0] != "6" {
		t.Errorf("a tenant's shops: %v", rows)
	}
	rows, notices := f.play(s.Query(t.Context(), "SELECT id FROM sales ORDER BY id"))
	if len(rows) != 10 || len(notices) != 1 || notices[0].Code != "01004" || notices[0].Message != "result truncated at 10 rows" {
		t.Errorf("%d rows, notices %v", len(rows), notices)
	}
	if l := f.last(s); l["truncated"] != true || l["rows"] != 10.0 || l["row_cap"] != 10.0 || l["verdict"] != "allowed" || l["source"] != nil {
		t.Errorf("receipt %v", l)
	}
	rows, _ = f.play(s.Query(t.Context(), "BEGIN; SELECT 1; SELECT count(*) FROM shops; COMMIT"))
	if len(rows) != 2 || rows[1][0] != "6" {
		t.Errorf("several statements: %v", rows)
	}
}

func TestRefusals(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	for text, want := range map[string]string{
		"SELECT * FROM secrets":                        "42501",
		"SELECT tax FROM shops":                        "42501",
		"SELECT 1; DELETE FROM shops":                  "25006",
		"BEGIN READ WRITE":                             "25006",
		"SELECT pg_read_file('x')":                     "42501",
		"SELECT query_to_xml('select 1',true,true,'')": "42501",
		"SELEC":                                "42601",
		"ASK":                                  "42601",
		"SHOW pgask.nothing":                   "42704",
		"ASK 'how many shops' READING 2":       "PA002",
		"ASK NARRATE 'how many unicorns'":      "PA002",
		"ASK 'how many unicorns'":              "PA002",
		"ASK 'how many shops' USING PLAN '{}'": "PA005",
		"SELECT count(*) FROM sales a, sales b, sales c": "PA004",
		"SELECT count(*) FROM uncounted a, uncounted b":  "PA004",
		"SELECT city + 1 FROM shops":                     "42883",
	} {
		d := s.Query(t.Context(), text)
		if d.Denial == nil || d.Text != d.Denial.Word {
			t.Errorf("%s: not denied", text)
			continue
		}
		if got := sqlState(d.Denial.Err); got != want {
			t.Errorf("%s: %s %v, want %s", text, got, d.Denial.Err, want)
		}
		d.Denial.Shown()
		if got := f.last(s)["verdict"]; got != want {
			t.Errorf("%s: receipt says %v", text, got)
		}
	}
	if d := f.session("mute").Query(t.Context(), "ASK 'how many shops'"); sqlState(d.Denial.Err) != "42501" {
		t.Errorf("a role that may not ask: %v", d.Denial.Err)
	}
}

func TestQuestions(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	for text, want := range map[string]string{
		"ASK 'how many shops'":                                              "6",
		"/* ask: how many shops */ SELECT 1":                                "6",
		"SELECT a.* FROM ask('how many shops') AS a":                        "6",
		"WITH n AS (SELECT * FROM ask('how many shops') x) SELECT * FROM n": "6",
		`ASK 'x' USING PLAN '{"version":1,"from":{"table":"shops"},"select":[{"expr":{"aggregate":{"func":"count"}},"as":"n"}]}'`: "6",
	} {
		rows, notices := f.play(s.Query(t.Context(), text))
		if len(rows) != 1 || rows[0][0] != want {
			t.Errorf("%s: %v, want %s", text, rows, want)
		}
		if len(notices) != 1 || notices[0].Code != "00000" || !strings.Contains(notices[0].Message, "public.shops") {
			t.Errorf("%s: notices %+v", text, notices)
		}
		if l := f.last(s); l["source"] == nil || l["plan_hash"] == nil {
			t.Errorf("%s: receipt %v", text, l)
		}
	}
}

func TestWantedColumns(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	d := s.Query(t.Context(), "ASK 'how many shops by city' WITH (columns = 'shops text, city text')")
	rows, _ := f.play(d)
	if len(rows) == 0 || len(rows[0]) != 2 || rows[0][0] != "2" {
		t.Errorf("%v", rows)
	}
	for columns, want := range map[string]string{
		"city text":                              "PA002",
		"x text, y text":                         "PA002",
		"city text, n int, more int":             "PA002",
		"city":                                   "42601",
		"city text) WHERE (true":                 "42601",
		"city text), secrets AS s(id":            "42601",
		"city text, n int); DELETE FROM shops (": "42601",
		"city text, shops regclass":              "42501",
	} {
		d := s.Query(t.Context(), "ASK 'how many shops by city' WITH (columns = '"+columns+"')")
		if d.Denial == nil || sqlState(d.Denial.Err) != want {
			t.Errorf("%s: %+v, want %s", columns, d.Denial, want)
		}
	}
}

// A supplied plan with a certain repair is answered with what to type instead.
func TestSuppliedPlanIsRepaired(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	d := s.Query(t.Context(), `ASK 'it''s how many' USING PLAN '{"version":1,"from":{"table":"shops"},"select":[{"expr":{"column":"citty"}}]}'`)
	hint, ok := d.Denial.Err.(interface{ Hint() string })
	if !ok || sqlState(d.Denial.Err) != "PA005" {
		t.Fatalf("%v", d.Denial.Err)
	}
	if rows, _ := f.play(s.Query(t.Context(), hint.Hint())); len(rows) != 6 {
		t.Errorf("%s: %v", hint.Hint(), rows)
	}
}

func TestToldStatements(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	for text, want := range map[string]string{
		"ASK SQL 'how many shops'":        "tenant_id",
		"ASK PLAN 'how many shops'":       `"from"`,
		"ASK EXPLAIN 'how many shops'":    "plan",
		"ASK EXPLAIN 'how many unicorns'": "PA002",
		"SHOW pgask.policy":               "public.sales",
		"SHOW pgask.status":               "",
	} {
		rows, notices := f.play(s.Query(t.Context(), text))
		var all []string
		for _, r := range rows {
			all = append(all, strings.Join(r, " | "))
		}
		if !strings.Contains(strings.Join(all, "\n"), want) || len(rows) == 0 {
			t.Errorf("%s: %v", text, all)
		}
		if len(notices) != 0 {
			t.Errorf("%s: notices %v", text, notices)
		}
		d := s.Parse(t.Context(), text, nil)
		if !d.Told {
			t.Errorf("%s: not told when prepared", text)
		}
		if b := s.Bind(t.Context(), &d); b.Denial != nil || !json.Valid([]byte(b.Value)) {
			t.Errorf("%s: bound %+v", text, b)
		}
	}
	if rows, _ := f.play(s.Query(t.Context(), "SHOW pgask.metrics")); len(rows) != 0 {
		t.Errorf("metrics of an empty model: %v", rows)
	}
}

func TestPassthroughIsLeftAlone(t *testing.T) {
	f := newFixture(t)
	s := f.session("boss")
	for _, text := range []string{"SELECT * FROM secrets", "DELETE FROM shops", "SELEC", "SELECT task FROM x", "SET client_encoding = 'LATIN1'"} {
		if d := s.Query(t.Context(), text); !d.Untouched {
			t.Errorf("%s: touched", text)
		}
	}
	rows, notices := f.play(s.Query(t.Context(), "ASK 'how many shops'"))
	if len(rows) != 1 || rows[0][0] != "6" || len(notices) != 1 {
		t.Errorf("asked as clerk: %v %v", rows, notices)
	}
	for text, want := range map[string]string{
		"/* pgask: governed */ SELECT * FROM secrets": "42501",
		"/* pgask: governed */ DELETE FROM shops":     "25006",
		"/* pgask: governed */ SELEC":                 "42601",
		"ASK how many":                                "42601",
	} {
		if d := s.Query(t.Context(), text); d.Denial == nil || sqlState(d.Denial.Err) != want {
			t.Errorf("%s: %+v", text, d)
		}
	}
	rows, _ = f.play(s.Query(t.Context(), "SELECT count(*) FROM secrets; ASK 'how many shops'"))
	if len(rows) != 2 || rows[0][0] != "0" {
		t.Errorf("an ordinary statement beside a question: %v", rows)
	}
}

// FETCH and EXECUTE show what another statement was judged to be.
func TestHeldStatements(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	if _, notices := f.play(s.Query(t.Context(), "PREPARE p AS ASK 'how many shops'")); len(notices) != 0 {
		t.Errorf("nothing was answered yet: %v", notices)
	}
	rows, notices := f.play(s.Query(t.Context(), "EXECUTE p"))
	if len(rows) != 1 || rows[0][0] != "6" || len(notices) != 1 || f.last(s)["source"] != "builtin" {
		t.Errorf("executed: %v %v %v", rows, notices, f.last(s))
	}
	f.play(s.Query(t.Context(), "PREPARE q AS ASK SQL 'how many shops'"))
	if rows, notices := f.play(s.Query(t.Context(), "EXECUTE q")); len(rows) != 1 || len(notices) != 0 {
		t.Errorf("told: %v %v", rows, notices)
	}
	f.play(s.Query(t.Context(), "BEGIN; DECLARE c CURSOR FOR SELECT id FROM sales ORDER BY id"))
	s.Ready('T')
	total := 0
	for range 3 {
		rows, notices = f.play(s.Query(t.Context(), "FETCH 4 FROM c"))
		total += len(rows)
	}
	if total != 10 || len(notices) != 1 || notices[0].Code != "01004" {
		t.Errorf("a cursor gave %d rows, notices %v", total, notices)
	}
	f.play(s.Query(t.Context(), "CLOSE c; COMMIT; DEALLOCATE p"))
	f.play(s.Query(t.Context(), "DISCARD ALL"))
	if len(s.held.cursors)+len(f.names) != 0 {
		t.Errorf("still held: %v %v", s.held, f.names)
	}
}

func TestTruncationAsAnError(t *testing.T) {
	f := newFixture(t)
	f.pipe.Reload(testRules(t, strings.Replace(testPolicy, "rows: 10", "rows: 10, on_truncate: error", 1)))
	s := f.session("clerk")
	fails := func(d Decision) {
		t.Helper()
		if d.Denial == nil || d.Text == d.Denial.Word || sqlState(d.Denial.Err) != "PA011" {
			t.Fatalf("%+v", d.Denial)
		}
		_, err := f.conn.PgConn().Exec(t.Context(), d.Text).ReadAll()
		if sqlState(err) != "22P02" || !strings.Contains(err.Error(), d.Denial.Word) {
			t.Errorf("%s: %v", d.Text, err)
		}
	}
	fails(s.Query(t.Context(), "SELECT id FROM sales ORDER BY id"))
	if rows, _ := f.play(Decision{Text: s.Query(t.Context(), "SELECT id FROM shops").Text, Runs: []*Run{nil}}); len(rows) != 6 {
		t.Errorf("under the cap: %v", rows)
	}
	prepare := s.Query(t.Context(), "PREPARE p AS SELECT id FROM sales")
	if _, err := f.conn.Exec(t.Context(), prepare.Text); err != nil {
		t.Fatal(err)
	}
	prepare.Runs[0].Complete("PREPARE")
	f.names.change(prepare.Renames[0])
	fails(s.Query(t.Context(), "EXECUTE p"))
	d := s.Parse(t.Context(), "SELECT id FROM sales", nil)
	f.pipe.Reload(testRules(t, strings.Replace(testPolicy, "rows: 10", "rows: 10, on_truncate: error", 1)))
	if b := s.Bind(t.Context(), &d); b.Denial != nil {
		t.Errorf("the same rules again: %v", b.Denial.Err)
	}
}

func TestSettingSilencesNotices(t *testing.T) {
	f := newFixture(t)
	for _, role := range []string{"clerk", "boss"} {
		s := f.session(role)
		f.play(s.Query(t.Context(), "SET client_min_messages = warning"))
		s.Ready('I')
		if _, notices := f.play(s.Query(t.Context(), "ASK 'how many shops'")); len(notices) != 0 {
			t.Errorf("%s: notices %v", role, notices)
		}
		for _, reset := range []string{"RESET client_min_messages", "SET client_min_messages TO DEFAULT", "DISCARD ALL"} {
			f.play(s.Query(t.Context(), "SET client_min_messages = warning"))
			f.play(s.Query(t.Context(), reset))
			s.Ready('I')
			if _, notices := f.play(s.Query(t.Context(), "ASK 'how many shops'")); len(notices) != 1 {
				t.Errorf("%s: notices after %s: %v", role, reset, notices)
			}
		}
	}
}

func TestReloadJudgesPreparedStatementsAgain(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	count := s.Parse(t.Context(), "SELECT count(*) FROM shops", nil)
	one := s.Parse(t.Context(), "SELECT 1", nil)
	gone := s.Parse(t.Context(), "SELECT id FROM sales", nil)
	if b := s.Bind(t.Context(), &count); b.Denial != nil {
		t.Fatal(b.Denial.Err)
	}
	changed := strings.Replace(testPolicy, `"tenant_id = :tenant_id"`, `"tenant_id = 2"`, 1)
	f.pipe.Reload(testRules(t, strings.Replace(changed, "deny: [public.secrets]", "deny: [public.secrets, public.sales]", 1)))
	if b := s.Bind(t.Context(), &count); b.Denial == nil || sqlState(b.Denial.Err) != "0A000" {
		t.Errorf("other rows: %+v", b)
	}
	if b := s.Bind(t.Context(), &one); b.Denial != nil {
		t.Errorf("unchanged: %v", b.Denial.Err)
	}
	if b := s.Bind(t.Context(), &gone); b.Denial == nil || sqlState(b.Denial.Err) != "42501" {
		t.Errorf("denied now: %+v", b)
	}
}

func TestNewTablesAreFound(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	now := time.Now()
	f.db.now = func() time.Time { return now }
	if _, err := f.conn.Exec(t.Context(), "CREATE TABLE fresh (id int)"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(refreshAfter)
	f.play(s.Query(t.Context(), "SELECT count(*) FROM fresh"))
}

func TestCancelEndsAPreflight(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := s.Query(ctx, "SELECT count(*) FROM shops")
	if d.Denial == nil || sqlState(d.Denial.Err) != "57014" {
		t.Errorf("%+v", d)
	}
}

func TestPreflightOfParameters(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	for text, oids := range map[string][]uint32{
		"SELECT id FROM sales WHERE amount > $1 AND id = $2": {0, 23},
		"SELECT $1::text": nil,
		"PREPARE p (int) AS SELECT id FROM sales WHERE id = $1": nil,
		"COPY (SELECT id FROM sales) TO STDOUT":                 nil,
		"DECLARE c CURSOR FOR SELECT id FROM sales":             nil,
	} {
		if d := s.Parse(t.Context(), text, oids); d.Denial != nil {
			t.Errorf("%s: %v", text, d.Denial.Err)
		}
	}
	d := s.Parse(t.Context(), "SELECT count(*) FROM sales a, sales b, sales c WHERE a.id > $1", []uint32{23})
	if d.Denial == nil || sqlState(d.Denial.Err) != "PA004" {
		t.Errorf("%+v", d)
	}
}

// TestBackslashesDontSplit has messages that are one statement for a session
// with standard_conforming_strings off.
func TestBackslashesDontSplit(t *testing.T) {
	f := newFixture(t)
	s := f.session("boss")
	for _, text := range []string{
		`/* ask: how many shops */ SELECT '\'; DELETE FROM shops --'`,
		`/* pgask: governed */ SELECT '\'; SELECT 1 --'`,
		`SHOW pgask.last; SELECT '\'; DELETE FROM shops --'`,
	} {
		if d := s.Query(t.Context(), text); d.Denial == nil || sqlState(d.Denial.Err) != "0A000" {
			t.Errorf("%s: %+v", text, d)
		}
	}
	for _, text := range []string{`SELECT '\'; SELECT 1`, `SELECT 1; SELECT '\'; DELETE FROM shops --'`} {
		if d := s.Query(t.Context(), text); !d.Untouched {
			t.Errorf("%s: touched", text)
		}
	}
	if d := s.Query(t.Context(), `/* pgask: governed */ SELECT '\d' || city FROM shops`); d.Denial != nil {
		t.Error(d.Denial.Err)
	}
}

// TestFailedPreflightLeavesNothing has one statement fail after its PREPARE; the
// connection it was tried on serves all sessions of that login.
func TestFailedPreflightLeavesNothing(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	for _, text := range []string{
		"SELECT 1 / 0 FROM sales WHERE id = $1",
		"PREPARE p AS SELECT 1 / 0 FROM sales WHERE id = $1",
	} {
		if d := s.Parse(t.Context(), text, nil); d.Denial == nil || sqlState(d.Denial.Err) != "22012" {
			t.Errorf("%s: %+v", text, d)
		}
	}
	for _, text := range []string{
		"SELECT id FROM sales WHERE id = $1",
		"PREPARE p AS SELECT id FROM sales WHERE id = $1",
	} {
		if d := s.Parse(t.Context(), text, nil); d.Denial != nil {
			t.Errorf("%s: %v", text, d.Denial.Err)
		}
	}
}

func TestExplainPlansOnly(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	for _, text := range []string{
		"EXPLAIN SELECT id FROM sales",
		"EXPLAIN (FORMAT JSON) SELECT count(*) FROM uncounted a, uncounted b, uncounted c",
		"EXPLAIN SELECT * FROM ask('how many shops') a",
	} {
		rows, _ := f.play(s.Query(t.Context(), text))
		if plan := fmt.Sprint(rows); !strings.Contains(plan, "Scan") || strings.Contains(plan, "cost") {
			t.Errorf("%s: %s", text, plan)
		}
	}
}

// A connection of our own that died while nobody used it costs nobody an answer.
func TestDeadPreflightConnection(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	for range 3 {
		f.play(s.Query(t.Context(), "SELECT count(*) FROM shops"))
		if _, err := f.conn.Exec(t.Context(), "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'pgask' AND datname = current_database()"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestInternalFaultsShowAnId(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	d := s.refused("sql", errors.New("a detail nobody should see"))
	d.Shown()
	err := d.Err
	if sqlState(err) != "XX000" || strings.Contains(err.Error(), "detail") {
		t.Error(err)
	}
	if id := f.last(s)["request_id"].(string); !strings.Contains(err.Error(), strings.TrimSpace(id)) {
		t.Errorf("%v lacks the receipt's id %s", err, id)
	}
}
