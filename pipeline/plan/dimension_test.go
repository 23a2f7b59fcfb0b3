package plan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/stmt"
)

func dim(name string) string {
	return `{"dimension":"` + strings.ReplaceAll(name, `"`, `\"`) + `"}`
}

// TestDimensionsRun compares plans with dimensions with the SQL that a person would write.
func TestDimensionsRun(t *testing.T) {
	conn, c := database(t)
	for name, test := range map[string]example{
		"by alias": {from + `"flights","as":"f"},"joins":[{"table":"ports","as":"o","key":"flights_origin"},{"table":"ports","as":"d","key":"flights_destination"}],"where":` + eq(dim(`d.city`), lit(`"ROME"`)) + `,` + sel(dim("o.city")) + `}`,
			"SELECT upper(o.name) AS city FROM flights f JOIN ports o ON o.id = f.origin JOIN ports d ON d.id = f.destination WHERE upper(d.name) = 'ROME'"},
		"a name in quotes": {from + `"order_items","as":"i"},` + sel(dim(`i."Line ""Class"""`), agg("count", "")) + `,"order_by":[{"item":"Line \"Class\""}]}`,
			`SELECT quantity > 1 AS "Line ""Class""", count(*) FROM order_items GROUP BY 1 ORDER BY 1`},
		"inside an aggregate": {from + `"order_items"},` + sel(`{"aggregate":{"func":"count","distinct":true,"arg":`+dim("line size")+`,"filter":`+eq(dim(`Line "Class"`), lit("true"))+`}}`) + `}`,
			"SELECT count(DISTINCT CASE WHEN quantity >= 3 THEN 'large' ELSE 'medium' END) FILTER (WHERE quantity > 1) FROM order_items"},
		"a division by zero is null": {from + `"order_items","as":"i"},"where":` + op("is_null", dim("per line")) + `,` + sel(agg("count", "")) + `}`, "SELECT count(*) FROM order_items WHERE quantity = 1"},
		"where its columns are grouped by": {from + `"order_items","as":"i"},"group_by":[` + col("i.quantity") + `],` + sel(op("||", dim("line size"), lit(`"!"`)), agg("count", "")) + `,"order_by":[{"expr":` + col("i.quantity") + `}]}`,
			"SELECT CASE WHEN quantity >= 3 THEN 'large' WHEN quantity = 2 THEN 'medium' ELSE 'small' END || '!' AS value, count(*) FROM order_items GROUP BY quantity ORDER BY quantity"},
		"in a semi join": {from + `"orders","as":"o"},"joins":[{"table":"order_items","kind":"semi","where":` + eq(dim("line size"), lit(`"large"`)) + `}],` + sel(agg("count", "")) + `}`,
			"SELECT count(*) FROM orders o WHERE EXISTS (SELECT FROM order_items i WHERE i.order_id = o.id AND i.quantity >= 3)"},
		"beside a measure of another grain": {from + `"orders","as":"o"},"joins":[{"table":"order_items","as":"i"},{"table":"public.accounts","as":"a"}],"where":` + eq(dim("line size"), lit(`"large"`)) + `,` +
			sel(dim("home"), `{"metric":"orders"}`, `{"metric":"revenue"}`) + `,"order_by":[{"item":"home"}]}`,
			`SELECT coalesce(a.region, 'elsewhere') AS home, count(DISTINCT o.id) AS orders, sum(i.quantity * i.unit_price * (1 - i.discount)) AS revenue
			 FROM orders o JOIN order_items i ON i.order_id = o.id JOIN accounts a ON a.id = o.account_id WHERE o.status = 'completed' AND i.quantity >= 3 GROUP BY 1 ORDER BY 1`},
		"joined blocks": {from[:len(from)-len(`"table":`)] + `"as":"x","plan":{"from":{"table":"public.accounts"},` + sel(dim("home"), agg("count", "")) + `}},"joins":[{"as":"y","on":[["x.home","y.home"]],"plan":` +
			`{"from":{"table":"orders"},"joins":[{"table":"public.accounts","as":"a"}],` + sel(dim("home"), agg("count", "")) + `}}],` + sel(col("x.home"), col("x.count"), col("y.count")) + `,"order_by":[{"item":"home"}]}`,
			`SELECT x.home, x.n AS count, y.n AS y_count FROM (SELECT coalesce(region, 'elsewhere') AS home, count(*) AS n FROM accounts GROUP BY 1) x
			 JOIN (SELECT coalesce(region, 'elsewhere') AS home, count(*) AS n FROM orders o JOIN accounts a ON a.id = o.account_id GROUP BY 1) y USING (home) ORDER BY 1`},
		"in a period": {from + `"public.accounts","as":"a"},"where":{"period":{"column":"joined","unit":"year","back":1}},` + sel(dim("joined"), agg("count", "")) + `,"order_by":[{"item":"joined"}]}`,
			"SELECT date_trunc('quarter', created_at)::date AS joined, count(*) FROM accounts WHERE created_at BETWEEN '2025-01-01' AND '2025-12-31' GROUP BY 1 ORDER BY 1"},
		"ranked": {from + `"order_items","as":"i"},` + sel(dim("line size"), `{"window":{"func":"rank","order_by":[{"expr":`+agg("count", "")+`,"desc":true}]}}`) + `,"order_by":[{"item":"rank"}]}`,
			"SELECT CASE WHEN quantity >= 3 THEN 'large' WHEN quantity = 2 THEN 'medium' ELSE 'small' END AS \"line size\", rank() OVER (ORDER BY count(*) DESC) FROM order_items GROUP BY 1 ORDER BY 2"},
		"a stock within a period": {from + `"monthly_account_arr","as":"m"},"where":` + eq(dim("half"), lit(`"2025 H1"`)) + `,` + sel(`{"metric":"arr"}`) + `}`, "SELECT sum(arr) AS arr FROM monthly_account_arr WHERE month = '2025-06-01'"},
		"an average stock by period": {from + `"monthly_account_arr","as":"m"},` + sel(dim("half"), `{"metric":"mean arr"}`) + `,"order_by":[{"item":"half"}]}`,
			"SELECT to_char(month, 'YYYY') || CASE WHEN extract(month FROM month) < 7 THEN ' H1' ELSE ' H2' END AS half, sum(arr) / count(DISTINCT month) AS \"mean arr\" FROM monthly_account_arr GROUP BY 1 ORDER BY 1"},
		"latest in a block of its own": {from[:len(from)-len(`"table":`)] + `"as":"x","plan":{"from":{"table":"monthly_account_arr"},` + sel(dim("half"), `{"metric":"arr"}`) + `}},` + sel(agg("max", col("x.arr"))) + `}`,
			"SELECT max(n) FROM (SELECT sum(arr) AS n FROM monthly_account_arr WHERE extract(month FROM month) IN (6, 12) GROUP BY month) x"},
		"of rows that a join doesn't find": {from + `"orders","as":"o"},"joins":[{"table":"order_items","as":"i","kind":"left"}],` + sel(dim("line size"), agg("count", col("i.quantity"))) + `,"order_by":[{"item":"line size"}]}`,
			"SELECT CASE WHEN quantity >= 3 THEN 'large' WHEN quantity = 2 THEN 'medium' WHEN quantity = 1 THEN 'small' END AS \"line size\", count(quantity) FROM orders o LEFT JOIN order_items i ON i.order_id = o.id GROUP BY 1 ORDER BY 1"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := plan.Decode([]byte(test.plan))
			if err != nil {
				t.Fatal(err)
			}
			_, checked, _, err := plan.Mend(p, c)
			if err != nil {
				t.Fatal(err)
			}
			sql, err := stmt.Print(plan.Compile(checked))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(table(t, conn, test.sql), table(t, conn, sql)); diff != "" {
				t.Errorf("%s\n(-by hand +plan):\n%s", sql, diff)
			}
		})
	}
	// What is mended gives each row that was there before.
	missing := from + `"order_items","as":"i"},"joins":[{"table":"orders","as":"o"}],` + sel(dim("home"), `{"metric":"revenue"}`) + `,"order_by":[{"item":"home"}]}`
	p, err := plan.Decode([]byte(missing))
	if err != nil {
		t.Fatal(err)
	}
	mended, _, faults, err := plan.Mend(p, c)
	if err != nil || len(faults) != 1 || len(mended.Joins) != 2 || mended.Joins[1].Kind != "left" || mended.Joins[1].To != "o" {
		t.Errorf("%v %+v", err, mended)
	}
}

