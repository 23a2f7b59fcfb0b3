package semantic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

func name(table string) catalog.Name { return catalog.Name{Schema: "public", Table: table} }

func table(n string, key []string, columns ...string) *catalog.Table {
	t := &catalog.Table{Name: name(n), Kind: catalog.KindTable, PrimaryKey: key}
	for _, c := range columns {
		t.Columns = append(t.Columns, &catalog.Column{Name: c, Type: catalog.Type{OID: 23, Schema: "pg_catalog", Name: "int4", SQL: "integer", Category: 'N'}})
	}
	return t
}

func points(t *catalog.Table, key, from, ref string) *catalog.Table {
	t.ForeignKeys = append(t.ForeignKeys, &catalog.ForeignKey{Name: key, Columns: []string{from}, Ref: name(ref), RefColumns: []string{"id"}})
	return t
}

// shop: items → orders → accounts → regions, orders ⇄ invoices (one to one), items → products.
func shop() *catalog.Snapshot {
	return catalog.NewSnapshot("shop", 150000, []*catalog.Table{
		points(table("accounts", []string{"id"}, "id", "region", "secret"), "accounts_region", "region", "regions"),
		points(table("invoices", []string{"order"}, "order", "total"), "invoices_order", "order", "orders"),
		points(points(table("items", nil, "order", "product", "price", "n"), "items_order", "order", "orders"), "items_product", "product", "products"),
		points(points(table("orders", []string{"id"}, "id", "buyer", "payer", "status"), "orders_buyer", "buyer", "accounts"), "orders_payer", "payer", "accounts"),
		table("products", []string{"id"}, "id", "cost"),
		table("regions", []string{"id"}, "id", "code"),
	}, nil)
}

func cname(table string) configs.Name { return configs.Name{Schema: "public", Table: table} }

func metric(m configs.Metric) configs.Semantic {
	m.Name, m.Pos = "m", configs.Pos{File: "semantic.yaml", Line: 7}
	if m.Table == (configs.Name{}) {
		m.Table = cname("items")
	}
	return configs.Semantic{Metrics: []configs.Metric{m}}
}

