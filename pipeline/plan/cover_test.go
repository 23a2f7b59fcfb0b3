package plan_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// partitioned is restricted, with tenant_id as the partition key of accounts and orders.
func partitioned(t testing.TB) plan.Context {
	c := restricted(t)
	for _, n := range []string{"accounts", "orders"} {
		s := c.Access.Scoped[public(n)]
		s.Partition = map[string]string{"tenant_id": "tenant"}
		c.Access.Scoped[public(n)] = s
	}
	return c
}

// scoped is a change of one table's scope.
func scoped(table string, change func(*plan.Scope)) func(*plan.Context) {
	return func(c *plan.Context) {
		s := c.Access.Scoped[public(table)]
		change(&s)
		c.Access.Scoped[public(table)] = s
	}
}

// What the policy says of partitions proves an absence only where it says it of both tables, for
// what a declared key ties, and nothing else hides rows.
func TestPartition(t *testing.T) {
	const none = from + `"public.accounts","as":"a"},"joins":[{"table":"orders","as":"o","kind":"anti"}],"select":[{"expr":{"column":"a.id"}}]}`
	widgets := from + `"public.accounts","as":"a"},"joins":[{"table":"orders","as":"o","kind":"anti"},{"table":"order_items","as":"i","to":"o"},{"table":"products","as":"p","to":"i","where":` +
		eq(col("p.name"), lit(`"Widget"`)) + `}],` + sel(col("a.id")) + `}`
	const orphans = from + `"orders","as":"o"},"joins":[{"table":"public.accounts","as":"a","kind":"anti"}],"select":[{"expr":{"column":"o.id"}}]}`
	few := from + `"public.accounts","as":"a"},"joins":[{"plan":{"from":{"table":"orders"},` + sel(col("account_id"), col("id")) + `,"order_by":[{"item":"id"}],"limit":5},"as":"o","kind":"anti"}],` + sel(col("a.id")) + `}`
	dear := from + `"products","as":"p"},"joins":[{"table":"order_items","as":"i","kind":"anti","where":` + op("in", col("i.order_id"), planExpr(sub("orders", sel(col("id"))))) + `}],` + sel(col("p.id")) + `}`
	semi := from + `"public.accounts","as":"a"},"joins":[{"table":"orders","as":"o","kind":"semi"}],"having":` + agg("bool_and", op("is_not_null", col("a.region"))) + `,` + sel(col("a.segment")) + `,"group_by":[` + col("a.segment") + `]}`
	filtered := from + `"products","as":"p"},"joins":[{"table":"order_items","as":"i"}],"having":` +
		eq(`{"aggregate":{"func":"count","filter":`+op("in", col("i.order_id"), planExpr(sub("orders", sel(col("id")))))+`}}`, lit("0")) + `,` + sel(col("p.id")) + `,"group_by":[` + col("p.id") + `]}`
	counted := func(by string) string {
		return from + `"public.accounts","as":"a"},"joins":[{"table":"orders","as":"o","kind":"left"}],` + sel(col("a."+by)) + `,"group_by":[` + col("a."+by) + `],"having":` + eq(agg("count", col("o.id")), lit("0")) + `}`
	}
	united := func(by, cond string) string { // orders beside accounts, as blocks that drill across put them
		return derived(`{"set":{"op":"union","all":true,"plans":[`+
			sub("public.accounts", sel(col(by))[:len(sel(col(by)))-1]+`,{"expr":{"literal":{"value":null,"type":"integer"}},"as":"n"}]`)+`,`+
			`{"from":{"table":"orders","as":"o"},"joins":[{"table":"public.accounts","as":"a"}],"select":[{"expr":`+col("a."+by)+`},{"expr":`+agg("count", "")+`,"as":"n"}]}]}}`,
			sel(col("x."+by))+`,"group_by":[`+col("x."+by)+`],"having":`+cond)
	}
	noneThere := op("is_null", agg("max", col("x.n")))
	whole := func(tables ...string) func(*plan.Context) {
		return func(c *plan.Context) {
			for _, n := range tables {
				delete(c.Access.Scoped, public(n))
			}
		}
	}
	for _, test := range []struct {
		name, plan string
		change     func(*plan.Context)
		refused    bool
	}{
		{"both", none, nil, false},
		{"of the child only", none, scoped("accounts", func(s *plan.Scope) { s.Partition = nil }), true},
		{"of the parent only", none, scoped("orders", func(s *plan.Scope) { s.Partition = nil }), true},
		{"keys of other things", none, scoped("orders", func(s *plan.Scope) { s.Partition = map[string]string{"tenant_id": "region"} }), true},
		{"another name", none, scoped("orders", func(s *plan.Scope) {
			s.Held, s.Partition = map[string]string{"tenant": "1"}, map[string]string{"tenant": "tenant"}
		}), false},
		{"another value", none, scoped("orders", func(s *plan.Scope) { s.Held = map[string]string{"tenant_id": "2"} }), true},
		{"more of the child", none, scoped("orders", func(s *plan.Scope) { s.Whole = false }), true},
		{"more of the child, held", none, scoped("orders", func(s *plan.Scope) { s.Held = map[string]string{"tenant_id": "1", "status": "x"} }), true},
		{"more of the parent", none, scoped("accounts", func(s *plan.Scope) { s.Whole = false }), false},
		{"the parent in full", none, whole("accounts"), true},
		{"a masked key", none, func(c *plan.Context) { c.Access.Masked[public("orders")] = []string{"account_id"} }, true},
		{"a key that is inferred", none, func(c *plan.Context) {
			c.Semantic.Relationships = slices.DeleteFunc(c.Semantic.Relationships, func(r *semantic.Relationship) bool { return r.Name == "orders_account_id_fkey" })
			c.Semantic.Relationships = append(c.Semantic.Relationships, &semantic.Relationship{Name: "x", From: public("orders"), FromColumns: []string{"account_id"}, To: public("accounts"), ToColumns: []string{"id"}, Inferred: true})
		}, true},
		{"the other way", orphans, nil, false},
		{"a chain", widgets, nil, false},
		{"a chain with a hidden end", widgets, func(c *plan.Context) { c.Access.Scoped[public("products")] = plan.Scope{} }, true},
		{"the key in the join", none, func(c *plan.Context) {
			scoped("accounts", func(s *plan.Scope) { s.Partition = nil })(c)
			for _, r := range c.Semantic.Relationships {
				if r.Name == "orders_account_id_fkey" {
					r.FromColumns, r.ToColumns = []string{"account_id", "tenant_id"}, []string{"id", "tenant_id"}
				}
			}
		}, false},
		{"the first few", few, nil, true},
		{"what a condition looks for", dear, whole("order_items"), true},
		{"what a filter looks for", filtered, whole("order_items"), true},
		{"all of those that are looked for", semi, whole("accounts"), true},
		{"a count for each account", counted("id"), nil, false},
		{"a count for each region, of whose accounts some are hidden", counted("region"), nil, true},
		{"a part of a union for each account", united("id", noneThere), nil, false},
		{"a part of a union for each account, some of whose orders are hidden", united("id", noneThere), scoped("orders", func(s *plan.Scope) { s.Partition = nil }), true},
		{"a part of a union for each region, of whose accounts some are hidden", united("region", noneThere), nil, true},
		{"a part that is there", united("region", op("is_not_null", agg("max", col("x.n")))), nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := partitioned(t)
			if test.change != nil {
				test.change(&c)
			}
			p, err := plan.Decode([]byte(test.plan))
			if err != nil {
				t.Fatal(err, test.plan)
			}
			_, err = plan.Validate(p, c)
			var r *plan.Rejections
			if errors.As(err, &r); test.refused && (r == nil || r.SQLState() != "PA007") || !test.refused && err != nil {
				t.Errorf("refused: %v, want %v", err, test.refused)
			}
		})
	}
}

