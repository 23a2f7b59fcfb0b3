package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// The tests' world: a small shop, as a snapshot and as a policy.

func patterns(t testing.TB, texts ...string) []configs.Pattern {
	t.Helper()
	var out []configs.Pattern
	for _, text := range texts {
		p, err := configs.ParsePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func name(t testing.TB, text string) configs.Name {
	t.Helper()
	n, err := configs.ParseName(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

var columnTypes = map[string]catalog.Type{
	"int":     {OID: 23, Schema: "pg_catalog", Name: "int4", SQL: "integer", Category: 'N'},
	"text":    {OID: 25, Schema: "pg_catalog", Name: "text", SQL: "text", Category: 'S'},
	"varchar": {OID: 1043, Schema: "pg_catalog", Name: "varchar", SQL: "character varying(80)", Category: 'S'},
	"numeric": {OID: 1700, Schema: "pg_catalog", Name: "numeric", SQL: "numeric(12,2)", Category: 'N'},
	"time":    {OID: 1184, Schema: "pg_catalog", Name: "timestamptz", SQL: "timestamp with time zone", Category: 'D'},
	"jsonb":   {OID: 3802, Schema: "pg_catalog", Name: "jsonb", SQL: "jsonb", Category: 'U'},
	"texts":   {OID: 1009, Schema: "pg_catalog", Name: "_text", SQL: "text[]", Category: 'A'},
	"status":  {OID: 90001, Schema: "public", Name: "order_status", SQL: "order_status", Category: 'E'},
	"dom":     {OID: 90003, Schema: "public", Name: "email_dom", SQL: "email_dom", Category: 'S'},
}

func table(schema, name string, kind catalog.Kind, cols ...string) *catalog.Table {
	t := &catalog.Table{Name: catalog.Name{Schema: schema, Table: name}, Kind: kind, Rows: 1000}
	for i := 0; i < len(cols); i += 2 {
		t.Columns = append(t.Columns, &catalog.Column{Name: cols[i], Type: columnTypes[cols[i+1]], Attnum: i/2 + 1,
			Values: []string{"a sample"}, Min: "1", Max: "9"})
	}
	return t
}

// snapshot is sorted by schema and name.
func snapshot() *catalog.Snapshot {
	accounts := table("public", "accounts", 'r', "id", "int", "tenant_id", "int", "name", "text", "region", "varchar",
		"email", "varchar", "tax_id", "text", "tags", "texts", "meta", "jsonb", "created_at", "time")
	accounts.PrimaryKey = []string{"id"}
	orders := table("public", "orders", 'r', "id", "int", "account_id", "int", "tenant_id", "int", "status", "status", "amount", "numeric", "ordered_at", "time")
	orders.PrimaryKey = []string{"id"}
	orders.ForeignKeys = []*catalog.ForeignKey{{Name: "orders_account_id_fkey", Columns: []string{"account_id"},
		Ref: catalog.Name{Schema: "public", Table: "accounts"}, RefColumns: []string{"id"}}}
	items := table("public", "order_items", 'r', "order_id", "int", "product_id", "int", "quantity", "int")
	leaf := table("public", "events_2024", 'r', "id", "int", "tenant_id", "int")
	leaf.Partition, leaf.Parent = true, catalog.Name{Schema: "public", Table: "events"}
	child := table("public", "docs_legal", 'r', "id", "int", "tenant_id", "int", "basis", "text")
	child.Parent = catalog.Name{Schema: "public", Table: "docs"}
	return catalog.NewSnapshot("acme", 150018, []*catalog.Table{
		table("archive", "orders", 'r', "id", "int", "tenant_id", "int"),
		table("public", "Mixed Case", 'r', "Id", "int", "a\"b", "text"),
		accounts,
		table("public", "docs", 'r', "id", "int", "tenant_id", "int"),
		child,
		table("public", "events", 'p', "id", "int", "tenant_id", "int"),
		leaf,
		table("public", "mv_totals", 'm', "tenant_id", "int", "total", "numeric"),
		items,
		orders,
		table("public", "payroll", 'r', "id", "int", "salary", "numeric"),
		table("public", "products", 'r', "id", "int", "name", "text", "price", "numeric"),
		table("public", "v_orders", 'v', "id", "int", "tenant_id", "int"),
		table("vault", "secrets", 'r', "id", "int", "secret", "text"),
	}, []catalog.UserType{
		{OID: 90001, Schema: "public", Name: "order_status", Kind: 'e', Labels: []string{"completed", "cancelled"}},
		{OID: 90002, Schema: "public", Name: "secret_kind", Kind: 'e', Labels: []string{"x"}},
		{OID: 90003, Schema: "public", Name: "email_dom", Kind: 'd'},
	}).With(catalog.Objects{Functions: functions("public.fiscal_year", "public.fiscal_secret", "public.other")})
}

// functions are functions of one argument.
func functions(names ...string) []catalog.Function {
	var out []catalog.Function
	for i, n := range names {
		schema, name, _ := strings.Cut(n, ".")
		out = append(out, catalog.Function{OID: uint32(91001 + i), Schema: schema, Name: name, Args: []uint32{1184}, Result: 23, Least: 1,
			Takes: []catalog.Name{{Schema: "pg_catalog", Table: "timestamptz"}}})
	}
	return out
}

func roles(t testing.TB) map[string]*configs.Role {
	analyst := &configs.Role{Name: "analyst", Mode: "governed", Ask: true, Model: "on", Databases: []string{"acme"}, SearchPath: []string{"public"},
		Tables: configs.Access[configs.Pattern]{Allow: patterns(t, "public.*"), Deny: patterns(t, "public.payroll")},
		Columns: []configs.ColumnRule{{Table: name(t, "public.accounts"), Deny: []string{"tax_id"},
			Mask: map[string]string{"email": "'***@' || split_part(email, '@', 2)"}}},
		Scopes: []configs.Scope{
			{Tables: patterns(t, "public.accounts", "public.orders", "public.events", "public.docs"), Where: "tenant_id = :tenant_id"},
			{Tables: patterns(t, "public.order_items"), Via: &configs.Via{Parent: name(t, "public.orders"), Columns: map[string]string{"order_id": "id"}}}},
		Limits: configs.RoleLimits{Rows: 1000, OnTruncate: "notice", StatementTimeout: 30 * time.Second}, Refusals: "generic"}
	regional := *analyst
	regional.Name, regional.Refusals = "regional", "explicit"
	regional.Scopes = []configs.Scope{{Tables: patterns(t, "public.accounts"), Where: "region = :regions"},
		{Tables: patterns(t, "public.orders"), Where: "tenant_id = :tenant_id AND amount / 2 > 0"}}
	regional.Limits = configs.RoleLimits{Rows: 100, OnTruncate: "error", StatementTimeout: 10 * time.Second}
	finance := &configs.Role{Name: "finance", Mode: "governed", SearchPath: []string{"public"}, Model: "off",
		Tables:    configs.Access[configs.Pattern]{Allow: patterns(t, "public.orders", "public.products", "public.v_orders", "archive.*")},
		Limits:    configs.RoleLimits{Rows: 5000, OnTruncate: "notice"},
		Functions: configs.Access[string]{Allow: []string{"public.fiscal_year"}, Deny: []string{"repeat"}}, Refusals: "generic"}
	dba := &configs.Role{Name: "dba", Mode: "passthrough", Ask: true, GovernedAs: ""}
	lead := &configs.Role{Name: "lead", Mode: "passthrough", Ask: true, GovernedAs: "analyst"}
	return map[string]*configs.Role{"analyst": analyst, "regional": &regional, "finance": finance, "dba": dba, "lead": lead}
}

func compile(t testing.TB) *policy.Policy {
	t.Helper()
	p, faults := policy.Compile(&configs.Policy{Version: 1, Roles: roles(t)})
	if p == nil {
		t.Fatal(faults)
	}
	return p
}

var attributes = map[string]any{"tenant_id": int64(1), "regions": []any{"EMEA", "it's"}}

// view binds the named roles; a passthrough role's is that of its seat belt.
func view(t testing.TB, attributes map[string]any, names ...string) *policy.View {
	t.Helper()
	r, err := compile(t).Seatbelt(auth.Principal{User: "ana", Roles: names})
	if err != nil {
		t.Fatal(err)
	}
	v, err := r.View(snapshot(), attributes)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// authorize judges the only statement of a text.
func authorize(v *policy.View, sql string, o policy.Options) (policy.Approved, error) {
	n, err := stmt.ParseOne(sql, stmt.DefaultLimits())
	if err != nil {
		return policy.Approved{}, err
	}
	return v.Authorize(stmt.Statement{Text: sql, Tree: n}, o)
}
