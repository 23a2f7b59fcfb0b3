package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/policy"
)

func compileOne(t *testing.T, change func(*configs.Role)) (*policy.Policy, []configs.Fault) {
	t.Helper()
	r := &configs.Role{Name: "r", Mode: "governed", SearchPath: []string{"public"},
		Tables: configs.Access[configs.Pattern]{Allow: patterns(t, "public.*")}}
	change(r)
	return policy.Compile(&configs.Policy{Version: 1, Roles: map[string]*configs.Role{"r": r}})
}

func where(t *testing.T, expr string) func(*configs.Role) {
	return func(r *configs.Role) {
		r.Scopes = []configs.Scope{{Pos: configs.Pos{File: "policy.yaml", Line: 7}, Tables: patterns(t, "public.orders"), Where: expr}}
	}
}

func partition(t *testing.T, expr string) func(*configs.Role) {
	return func(r *configs.Role) {
		where(t, expr)(r)
		r.Scopes[0].Partition = "tenant_id"
	}
}

func TestCompileFaults(t *testing.T) {
	via := func(table, parent string) configs.Scope {
		return configs.Scope{Tables: patterns(t, table), Via: &configs.Via{Parent: name(t, parent), Columns: map[string]string{"x": "id"}}}
	}
	for _, c := range []struct {
		name   string
		change func(*configs.Role)
		want   string // empty: no fault
	}{
		{"attribute", where(t, "tenant_id = :tenant_id"), ""},
		{"list", where(t, "region IN (:regions) AND lower(status) <> 'x' OR id IS NULL"), ""},
		{"case and cast", where(t, "CASE WHEN a THEN b::date = CURRENT_DATE ELSE false END"), ""},
		{"not SQL", where(t, "tenant_id ="), "policy.yaml:7: roles.r.scopes[0].where"},
		{"two statements", where(t, "true; DELETE FROM x"), "scopes[0].where"},
		{"sub-select", where(t, "id IN (SELECT 1)"), "sub-select"},
		{"other table", where(t, "accounts.id = 1"), "own columns"},
		{"unsafe function", where(t, "pg_sleep(1) IS NULL"), "function pg_sleep"},
		{"set-returning", where(t, "generate_series(1, 2) = 1"), "function generate_series"},
		{"aggregate", where(t, "count(id) > 1"), "function count"},
		{"window", where(t, "lower(a) OVER () = 'x'"), "window"},
		{"regclass", where(t, "id = 'x'::regclass"), "regclass"},
		{"user operator", where(t, "a OPERATOR(public.=) b"), "operator"},
		{"session user", where(t, "owner = current_user"), "CURRENT_DATE"},
		{"neither where nor via", where(t, ""), "scopes[0].where"},
		{"partition", partition(t, "tenant_id = :t AND amount > 0"), ""},
		{"partition by a list", partition(t, "tenant_id = ANY (:t)"), ""},
		{"partition by a constant", partition(t, "tenant_id = 1"), "roles.r.scopes[0].partition"},
		{"partition of a cast", partition(t, "tenant_id::text = :t"), "where: \"tenant_id = :tenant_id\""},
		{"partition or more", partition(t, "tenant_id = :t OR id = 1"), "scopes[0].partition"},
		{"partition by another column", partition(t, "id = :t"), "scopes[0].partition"},
		{"partition but these", partition(t, "tenant_id <> :t"), "scopes[0].partition"},
		{"partition via", func(r *configs.Role) {
			r.Scopes = []configs.Scope{via("public.c", "public.p")}
			r.Scopes[0].Partition = "x"
		}, "scopes[0].partition"},
		{"mask", func(r *configs.Role) {
			r.Columns = []configs.ColumnRule{{Table: name(t, "public.a"), Mask: map[string]string{"email": "(SELECT 1)"}}}
		}, "roles.r.columns[0].mask.email"},
		{"via a denied parent", func(r *configs.Role) {
			r.Tables.Deny = patterns(t, "public.p")
			r.Scopes = []configs.Scope{via("public.c", "public.p")}
		}, "may not read public.p"},
		{"via in a circle", func(r *configs.Role) {
			r.Scopes = []configs.Scope{via("public.a", "public.b"), via("public.b", "public.a")}
		}, "comes back"},
		{"via itself", func(r *configs.Role) { r.Scopes = []configs.Scope{via("public.a", "public.a")} }, "comes back"},
		{"function allowed", func(r *configs.Role) { r.Functions.Allow = []string{"public.f", "geo.st_*"} }, ""},
		{"function that runs SQL", func(r *configs.Role) { r.Functions.Allow = []string{"query_to_xml"} }, "query_to_xml"},
		{"all built-ins", func(r *configs.Role) { r.Functions.Allow = []string{"pg_catalog.*"} }, "can't be allowed"},
		{"governed_as nothing", func(r *configs.Role) { r.Mode, r.GovernedAs = "passthrough", "x" }, "governed_as"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, faults := compileOne(t, c.change)
			if c.want == "" {
				if p == nil || len(faults) > 0 {
					t.Fatal(faults)
				}
				return
			}
			if p != nil || !strings.Contains(fmt.Sprint(faults), c.want) {
				t.Errorf("faults %v, want %q", faults, c.want)
			}
		})
	}
}

