package index

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
	"pgregory.net/rapid"
)

func table(name string, columns ...string) *catalog.Table {
	t := &catalog.Table{Name: catalog.Name{Schema: "public", Table: name}, Kind: catalog.KindTable}
	for i, c := range columns {
		t.Columns = append(t.Columns, &catalog.Column{Name: c, Attnum: i + 1, Type: catalog.Type{SQL: "text", Category: 'S'}})
	}
	return t
}

func points(t *catalog.Table, to string) *catalog.Table {
	t.ForeignKeys = append(t.ForeignKeys, &catalog.ForeignKey{Name: t.Name.Table + "_" + to + "_fkey",
		Columns: []string{to + "_id"}, Ref: catalog.Name{Schema: "public", Table: to}, RefColumns: []string{"id"}})
	return t
}

func snapshot(tables ...*catalog.Table) *catalog.Snapshot {
	slices.SortFunc(tables, func(a, b *catalog.Table) int {
		if a.Name.Table < b.Name.Table {
			return -1
		}
		return 1
	})
	return catalog.NewSnapshot("test", 150000, tables, nil)
}

// filler makes tables that share their words with no question here.
func filler(n int) []*catalog.Table {
	var out []*catalog.Table
	for i := range n {
		out = append(out, table(fmt.Sprintf("zz%c%c", 'a'+i%26, 'a'+i/26%26), "xq", "xv"))
	}
	return out
}

func shop() []*catalog.Table {
	accounts := table("accounts", "id", "region", "customerSegment")
	accounts.Columns[1].Values = []string{"AMER", "EMEA", "APAC"}
	products := table("products", "id", "name", "category")
	products.Comment = "what the warehouse sells"
	items := points(points(table("order_items", "order_id", "product_id", "quantity"), "orders"), "products")
	return append(filler(60), accounts, products, items,
		points(table("orders", "id", "accounts_id", "status"), "accounts"),
		table("departments", "id", "head"), table("payments", "id", "amount"))
}

func names(tables []*catalog.Table) []string {
	var out []string
	for _, t := range tables {
		out = append(out, t.Name.Table)
	}
	return out
}

func TestSearchFinds(t *testing.T) {
	m := &semantic.Model{
		Tables:   map[catalog.Name]*semantic.Table{{Schema: "public", Table: "orders"}: {Synonyms: []string{"purchases"}}},
		Metrics:  []*semantic.Metric{{Name: "revenue", Table: catalog.Name{Schema: "public", Table: "order_items"}, Synonyms: []string{"sales"}}},
		Entities: []*semantic.Entity{{Name: "customer", Table: catalog.Name{Schema: "public", Table: "accounts"}}},
	}
	x := Build(snapshot(shop()...), m)
	for question, want := range map[string]string{
		"how many orders":              "orders",
		"how many purchases were made": "orders",
		"sales":                        "order_items",
		"customers":                    "accounts",
		"anything in emea":             "accounts",
		"customer segments":            "accounts",
		"what does the warehouse hold": "products",
		"dept heads":                   "departments",
		"product categroies":           "products",
		"amt":                          "payments",
	} {
		hits := x.Search(question, 3)
		if len(hits) == 0 || hits[0].Table.Name.Table != want {
			t.Errorf("%q found %v, want %s first", question, hits, want)
		}
	}
	if hits := x.Search("", 3); hits != nil {
		t.Errorf("nothing found %v", hits)
	}
}

// A question about two things gets tables for both, however many tables speak
// of the first.
func TestSearchIsDiverse(t *testing.T) {
	tables := append(filler(60), table("weather", "id", "station"))
	for i := range 10 {
		tables = append(tables, table(fmt.Sprintf("invoice_%c", 'a'+i), "invoice", "invoice_line"))
	}
	hits := Build(snapshot(tables...), nil).Search("invoices and weather", 2)
	if got := []string{hits[0].Table.Name.Table, hits[1].Table.Name.Table}; !slices.Contains(got, "weather") {
		t.Errorf("found %v", got)
	}
}

func TestTablesAreJoinedUp(t *testing.T) {
	got := names(Build(snapshot(shop()...), nil).Tables("product categories by account region", nil, 8))
	for _, want := range []string{"products", "order_items", "orders", "accounts"} {
		if !slices.Contains(got, want) {
			t.Errorf("%v lacks %s", got, want)
		}
	}
}

func TestSmallSchemasAreWhole(t *testing.T) {
	s := snapshot(shop()[60:]...)
	if got := Build(s, nil).Tables("nothing known", nil, 2); !slices.Equal(got, s.Tables) {
		t.Errorf("got %v", names(got))
	}
	if got := Build(snapshot(shop()...), nil).Tables("qqqq", nil, 8); len(got) != 0 {
		t.Errorf("an unknown word found %v", names(got))
	}
}

// What models must not hear of can't be searched either.
func TestExposure(t *testing.T) {
	accounts := catalog.Name{Schema: "public", Table: "accounts"}
	for llm, want := range map[semantic.Exposure][]int{semantic.Full: {1, 1}, semantic.NameOnly: {1, 0}, semantic.Hidden: {0, 0}} {
		m := &semantic.Model{Tables: map[catalog.Name]*semantic.Table{accounts: {Columns: map[string]semantic.Column{"region": {LLM: llm}}}}}
		x := Build(snapshot(shop()...), m)
		if got := []int{len(x.Search("region", 1)), len(x.Search("emea", 1))}; !slices.Equal(got, want) {
			t.Errorf("%s: found %v, want %v", llm, got, want)
		}
	}
}

// A partition is its parent once more.
func TestPartitionsAreLeftOut(t *testing.T) {
	part := table("events_2026", "id", "kind")
	part.Partition, part.Parent = true, catalog.Name{Schema: "public", Table: "events"}
	x := Build(snapshot(append(filler(40), part, table("events", "id", "kind"))...), nil)
	if got := names(x.Tables("events", nil, 4)); !slices.Equal(got, []string{"events"}) {
		t.Errorf("found %v", got)
	}
}

func TestBuildIsDeterministic(t *testing.T) {
	a, b := Build(snapshot(shop()...), nil), Build(snapshot(shop()...), nil)
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.StringMatching(`([a-z]{1,8} ){0,5}(orders|region|EMEA)?`).Draw(t, "question")
		var got, want []string
		for _, h := range a.Search(q, 8) {
			got = append(got, fmt.Sprint(h.Table.Name, h.Score))
		}
		for _, h := range b.Search(q, 8) {
			want = append(want, fmt.Sprint(h.Table.Name, h.Score))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		if n := len(a.Tables(q, nil, 8)); n > 8 {
			t.Fatalf("%d tables", n)
		}
	})
}

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"orderItems":         {"order", "item"},
		"ORDER_LINES2":       {"order", "line", "2"},
		"Größe der Städte":   {"größe", "der", "städte"},
		"customers' regions": {"custom", "region"},
		"":                   nil,
	} {
		if diff := cmp.Diff(want, Words(text)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}
