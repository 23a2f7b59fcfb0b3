package integration

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// companyRatios stand before what they are made of.
const companyRatios = `metrics:
  - {name: arr_per_account, derived: arr / "all accounts", synonyms: [arr per account]}
  - {name: orders_per_account, derived: orders / "all accounts", synonyms: [orders per account]}
  - {name: surplus, derived: revenue_per_conversation - arr_per_account}
  - {name: all accounts, table: public.accounts, expr: count(*), unit: accounts, additivity: {kind: additive}, owner: sales}
`

// TestDerived asks for metrics that are derived from those of several tables, as somebody who sees one tenant's
// rows and as somebody who sees all, and compares with SQL run direct.
func TestDerived(t *testing.T) {
	f := acmeMeant(t, func(text string) string { return strings.Replace(text, "metrics:\n", companyRatios, 1) })
	direct := f.Direct(t)
	users := map[string]*pgx.Conn{"ana": f.Connect(t, "ana"), "finn": f.Connect(t, "finn")}
	const (
		revenue = `(SELECT coalesce(sum(i.quantity * i.unit_price * (1 - i.discount)), 0) FROM order_items i JOIN orders o ON o.id = i.order_id JOIN accounts a ON a.id = o.account_id WHERE o.status = 'completed' AND TENANT(o) AND `
		talks   = `(SELECT nullif(count(*), 0) FROM support_conversations c JOIN accounts a ON a.id = c.account_id WHERE TENANT(c) AND `
		arr     = `(SELECT sum(m.arr) FROM monthly_account_arr m JOIN accounts a ON a.id = m.account_id WHERE m.month = (SELECT max(month) FROM monthly_account_arr) AND TENANT(a) AND `
		number  = `(SELECT count(*) FROM accounts a WHERE TENANT(a) AND `
		regions = ` FROM (SELECT DISTINCT region FROM accounts) r`
		last    = `date_trunc('month', o.ordered_at) = date_trunc('month', current_date) - interval '1 month'`
	)
	for ask, sql := range map[string]string{
		"revenue per conversation":                         "SELECT " + revenue + "true) / " + talks + "true)",
		"revenue per conversation by region":               "SELECT r.region, " + revenue + "a.region = r.region) / " + talks + "a.region = r.region)" + regions,
		"sales per conversation by region last month":      "SELECT r.region, " + revenue + "a.region = r.region AND " + last + ") / " + talks + "a.region = r.region AND date_trunc('month', c.opened_at) = date_trunc('month', current_date) - interval '1 month')" + regions,
		"revenue per conversation in EMEA by month":        "SELECT m, " + revenue + "a.region = 'EMEA' AND date_trunc('month', o.ordered_at) = m) / " + talks + "a.region = 'EMEA' AND date_trunc('month', c.opened_at) = m) FROM (SELECT DISTINCT date_trunc('month', ordered_at) AS m FROM orders) x",
		"top 3 countries by revenue per conversation":      "SELECT * FROM (SELECT d.country, " + revenue + "a.country = d.country) / " + talks + "a.country = d.country) AS v FROM (SELECT DISTINCT country FROM accounts) d) x WHERE v IS NOT NULL ORDER BY v DESC LIMIT 3",
		"revenue per conversation by account":              "SELECT name, v FROM (SELECT x.id, x.name, " + revenue + "a.id = x.id) / " + talks + "a.id = x.id) AS v FROM accounts x WHERE TENANT(x) AND (EXISTS (SELECT FROM support_conversations s WHERE s.account_id = x.id) OR EXISTS (SELECT FROM orders p JOIN order_items i ON i.order_id = p.id WHERE p.account_id = x.id AND p.status = 'completed'))) x",
		"arr per account by segment":                       "SELECT r.segment, " + arr + "a.segment = r.segment) / " + number + "a.segment = r.segment) FROM (SELECT DISTINCT segment FROM accounts) r",
		"arr per account last year":                        "SELECT (SELECT sum(m.arr) FROM monthly_account_arr m JOIN accounts a ON a.id = m.account_id WHERE TENANT(a) AND m.month = date_trunc('year', current_date) - interval '1 month') / " + number + "date_trunc('year', a.created_at) = date_trunc('year', current_date) - interval '1 year')",
		"orders per account by region":                     "SELECT r.region, (SELECT count(*) FROM orders o JOIN accounts a ON a.id = o.account_id WHERE TENANT(o) AND a.region = r.region) / " + number + "a.region = r.region)::numeric" + regions,
		"surplus by region":                                "SELECT r.region, " + revenue + "a.region = r.region) / " + talks + "a.region = r.region) - " + arr + "a.region = r.region) / " + number + "a.region = r.region)" + regions,
		"revenue per conversation and arr by region":       "SELECT r.region, " + revenue + "a.region = r.region) / " + talks + "a.region = r.region), " + arr + "a.region = r.region)" + regions,
		"revenue per conversation of accounts with orders": "SELECT " + revenue + "true) / " + talks + "EXISTS (SELECT FROM orders p WHERE p.account_id = a.id))",
	} {
		for user, conn := range users {
			want := table(t, direct, strings.NewReplacer("TENANT(o)", tenant(user, "o"), "TENANT(c)", tenant(user, "c"), "TENANT(a)", tenant(user, "a"), "TENANT(x)", tenant(user, "x")).Replace(sql))
			got, err := tryTable(conn, "ASK '"+ask+"'")
			if err != nil {
				t.Errorf("%s as %s: %v", ask, user, err)
				continue
			}
			if !slices.Equal(decimals(got), decimals(want)) || len(want) == 0 {
				t.Errorf("%s as %s: %v, want %v", ask, user, decimals(got), decimals(want))
			}
		}
	}
}

