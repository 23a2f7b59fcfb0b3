package plan_test

import (
	"testing"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

// types by the short names that the fixture uses.
var types = map[string]catalog.Type{
	"int":    {OID: 23, Schema: "pg_catalog", Name: "int4", SQL: "integer", Category: 'N'},
	"bigint": {OID: 20, Schema: "pg_catalog", Name: "int8", SQL: "bigint", Category: 'N'},
	"num":    {OID: 1700, Schema: "pg_catalog", Name: "numeric", SQL: "numeric", Category: 'N'},
	"money":  {OID: 1700, Schema: "pg_catalog", Name: "numeric", SQL: "numeric(12,2)", Category: 'N'},
	"float":  {OID: 701, Schema: "pg_catalog", Name: "float8", SQL: "double precision", Category: 'N'},
	"text":   {OID: 25, Schema: "pg_catalog", Name: "text", SQL: "text", Category: 'S'},
	"bool":   {OID: 16, Schema: "pg_catalog", Name: "bool", SQL: "boolean", Category: 'B'},
	"date":   {OID: 1082, Schema: "pg_catalog", Name: "date", SQL: "date", Category: 'D'},
	"tstz":   {OID: 1184, Schema: "pg_catalog", Name: "timestamptz", SQL: "timestamp with time zone", Category: 'D'},
	"ts":     {OID: 1114, Schema: "pg_catalog", Name: "timestamp", SQL: "timestamp without time zone", Category: 'D'},
	"uuid":   {OID: 2950, Schema: "pg_catalog", Name: "uuid", SQL: "uuid", Category: 'U'},
	"json":   {OID: 114, Schema: "pg_catalog", Name: "json", SQL: "json", Category: 'U'},
	"mood":   {OID: 90001, Schema: "public", Name: "mood", SQL: "mood", Category: 'E'},
}

// column is a column; a type that ends in ! is not null.
func columns(pairs ...string) []*catalog.Column {
	var out []*catalog.Column
	for i := 0; i < len(pairs); i += 2 {
		name := pairs[i+1]
		notNull := name[len(name)-1] == '!'
		if notNull {
			name = name[:len(name)-1]
		}
		out = append(out, &catalog.Column{Name: pairs[i], Type: types[name], NotNull: notNull, Attnum: i/2 + 1})
	}
	return out
}

func public(table string) catalog.Name { return catalog.Name{Schema: "public", Table: table} }

func key(name string, from, to string, ref string) *catalog.ForeignKey {
	return &catalog.ForeignKey{Name: name, Columns: []string{from}, Ref: public(ref), RefColumns: []string{to}}
}

// star is the sample company's schema and a few oddities: two keys between
// the same tables, a composite key, a table with itself, names in quotes.
func star() *catalog.Snapshot {
	return catalog.NewSnapshot("acme", 150000, []*catalog.Table{
		{Name: catalog.Name{Schema: "crm", Table: "accounts"}, Kind: 'r', Columns: columns("id", "int!", "owner", "text"), PrimaryKey: []string{"id"}},
		{Name: public("Order Lines"), Kind: 'r', PrimaryKey: []string{"Order", "Line"},
			Columns:     columns("Order", "int!", "Line", "int!", "Unit Price", "num"),
			ForeignKeys: []*catalog.ForeignKey{key("order_lines_order", "Order", "id", "orders")}},
		{Name: public("accounts"), Kind: 'r', PrimaryKey: []string{"id"}, Columns: columns("id", "int!", "tenant_id", "int!",
			"name", "text!", "region", "text", "segment", "text", "email", "text", "mood", "mood", "ref", "uuid", "extra", "json", "active", "bool", "created_at", "date")},
		{Name: public("employees"), Kind: 'r', PrimaryKey: []string{"id"}, Columns: columns("id", "int!", "name", "text", "manager_id", "int"),
			ForeignKeys: []*catalog.ForeignKey{key("employees_manager", "manager_id", "id", "employees")}},
		{Name: public("flights"), Kind: 'r', PrimaryKey: []string{"id"}, Columns: columns("id", "int!", "origin", "int", "destination", "int"),
			ForeignKeys: []*catalog.ForeignKey{key("flights_destination", "destination", "id", "ports"), key("flights_origin", "origin", "id", "ports")}},
		{Name: public("monthly_account_arr"), Kind: 'r', PrimaryKey: []string{"account_id", "month"},
			Columns:     columns("account_id", "int!", "month", "date!", "arr", "money"),
			ForeignKeys: []*catalog.ForeignKey{key("monthly_account_arr_account_id_fkey", "account_id", "id", "accounts")}},
		{Name: public("order_items"), Kind: 'r', PrimaryKey: []string{"order_id", "product_id"},
			Columns: columns("order_id", "int!", "product_id", "int!", "quantity", "int!", "unit_price", "money!", "discount", "num!"),
			ForeignKeys: []*catalog.ForeignKey{key("order_items_order_id_fkey", "order_id", "id", "orders"),
				key("order_items_product_id_fkey", "product_id", "id", "products")}},
		{Name: public("order_notes"), Kind: 'r', PrimaryKey: []string{"Order", "Line", "n"},
			Columns: columns("Order", "int!", "Line", "int!", "n", "int!", "note", "text"),
			ForeignKeys: []*catalog.ForeignKey{{Name: "order_notes_line", Columns: []string{"Order", "Line"},
				Ref: public("Order Lines"), RefColumns: []string{"Order", "Line"}}}},
		{Name: public("orders"), Kind: 'r', PrimaryKey: []string{"id"}, Columns: columns("id", "int!", "account_id", "int!",
			"tenant_id", "int!", "status", "text!", "ordered_at", "tstz!", "currency", "text"),
			ForeignKeys: []*catalog.ForeignKey{key("orders_account_id_fkey", "account_id", "id", "accounts")}},
		{Name: public("ports"), Kind: 'r', PrimaryKey: []string{"id"}, Columns: columns("id", "int!", "name", "text")},
		{Name: public("products"), Kind: 'r', PrimaryKey: []string{"id"}, Columns: columns("id", "int!", "name", "text!", "category", "text", "unit_price", "money")},
	}, []catalog.UserType{{OID: 90001, Schema: "public", Name: "mood", Kind: 'e', Labels: []string{"happy", "neutral", "sad"}}})
}

func cname(table string) configs.Name { return configs.Name{Schema: "public", Table: table} }

// meaning is the sample company's semantic file.
func meaning() configs.Semantic {
	return configs.Semantic{FiscalYearStart: 4, Metrics: []configs.Metric{
		{Name: "arr per account", Derived: "arr / accounts"},
		{Name: "revenue to arr", Derived: "revenue / arr"},
		{Name: "revenue per line", Derived: "revenue / lines"},
		{Name: "accounts", Table: cname("accounts"), Expr: "count(*)", Additivity: configs.Additivity{Kind: "additive"}},
		{Name: "flights", Table: cname("flights"), Expr: "count(*)", Additivity: configs.Additivity{Kind: "additive"}},
		{Name: "flights per account", Derived: "flights / accounts"},
		{Name: "lines", Table: cname("order_items"), Expr: "count(*)", Additivity: configs.Additivity{Kind: "additive"}},
		{Name: "revenue", Table: cname("order_items"), Expr: "sum(quantity * unit_price * (1 - discount))",
			Filter: map[string]string{"public.orders": "status = 'completed'"}, Unit: "USD", Additivity: configs.Additivity{Kind: "additive"}},
		{Name: "orders", Table: cname("orders"), Expr: "count(*)", Filter: map[string]string{"public.orders": "status = 'completed'"},
			Additivity: configs.Additivity{Kind: "additive"}},
		{Name: "average order value", Table: cname("order_items"), Expr: "sum(quantity * unit_price * (1 - discount)) / count(DISTINCT order_id)",
			Filter: map[string]string{"public.orders": "status = 'completed'"}, Additivity: configs.Additivity{Kind: "non"}},
		{Name: "active accounts", Table: cname("orders"), Expr: "count(DISTINCT account_id)", Additivity: configs.Additivity{Kind: "non"}},
		{Name: "arr", Table: cname("monthly_account_arr"), Expr: "sum(arr)", Grain: []string{"account_id", "month"},
			Additivity: configs.Additivity{Kind: "semi", NotOver: []string{"month"}, Time: "last"}},
		{Name: "opening arr", Table: cname("monthly_account_arr"), Expr: "sum(arr)",
			Additivity: configs.Additivity{Kind: "semi", NotOver: []string{"month"}, Time: "first"}},
		{Name: "mean arr", Table: cname("monthly_account_arr"), Expr: "sum(arr)",
			Additivity: configs.Additivity{Kind: "semi", NotOver: []string{"month"}, Time: "avg"}},
	}, Dimensions: []configs.Dimension{
		{Name: "line size", Table: cname("order_items"), Expr: "case when quantity >= 3 then 'large' when quantity = 2 then 'medium' else 'small' end"},
		{Name: "home", Table: cname("accounts"), Expr: "coalesce(region, 'elsewhere')"},
		{Name: "joined", Table: cname("accounts"), Expr: "date_trunc('quarter', created_at)::date"},
		{Name: "contact", Table: cname("accounts"), Expr: "split_part(email, '@', 2)"},
		{Name: "paid in", Table: cname("orders"), Expr: "coalesce(currency, 'cash')"},
		{Name: "half", Table: cname("monthly_account_arr"), Expr: "to_char(month, 'YYYY') || case when extract(month from month) < 7 then ' H1' else ' H2' end"},
		{Name: "own month", Table: cname("monthly_account_arr"), Expr: "account_id || to_char(month, 'YYYY-MM')"},
		{Name: "thousands", Table: cname("monthly_account_arr"), Expr: "arr / 1000"},
		{Name: "per line", Table: cname("order_items"), Expr: "unit_price / (quantity - 1)"},
		{Name: "city", Table: cname("ports"), Expr: "upper(name)"},
		{Name: "Line \"Class\"", Table: cname("order_items"), Expr: "quantity > 1"},
	}}
}

func testContext(t testing.TB) plan.Context {
	t.Helper()
	s := star()
	m, faults := semantic.Build(meaning(), s)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return plan.Context{Catalog: s, Semantic: m}
}

// sqlOf is the plan's SQL, or its rejections.
func sqlOf(t testing.TB, source string, c plan.Context) (*plan.Checked, string) {
	t.Helper()
	p, err := plan.Decode([]byte(source))
	if err != nil {
		t.Fatalf("decode: %v\n%s", err, source)
	}
	checked, err := plan.Validate(p, c)
	if err != nil {
		t.Fatalf("validate: %v\n%s\n%s", err, err.(*plan.Rejections).Detail(), source)
	}
	sql, err := stmt.Print(plan.Compile(checked))
	if err != nil {
		t.Fatal(err)
	}
	return checked, sql
}
