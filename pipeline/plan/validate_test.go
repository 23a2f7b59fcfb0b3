package plan_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
)

func TestRejections(t *testing.T) {
	c := testContext(t)
	for _, test := range rejections {
		t.Run(test.name, func(t *testing.T) { checkRejection(t, test, c) })
	}
}

func checkRejection(t *testing.T, test rejection, c plan.Context) {
	t.Helper()
	p, err := plan.Decode([]byte(test.plan))
	if err != nil {
		t.Fatalf("%v\n%s", err, test.plan)
	}
	r := reject(t, p, c)
	var got []string
	for _, x := range r.All {
		got = append(got, string(x.Code)+" "+x.Path)
	}
	if diff := cmp.Diff(test.faults, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s%s", diff, r.Detail())
	}
	if r.SQLState() != test.state {
		t.Errorf("%s, want %s", r.SQLState(), test.state)
	}
	if r.Hint() != test.hint {
		t.Errorf("hint %q, want %q", r.Hint(), test.hint)
	}
	checkDetail(t, r)
	checkRepair(t, r, p, c, test.repaired)
}

func reject(t testing.TB, p *plan.Plan, c plan.Context) *plan.Rejections {
	t.Helper()
	checked, err := plan.Validate(p, c)
	if err == nil {
		t.Fatalf("the plan passed: %v", checked.Plan())
	}
	var r *plan.Rejections
	if !errors.As(err, &r) {
		t.Fatalf("%T is not a rejection: %v", err, err)
	}
	return r
}

// checkDetail demands the JSON line that clients read.
func checkDetail(t *testing.T, r *plan.Rejections) {
	t.Helper()
	lines := strings.Split(r.Detail(), "\n")
	var last map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatalf("last line of %q: %v", r.Detail(), err)
	}
	for _, k := range []string{"code", "path", "repair"} {
		if _, ok := last[k]; !ok || len(last) != 3 {
			t.Errorf("%v has not just code, path and repair", last)
		}
	}
	if len(lines) != len(r.All)+1 {
		t.Errorf("%d lines for %d faults", len(lines), len(r.All))
	}
}