// tenant is the row rule of a user's role.
func tenant(user, alias string) string {
	if user == "finn" {
		return "true"
	}
	return alias + ".tenant_id = 1"
}

// decimals are rows, sorted, with four digits behind the point: quotients have as many as their operands ask for.
func decimals(rows []string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		values := strings.Split(r, " | ")
		for k, v := range values {
			if whole, rest, ok := strings.Cut(v, "."); ok && len(rest) > 4 {
				v = whole + "." + rest[:4]
			}
			if strings.Contains(v, ".") {
				v = strings.TrimSuffix(strings.TrimRight(v, "0"), ".")
			}
			values[k] = v
		}
		out[i] = strings.Join(values, " | ")
	}
	return sorted(out)
}

// TestDerivedRefused: what only some of the parts have to do with can neither group nor restrict; the HINT can be typed.
func TestDerivedRefused(t *testing.T) {
	ana := acme(t).Connect(t, "ana")
	for ask, want := range map[string]string{
		"revenue per conversation by product category":  "conversations, of which revenue_per_conversation is made, can't be grouped or restricted by public.products.category",
		"revenue per conversation for completed orders": "conversations, of which revenue_per_conversation is made, can't be grouped or restricted by public.orders.status",
		"revenue per conversation by channel":           "revenue, of which revenue_per_conversation is made, can't be grouped or restricted by public.support_conversations.channel",
	} {
		e := failure(t, ana, "ASK '"+ask+"'")
		if e.Code != "PA006" || !strings.Contains(e.Message, want) || !strings.HasPrefix(e.Hint, "ASK '") {
			t.Errorf("%s: %s %s, hint %s", ask, e.Code, e.Message, e.Hint)
			continue
		}
		table(t, ana, e.Hint)
	}
	if e := failure(t, ana, "ASK 'share of revenue per conversation by region'"); e.Code != "PA002" || !strings.Contains(e.Message, "adds up to a whole") {
		t.Errorf("a share: %s %s", e.Code, e.Message)
	}
}

// TestDerivedAmended moves from a total over all rows to groups and conditions, and to the dates of each part.
func TestDerivedAmended(t *testing.T) {
	ana := acme(t).Connect(t, "ana")
	table(t, ana, "ASK 'revenue per conversation'")
	for _, step := range []struct{ more, whole string }{
		{"ASK MORE 'last month'", "ASK 'revenue per conversation last month'"},
		{"ASK MORE 'by region'", "ASK 'revenue per conversation by region last month'"},
		{"ASK MORE 'this year'", "ASK 'revenue per conversation by region this year'"},
		{"ASK MORE 'by segment'", "ASK 'revenue per conversation by segment this year'"},
		{"ASK MORE 'only EMEA'", "ASK 'revenue per conversation by segment in EMEA this year'"},
		{"ASK MORE 'by month'", "ASK 'revenue per conversation by month in EMEA this year'"},
	} {
		got := table(t, ana, step.more)
		want := table(t, acme(t).Connect(t, "ana"), step.whole)
		if !slices.Equal(sorted(got), sorted(want)) || len(want) == 0 {
			t.Errorf("%s: %v, want %v", step.more, got, want)
		}
	}
}