func TestFaults(t *testing.T) {
	relation := func(from, column, to, toColumn, cardinality string) configs.Semantic {
		return configs.Semantic{Relationships: []configs.Relationship{{
			From: configs.ColumnRef{Name: cname(from), Column: column}, To: configs.ColumnRef{Name: cname(to), Column: toColumn}, Cardinality: cardinality}}}
	}
	levels := func(columns ...string) configs.Semantic {
		h := configs.Hierarchy{Name: "h", Pos: configs.Pos{Line: 3}}
		for _, c := range columns {
			table, column, _ := strings.Cut(c, ".")
			h.Levels = append(h.Levels, configs.ColumnRef{Name: cname(table), Column: column})
		}
		return configs.Semantic{Hierarchies: []configs.Hierarchy{h}}
	}
	tests := []struct {
		name    string
		file    configs.Semantic
		want    string // a part of the one message; "" for none
		warning bool
	}{
		{"sum", metric(configs.Metric{Expr: "sum(price * n)"}), "", false},
		{"several aggregates", metric(configs.Metric{Expr: "sum(price)::numeric / nullif(count(DISTINCT items.n), 0)"}), "", false},
		{"filter in the aggregate", metric(configs.Metric{Expr: "count(*) FILTER (WHERE n > 1)"}), "", false},
		{"filter of a parent", metric(configs.Metric{Expr: "sum(price)", Filter: map[string]string{"public.orders": "status = 1"}}), "", false},
		{"no table", metric(configs.Metric{Expr: "sum(price)", Table: cname("nowhere")}), "there is no table public.nowhere", true},
		{"no aggregate", metric(configs.Metric{Expr: "1 + 1"}), "a metric is an aggregate", false},
		{"a bare column", metric(configs.Metric{Expr: "sum(price) + n"}), "column n stands outside an aggregate", false},
		{"nested", metric(configs.Metric{Expr: "sum(count(*))"}), "an aggregate can't stand here", false},
		{"another table's column", metric(configs.Metric{Expr: "sum(orders.status)"}), "has no column orders.status", false},
		{"no column", metric(configs.Metric{Expr: "sum(prize)"}), "has no column prize", false},
		{"a window", metric(configs.Metric{Expr: "sum(price) OVER ()"}), "no window functions", false},
		{"a sub-select", metric(configs.Metric{Expr: "sum(price) + (SELECT 1)"}), "without sub-selects", false},
		{"not SQL", metric(configs.Metric{Expr: "sum("}), "syntax", false},
		{"a place", metric(configs.Metric{Expr: "sum(price * :rate)"}), "no values here for :rate", false},
		{"aggregate in a filter", metric(configs.Metric{Expr: "sum(price)", Filter: map[string]string{"public.items": "sum(n) > 1"}}), "an aggregate can't stand here", false},
		{"filter of no table", metric(configs.Metric{Expr: "sum(price)", Filter: map[string]string{"public.no": "n > 1"}}), "there is no table public.no", true},
		{"filter two ways", metric(configs.Metric{Expr: "sum(price)", Filter: map[string]string{"public.accounts": "region = 1"}}), "2 many-to-one ways", false},
		{"filter no way", metric(configs.Metric{Expr: "count(*)", Table: cname("products"), Filter: map[string]string{"public.items": "n = 1"}}), "0 many-to-one ways", false},
		{"semi over nothing", metric(configs.Metric{Expr: "sum(price)", Additivity: configs.Additivity{Kind: "semi"}}), "over which columns", false},
		{"semi over no column", metric(configs.Metric{Expr: "sum(price)", Additivity: configs.Additivity{Kind: "semi", NotOver: []string{"month"}}}), "no column month", false},
		{"kind", metric(configs.Metric{Expr: "sum(price)", Additivity: configs.Additivity{Kind: "half"}}), "must be additive", false},
		{"time", metric(configs.Metric{Expr: "sum(price)", Additivity: configs.Additivity{Kind: "semi", NotOver: []string{"n"}, Time: "middle"}}), "must be last", false},
		{"table", configs.Semantic{Tables: []configs.SemanticTable{{Table: cname("nowhere")}}}, "there is no table", true},
		{"column", configs.Semantic{Tables: []configs.SemanticTable{{Table: cname("items"), Columns: map[string]configs.SemanticColumn{"x": {}}}}}, "no column x", true},
		{"exposure", configs.Semantic{Tables: []configs.SemanticTable{{Table: cname("items"), Columns: map[string]configs.SemanticColumn{"n": {LLM: "half"}}}}}, "must be full", false},
		{"a declared relationship", relation("items", "order", "orders", "id", "many_to_one"), "", false},
		{"an undeclared one", relation("items", "n", "regions", "id", "many_to_one"), "", false},
		{"one without a key", relation("items", "n", "regions", "code", "many_to_one"), "on the file's word", true},
		{"cardinality", relation("items", "n", "regions", "id", "many"), "must be many_to_one", false},
		{"relationship of no column", relation("items", "x", "regions", "id", ""), "has no column x", true},
		{"entity", configs.Semantic{Entities: []configs.Entity{{Name: "e", Table: cname("items"), Key: []string{"x"}}}}, "no column x", true},
		{"hierarchy", levels("accounts.region", "accounts.secret"), "", false},
		{"hierarchy over tables", levels("regions.code", "accounts.secret", "accounts.id"), "", false},
		{"hierarchy the wrong way", levels("accounts.secret", "regions.code"), "rows of public.regions don't point to public.accounts", false},
		{"hierarchy several ways", levels("accounts.secret", "orders.status"), "several ways lead from public.orders to public.accounts", false},
		{"hierarchy of no table", levels("nowhere.x", "accounts.secret"), "there is no table public.nowhere", true},
		{"hierarchy of no column", levels("accounts.x", "accounts.secret"), "table public.accounts has no column or dimension x", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, faults := semantic.Build(test.file, shop())
			if test.want == "" {
				if len(faults) > 0 {
					t.Fatal(faults)
				}
				return
			}
			if len(faults) != 1 || !strings.Contains(faults[0].Msg, test.want) || faults[0].Warning != test.warning {
				t.Fatalf("%+v, want %q, warning %v", faults, test.want, test.warning)
			}
			if faults[0].Key == "" {
				t.Error("the fault names no key")
			}
		})
	}
}