// An answer says what it rests on where that is the policy's word, and only there.
func TestRestsOnPartitions(t *testing.T) {
	for source, want := range map[string]bool{
		from + `"public.accounts","as":"a"},"joins":[{"table":"orders","kind":"anti"}],` + sel(col("a.id")) + `}`:              true,
		from + `"public.accounts","as":"a"},"joins":[{"table":"orders","kind":"semi"}],` + sel(col("a.id")) + `}`:              false,
		from + `"public.accounts","as":"a"},"joins":[{"table":"monthly_account_arr","kind":"anti"}],` + sel(col("a.id")) + `}`: false,
	} {
		checked, _ := sqlOf(t, source, partitioned(t))
		said := slices.ContainsFunc(checked.Qualifiers(), func(q string) bool {
			return strings.Contains(q, "rests on the policy's word") && strings.HasSuffix(q, "the same tenant_id")
		})
		if said != want {
			t.Errorf("%s: %q", source, checked.Qualifiers())
		}
	}
}

// Whoever doesn't see an item doesn't see its order, and sees that one where he sees the item.
func TestFollowed(t *testing.T) {
	c := restricted(t)
	lone := from + `"order_items","as":"i"},"joins":[{"table":"orders","as":"o","kind":"anti"}],` + sel(col("i.order_id")) + `}`
	sqlOf(t, lone, c)
	c.Access.Scoped[public("order_items")] = plan.Scope{Follows: &plan.Follow{Parent: public("orders"), Columns: map[string]string{"order_id": "account_id"}}}
	p, err := plan.Decode([]byte(lone))
	if err != nil {
		t.Fatal(err)
	}
	reject(t, p, c)
}