// What a mask shows decides nothing, inside of a dimension neither; and where a row can't be seen, its
// dimension has no value by which that could be told.
func TestDimensionsGuarantee(t *testing.T) {
	c := restricted(t)
	for _, test := range []struct{ plan, guarantee, code string }{
		{from + `"public.accounts","as":"a"},` + sel(dim("contact")) + `}`, "scoped", ""},
		{from + `"public.accounts","as":"a"},` + sel(dim("contact"), agg("count", "")) + `}`, "none", ""},
		{from + `"public.accounts","as":"a"},"where":` + eq(dim("contact"), lit(`"x"`)) + `,` + sel(agg("count", "")) + `}`, "none", ""},
		{from + `"public.accounts","as":"a"},` + sel(dim("home"), agg("count", "")) + `}`, "scoped", ""},
		{from + `"public.accounts","as":"a"},"joins":[{"table":"orders","as":"o","kind":"left"}],"where":` + op("is_null", dim("paid in")) + `,` + sel(col("a.name")) + `}`, "", "NEGATION_OVER_RESTRICTED"},
		{from + `"public.accounts","as":"a"},"joins":[{"table":"orders","as":"o","kind":"left"}],"where":` + eq(dim("paid in"), lit(`"cash"`)) + `,` + sel(col("a.name")) + `}`, "scoped", ""},
	} {
		p, err := plan.Decode([]byte(test.plan))
		if err != nil {
			t.Fatal(err)
		}
		checked, err := plan.Validate(p, c)
		var r *plan.Rejections
		switch {
		case errors.As(err, &r):
			if string(r.All[0].Code) != test.code {
				t.Errorf("%s: %v", test.plan, err)
			}
		case test.code != "" || checked.Annotations().Guarantee != test.guarantee:
			t.Errorf("%s: %+v", test.plan, checked.Annotations())
		}
	}
}

// Who tells an answer knows of which columns a dimension's values are made, and that it is one.
func TestDimensionsOutput(t *testing.T) {
	checked, _ := sqlOf(t, from+`"public.accounts","as":"a"},`+sel(dim("contact"))+`}`, testContext(t))
	want := []plan.Read{{Table: public("accounts"), Column: "contact"}, {Table: public("accounts"), Column: "email"}}
	if diff := cmp.Diff(want, checked.Outputs()[0].From); diff != "" {
		t.Error(diff)
	}
}
