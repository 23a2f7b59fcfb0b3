package integration

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// choosing is a matcher's reply with an id and at most one value.
func choosing(id string, param ...string) func(http.ResponseWriter) {
	params := "[]"
	if len(param) == 2 {
		params = fmt.Sprintf(`[{"name":%q,"value":%q}]`, param[0], param[1])
	}
	return replied(fmt.Sprintf(`{"query_id":%q,"params":%s,"reason":""}`, id, params))
}

// curatedFixture is a pgask with a model for the sample company, and curated queries
// besides its own.
func curatedFixture(t *testing.T, p *provider) *fixture {
	t.Helper()
	f := unstarted(t, func(text string) string {
		return text + fmt.Sprintf("\nllm: {base_url: %q, api_key: top-secret-key, model: scripted, routing: {matcher: chooser}, timeout: 5s}\n", p.URL+"/v1")
	})
	edit(t, filepath.Join(filepath.Dir(f.Config), "curated.yaml"), func(text string) string {
		return text + `
  - {id: wages, database: acme, question: wages of employees by department, sql: SELECT sum(salary) FROM payroll}
  - {id: tax_numbers, database: acme, question: tax numbers of accounts, sql: SELECT tax_id FROM accounts}
  - {id: broken, database: acme, question: names of products plus one, sql: SELECT name + 1 FROM products}
  - {id: stale, database: acme, question: "forecast of orders for {n} weeks", sql: "SELECT forecast FROM orders LIMIT :n", params: {n: {type: int, min: 1, default: 4}}}
`
	})
	f.launch(t)
	t.Cleanup(func() { f.halt(t) })
	return f
}

// TestMatcherAsked has a model choose curated queries through the wire.
func TestMatcherAsked(t *testing.T) {
	p := newProvider(t)
	f := curatedFixture(t, p)
	ana := f.Connect(t, "ana")
	direct := table(t, ana, "ASK 'top 4 products by revenue'")
	if len(direct) != 4 || len(p.prompts()) != 0 {
		t.Fatalf("word for word: %v, %d calls", direct, len(p.prompts()))
	}
	p.script(choosing("top_products", "n", "4"))
	if got := table(t, ana, "ASK 'the four products with the most revenue of all'"); !slices.Equal(got, direct) {
		t.Errorf("%v, want %v", got, direct)
	}
	last := fmt.Sprint(table(t, ana, "SHOW pgask.last"))
	if !strings.Contains(last, "curated") || !strings.Contains(last, `{"id":"top_products","values":{"n":4}}`) {
		t.Errorf("receipt %s", last)
	}
	prompts := p.prompts()
	if len(prompts) != 1 || !strings.Contains(prompts[0], `"model":"chooser"`) {
		t.Fatalf("%d prompts: %v", len(prompts), prompts)
	}
	for _, hidden := range []string{"SELECT", "payroll", "wages"} {
		if strings.Contains(prompts[0], hidden) {
			t.Errorf("the prompt holds %s", hidden)
		}
	}

	// A value that the query doesn't take, and an id that isn't there, leave the
	// question to the others.
	for i, reply := range []func(http.ResponseWriter){choosing("top_products", "n", "1000"), choosing("wages"), choosing("none_of_these"), status(401)} {
		p.script(reply, planned(accountsByRegion))
		question := fmt.Sprintf("ASK 'revenue of the very best products, case %d'", i)
		if got := table(t, ana, question); len(got) != 3 {
			t.Errorf("%v", got)
		}
		if last := fmt.Sprint(table(t, ana, "SHOW pgask.last")); !strings.Contains(last, "model") {
			t.Errorf("receipt %s", last)
		}
	}
}

// TestCuratedFallsBack holds that a verified query which the asker may not have, or
// that the schema has left behind, is as if it weren't there.
func TestCuratedFallsBack(t *testing.T) {
	p := newProvider(t)
	f := curatedFixture(t, p)
	ana := f.Connect(t, "ana")
	for question, want := range map[string][2]string{
		"wages of employees by department": {"curated declined no_candidates", "policy_denied"},
		"tax numbers of accounts":          {"curated declined no_candidates", "policy_denied"},
		"forecast of orders for 6 weeks":   {"curated declined no_candidates", "policy_denied"}, // whether a column is hidden or gone
		"names of products plus one":       {"curated declined execution_failed: broken", "execution_failed: broken"},
	} {
		p.script(planned(accountsByRegion))
		if got := table(t, ana, "ASK '"+question+"'"); len(got) != 3 {
			t.Errorf("%s: %v", question, got)
		}
		p.script(planned(accountsByRegion))
		told := fmt.Sprint(table(t, ana, "ASK EXPLAIN '"+question+"'"))
		if flat := strings.NewReplacer(" | ", " ").Replace(told); !strings.Contains(flat, want[0]) || strings.Contains(told, "policy_denied") {
			t.Errorf("%s: told %s", question, told)
		}
		p.script(planned(accountsByRegion))
		known, err := f.command("explain", "ASK '"+question+"'", "--user", "ana")
		if err != nil || !strings.Contains(known, want[1]) {
			t.Errorf("%s: %v, %s", question, err, known)
		}
	}
}

// TestCuratedTest runs the command, and the check, with queries that work and that
// don't.
func TestCuratedTest(t *testing.T) {
	out, err := acme(t).command("curated", "test")
	if err != nil || !strings.Contains(out, "\n1..7\n# 7 cases: 7 ran, 0 failed\n") || !strings.Contains(out, " accounts_in_country on acme: ") {
		t.Errorf("%v: %s", err, out)
	}
	f := curatedFixture(t, newProvider(t))
	edit(t, filepath.Join(filepath.Dir(f.Config), "curated.yaml"), func(text string) string {
		return text + `
  - {id: untried, database: acme, question: "orders of {status}", sql: "SELECT id FROM orders WHERE status = :status", params: {status: {type: text}}}
  - {id: elsewhere, database: other, question: one, sql: SELECT 1}
`
	})
	out, err = f.command("curated", "test")
	if err == nil {
		t.Errorf("it passes: %s", out)
	}
	for _, want := range []string{"stale on acme\n# ERROR: column \"forecast\" does not exist", "untried on acme\n# give an example of status",
		"elsewhere on other\n# pgask.yaml has no database other"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	out, err = f.command("check", "--offline=false")
	if err == nil || !strings.Contains(out, "queries.stale.sql: database acme: ERROR: column \"forecast\" does not exist") || strings.Contains(out, "untried") {
		t.Errorf("%v: %s", err, out)
	}
}
