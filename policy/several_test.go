package policy_test

import (
	"strings"
	"testing"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/policy"
)

// severalPolicy has roles that a user may have together.
const severalPolicy = `
version: 1
roles:
  own:
    ask: true
    search_path: [public, archive]
    tables: {allow: ["public.*"], deny: [public.payroll]}
    columns: [{table: public.accounts, deny: [tax_id]}]
    scopes:
      - {tables: ["public.a*", "public.ord*"], where: "tenant_id = 1"}
      - {tables: ["public.orders"], where: "amount > 0"}
    functions: {allow: [public.fiscal_*], deny: [upper]}
    limits: {rows: 100, on_truncate: error, explain_rows: 0, statement_timeout: 10s}
    refusals: explicit
  all:
    model: "off"
    search_path: [archive]
    tables: {allow: [public.accounts, public.products, public.payroll, "archive.*"], deny: [public.order_items]}
    columns: [{table: public.accounts, deny: [tax_id]}]
    scopes: [{table: public.accounts, where: "region = 'EMEA'"}]
    functions: {allow: [public.other], deny: [public.fiscal_secret]}
    limits: {rows: 0, on_truncate: notice, explain_rows: 500, statement_timeout: 20s}
    refusals: generic
  raw: {mode: passthrough}
  judged: {mode: passthrough, governed_as: own}
`

// TestSeveralRoles holds what the roles of one user add up to.
func TestSeveralRoles(t *testing.T) {
	file, faults := configs.DecodePolicy("policy.yaml", []byte(severalPolicy))
	p, more := policy.Compile(file)
	if p == nil || len(faults)+len(more) > 0 {
		t.Fatal(faults, more)
	}
	roleOf := func(names ...string) *policy.Role {
		r, err := p.RoleFor(auth.Principal{User: "u", Roles: names})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, names := range [][]string{{"own", "all"}, {"all", "own"}} {
		r := roleOf(names...)
		l := r.Limits
		if !r.Ask || r.Model || r.Explicit || l.Rows != 100 || l.OnTruncate != "error" || l.ExplainRows != 500 || l.StatementTimeout.Seconds() != 10 {
			t.Errorf("%v: %+v", names, r)
		}
		if first := r.SearchPath[0]; (first == "public") != (names[0] == "own") {
			t.Errorf("%v: search_path %v", names, r.SearchPath)
		}
	}
	both, err := roleOf("own", "all").View(snapshot(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sql  string
		want string // part of what is sent, or an SQLSTATE
	}{
		{"SELECT id FROM accounts", "tenant_id = 1 OR region = 'EMEA'"},  // of either role
		{"SELECT id FROM public.orders", "tenant_id = 1 AND amount > 0"}, // one role, both scopes of it
		{"SELECT id FROM archive.orders", "archive.orders) orders"},      // the role that allows it has none
		{"SELECT id FROM products", "public.products) products"},
		{"SELECT id FROM payroll", "42501"}, // one allows, one denies
		{"SELECT order_id FROM order_items", "42501"},
		{"SELECT tax_id FROM accounts", "42501"},
		{"SELECT public.fiscal_year(id) FROM products", "public.fiscal_year"},
		{"SELECT public.other(id) FROM products", "public.other"},
		{"SELECT public.fiscal_secret(id) FROM products", "42501"},
		{"SELECT upper(name) FROM products", "42501"},
		{"SELECT lower(name) FROM products", "lower"},
	} {
		a, err := authorize(both, c.sql, policy.Options{})
		if len(c.want) == 5 && c.want[0] == '4' {
			if d, ok := err.(*policy.Denied); !ok || d.SQLState() != c.want {
				t.Errorf("%s: %v, want %s", c.sql, err, c.want)
			}
			continue
		}
		if text := strings.ReplaceAll(a.SQL(), "pg_catalog.", ""); err != nil || !strings.Contains(text, c.want) {
			t.Errorf("%s: %s %v, want %s", c.sql, text, err, c.want)
		}
	}
	// A role that allows a table without a scope shows all of it.
	if unscoped, err := roleOf("all").View(snapshot(), nil); err != nil {
		t.Error(err)
	} else if _, err := authorize(unscoped, "SELECT id FROM public.orders", policy.Options{}); err == nil {
		t.Error("orders are allowed by nobody")
	}
	// Whoever has a role that is judged as another is, whichever comes first.
	for _, names := range [][]string{{"raw", "judged"}, {"judged", "raw"}} {
		belt, err := p.Seatbelt(auth.Principal{User: "u", Roles: names})
		if err != nil || belt.Limits.Rows != 100 {
			t.Errorf("%v: %+v %v", names, belt, err)
		}
	}
}