func TestRelationships(t *testing.T) {
	m, _ := semantic.Build(configs.Semantic{}, shop())
	got := map[string]bool{}
	for _, r := range m.Relationships {
		got[r.Name] = r.OneToOne
	}
	want := map[string]bool{"accounts_region": false, "invoices_order": true, "items_order": false, "items_product": false, "orders_buyer": false, "orders_payer": false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFilterPath(t *testing.T) {
	m, faults := semantic.Build(metric(configs.Metric{Expr: "sum(price)",
		Filter: map[string]string{"public.orders": "status = 1", "public.items": "items.n > 0"}}), shop())
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	f := m.Metric("m").Filters
	if len(f) != 2 || f[0].Table != name("items") || f[0].Path != nil || len(f[1].Path) != 1 || f[1].Path[0].Name != "items_order" {
		t.Errorf("%+v", f)
	}
	if got := semantic.Columns(f[0].Cond); !slices.Equal(got, []string{"n"}) {
		t.Error(got)
	}
}

// without is the snapshot as a role sees it that may not read a column.
func without(s *catalog.Snapshot, n, column string) *catalog.Snapshot {
	var tables []*catalog.Table
	for _, t := range s.Tables {
		u := *t
		if t.Name == name(n) {
			if column == "" {
				continue
			}
			u.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c *catalog.Column) bool { return c.Name == column })
		}
		tables = append(tables, &u)
	}
	return catalog.NewSnapshot(s.Database, s.ServerVersion, tables, s.Types)
}

func TestVisible(t *testing.T) {
	file := metric(configs.Metric{Expr: "sum(price)", Filter: map[string]string{"public.orders": "status = 1"}})
	file.Entities = []configs.Entity{{Name: "order", Table: cname("orders"), Key: []string{"id"}}}
	file.Tables = []configs.SemanticTable{{Table: cname("orders"), Columns: map[string]configs.SemanticColumn{"status": {Description: "d"}, "id": {}}}}
	s := shop()
	m, faults := semantic.Build(file, s)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	tests := []struct {
		table, column             string
		metrics, entities, tables int
		relationships             int
	}{
		{"products", "cost", 1, 1, 1, 6},
		{"items", "price", 0, 1, 1, 6},
		{"items", "order", 0, 1, 1, 5},
		{"orders", "status", 0, 1, 1, 6},
		{"orders", "", 0, 0, 0, 2},
		{"accounts", "", 1, 1, 1, 3},
	}
	for _, test := range tests {
		v := m.Visible(without(s, test.table, test.column))
		got := []int{len(v.Metrics), len(v.Entities), len(v.Tables), len(v.Relationships)}
		if want := []int{test.metrics, test.entities, test.tables, test.relationships}; !slices.Equal(got, want) {
			t.Errorf("without %s.%s: %v, want %v", test.table, test.column, got, want)
		}
	}
	if _, there := m.Visible(without(s, "orders", "status")).Tables[name("orders")].Columns["status"]; there {
		t.Error("a hidden column is described")
	}
}

