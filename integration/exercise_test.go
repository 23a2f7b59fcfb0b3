package integration

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/index"
)

// A warehouse of three tables, conversations that are found by what they say, and five measures.
const exerciseSemantic = `
metrics:
  - {name: revenue, table: public.orders, expr: sum(amount), unit: USD, additivity: {kind: additive}, owner: finance}
  - {name: orders, table: public.orders, expr: count(*), additivity: {kind: additive}, owner: sales}
  - {name: average order, table: public.orders, expr: avg(amount), unit: USD, additivity: {kind: non}, owner: sales}
  - {name: customers, table: public.orders, expr: count(distinct account_id), additivity: {kind: non}, owner: sales}
  - {name: arr, table: public.monthly_arr, expr: sum(arr), unit: USD, additivity: {kind: semi, not_over: [month], time: last}, owner: finance}
sources:
  - name: conversations
    table: public.conversations
    embedding: embedding
    text: body
    k: 2
    links: [{column: account_id, to: public.accounts.id, method: verified_domain, confidence: 0.9}]
    access: {by_search: true, by_key: [account_id]}
`

const exercisePolicy = `version: 1
roles:
  all: {mode: governed, ask: true, databases: [world], tables: {allow: ["public.*"]}}
  some:
    mode: governed
    ask: true
    databases: [world]
    tables: {allow: ["public.*"]}
    scopes:
      - {tables: [public.accounts, public.orders, public.conversations], where: "tenant_id = 1"}
      - {table: public.monthly_arr, via: {public.accounts: {account_id: id}}}
`