func TestVersionIsOfTheMeaning(t *testing.T) {
	a, _ := compileOne(t, where(t, "tenant_id = 1"))
	b, _ := compileOne(t, where(t, "tenant_id = 1"))
	c, _ := compileOne(t, where(t, "tenant_id = 2"))
	if a.Version() != b.Version() || a.Version() == c.Version() {
		t.Error(a.Version(), b.Version(), c.Version())
	}
	d, _ := compileOne(t, where(t, "tenant_id = :t"))
	e, _ := compileOne(t, partition(t, "tenant_id = :t"))
	if d.Version() == e.Version() {
		t.Error("what the policy says of partitions is part of it")
	}
}

func TestRoles(t *testing.T) {
	p := compile(t)
	for _, c := range []struct {
		roles []string
		want  string
	}{
		{nil, "has no role"}, {[]string{"nobody"}, "not in the policy"}, {[]string{"analyst", "dba"}, "different modes"},
		{[]string{"analyst", "finance"}, ""},
	} {
		err := p.CheckRoles(c.roles)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.roles, err, c.want)
		}
	}
}

func TestRolesAddUp(t *testing.T) {
	p := compile(t)
	login := &auth.Login{User: "own"}
	r, err := p.RoleFor(auth.Principal{User: "ana", Roles: []string{"analyst", "finance"}, Login: login})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Governed || !r.Ask || r.Model || r.Explicit || r.Limits.Rows != 1000 || r.Limits.StatementTimeout.Seconds() != 30 ||
		r.Login != login || !r.AllowsDatabase("other") || r.SearchPath[0] != "public" {
		t.Errorf("%+v", r)
	}
	if _, err := p.RoleFor(auth.Principal{User: "x", Roles: []string{"gone"}}); err.(*policy.Denied).SQLState() != "28000" {
		t.Error(err)
	}
}

func TestSameColumnRulesAreDemanded(t *testing.T) {
	rs := roles(t)
	rs["finance"].Tables.Allow = patterns(t, "public.*")
	p, faults := policy.Compile(&configs.Policy{Version: 1, Roles: rs})
	if p == nil {
		t.Fatal(faults)
	}
	if err := p.CheckRoles([]string{"analyst", "finance"}); err == nil || !strings.Contains(err.Error(), "public.accounts") {
		t.Error(err)
	}
}

