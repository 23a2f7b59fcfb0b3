package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/policy"
)

// restrictionsOf are those of a user with these roles, of a policy's roles as text.
func restrictionsOf(t *testing.T, attributes map[string]any, roles string, names ...string) map[catalog.Name]policy.Restriction {
	t.Helper()
	file, faults := configs.DecodePolicy("policy.yaml", []byte("version: 1\nroles:\n"+roles))
	p, more := policy.Compile(file)
	if p == nil || len(faults) > 0 {
		t.Fatal(faults, more)
	}
	r, err := p.RoleFor(auth.Principal{User: "u", Roles: names})
	if err != nil {
		t.Fatal(err)
	}
	v, err := r.View(snapshot(), attributes)
	if err != nil {
		t.Fatal(err)
	}
	return v.Restrictions()
}

func TestRestrictions(t *testing.T) {
	list := []any{int64(1), int64(2)}
	for _, test := range []struct {
		scope string
		value any
		want  policy.Restriction
	}{
		{`where: "tenant_id = 1"`, 1, policy.Restriction{Held: map[string]string{"tenant_id": "integer, 1"}, Whole: true}},
		{`where: "tenant_id = :t"`, 1, policy.Restriction{Held: map[string]string{"tenant_id": "integer, 1"}, Whole: true}},
		{`where: ":t = tenant_id"`, 1, policy.Restriction{Held: map[string]string{"tenant_id": "integer, 1"}, Whole: true}},
		{`where: "tenant_id = :t"`, list, policy.Restriction{Held: map[string]string{"tenant_id": `integer, '{"1","2"}'`}, Whole: true}},
		{`where: "tenant_id IN (:t)"`, list, policy.Restriction{Held: map[string]string{"tenant_id": "integer, 1, 2"}, Whole: true}},
		{`where: "tenant_id = 1 AND region = 'EMEA'"`, nil, policy.Restriction{Held: map[string]string{"tenant_id": "integer, 1", "region": "text , 'EMEA'"}, Whole: true}},
		{`where: "tenant_id = :t AND created_at > '2020-01-01'", partition: tenant_id`, 1,
			policy.Restriction{Held: map[string]string{"tenant_id": "integer, 1"}, Partition: map[string]string{"tenant_id": "t"}}},
		{`where: "tenant_id = ANY (:t)", partition: tenant_id`, list, policy.Restriction{Held: map[string]string{"tenant_id": `integer, '{"1","2"}'`}, Whole: true, Partition: map[string]string{"tenant_id": "t"}}},
		{`where: "tenant_id IN (:t)", partition: tenant_id`, 7, policy.Restriction{Held: map[string]string{"tenant_id": "integer, 7"}, Whole: true, Partition: map[string]string{"tenant_id": "t"}}},
		{`where: "tenant_id = 1 AND tenant_id = 2"`, nil, policy.Restriction{Held: map[string]string{"tenant_id": "integer, 1 and integer, 2"}, Whole: true}},
		{`where: "tenant_id = 1 OR tenant_id = 2"`, nil, policy.Restriction{}},
		{`where: "tenant_id > 1"`, nil, policy.Restriction{}},
		{`where: "tenant_id = id"`, nil, policy.Restriction{}},
		{`where: "tenant_id = NULL"`, nil, policy.Restriction{}},
		{`where: "NOT tenant_id = 1"`, nil, policy.Restriction{}},
		{`where: "tenant_id::text = :t"`, "1", policy.Restriction{}},
		{`where: "tenant_id = '1.5'::numeric"`, nil, policy.Restriction{}},
		{`where: "name = lower('X')"`, nil, policy.Restriction{}},
		{`where: "tenant_id = :absent"`, nil, policy.Restriction{}},
	} {
		t.Run(test.scope, func(t *testing.T) {
			got := restrictionsOf(t, map[string]any{"t": test.value}, `  r: {tables: {allow: ["public.accounts"]}, scopes: [{table: public.accounts, `+test.scope+`}]}`, "r")
			if diff := cmp.Diff(test.want, got[public("accounts")], cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What is told of one role must hold of what several show together.
func TestRestrictionsOfSeveralRoles(t *testing.T) {
	const roles = `
  a: {tables: {allow: [public.accounts, public.orders, public.order_items]}, scopes: [
    {tables: [public.accounts, public.orders], where: "tenant_id = :t", partition: tenant_id}, {table: public.order_items, via: {public.orders: {order_id: id}}}]}
  same: {tables: {allow: [public.accounts, public.orders, public.order_items]}, scopes: [
    {tables: [public.accounts, public.orders], where: "tenant_id = :t"}, {table: public.order_items, via: {public.orders: {order_id: id}}}]}
  big: {tables: {allow: [public.accounts, public.orders, public.order_items]}, scopes: [
    {tables: [public.accounts, public.orders], where: "tenant_id = 2"}, {table: public.order_items, via: {public.orders: {order_id: id}}}]}
  orders: {tables: {allow: [public.orders]}}
  items: {tables: {allow: [public.orders, public.order_items]}, scopes: [{table: public.orders, where: "id < 9"}, {table: public.order_items, where: "quantity > 1"}]}
  whole: {tables: {allow: [public.order_items]}}
`
	for names, want := range map[string]string{
		"a":          "accounts tenant_id whole, orders tenant_id whole, items follow orders",
		"a same":     "accounts tenant_id whole, orders tenant_id whole, items follow orders",
		"a big":      "accounts?, orders?, items follow orders",
		"a orders":   "accounts tenant_id whole, orders all, items?",
		"a items":    "accounts tenant_id whole, orders?, items?",
		"same whole": "accounts, orders, items all",
	} {
		got := restrictionsOf(t, map[string]any{"t": 1}, roles, strings.Fields(names)...)
		var said []string
		for _, n := range []string{"accounts", "orders", "order_items"} {
			r, restricted := got[public(n)]
			text := strings.TrimPrefix(n, "order_")
			switch {
			case !restricted:
				text += " all"
			case r.On != nil:
				text += " follow " + r.Parent.Table
			case len(r.Held) == 0:
				text += "?"
			}
			for c := range r.Partition {
				if r.Held[c] != "" {
					text += fmt.Sprintf(" %s", c)
				}
			}
			if r.Whole && len(r.Partition) > 0 {
				text += " whole"
			}
			said = append(said, text)
		}
		if text := strings.Join(said, ", "); text != want {
			t.Errorf("%s: %s, want %s", names, text, want)
		}
	}
}
