package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// visibleWorld has a permitted table with a denied column, a hidden table, and
// one of each kind of object for every way to be shown or not.
func visibleWorld() *catalog.Snapshot {
	table := func(oid uint32, schema, name string, columns ...string) *catalog.Table {
		t := &catalog.Table{OID: oid, Name: catalog.Name{Schema: schema, Table: name}, Kind: catalog.KindTable}
		for i, c := range columns {
			typ := catalog.Type{OID: 23, Schema: "pg_catalog", Name: "int4", SQL: "integer"}
			switch c {
			case "mood":
				typ = catalog.Type{OID: 30001, Schema: "public", Name: "mood"}
			case "rows":
				typ = catalog.Type{OID: 30011, Schema: "public", Name: "_payroll", Category: 'A'}
			case "place":
				typ = catalog.Type{OID: 30020, Schema: "public", Name: "place"}
			}
			t.Columns = append(t.Columns, &catalog.Column{Name: c, Attnum: i + 1, Type: typ})
		}
		return t
	}
	orders := table(20001, "public", "orders", "id", "secret", "mood", "rows", "place")
	return catalog.NewSnapshot("shop", 150000, []*catalog.Table{
		table(20004, "other", "orders", "id"), table(20003, "other", "things", "id"), orders, table(20002, "public", "payroll", "id"),
		table(20005, "vault", "keys", "id"),
	}, nil).With(catalog.Objects{
		Schemas: []catalog.Schema{{OID: 2200, Name: "public"}, {OID: 21001, Name: "other"}, {OID: 21002, Name: "vault"}},
		Indexes: []catalog.Index{
			{OID: 22001, Name: "orders_pkey", Table: 20001, Columns: []int{1}},
			{OID: 22002, Name: "orders_secret", Table: 20001, Columns: []int{1, 2}},
			{OID: 22003, Name: "orders_lower", Table: 20001, Columns: []int{0}, Expression: true},
			{OID: 22004, Name: "payroll_pkey", Table: 20002, Columns: []int{1}},
			{OID: 22006, Name: "orders_vault", Table: 20001, Columns: []int{1}, Schemas: []string{"public", "vault"}},
			{OID: 22005, Name: "orders", Table: 20003, Columns: []int{1}},
		},
		Constraints: []catalog.Constraint{
			{OID: 23001, Name: "orders_pkey", Kind: 'p', Table: 20001, Index: 22001, Columns: []int{1}},
			{OID: 23002, Name: "orders_secret_key", Kind: 'u', Table: 20001, Index: 22002, Columns: []int{2}},
			{OID: 23003, Name: "orders_check", Kind: 'c', Table: 20001, Columns: []int{1}},
			{OID: 23004, Name: "to_payroll", Kind: 'f', Table: 20001, Columns: []int{1}, Ref: 20002, RefColumns: []int{1}},
			{OID: 23005, Name: "to_things", Kind: 'f', Table: 20001, Columns: []int{1}, Ref: 20003, RefColumns: []int{1}},
			{OID: 23006, Name: "from_payroll", Kind: 'f', Table: 20002, Columns: []int{1}, Ref: 20001, RefColumns: []int{1}},
			{OID: 23007, Name: "orders_id_not_null", Kind: 'n', Table: 20001, Columns: []int{1}},
			{OID: 23008, Name: "orders_secret_not_null", Kind: 'n', Table: 20001, Columns: []int{2}},
		},
		Functions: []catalog.Function{
			{OID: 24001, Schema: "public", Name: "fiscal_year", Args: []uint32{1082}},
			{OID: 24002, Schema: "public", Name: "secret_sum"},
			{OID: 24003, Schema: "public", Name: "lower"},
		},
		Types: []catalog.TypeObject{
			{OID: 30001, Schema: "public", Name: "mood", Kind: 'e'},
			{OID: 30002, Schema: "public", Name: "_mood", Kind: 'b', Element: 30001},
			{OID: 30003, Schema: "public", Name: "secret_kind", Kind: 'e'},
			{OID: 30005, Schema: "public", Name: "orders", Kind: 'c', Relation: 20001, Table: true},
			{OID: 30006, Schema: "public", Name: "_orders", Kind: 'b', Element: 30005},
			{OID: 30010, Schema: "public", Name: "payroll", Kind: 'c', Relation: 20002, Table: true},
			{OID: 30011, Schema: "public", Name: "_payroll", Kind: 'b', Element: 30010},
			{OID: 30020, Schema: "public", Name: "place", Kind: 'c', Relation: 20020, Parts: []uint32{30021, 701, 30010}},
			{OID: 30021, Schema: "vault", Name: "code", Kind: 'd', Base: 25},
		},
	})
}

func pattern(t *testing.T, text string) configs.Pattern {
	t.Helper()
	p, err := configs.ParsePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestVisible(t *testing.T) {
	orders, err := configs.ParseName("public.orders")
	if err != nil {
		t.Fatal(err)
	}
	p, faults := Compile(&configs.Policy{Version: 1, Roles: map[string]*configs.Role{"clerk": {Name: "clerk", Mode: "governed", SearchPath: []string{"public", "other"},
		Tables:    configs.Access[configs.Pattern]{Allow: []configs.Pattern{pattern(t, "public.orders"), pattern(t, "other.*"), pattern(t, "vault.keys")}},
		Columns:   []configs.ColumnRule{{Table: orders, Deny: []string{"secret"}}},
		Scopes:    []configs.Scope{{Tables: []configs.Pattern{pattern(t, "vault.keys")}, Where: "id = :nobody"}},
		Functions: configs.Access[string]{Allow: []string{"public.fiscal_year", "public.lower"}}}}})
	if p == nil {
		t.Fatal(faults)
	}
	r, err := p.Seatbelt(auth.Principal{User: "ana", Roles: []string{"clerk"}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := r.View(visibleWorld(), nil)
	if err != nil {
		t.Fatal(err)
	}
	first := v.visible()
	want := visible{builtin: 16384,
		schemas: []uint32{2200, 21001}, relations: []uint32{20001, 20003, 20004, 20020}, indexes: []uint32{22001, 22005},
		constraints: []uint32{23001, 23005, 23007}, types: []uint32{30001, 30002, 30005, 30006, 30020, 30021}, functions: []uint32{24001, 24003},
		onPath: []uint32{20001, 20003, 22001}, typesOnPath: []uint32{30001, 30002, 30005, 30006, 30020}, functionsOnPath: []uint32{24001},
		hidden: []attribute{{20001, 2}},
	}
	if diff := cmp.Diff(want, *first, cmp.AllowUnexported(visible{}, attribute{})); diff != "" {
		t.Error(diff)
	}
	if again := v.visible(); again != first {
		t.Error("it is computed again")
	}
}
