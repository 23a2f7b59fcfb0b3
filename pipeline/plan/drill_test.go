package plan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
)

func met(name string) string { return `{"metric":"` + name + `"}` }
func win(f, rest string) string {
	return `{"window":{"func":"` + f + `",` + rest + `}}`
}

// What holds of metrics holds of those that are derived from several tables: in conditions on groups, orders,
// windows, blocks and sub-plans.
func TestDrillAnywhere(t *testing.T) {
	conn, c := database(t)
	const accounts = from + `"public.accounts","as":"a"},`
	const ratio = `(SELECT sum(arr) FROM monthly_account_arr m JOIN accounts x ON x.id = m.account_id WHERE month = '2026-06-01' AND x.region = a.region) / count(*)`
	for _, test := range []struct{ name, plan, sql string }{
		{"a condition on groups", accounts + sel(col("a.region"), met("arr per account")) + `,"having":{"op":{"op":">","args":[` + met("arr per account") + `,` + lit("1200") + `]}},"order_by":[{"item":"region"}]}`,
			`SELECT region, ` + ratio + ` AS "arr per account" FROM accounts a WHERE region IS NOT NULL GROUP BY 1 HAVING ` + ratio + ` > 1200 ORDER BY 1`},
		{"not shown", accounts + sel(col("a.region")) + `,"where":{"op":{"op":"is_not_null","args":[` + col("a.region") + `]}},"order_by":[{"expr":` + met("arr per account") + `,"desc":true}],"limit":2}`,
			`SELECT region FROM accounts a WHERE region IS NOT NULL GROUP BY 1 ORDER BY ` + ratio + ` DESC LIMIT 2`},
		{"ranked", accounts + sel(col("a.region"), win("rank", `"order_by":[{"expr":`+met("arr per account")+`,"desc":true}]`)) + `,"where":{"op":{"op":"is_not_null","args":[` + col("a.region") + `]}},"order_by":[{"item":"region"}]}`,
			`SELECT region, rank() OVER (ORDER BY ` + ratio + ` DESC) FROM accounts a WHERE region IS NOT NULL GROUP BY 1 ORDER BY 1`},
		{"in a block", from[:len(from)-len(`"table":`)] + `"as":"x","plan":{"from":{"table":"public.accounts","as":"a"},` + sel(col("a.region"), met("arr per account")) + `}},` +
			sel(agg("max", col(`x.\"arr per account\"`))) + `}`,
			`SELECT max(r) FROM (SELECT ` + ratio + ` AS r FROM accounts a GROUP BY region) s`},
		{"a value", from + `"ports"},` + sel(col("name"), planExpr(`{"from":{"table":"orders"},`+sel(met("arr per account"))+`}`)) + `,"order_by":[{"item":"name"}]}`,
			`SELECT name, (SELECT sum(arr) FROM monthly_account_arr WHERE month = '2026-06-01') / (SELECT count(*) FROM accounts) AS value FROM ports ORDER BY 1`},
		{"only those with orders", accounts + `"joins":[{"table":"orders","kind":"semi","where":` + eq(col("orders.status"), lit(`"refunded"`)) + `}],` + sel(met("arr per account")) + `}`,
			`SELECT (SELECT sum(arr) FROM monthly_account_arr m WHERE month = '2026-06-01' AND EXISTS (SELECT FROM orders o WHERE o.account_id = m.account_id AND status = 'refunded')) /
				(SELECT count(*) FROM accounts a WHERE EXISTS (SELECT FROM orders o WHERE o.account_id = a.id AND status = 'refunded')) AS "arr per account"`},
		{"a stock at the last month of the period", accounts + `"where":{"period":{"column":"metric_time","unit":"month","complete":true}},` + sel(met("revenue to arr")) + `}`,
			`SELECT (SELECT sum(quantity * unit_price * (1 - discount)) FROM order_items JOIN orders o ON o.id = order_id WHERE status = 'completed' AND ordered_at >= '2026-05-01' AND ordered_at < '2026-06-01') /
				(SELECT sum(arr) FROM monthly_account_arr WHERE month = '2026-05-01') AS "revenue to arr"`},
		{"metrics of two tables by their own dates", from + `"orders"},` + sel(`{"call":{"func":"date_part","unit":"year","args":[`+col("metric_time")+`]}}`, met("orders"), met("arr")) + `,"order_by":[{"item":"year"}]}`,
			`SELECT extract(year FROM month)::int AS year, (SELECT count(*) FROM orders WHERE status = 'completed' AND extract(year FROM ordered_at) = extract(year FROM m.month)) AS orders, sum(arr) AS arr
				FROM monthly_account_arr m WHERE month IN ('2025-12-01', '2026-06-01') GROUP BY m.month ORDER BY 1`},
		{"of one table by its date", from + `"public.accounts","as":"a"},` + sel(`{"call":{"func":"date_trunc","unit":"year","args":[`+col("metric_time")+`]}}`, met("revenue per line")) + `,"where":` + eq(col("a.region"), lit(`"EMEA"`)) + `,"order_by":[{"expr":{"call":{"func":"date_trunc","unit":"year","args":[` + col("metric_time") + `]}}}]}`,
			`SELECT date_trunc('year', ordered_at) AS year, sum(quantity * unit_price * (1 - discount)) FILTER (WHERE status = 'completed') / count(*) AS "revenue per line"
				FROM order_items JOIN orders o ON o.id = order_id JOIN accounts a ON a.id = o.account_id WHERE region = 'EMEA' GROUP BY 1 ORDER BY 1`},
	} {
		p, err := plan.Decode([]byte(test.plan))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		checked, err := plan.Validate(p, c)
		if err != nil {
			t.Errorf("%s: %v\n%s", test.name, err, err.(*plan.Rejections).Detail())
			continue
		}
		if diff := cmp.Diff(table(t, conn, test.sql)[1:], table(t, conn, checkPrints(t, checked))[1:]); diff != "" {
			t.Errorf("%s: (-by hand +by plan)\n%s", test.name, diff)
		}
		again, err := plan.Validate(checked.Plan(), c)
		if err != nil || again.Hash() != checked.Hash() {
			t.Errorf("%s: the canonical plan isn't the plan: %v", test.name, err)
		}
	}
}

