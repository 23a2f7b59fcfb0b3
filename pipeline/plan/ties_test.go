package plan_test

import (
	"strings"
	"testing"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/stmt"
)

// TestTies: only a limit behind which equals may be left out is watched; inside of a plan, where
// nobody sees whether it leaves any out, the answer says so.
func TestTies(t *testing.T) {
	c := testContext(t)
	const name, price, id = `{"expr":{"column":"products.name"}}`, `{"expr":{"column":"products.unit_price"},"desc":true}`, `{"expr":{"column":"products.id"}}`
	count := `{"expr":{"aggregate":{"func":"count"}},"as":"n"}`
	for _, test := range []struct {
		plan string
		ties int64
		says bool
	}{
		{`"select":[` + name + `],"order_by":[` + price + `],"limit":3}`, 3, false},
		{`"select":[` + name + `],"order_by":[` + price + `]}`, 0, false},
		{`"select":[` + name + `],"order_by":[` + price + `],"limit":0}`, 0, false},
		{`"select":[` + name + `],"order_by":[` + price + `,` + id + `],"limit":3}`, 0, false},
		{`"select":[` + name + `],"order_by":[{"item":"name"}],"limit":3}`, 0, false}, // equals are shown alike
		{`"distinct":true,"select":[` + name + `,{"expr":{"column":"products.category"}}],"order_by":[{"item":"category"}],"limit":3}`, 3, false},
		{`"select":[{"expr":{"column":"products.category"}},` + count + `],"order_by":[{"item":"n","desc":true}],"limit":2}`, 2, false},
		{`"select":[{"expr":{"column":"products.category"}},` + count + `],"order_by":[{"item":"n"},{"item":"category"}],"limit":2}`, 0, false},
		{`"select":[` + count + `],"group_by":[{"column":"products.category"}],"order_by":[{"item":"n"}],"limit":2}`, 0, false},
		{`"where":{"op":{"op":"=","args":[{"column":"products.id"},{"plan":` + from + `"products","as":"p"},"select":[{"expr":{"column":"p.id"}}],"order_by":[{"expr":{"column":"p.unit_price"}}],"limit":1}}]}},"select":[` + name + `]}`, 0, true},
	} {
		checked, _ := sqlOf(t, from+`"products"},`+test.plan, c)
		if got := checked.Ties(); got != test.ties {
			t.Errorf("%s: watches %d rows, want %d", test.plan, got, test.ties)
		}
		if says := strings.Contains(strings.Join(checked.Qualifiers(), "\n"), "where only the first 1 count, others that tie with the last of them may be left out"); says != test.says {
			t.Errorf("%s: qualifiers %q", test.plan, checked.Qualifiers())
		}
	}
}

// What is watched is the plan's statement with one row more, if that ties with the last.
func TestWatched(t *testing.T) {
	checked, _ := sqlOf(t, from+`"products"},"select":[{"expr":{"column":"products.name"},"as":"sort_1"}],"order_by":[{"expr":{"column":"products.unit_price"},"desc":true}],"limit":3}`, testContext(t))
	tree, rows := plan.Watched(checked)
	got, err := stmt.Print(tree)
	if err != nil {
		t.Fatal(err)
	}
	const want = `SELECT sort_1 FROM (SELECT sort_1, sort_1_, sort_2, pg_catalog.rank() OVER (ORDER BY sort_1_ DESC NULLS LAST) AS place FROM (` +
		`SELECT products.name AS sort_1, products.unit_price AS sort_1_, products.id AS sort_2 FROM public.products ORDER BY products.unit_price DESC NULLS LAST, products.id, products.name LIMIT 4` +
		`) found) found WHERE place <= 3 ORDER BY sort_1_ DESC NULLS LAST, sort_2, sort_1`
	if rows != 3 || got != want {
		t.Errorf("%d rows of %s, want %s", rows, got, want)
	}
}