// A hierarchy is of the levels that are visible, with the way over what isn't.
func TestVisibleHierarchy(t *testing.T) {
	file := configs.Semantic{Hierarchies: []configs.Hierarchy{{Name: "place", Levels: []configs.ColumnRef{
		{Name: cname("regions"), Column: "code"}, {Name: cname("accounts"), Column: "secret"}, {Name: cname("accounts"), Column: "id"}, {Name: cname("invoices"), Column: "total"}}}}}
	tables := shop()
	orders := tables.Table(name("orders"))
	orders.ForeignKeys = orders.ForeignKeys[:1] // one buyer, no payer
	m, faults := semantic.Build(file, tables)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for _, test := range []struct{ hidden, want string }{
		{"", "regions.code accounts_region, accounts.secret , accounts.id invoices_order orders_buyer, invoices.total"},
		{"accounts.secret", "regions.code accounts_region, accounts.id invoices_order orders_buyer, invoices.total"},
		{"accounts.", "regions.code invoices_order orders_buyer accounts_region, invoices.total"},
		{"invoices.", "regions.code accounts_region, accounts.secret , accounts.id"},
		{"regions.", "accounts.secret , accounts.id invoices_order orders_buyer, invoices.total"},
	} {
		seen := tables
		if table, column, ok := strings.Cut(test.hidden, "."); ok {
			seen = without(tables, table, column)
		}
		var got []string
		for _, h := range m.Visible(seen).Hierarchies {
			for i, l := range h.Levels {
				one := l.Table.Table + "." + l.Column
				if i < len(h.Levels)-1 {
					var steps []string
					for _, r := range l.Path {
						steps = append(steps, r.Name)
					}
					one += " " + strings.Join(steps, " ")
				}
				got = append(got, one)
			}
		}
		if text := strings.Join(got, ", "); text != test.want {
			t.Errorf("without %s: %s, want %s", test.hidden, text, test.want)
		}
	}
	file = configs.Semantic{Dimensions: []configs.Dimension{{Name: "secret band", Table: cname("accounts"), Expr: "secret / 10"}},
		Hierarchies: []configs.Hierarchy{{Name: "band", Levels: []configs.ColumnRef{{Name: cname("accounts"), Column: "secret_band"}, {Name: cname("accounts"), Column: "id"}}}}}
	computed, faults := semantic.Build(file, tables)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	all, seen := computed.Visible(tables).Hierarchies, computed.Visible(without(tables, "accounts", "secret")).Hierarchies
	if len(all) != 1 || len(all[0].Levels) != 2 || all[0].Levels[0].Column != "secret band" || len(seen) != 1 || len(seen[0].Levels) != 1 || seen[0].Levels[0].Column != "id" {
		t.Errorf("a level that is a dimension: %+v, without its column %+v", all, seen)
	}
	only := without(without(without(tables, "accounts", ""), "regions", ""), "invoices", "")
	if len(m.Visible(only).Hierarchies) != 0 {
		t.Error("a hierarchy without any level is there")
	}
}

func TestVersion(t *testing.T) {
	build := func(f configs.Semantic) string {
		m, _ := semantic.Build(f, shop())
		return m.Version
	}
	a, b := metric(configs.Metric{Expr: "sum(price)"}), metric(configs.Metric{Expr: "sum(price)"})
	b.Metrics[0].Pos.Line = 99
	if build(a) != build(b) {
		t.Error("a position changed the version")
	}
	d := dimension(configs.Dimension{Expr: "n > 1"})
	if build(d) == build(configs.Semantic{}) || build(d) == build(dimension(configs.Dimension{Expr: "n > 2"})) {
		t.Error("a dimension didn't change the version")
	}
	b.Metrics[0].Owner = "x"
	if build(a) == build(b) || build(a) == build(configs.Semantic{}) {
		t.Error("content didn't change the version")
	}
}