func TestScopesAreORed(t *testing.T) {
	rs := roles(t)
	rs["regional"].Columns = rs["analyst"].Columns
	p, faults := policy.Compile(&configs.Policy{Version: 1, Roles: rs})
	if p == nil {
		t.Fatal(faults)
	}
	r, err := p.RoleFor(auth.Principal{User: "u", Roles: []string{"analyst", "regional"}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := r.View(snapshot(), attributes)
	if err != nil {
		t.Fatal(err)
	}
	a, err := authorize(v, "SELECT id FROM accounts", policy.Options{})
	if err != nil || !strings.Contains(a.SQL(), `WHERE tenant_id = 1::int OR region = ANY('{"EMEA","it''s"}'::varchar[])`) {
		t.Error(a.SQL(), err)
	}
	// regional allows order_items without a scope.
	if a, err = authorize(v, "SELECT order_id FROM order_items", policy.Options{}); err != nil || strings.Contains(a.SQL(), "WHERE") {
		t.Error(a.SQL(), err)
	}
}

func TestMissingAttribute(t *testing.T) {
	for _, attributes := range []map[string]any{nil, {"tenant_id": nil}} {
		v := view(t, attributes, "analyst")
		_, err := authorize(v, "SELECT id FROM orders", policy.Options{})
		if d, ok := err.(*policy.Denied); !ok || d.SQLState() != "42501" || !strings.Contains(d.Error(), "tenant_id") {
			t.Error(err)
		}
		if _, err := authorize(v, "SELECT order_id FROM order_items", policy.Options{}); err == nil {
			t.Error("the parent's scope needs the attribute too")
		}
		if _, err := authorize(v, "SELECT id FROM products", policy.Options{}); err != nil {
			t.Error(err)
		}
		if v.Catalog().Table(catalog.Name{Schema: "public", Table: "orders"}) != nil {
			t.Error("planners see a table that can't be read")
		}
	}
}

// TestCheckAttributes: what governed roles refer to, users have.
func TestCheckAttributes(t *testing.T) {
	p, faults := policy.Compile(&configs.Policy{Version: 1, Roles: roles(t)})
	if p == nil {
		t.Fatal(faults)
	}
	user := configs.User{Name: "u", Roles: []string{"analyst"}}
	if got := p.CheckAttributes(user); len(got) != 1 || !got[0].Warning || !strings.Contains(got[0].Error(), "there is no tenant_id, ") {
		t.Errorf("without: %v", got)
	}
	for _, value := range []any{int64(1), nil} {
		user.Attributes = map[string]any{"tenant_id": value}
		if got := p.CheckAttributes(user); len(got) != 0 {
			t.Errorf("with %v: %v", value, got)
		}
	}
	if got := p.CheckAttributes(configs.User{Name: "u", Roles: []string{"dba", "nobody"}}); len(got) != 0 {
		t.Errorf("passthrough: %v", got)
	}
}

func TestConstants(t *testing.T) {
	for _, c := range []struct {
		expr  string
		value any
		want  string // empty: the table can't be read
	}{
		{"id = :v", int64(-5), "id = '-5'::int"},
		{"id = :v", []any{int64(1), nil, int64(2)}, `id = ANY('{"1","2"}'::int[])`},
		{"id = :v", []any{}, `id = ANY('{}'::int[])`},
		{":v = id", int64(5), "id = 5::int"},
		{"id IN (:v)", []any{int64(1), int64(2)}, "id IN (1::int, 2::int)"},
		{"id NOT IN (:v, 7)", []any{int64(1)}, "id NOT IN (1::int, 7)"},
		{"id = ANY (:v)", int64(3), `id = ANY('{"3"}'::int[])`},
		{"id BETWEEN :v AND 9", int64(3), "id BETWEEN 3::int AND 9"},
		{"id > :v", []any{int64(3)}, ""},
		{"status = :v", "completed'; DROP TABLE x; --", `status = 'completed''; DROP TABLE x; --'::public.order_status`},
		{"ordered_at > :v", "2024-01-01", "ordered_at > '2024-01-01'::timestamp with time zone"},
		{"amount = :v", 1.5, "amount = '1.5'::numeric"},
		{"lower(status::text) = lower(:v)", "A", "lower(status::text) = lower('A'::text)"},
		{"nothing = :v", "A", ""},
	} {
		t.Run(c.expr, func(t *testing.T) {
			p, faults := compileOne(t, where(t, c.expr))
			if p == nil {
				t.Fatal(faults)
			}
			r, err := p.RoleFor(auth.Principal{User: "u", Roles: []string{"r"}})
			if err != nil {
				t.Fatal(err)
			}
			v, err := r.View(snapshot(), map[string]any{"v": c.value})
			if err != nil {
				t.Fatal(err)
			}
			a, err := authorize(v, "SELECT id FROM orders", policy.Options{})
			if c.want == "" {
				if err == nil {
					t.Error(a.SQL())
				}
				return
			}
			if err != nil || !strings.Contains(strings.ReplaceAll(a.SQL(), "pg_catalog.", ""), "WHERE "+c.want+")") {
				t.Error(a.SQL(), err)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	p, faults := compileOne(t, func(r *configs.Role) {
		r.Tables.Allow = patterns(t, "public.*", "nowhere.*")
		r.Scopes = []configs.Scope{{Tables: patterns(t, "public.orders", "public.ordrs"), Where: "tenant = 1"}, {Tables: patterns(t, "public.gone"), Where: "true"},
			{Tables: patterns(t, "public.order_items"), Via: &configs.Via{Parent: name(t, "public.orders"), Columns: map[string]string{"oid": "id"}}}}
		r.Columns = []configs.ColumnRule{{Table: name(t, "public.accounts"), Deny: []string{"taxid"}}}
	})
	if p == nil {
		t.Fatal(faults)
	}
	text := ""
	for _, f := range p.Check(snapshot()) {
		text += fmt.Sprintln(f.Warning, f.Key, f.Msg)
	}
	for _, want := range []string{"true roles.r.tables.allow nowhere.* matches no relation\n", "true roles.r.tables.allow public.* doesn't reach public.v_orders",
		"false roles.r.scopes[0].where public.orders: has no column tenant; did you mean tenant_id?\n", "true roles.r.scopes[0] public.ordrs matches no relation; did you mean public.orders?\n", "true roles.r.scopes[1] public.gone matches no relation\n",
		"false roles.r.scopes[2].via public.order_items has no column oid", "true roles.r.columns[0].deny public.accounts has no column taxid; did you mean tax_id?\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
