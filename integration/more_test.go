package integration

import (
	"slices"
	"strings"
	"testing"
)

// TestMore amends answers and compares with SQL run direct.
func TestMore(t *testing.T) {
	f := acme(t)
	ana, direct := f.Connect(t, "ana"), f.Direct(t)
	if e := failure(t, ana, "ASK MORE 'only EMEA'"); e.Code != "PA002" || e.Hint != "ASK 'your question'" {
		t.Errorf("without a plan before: %s %s, %s", e.Code, e.Message, e.Hint)
	}
	const from = " FROM orders o JOIN accounts a ON a.id = o.account_id WHERE o.tenant_id = 1 "
	const month = "AND o.ordered_at >= date_trunc('month', now()) - interval '1 month' AND o.ordered_at < date_trunc('month', now()) "
	const year = "AND o.ordered_at >= date_trunc('year', now()) AND o.ordered_at < date_trunc('year', now()) + interval '1 year' "
	for _, step := range []struct{ ask, sql string }{
		{"ASK 'orders by status'", "SELECT o.status, count(*)" + from + "GROUP BY 1"},
		{"ASK MORE 'only EMEA'", "SELECT o.status, count(*)" + from + "AND a.region = 'EMEA' GROUP BY 1"},
		{"ASK MORE 'and what about APAC?'", "SELECT o.status, count(*)" + from + "AND a.region = 'APAC' GROUP BY 1"},
		{"ASK MORE 'last month'", "SELECT o.status, count(*)" + from + "AND a.region = 'APAC' " + month + "GROUP BY 1"},
		{"ASK MORE 'this year instead'", "SELECT o.status, count(*)" + from + "AND a.region = 'APAC' " + year + "GROUP BY 1"},
		{"ASK MORE 'by segment'", "SELECT a.segment, count(*)" + from + "AND a.region = 'APAC' " + year + "GROUP BY 1"},
		{"ASK MORE 'also by status'", "SELECT o.status, a.segment, count(*)" + from + "AND a.region = 'APAC' " + year + "GROUP BY 1, 2"},
		{"ASK MORE 'only completed'", "SELECT o.status, a.segment, count(*)" + from + "AND a.region = 'APAC' AND o.status = 'completed' " + year + "GROUP BY 1, 2"},
		{"ASK MORE 'top 2'", "SELECT o.status, a.segment, count(*)" + from + "AND a.region = 'APAC' AND o.status = 'completed' " + year + "GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 2"},
		{"ASK MORE 'lowest first'", "SELECT o.status, a.segment, count(*)" + from + "AND a.region = 'APAC' AND o.status = 'completed' " + year + "GROUP BY 1, 2 ORDER BY 3 LIMIT 2"},
		{"ASK MORE 'all of them'", "SELECT o.status, a.segment, count(*)" + from + "AND a.region = 'APAC' AND o.status = 'completed' " + year + "GROUP BY 1, 2"},
		{"ASK 'top 3 products by revenue this year'", `SELECT p.name, sum(i.quantity * i.unit_price * (1 - i.discount)) FROM order_items i JOIN orders o ON o.id = i.order_id
			JOIN products p ON p.id = i.product_id WHERE o.tenant_id = 1 AND o.status = 'completed' ` + year + `GROUP BY 1 ORDER BY 2 DESC LIMIT 3`},
		{"ASK MORE 'only EMEA'", `SELECT p.name, sum(i.quantity * i.unit_price * (1 - i.discount)) FROM order_items i JOIN orders o ON o.id = i.order_id JOIN accounts a ON a.id = o.account_id
			JOIN products p ON p.id = i.product_id WHERE o.tenant_id = 1 AND o.status = 'completed' AND a.region = 'EMEA' ` + year + `GROUP BY 1 ORDER BY 2 DESC LIMIT 3`},
	} {
		got, err := tryTable(ana, step.ask)
		if err != nil {
			t.Errorf("%s: %v", step.ask, err)
			continue
		}
		if want := table(t, direct, step.sql); !slices.Equal(sorted(got), sorted(want)) || len(want) == 0 {
			t.Errorf("%s: %v, want %v", step.ask, got, want)
		}
		if s := source(t, ana); s != "builtin 0" {
			t.Errorf("%s: source %s", step.ask, s)
		}
	}
	e := failure(t, ana, "ASK MORE 'only unicorns'")
	if e.Code != "PA002" || !strings.Contains(e.Message, `"unicorns"`) || e.Hint != "ASK 'top 3 products by revenue this year'" {
		t.Errorf("a word without a part: %s %s, %s", e.Code, e.Message, e.Hint)
	}
	// What failed leaves the plan as it was; a verified query's answer has none.
	if got := table(t, ana, "ASK MORE 'top 1'"); len(got) != 1 {
		t.Errorf("after a failure: %v", got)
	}
	table(t, ana, "ASK 'arr by segment today'")
	if e := failure(t, ana, "ASK MORE 'only EMEA'"); e.Code != "PA002" || e.Hint != "ASK 'your question'" {
		t.Errorf("after an answer without a plan: %s %s", e.Code, e.Message)
	}
	table(t, ana, "ASK 'orders by status'")
	table(t, ana, "DISCARD ALL")
	if e := failure(t, ana, "ASK MORE 'only EMEA'"); e.Code != "PA002" {
		t.Errorf("after DISCARD ALL: %s", e.Code)
	}
}

// TestMoreByModel has a model amend the last plan, which its prompt shows.
func TestMoreByModel(t *testing.T) {
	p := newProvider(t)
	f := withModel(t, p)
	ana := f.Connect(t, "ana")
	p.script(planned(accountsByRegion), planned(strings.Replace(accountsByRegion, `"order_by"`, `"limit":1,"order_by"`, 1)))
	table(t, ana, "ASK 'how do our accounts spread over regions'")
	if got := table(t, ana, "ASK MORE 'a single one of those accounts'' regions will do'"); len(got) != 1 || source(t, ana) != "model 1" {
		t.Errorf("%v by %s", got, source(t, ana))
	}
	if prompts := p.prompts(); len(prompts) != 2 || strings.Contains(prompts[0], "LAST_PLAN") ||
		!strings.Contains(prompts[1], "[LAST_PLAN]") || !strings.Contains(prompts[1], "how do our accounts spread over regions") {
		t.Errorf("%d prompts, the second without the last plan", len(prompts))
	}
}