// TestDerived: arithmetic over metrics of any tables, stocks and derived ones too, whatever their order.
func TestDerived(t *testing.T) {
	base := func(name, table, expr string) configs.Metric {
		return configs.Metric{Name: name, Table: cname(table), Expr: expr, Additivity: configs.Additivity{Kind: "additive"}}
	}
	stock := configs.Metric{Name: "level", Table: cname("items"), Expr: "sum(price)", Additivity: configs.Additivity{Kind: "semi", NotOver: []string{"n"}}}
	file := func(derived string) configs.Semantic {
		return configs.Semantic{Metrics: []configs.Metric{{Name: "rate", Derived: derived, Pos: configs.Pos{Line: 9}}, {Name: "share", Derived: "sold / orders"},
			base("sold", "items", "sum(price)"), base("all lines", "items", "count(*)"), base("orders", "orders", "count(*)"), stock,
			base("elsewhere", "nowhere", "count(*)"), {Name: "circle", Derived: "rate * 2"}}}
	}
	for derived, want := range map[string]string{
		"sold / \"all lines\"":             "sold, all lines on items",
		"100 * (sold - sold)":              "sold on items",
		"-sold":                            "sold on items",
		"sold / orders":                    "sold, orders on items, orders",
		"level / orders":                   "level, orders on items, orders",
		"share * \"all lines\" - orders":   "sold, orders, all lines on items, orders",
		"sold / nothing":                   "! there is no metric nothing",
		"sold / elsewhere":                 "! it is made of elsewhere, which can't be computed",
		"sold || orders":                   "! only + - * / are calculated with",
		"sold operator(public.+) 1":        "! only + - * / are calculated with",
		"sold / 'x'":                       "! only decimal numbers are calculated with",
		"sold / 0xFFFFFFFFFFFF":            "! only decimal numbers are calculated with",
		"items.sold / 2":                   "! a metric's name has one part; put it in double quotes where it holds a dot",
		"1 + 1":                            "! it names no metric",
		"coalesce(sold, 0)":                "! only + - * /, numbers and metrics may stand in it",
		"sold /":                           "! it isn't arithmetic over metrics: syntax error at end of input",
		"sold / all lines":                 `! it isn't arithmetic over metrics: put "all lines" in double quotes`,
		"sold / :orders":                   "! it isn't arithmetic over metrics: there is no value for :orders",
		"sold" + strings.Repeat("+1", 31):  "sold on items",
		"sold" + strings.Repeat("+1", 32):  "! written out it has 33 metrics and numbers, up to 33 deep: 100 are allowed, 32 deep",
		"share" + strings.Repeat("-1", 30): "! written out it has 32 metrics and numbers, up to 33 deep: 100 are allowed, 32 deep",
		"(" + strings.Repeat("(sold+1)*", 25) + "1)*(" + strings.Repeat("(sold+1)*", 25) + "1)": "! written out it has 102 metrics and numbers",
		"sold / rate":   "! it is made of itself: rate → rate",
		"sold / circle": "! it is made of itself: rate → circle → rate",
	} {
		m, faults := semantic.Build(file(derived), shop())
		rate := m.Metric("rate")
		if want, refused := strings.CutPrefix(want, "! "); refused {
			found := slices.ContainsFunc(faults, func(f configs.Fault) bool {
				return strings.HasPrefix(f.Msg, want) && strings.HasSuffix(f.Key, ".derived")
			})
			if !found || rate != nil {
				t.Errorf("%s: %v, want %s", derived, faults, want)
			}
			continue
		}
		if rate == nil {
			t.Errorf("%s: %v", derived, faults)
			continue
		}
		var bases, tables []string
		for _, x := range rate.Bases() {
			bases = append(bases, x.Name)
		}
		for _, x := range rate.Tables() {
			tables = append(tables, x.Table)
		}
		if got := strings.Join(bases, ", ") + " on " + strings.Join(tables, ", "); got != want {
			t.Errorf("%s: %s, want %s", derived, got, want)
		}
		if one := len(tables) == 1; (rate.Table.Table != "") != one {
			t.Errorf("%s: its table is %v", derived, rate.Table)
		}
	}
}