func exerciseSQL(t *testing.T) []string {
	t.Helper()
	texts := []string{"we will cancel, the price is too high", "how do I export a report", "thinking of a cancellation next month", "cancel cancel cancel"}
	vectors, err := index.NewLexical(nil).Documents(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{"CREATE EXTENSION vector", `CREATE TABLE accounts (id int PRIMARY KEY, tenant_id int NOT NULL, name text NOT NULL);
		CREATE TABLE monthly_arr (account_id int REFERENCES accounts, month date, arr numeric NOT NULL, PRIMARY KEY (account_id, month));
		CREATE TABLE orders (id int PRIMARY KEY, account_id int NOT NULL REFERENCES accounts, tenant_id int NOT NULL, amount numeric NOT NULL);
		CREATE TABLE conversations (id int PRIMARY KEY, account_id int NOT NULL REFERENCES accounts, tenant_id int NOT NULL, body text NOT NULL, embedding vector(512) NOT NULL);
		CREATE INDEX ON conversations USING hnsw (embedding vector_cosine_ops);
		INSERT INTO accounts VALUES (1, 1, 'Ada'), (2, 1, 'Bob'), (3, 1, 'Cleo'), (4, 2, 'Dan');
		INSERT INTO monthly_arr SELECT a, m, 100 * a + extract(month FROM m) FROM generate_series(1, 4) a, (VALUES (date '2026-01-01'), ('2026-02-01'), ('2026-03-01')) t(m);
		INSERT INTO orders VALUES (1, 1, 1, 10), (2, 1, 1, 20), (3, 2, 1, 5), (4, 4, 2, 100)`}
	for i, v := range vectors {
		parts := make([]string, len(v))
		for n, x := range v {
			parts[n] = fmt.Sprint(x)
		}
		out = append(out, fmt.Sprintf("INSERT INTO conversations SELECT %d, %d, tenant_id, '%s', '[%s]' FROM accounts WHERE id = %[2]d", i+1, i+1, texts[i], strings.Join(parts, ",")))
	}
	return out
}

// exercise is a Postgres with the exercise's rows, and a pgask over it with more settings.
func exercise(t *testing.T, settings string) (direct *pgx.Conn, session func(user string) *pgx.Conn) {
	t.Helper()
	server := postgres.ForTest(t)
	database := server.CreateDatabase(t)
	direct = connect(t, server.DSN(database))
	for _, sql := range exerciseSQL(t) {
		if _, err := direct.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	p := serveFiles(t, fmt.Sprintf("databases:\n  world: {dsn: %s, pool: {size: 4}}\n", quoted(server.DSN(database)))+settings, map[string]string{
		"semantic.yaml": exerciseSemantic, "policy.yaml": exercisePolicy,
		"users.yaml": fmt.Sprintf("users:\n  - {name: all, password: %q, role: all}\n  - {name: some, password: %[1]q, role: some}\n", verifier(t)),
	})
	return direct, func(user string) *pgx.Conn {
		u := url.URL{Scheme: "postgres", User: url.UserPassword(user, "analyst"), Host: p.addr, Path: "/world", RawQuery: "sslmode=disable"}
		return connect(t, u.String())
	}
}

// TestExercise is the whole way of a plan, on a warehouse and a vector store: one that is right runs, a stock isn't
// added up over time, nothing is said to be absent of what isn't all visible, and what is measured over a search says that it
// is a lower bound.
func TestExercise(t *testing.T) {
	direct, session := exercise(t, "")
	all, some := session("all"), session("some")
	using := func(plan string) string { return "ASK 'the exercise' USING PLAN '" + plan + "'" }
	same := func(conn *pgx.Conn, ask, sql string) {
		t.Helper()
		if got, want := table(t, conn, ask), table(t, direct, sql); !slices.Equal(sorted(got), sorted(want)) || len(want) == 0 {
			t.Errorf("%s: %v, want %v", ask, got, want)
		}
	}
	same(all, using(`{"version":1,"from":{"table":"orders"},"joins":[{"table":"accounts"}],"select":[{"expr":{"column":"accounts.name"}},{"expr":{"metric":"revenue"}}]}`),
		"SELECT a.name, sum(o.amount) FROM orders o JOIN accounts a ON a.id = o.account_id GROUP BY 1")

	e := failure(t, all, using(`{"version":1,"from":{"table":"monthly_arr"},"select":[{"expr":{"aggregate":{"func":"sum","arg":{"column":"arr"}}},"as":"arr"}]}`))
	if e.Code != "PA006" {
		t.Errorf("a stock over time: %s %s", e.Code, e.Message)
	}
	same(all, e.Hint, "SELECT sum(arr) FROM monthly_arr WHERE month = '2026-03-01'")

	idle := using(`{"version":1,"from":{"table":"accounts"},"joins":[{"table":"orders","kind":"anti"}],"select":[{"expr":{"column":"name"}}]}`)
	same(all, idle, "SELECT name FROM accounts WHERE id NOT IN (SELECT account_id FROM orders)")
	if e := failure(t, some, idle); e.Code != "PA007" || !strings.Contains(e.Message, "public.orders") {
		t.Errorf("an absence among some rows: %s %s", e.Code, e.Message)
	}

	// The two conversations nearest to the text, of those that the asker may see.
	const risk = `"search":{"query":"cancel"}`
	atRisk := using(`{"version":1,"from":{"table":"monthly_arr","as":"m"},"joins":[{"table":"accounts","as":"a"},{"table":"conversations","as":"c","kind":"semi",` + risk + `}],"select":[{"expr":{"metric":"arr"}}]}`)
	const nearest = "SELECT sum(arr) FROM monthly_arr WHERE month = '2026-03-01' AND account_id IN "
	near := func(rows string) string {
		return nearest + "(SELECT account_id FROM conversations" + rows + " ORDER BY embedding <=> (SELECT embedding FROM conversations WHERE id = 4) LIMIT 2)"
	}
	same(all, atRisk, near(""))
	same(some, atRisk, near(" WHERE tenant_id = 1"))
	last := strings.Join(table(t, some, "SHOW pgask.last"), "\n")
	for _, want := range []string{`based on the 2 nearest matches of`, "cancel", "counts are lower bounds", "linked to accounts by verified_domain (confidence 90 %)", "within what you may see"} {
		if !strings.Contains(last, want) {
			t.Errorf("no %q in %s", want, last)
		}
	}
	if got := strings.Join(table(t, some, strings.Replace(atRisk, "ASK ", "ASK PLAN ", 1)), "\n"); !strings.Contains(got, `"completeness":"bounded"`) || !strings.Contains(got, `"confidence":0.9`) {
		t.Errorf("annotations: %s", got)
	}
	same(some, using(`{"version":1,"from":{"table":"conversations","as":"c",`+risk+`},"select":[{"expr":{"column":"c.body"}}]}`),
		"SELECT body FROM conversations WHERE tenant_id = 1 ORDER BY embedding <=> (SELECT embedding FROM conversations WHERE id = 4) LIMIT 2")
	for _, refused := range []struct{ plan, code, message string }{
		{`{"version":1,"from":{"table":"conversations","as":"c",` + risk + `},"joins":[{"table":"accounts"}],"select":[{"expr":{"aggregate":{"func":"avg","arg":{"column":"c.distance"}}}}]}`, "PA007", "avg"},
		{`{"version":1,"from":{"table":"accounts"},"joins":[{"table":"conversations","kind":"anti",` + risk + `}],"select":[{"expr":{"column":"name"}}]}`, "PA007", "nearest matches"},
		{`{"version":1,"from":{"table":"conversations"},"select":[{"expr":{"aggregate":{"func":"count"}}}]}`, "PA002", "by key, with account_id given or joined to, or by search"},
	} {
		if e := failure(t, all, using(refused.plan)); e.Code != refused.code || !strings.Contains(e.Message, refused.message) {
			t.Errorf("%s: %s %s", refused.plan, e.Code, e.Message)
		}
	}
	if e := failure(t, all, "ASK 'how many conversations are there'"); e.Code != "PA002" || !strings.Contains(e.Message, "by search, for the rows nearest to a text") {
		t.Errorf("asked for all of a source: %s %s", e.Code, e.Message)
	}
	if got := table(t, all, "SHOW pgask.metrics"); len(got) != 5 {
		t.Errorf("metrics: %v", got)
	}
	same(all, using(`{"version":1,"from":{"table":"conversations"},"where":{"op":{"op":"=","args":[{"column":"account_id"},{"literal":{"value":1}}]}},"select":[{"expr":{"aggregate":{"func":"count"}}}]}`), "SELECT 1")
}

// TestSearchesAgree lets opinions that search agree by what they find.
func TestSearchesAgree(t *testing.T) {
	p := newProvider(t)
	_, session := exercise(t, fmt.Sprintf("planner: {order: [model], mode: plan, retries: 0, opinions: 2, agree: result}\nllm: {base_url: %q, model: scripted}\n", p.URL+"/v1"))
	plan := func(column string) string {
		return `{"version":1,"from":{"table":"conversations","as":"c","search":{"query":"cancel"}},"select":[{"expr":{"column":"c.` + column + `"}}]}`
	}
	renamed := strings.ReplaceAll(strings.Replace(plan("body"), `"as":"c"`, `"as":"talk"`, 1), "c.body", "talk.body")
	p.script(planned(plan("body")), planned(strings.Replace(renamed, `"cancel"`, `"cancel","k":2,"within":2`, 1)))
	if got := table(t, session("all"), "ASK 'who talks of leaving'"); len(got) != 2 {
		t.Errorf("%v", got)
	}
	p.script(planned(plan("body")), planned(plan("account_id")))
	if e := failure(t, session("some"), "ASK 'who talks of going'"); e.Code != "PA008" {
		t.Errorf("%s %s", e.Code, e.Message)
	}
}
