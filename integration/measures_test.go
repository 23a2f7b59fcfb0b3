package integration

import (
	"slices"
	"strings"
	"testing"
)

// TestMeasures asks for measures of several grains and additivities, and compares with SQL
// run direct; what can't be added up is refused with what can be asked instead.
func TestMeasures(t *testing.T) {
	f := acme(t)
	ana, direct := f.Connect(t, "ana"), f.Direct(t)
	const arr = "FROM monthly_account_arr m JOIN accounts a ON a.id = m.account_id WHERE a.tenant_id = 1"
	const region = `(SELECT sum(i.quantity * i.unit_price * (1 - i.discount)) FROM order_items i JOIN orders o ON o.id = i.order_id JOIN accounts a ON a.id = o.account_id
			WHERE o.tenant_id = 1 AND o.status = 'completed' AND a.region = r.region),
		(SELECT count(*) FROM support_conversations c JOIN accounts a ON a.id = c.account_id WHERE c.tenant_id = 1 AND a.region = r.region)
		FROM (SELECT DISTINCT region FROM accounts WHERE tenant_id = 1) r`
	for _, step := range []struct{ ask, sql string }{
		{"ASK 'arr this quarter'", "SELECT sum(m.arr) " + arr + " AND m.month = (SELECT max(month) FROM monthly_account_arr)"},
		{"ASK 'arr today'", "SELECT sum(m.arr) " + arr + " AND m.month = (SELECT max(month) FROM monthly_account_arr)"},
		{"ASK 'arr yesterday by region'", "SELECT a.region, sum(m.arr) " + arr + " AND m.month = (SELECT max(month) FROM monthly_account_arr WHERE month < current_date) GROUP BY 1"},
		{"ASK 'accounts with arr above 50000 this year'", "SELECT a.name " + arr + " AND m.month = (SELECT max(month) FROM monthly_account_arr) AND m.arr > 50000"},
		{"ASK 'accounts with revenue above 300000'", `SELECT a.name FROM order_items i JOIN orders o ON o.id = i.order_id JOIN accounts a ON a.id = o.account_id
			WHERE o.tenant_id = 1 AND o.status = 'completed' GROUP BY a.id HAVING sum(i.quantity * i.unit_price * (1 - i.discount)) > 300000`},
		{"ASK 'revenue by region and segment'", `SELECT a.region, a.segment, sum(i.quantity * i.unit_price * (1 - i.discount)) FROM order_items i JOIN orders o ON o.id = i.order_id
			JOIN accounts a ON a.id = o.account_id WHERE o.tenant_id = 1 AND o.status = 'completed' GROUP BY 1, 2`},
		{"ASK 'top 3 products by revenue in EMEA this year'", `SELECT p.name, sum(i.quantity * i.unit_price * (1 - i.discount)) FROM order_items i JOIN orders o ON o.id = i.order_id
			JOIN accounts a ON a.id = o.account_id JOIN products p ON p.id = i.product_id WHERE o.tenant_id = 1 AND o.status = 'completed' AND a.region = 'EMEA'
			AND o.ordered_at >= date_trunc('year', current_date) GROUP BY p.id ORDER BY 2 DESC LIMIT 3`},
		{"ASK 'arr by month'", "SELECT m.month, sum(m.arr) " + arr + " GROUP BY 1"},
		{"ASK 'total revenue over all months'", `SELECT sum(i.quantity * i.unit_price * (1 - i.discount)) FROM order_items i JOIN orders o ON o.id = i.order_id
			WHERE o.tenant_id = 1 AND o.status = 'completed'`},
		{"ASK 'revenue and support conversations by region'", "SELECT r.region, " + region},
		{"ASK 'number of support conversations and arr by region'", "SELECT a.region, (SELECT count(*) FROM support_conversations c JOIN accounts b ON b.id = c.account_id WHERE c.tenant_id = 1 AND b.region = a.region), sum(m.arr) " +
			arr + " AND m.month = (SELECT max(month) FROM monthly_account_arr) GROUP BY 1"},
		{"ASK 'orders and support conversations by account'", `SELECT a.name, nullif((SELECT count(*) FROM orders o WHERE o.account_id = a.id), -1), (SELECT count(*) FROM support_conversations c WHERE c.account_id = a.id)
			FROM accounts a WHERE a.tenant_id = 1 AND (EXISTS (SELECT 1 FROM orders o WHERE o.account_id = a.id) OR EXISTS (SELECT 1 FROM support_conversations c WHERE c.account_id = a.id))`},
	} {
		got, err := tryTable(ana, step.ask)
		if err != nil {
			t.Errorf("%s: %v", step.ask, err)
			continue
		}
		if want := table(t, direct, step.sql); !slices.Equal(sorted(got), sorted(want)) || len(want) == 0 {
			t.Errorf("%s: %v, want %v", step.ask, got, want)
		}
	}

	table(t, ana, "ASK 'arr today'")
	if last := strings.Join(table(t, ana, "SHOW pgask.last"), ""); !strings.Contains(last, "was read as the last month that is known up to then") {
		t.Errorf("arr today: %s", last)
	}
	if e := failure(t, ana, "ASK 'average number of orders per account'"); e.Code != "PA003" || strings.Count(e.Hint, "READING") != 2 {
		t.Errorf("an average of those that have any, or of all: %s: %s, hint %q", e.Code, e.Message, e.Hint)
	}
	if e := failure(t, ana, "ASK 'total discount by region'"); e.Code != "PA006" || e.Hint != "ASK 'average discount by region'" {
		t.Errorf("%s: %s, hint %q", e.Code, e.Message, e.Hint)
	} else {
		table(t, ana, e.Hint)
	}
	e := failure(t, ana, "ASK 'total arr over all months'")
	if e.Code != "PA006" || !strings.Contains(e.Message, "stock arr") || !strings.Contains(e.Detail, `"path":"/group_by"`) {
		t.Errorf("a sum over time: %s %s\n%s", e.Code, e.Message, e.Detail)
	}
	if got, want := table(t, ana, e.Hint), table(t, ana, "ASK 'arr by month'"); !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", e.Hint, got, want)
	}

	// A plan that repeats what it adds up is refused; what it is told to type instead is right.
	fanned := `{"version":1,"from":{"table":"accounts"},"joins":[{"table":"support_conversations","to":"accounts"},{"table":"orders","to":"accounts"},{"table":"order_items","to":"orders"}],
		"select":[{"expr":{"column":"accounts.region"}},{"expr":{"metric":"revenue"}},{"expr":{"aggregate":{"func":"count","arg":{"column":"support_conversations.id"}}}}]}`
	e = failure(t, ana, "ASK 'revenue and conversations by region' USING PLAN '"+fanned+"'")
	if e.Code != "PA006" || !strings.Contains(e.Message, "revenue") || !strings.Contains(e.Message, "support_conversations") {
		t.Errorf("a fan-out: %s %s", e.Code, e.Message)
	}
	got := table(t, ana, e.Hint)
	want := table(t, direct, `SELECT a.region, sum(i.quantity * i.unit_price * (1 - i.discount)), (SELECT count(*) FROM support_conversations c JOIN accounts b ON b.id = c.account_id WHERE b.tenant_id = 1
			AND b.region = a.region AND EXISTS (SELECT 1 FROM orders x JOIN order_items y ON y.order_id = x.id WHERE x.account_id = b.id))
		FROM order_items i JOIN orders o ON o.id = i.order_id JOIN accounts a ON a.id = o.account_id
		WHERE a.tenant_id = 1 AND o.status = 'completed' AND EXISTS (SELECT 1 FROM support_conversations c WHERE c.account_id = a.id) GROUP BY 1`)
	if !slices.Equal(sorted(got), sorted(want)) || len(want) == 0 {
		t.Errorf("%s: %v, want %v", e.Hint, got, want)
	}

	// That somebody has no orders is known where all of his orders are visible: of all, or of a tenant's, as the policy says.
	const without = "ASK 'accounts without orders'"
	for user, tenant := range map[string]string{"finn": "true", "ana": "tenant_id = 1", "ben": "tenant_id = 2"} {
		got := table(t, f.Connect(t, user), without)
		if want := table(t, direct, "SELECT name FROM accounts a WHERE "+tenant+" AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.account_id = a.id)"); !slices.Equal(sorted(got), sorted(want)) || len(want) == 0 {
			t.Errorf("%s as %s: %v, want %v", without, user, got, want)
		}
	}
	table(t, ana, without)
	if last := table(t, ana, "SHOW pgask.last"); !strings.Contains(strings.Join(last, "\n"), "rests on the policy's word: rows that refer to each other have the same tenant_id") {
		t.Errorf("it doesn't say what it rests on: %v", last)
	}
	// Items that nobody has bought may be hidden in the orders of another tenant.
	const unsold = "ASK 'products without order items'"
	if e := failure(t, ana, unsold); e.Code != "PA007" {
		t.Errorf("%s as ana: %s %s", unsold, e.Code, e.Message)
	} else {
		table(t, ana, e.Hint)
	}
	// An address isn't a conversation by e-mail, whose channel is called alike.
	if e := failure(t, ana, "ASK 'how many accounts have an email'"); e.Code != "PA002" {
		t.Errorf("accounts with an email: %s %s", e.Code, e.Message)
	}
}