// TestTimeDimension: a metric's date is the one that it says, else the only one that can be meant.
func TestTimeDimension(t *testing.T) {
	date := catalog.Type{Name: "date", SQL: "date", Category: 'D'}
	dated := func(x *catalog.Table, columns ...string) *catalog.Table {
		for _, c := range columns {
			x.Columns = append(x.Columns, &catalog.Column{Name: c, Type: date})
		}
		return x
	}
	orders, items := dated(table("orders", []string{"id"}, "id"), "placed", "birth_date"), table("items", []string{"id"}, "id", "order_id")
	items.ForeignKeys = []*catalog.ForeignKey{{Name: "k", Columns: []string{"order_id"}, Ref: name("orders"), RefColumns: []string{"id"}}}
	s := catalog.NewSnapshot("shop", 150000, []*catalog.Table{orders, items, dated(table("calls", nil, "n"), "opened", "closed"), dated(table("levels", nil, "n"), "day", "loaded"), table("plain", nil, "n")}, nil)
	col := func(table, column string) configs.ColumnRef {
		return configs.ColumnRef{Name: cname(table), Column: column}
	}
	semi := configs.Additivity{Kind: "semi", NotOver: []string{"day"}}
	for _, test := range []struct {
		m    configs.Metric
		want string
	}{
		{configs.Metric{Table: cname("orders")}, "orders.placed"},
		{configs.Metric{Table: cname("items")}, "orders.placed by k"},
		{configs.Metric{Table: cname("items"), TimeDimension: col("orders", "birth_date")}, "orders.birth_date by k"},
		{configs.Metric{Table: cname("calls")}, ""},
		{configs.Metric{Table: cname("calls"), TimeDimension: col("calls", "opened")}, "calls.opened"},
		{configs.Metric{Table: cname("plain")}, ""},
		{configs.Metric{Table: cname("levels"), Additivity: semi}, "levels.day"},
		{configs.Metric{Table: cname("levels"), Additivity: semi, TimeDimension: col("levels", "loaded")}, "! a stock's time is one of not_over"},
		{configs.Metric{Table: cname("calls"), TimeDimension: col("calls", "n")}, "! table public.calls has no date or time n"},
		{configs.Metric{Table: cname("calls"), TimeDimension: col("orders", "placed")}, "! the metric's table reaches it by 0 many-to-one ways, it needs exactly one"},
	} {
		test.m.Name, test.m.Expr = "m", "count(*)"
		m, faults := semantic.Build(metric(test.m), s)
		if want, refused := strings.CutPrefix(test.want, "! "); refused {
			if len(faults) != 1 || faults[0].Msg != want {
				t.Errorf("%v: %v, want %s", test.m, faults, want)
			}
			continue
		}
		got := ""
		if x := m.Metric("m"); x == nil {
			t.Errorf("%v: %v", test.m, faults)
		} else if x.Time != nil {
			got = x.Time.Table.Table + "." + x.Time.Column
			for _, r := range x.Time.Path {
				got += " by " + r.Name
			}
		}
		if got != test.want {
			t.Errorf("%v: %q, want %q", test.m, got, test.want)
		}
	}
}

// A filter's table is named as SQL names tables, here as everywhere.
func TestFilterTableIsSpelledAsInSQL(t *testing.T) {
	s := catalog.NewSnapshot("shop", 150000, []*catalog.Table{table("Items", []string{"id"}, "id", "n"), table("items", []string{"id"}, "id", "n")}, nil)
	for spelled, want := range map[string]string{"public.Items": "items", `PUBLIC."Items"`: "Items", "public.ITEMS": "items"} {
		m, faults := semantic.Build(metric(configs.Metric{Expr: "sum(n)", Table: cname(want), Filter: map[string]string{spelled: "n = 1"}}), s)
		if len(faults) > 0 || m.Metric("m") == nil || m.Metric("m").Filters[0].Table != name(want) {
			t.Errorf("%s: %v", spelled, faults)
		}
	}
}