// What can't be measured apart, or would be of other rows above the line than below it, is refused.
func TestDrillRefused(t *testing.T) {
	c := testContext(t)
	c.Access = plan.Access{Scoped: map[catalog.Name]plan.Scope{public("orders"): {Held: map[string]string{"tenant_id": "1"}, Whole: true}}}
	month := `{"call":{"func":"date_trunc","unit":"month","args":[` + col("metric_time") + `]}}`
	const accounts = from + `"public.accounts","as":"a"},`
	apart := `{"from":{"table":"orders","as":"o"},` + sel(col("o.id"), met("arr per account")) + `}`
	const other, shared = "arr, of which arr per account is made, can't be grouped or restricted by public.orders.id: rows of public.monthly_account_arr belong to none of public.orders", "group and restrict it by columns of public.accounts"
	for _, test := range []struct{ name, plan, state, message, hint string }{
		{"a group of one part alone", from + `"products","as":"p"},` + sel(col("p.category"), met("revenue to arr")) + `}`, "PA006",
			"arr, of which revenue to arr is made, can't be grouped or restricted by public.products.category: rows of public.monthly_account_arr belong to none of public.products",
			"group and restrict it by columns of public.accounts"},
		{"a condition on one part alone", from + `"orders","as":"o"},"where":` + eq(col("o.status"), lit(`"completed"`)) + `,` + sel(met("arr per account")) + `}`, "PA006",
			"arr, of which arr per account is made, can't be grouped or restricted by public.orders.status: rows of public.monthly_account_arr belong to none of public.orders", "group and restrict it by columns of public.accounts"},
		{"a join that repeats a part's rows", accounts + `"joins":[{"table":"orders"}],` + sel(col("a.region"), met("arr per account")) + `}`, "PA006",
			"metric arr is one value for each row of public.monthly_account_arr, and joining orders (key orders_account_id_fkey) repeats those rows", "ask for arr without public.orders, or for both in two questions"},
		{"two ways", from + `"ports"},` + sel(col("name"), met("flights per account")) + `}`, "PA006",
			"flights, of which flights per account is made, can't be grouped or restricted by public.ports.name: rows of public.flights belong to public.ports in 2 ways", ""},
		{"an aggregate beside it", accounts + sel(col("a.region"), met("arr per account"), agg("count", "")) + `}`, "PA006",
			"count stands beside arr per account, which is measured on its own tables: beside it only metrics are", "ask for the two in two questions"},
		{"a running sum", accounts + sel(col("a.region"), win("sum", `"args":[`+met("arr per account")+`],"order_by":[{"expr":`+col("a.region")+`}]`)) + `}`, "PA006",
			"the values of arr per account can't be added up over a window", "take its average over the window"},
		{"a running sum of a stock over its time", accounts + sel(month, win("sum", `"args":[`+met("arr")+`],"order_by":[{"expr":`+month+`}]`)) + `}`, "PA006",
			"the values of arr can't be added up over a window", "take its average over the window"},
		{"a sum of it", from[:len(from)-len(`"table":`)] + `"as":"x","plan":{"from":{"table":"public.accounts","as":"a"},` + sel(col("a.region"), met("arr per account")) + `}},` + sel(agg("sum", col(`x.\"arr per account\"`))) + `}`, "PA006",
			`x."arr per account" holds arr per account, whose values can't be added up here`, "take its average, or measure it in the block that shows it"},
		{"a sum of one of one table", from[:len(from)-len(`"table":`)] + `"as":"x","plan":{"from":{"table":"order_items","as":"i"},` + sel(col("i.product_id"), met("revenue per line")) + `}},` + sel(agg("sum", col(`x.\"revenue per line\"`))) + `}`, "PA006",
			`x."revenue per line" holds revenue per line, whose values can't be added up here`, "take its average, or measure it in the block that shows it"},
		{"one table that isn't there", accounts + sel(col("a.region"), met("revenue per line")) + `}`, "PA006",
			"metric revenue is measured on public.order_items, which the plan doesn't join", ""},
		{"for each row of another block", accounts + sel(col("a.name"), planExpr(`{"from":{"table":"public.accounts","as":"x"},"where":`+eq(col("x.id"), col("a.id"))+`,`+sel(met("arr per account"))+`}`)) + `}`, "PA005",
			"arr per account can't be looked up for each row of another block: group by what that has", ""},
		{"in a block", from[:len(from)-len(`"table":`)] + `"as":"x","plan":` + apart + `},` + sel(agg("max", col(`x.\"arr per account\"`))) + `}`, "PA006", other, shared},
		{"in a block of a block that drills across", from[:len(from)-len(`"table":`)] + `"as":"x","plan":` + apart + `},` + sel(met("revenue to arr")) + `}`, "PA006", other, shared},
		{"in a join", accounts + `"joins":[{"as":"x","plan":` + apart + `,"on":[["a.id","x.id"]]}],` + sel(col(`x.\"arr per account\"`)) + `}`, "PA006", other, shared},
		{"in a union", `{"version":1,"set":{"op":"union","plans":[` + apart + `,` + apart + `]}}`, "PA006", other, shared},
		{"in a value", accounts + sel(planExpr(`{"from":{"table":"orders","as":"o"},`+sel(met("arr per account"))+`,"group_by":[`+col("o.id")+`]}`)) + `}`, "PA006", other, shared},
		{"no date", from + `"ports"},` + sel(month, met("flights")) + `}`, "PA006",
			"rows of public.flights have no date that must be the one that counts for flights, and its time_dimension doesn't say it", ""},
		{"no metric", from + `"ports"},` + sel(col("metric_time")) + `}`, "PA005", "metric_time is the date of metrics, and the block has none", ""},
		{"a block", from[:len(from)-len(`"table":`)] + `"as":"x","plan":{"from":{"table":"ports"},` + sel(col("id")) + `}},` + sel(met("arr per account")) + `}`, "PA005",
			"arr per account is grouped and restricted by whole tables, not by a block or a search", ""},
		{"an absence that can't be known", accounts + `"joins":[{"table":"orders","kind":"anti"}],` + sel(met("arr per account")) + `}`, "PA007",
			"anti join over public.orders: you may see only some of its rows, so that none is there can't be known", "ask for the number of orders for each of accounts instead: what you may see is counted"},
		{"a latest period", accounts + `"where":{"period":{"column":"metric_time","unit":"month","latest":true}},` + sel(met("arr per account")) + `}`, "PA005",
			"the latest period is of a table's own column", "put the period into the block that reads the table"},
	} {
		p, err := plan.Decode([]byte(test.plan))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		_, err = plan.Validate(p, c)
		var r *plan.Rejections
		if !errors.As(err, &r) {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := r.SQLState() + " " + strings.TrimPrefix(r.All[0].Message, "arr: "); got != test.state+" "+test.message || r.Hint() != test.hint {
			t.Errorf("%s:\n got %s (%s)\nwant %s %s (%s)\n%s", test.name, got, r.Hint(), test.state, test.message, test.hint, r.Detail())
		}
	}
}