// checkRepair demands that a certain repair makes the plan valid.
func checkRepair(t *testing.T, r *plan.Rejections, p *plan.Plan, c plan.Context, want bool) {
	t.Helper()
	repair := r.All[0].Repair
	if (repair != nil) != want {
		t.Fatalf("repair %v, want one: %v", repair, want)
	}
	if !want {
		return
	}
	mended, err := repair.Apply(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Validate(mended, c); err != nil {
		t.Errorf("the repair %v gives: %v", repair, err)
	}
}

// restricted is the sample company's analyst.
func restricted(t testing.TB) plan.Context {
	c := testContext(t)
	orders := catalog.Name{Schema: "public", Table: "orders"}
	accounts := catalog.Name{Schema: "public", Table: "accounts"}
	arr := catalog.Name{Schema: "public", Table: "monthly_account_arr"}
	items := catalog.Name{Schema: "public", Table: "order_items"}
	c.Access = plan.Access{
		Scoped: map[catalog.Name]plan.Scope{
			orders:   {Held: map[string]string{"tenant_id": "1"}, Whole: true},
			accounts: {Held: map[string]string{"tenant_id": "1"}, Whole: true},
			arr:      {Follows: &plan.Follow{Parent: accounts, Columns: map[string]string{"account_id": "id"}}},
			items:    {Follows: &plan.Follow{Parent: orders, Columns: map[string]string{"order_id": "id"}}}},
		Masked:    map[catalog.Name][]string{accounts: {"email", "ref"}},
		NullsKept: map[catalog.Name][]string{accounts: {"ref"}},
	}
	return c
}

func TestGuarantee(t *testing.T) {
	anti := func(table string) string {
		return from + `"public.accounts","as":"a"},"joins":[{"table":"` + table + `","kind":"anti"}],` + sel(col("a.name")) + `}`
	}
	missing := func(cond string) string {
		return from + `"public.accounts","as":"a"},"joins":[{"table":"orders","as":"o","kind":"left"}],` + cond + sel(col("a.name")) + `}`
	}
	count := agg("count", col("o.id"))
	refunded := `{"aggregate":{"func":"count","filter":` + eq(col("o.status"), lit(`"refunded"`)) + `}}`
	filtered := func(having string) string {
		return from + `"public.accounts","as":"a"},"joins":[{"table":"orders","as":"o"}],` + sel(col("a.name")) + `,"group_by":[` + col("a.id") + `],"having":` + having + `}`
	}
	tests := []struct {
		name, plan string
		refused    bool
		qualifiers []string
	}{
		{"no orders", anti("orders"), true, nil},
		{"no arr, which follows the account", anti("monthly_account_arr"), false, []string{"within what you may see: public.accounts, public.monthly_account_arr"}},
		{"no items of an order", from + `"orders"},"joins":[{"table":"order_items","kind":"anti"}],` + sel(agg("count", "")) + `}`, false,
			[]string{"within what you may see: public.order_items, public.orders"}},
		{"no item of a product", from + `"products"},"joins":[{"table":"order_items","kind":"anti"}],` + sel(agg("count", "")) + `}`, true, nil},
		{"nested below an uncovered table", from + `"public.accounts","as":"a"},"joins":[{"table":"orders","as":"o","kind":"anti"},{"table":"order_items","to":"o"}],` + sel(col("a.id")) + `}`, true, nil},
		{"is null behind a left join", missing(`"where":{"op":{"op":"is_null","args":[` + col("o.id") + `]}},`), true, nil},
		{"count of none", missing(`"having":` + eq(count, lit("0")) + `,`), true, nil},
		{"fewer than", missing(`"having":{"op":{"op":"<","args":[` + count + `,` + lit("3") + `]}},`), true, nil},
		{"at least", missing(`"having":{"op":{"op":">=","args":[` + count + `,` + lit("3") + `]}},`), false,
			[]string{"within what you may see: public.accounts, public.orders"}},
		{"none with a filter", filtered(eq(refunded, lit("0"))), true, nil},
		{"few with a filter", filtered(op("<", refunded, lit("3"))), true, nil},
		{"some with a filter", filtered(op(">", refunded, lit("0"))), false, []string{"within what you may see: public.accounts, public.orders"}},
		{"every", filtered(agg("bool_and", eq(col("o.status"), lit(`"completed"`)))), true, nil},
		{"not every", filtered(op("not", agg("bool_and", eq(col("o.status"), lit(`"completed"`))))), false, []string{"within what you may see: public.accounts, public.orders"}},
		{"not one", filtered(op("not", agg("bool_or", eq(col("o.status"), lit(`"completed"`))))), true, nil},
		{"all, shown", from + `"orders"},` + sel(agg("bool_and", eq(col("status"), lit(`"completed"`)))) + `}`, true, nil},
		{"all items of each order", from + `"orders","as":"o"},"joins":[{"table":"order_items","as":"i"}],` + sel(col("o.id"), agg("bool_and", op(">", col("i.quantity"), lit("1")))) + `}`, false,
			[]string{"within what you may see: public.order_items, public.orders"}},
		{"all orders of each product", from + `"order_items","as":"i"},` + sel(col("i.product_id"), agg("bool_and", op(">", col("i.quantity"), lit("1")))) + `}`, true, nil},
		{"null in its own column", from + `"public.accounts"},"where":{"op":{"op":"is_null","args":[` + col("region") + `]}},` + sel(col("email")) + `}`, false,
			[]string{"within what you may see: public.accounts", "masked: public.accounts.email"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := plan.Decode([]byte(test.plan))
			if err != nil {
				t.Fatal(err)
			}
			if test.refused {
				r := reject(t, p, restricted(t))
				if r.SQLState() != "PA007" || r.Hint() == "" {
					t.Errorf("%s %v, hint %q", r.SQLState(), r, r.Hint())
				}
				if _, err := plan.Validate(p, testContext(t)); err != nil {
					t.Errorf("unrestricted: %v", err)
				}
				return
			}
			checked, err := plan.Validate(p, restricted(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.qualifiers, checked.Qualifiers()); diff != "" {
				t.Error(diff)
			}
			if checked.Annotations().Guarantee != "scoped" {
				t.Errorf("%+v", checked.Annotations())
			}
		})
	}
}

// The same question asked in other words has the same hash; another doesn't.
// TestMaskDecides: an answer that depends on what a mask shows has no guarantee.
func TestMaskDecides(t *testing.T) {
	email := col("email")
	accounts := from + `"public.accounts"},`
	derived := func(rest string) string {
		return `{"version":1,"from":{"plan":{"from":{"table":"public.accounts"},"select":[{"expr":` + email + `,"as":"mail"}]},"as":"d"},` + rest + `}`
	}
	for name, test := range map[string]struct{ plan, guarantee string }{
		"shown":                     {accounts + sel(email) + `}`, "scoped"},
		"not read":                  {accounts + sel(agg("count", "")) + `}`, "scoped"},
		"sorted, all rows":          {accounts + sel(email) + `,"order_by":[{"expr":` + email + `}]}`, "scoped"},
		"the first by it":           {accounts + sel(email) + `,"order_by":[{"expr":` + email + `}],"limit":3}`, "none"},
		"a condition":               {accounts + `"where":` + eq(email, lit(`"a@b.example"`)) + `,` + sel(col("name")) + `}`, "none"},
		"grouped":                   {accounts + sel(email+`},{"expr":`+agg("count", "")) + `}`, "none"},
		"counted":                   {accounts + sel(agg("count", email)) + `}`, "none"},
		"nulls counted":             {accounts + sel(agg("count", col("ref"))) + `}`, "scoped"},
		"nulls counted, of a block": {`{"version":1,"from":{"plan":{"from":{"table":"public.accounts"},"select":[{"expr":` + col("ref") + `}]},"as":"d"},` + sel(agg("count", col("d.ref"))) + `}`, "scoped"},
		"null":                      {accounts + `"where":` + op("is_null", col("ref")) + `,` + sel(col("name")) + `}`, "scoped"},
		"null, and more":            {accounts + `"where":` + op("and", op("is_null", col("ref")), eq(email, lit(`"a"`))) + `,` + sel(col("name")) + `}`, "none"},
		"distinct values":           {accounts + sel(`{"aggregate":{"func":"count","distinct":true,"arg":`+col("ref")+`}}`) + `}`, "none"},
		"counted where it is so":    {accounts + sel(`{"aggregate":{"func":"count","arg":`+col("ref")+`,"filter":`+eq(email, lit(`"a"`))+`}}`) + `}`, "none"},
		"distinct":                  {accounts + sel(email) + `,"distinct":true}`, "none"},
		"shown by a block":          {derived(sel(col("mail"))), "scoped"},
		"a block's":                 {derived(`"where":` + eq(col("mail"), lit(`"a@b.example"`)) + `,` + sel(agg("count", ""))), "none"},
		"unrestricted":              {from + `"products"},` + sel(col("name")) + `}`, "full"},
	} {
		checked, _ := sqlOf(t, test.plan, restricted(t))
		if got := checked.Annotations().Guarantee; got != test.guarantee {
			t.Errorf("%s: guarantee %s, want %s", name, got, test.guarantee)
		}
	}
}

func TestHash(t *testing.T) {
	c := testContext(t)
	plans := []string{
		from + `"public.ports"},` + sel(col("name")) + `}`,
		from + `"ports","as":"ports"},` + sel(col("ports.name")) + `,"reasoning":"because","joins":[],"distinct":false}`,
		from + `"ports","as":null},"where":null,"select":[{"expr":` + col(`\"ports\".\"name\"`) + `,"as":"name"}]}`,
	}
	first, _ := sqlOf(t, plans[0], c)
	for _, x := range plans[1:] {
		if other, _ := sqlOf(t, x, c); other.Hash() != first.Hash() {
			t.Errorf("%s has another hash than %s", x, plans[0])
		}
	}
	if other, _ := sqlOf(t, from+`"ports"},`+sel(col("id"))+`}`, c); other.Hash() == first.Hash() {
		t.Error("another plan has the same hash")
	}
}

func TestLimitWithoutOrderIsBounded(t *testing.T) {
	checked, _ := sqlOf(t, from+`"ports"},`+sel(col("name"))+`,"limit":2}`, testContext(t))
	if a := checked.Annotations(); a.Completeness != "bounded" || len(checked.Qualifiers()) != 1 {
		t.Errorf("%+v %v", a, checked.Qualifiers())
	}
	if a := checked.WithConfidence(0.4).Annotations(); a.Confidence != 0.4 || checked.Annotations().Confidence != 1 {
		t.Errorf("%+v", a)
	}
}

// A text column whose samples are ISO dates is compared with dates as text.
func TestDateBesideISOText(t *testing.T) {
	c := testContext(t)
	s := catalog.WithSamples(c.Catalog, []catalog.Sample{{Table: public("ports"), Column: "name", Min: "2024-01", Max: "2026-06"}})
	c.Catalog, c.Today = s, "2026-06-30"
	_, sql := sqlOf(t, from+`"ports"},"where":`+eq(col("name"), `{"date":{"unit":"month","offset":-1}}`)+`,`+sel(col("id"))+`}`, c)
	want := "SELECT ports.id FROM public.ports WHERE ports.name = to_char('2026-05-01'::pg_catalog.date::timestamp, 'YYYY-MM'::pg_catalog.text)"
	if sql != want {
		t.Errorf("%s\nwant %s", sql, want)
	}
}

// A zero is guarded against however it is written.
func TestDivisionByZero(t *testing.T) {
	for literal, guarded := range map[string]bool{"0": true, "0.0": true, "-0": true, "0e3": true, "0.5": false} {
		_, sql := sqlOf(t, from+`"ports"},`+sel(op("/", col("id"), lit(literal)))+`}`, testContext(t))
		if strings.Contains(sql, "NULLIF") != guarded {
			t.Errorf("%s: %s", literal, sql)
		}
	}
}

// A metric over a left joined table doesn't count the row that isn't there.
func TestMetricOverLeftJoin(t *testing.T) {
	_, sql := sqlOf(t, from+`"public.accounts","as":"a"},"joins":[{"table":"orders","as":"o","kind":"left"}],`+
		sel(col("a.name"), `{"metric":"orders"}`)+`}`, testContext(t))
	want := "SELECT a.name, count(*) FILTER (WHERE o.status = 'completed' AND o.id IS NOT NULL) AS orders " +
		"FROM public.accounts a LEFT JOIN public.orders o ON a.id = o.account_id GROUP BY a.name"
	if sql != want {
		t.Errorf("%s\nwant %s", sql, want)
	}
}

// Spellings are mended as long as that is all that is wrong; a guess at what was
// meant never is.
func TestMend(t *testing.T) {
	c := testContext(t)
	year := `{"call":{"func":"YEAR","args":[` + col("ordered_at") + `]}}`
	tests := []struct {
		name, plan string
		faults     []string
		refused    bool
	}{
		{"nothing", from + `"ports"},` + sel(col("name")) + `}`, nil, false},
		{"three spellings", `{"version":2,"from":{"table":"orders"},"where":` + eq(col("status"), lit("5")) + `,` + sel(year, `{"call":{"func":"LEN","args":[`+col("status")+`]}}`) + `}`,
			[]string{"/version", "/where/op/args/1/literal", "/select/0/expr/call/func", "/select/1/expr/call/func"}, false},
		{"a spelling and a guess", from + `"orders"},` + sel(year, col("statu")) + `}`, nil, true},
		{"a guess alone", from + `"order"},` + sel(agg("count", "")) + `}`, nil, true},
		{"two facts", from + `"public.accounts","as":"a"},"joins":[{"table":"orders","to":"a"},{"table":"monthly_account_arr","to":"a"}],` +
			sel(col("a.region"), `{"metric":"arr"}`, `{"metric":"orders"}`) + `}`, []string{"/select/1/expr/metric"}, false},
		{"a count that may be meant", from + `"public.accounts","as":"a"},"joins":[{"table":"orders"}],` + sel(agg("count", col("a.id"))) + `}`, nil, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := plan.Decode([]byte(test.plan))
			if err != nil {
				t.Fatal(err)
			}
			mended, checked, faults, err := plan.Mend(p, c)
			if test.refused {
				_, want := plan.Validate(p, c)
				if err == nil || err.Error() != want.Error() || mended != nil || checked != nil {
					t.Errorf("%v, want %v", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var paths []string
			for _, f := range faults {
				paths = append(paths, f.Path)
			}
			if diff := cmp.Diff(test.faults, paths); diff != "" {
				t.Error(diff)
			}
			again, err := plan.Validate(mended, c)
			if err != nil || again.Hash() != checked.Hash() {
				t.Errorf("the mended plan is another: %v", err)
			}
		})
	}
}
