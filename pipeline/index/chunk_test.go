package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
	"pgregory.net/rapid"
)

func public(table string) catalog.Name { return catalog.Name{Schema: "public", Table: table} }

// What is hidden from models is in no chunk, and no value of a row is.
func TestChunks(t *testing.T) {
	accounts := table("accounts", "id", "tax_id", "region")
	accounts.Comment = "who buys"
	accounts.Columns[2].Values = []string{"EMEA"}
	part := table("orders_2026", "id")
	part.Partition, part.Parent = true, public("orders")
	own := table("index_editions", "id")
	own.Name.Schema = "pgask"
	m := &semantic.Model{
		Tables: map[catalog.Name]*semantic.Table{public("accounts"): {Synonyms: []string{"clients"},
			Columns: map[string]semantic.Column{"tax_id": {LLM: semantic.Hidden}, "region": {LLM: semantic.NameOnly, Synonyms: []string{"area"}}}}},
		Metrics:  []*semantic.Metric{{Name: "order_count", Table: public("orders"), Description: "how many"}, {Name: "x", Table: public("gone")}},
		Entities: []*semantic.Entity{{Name: "customer", Table: public("accounts"), Synonyms: []string{"buyer"}}},
		Dimensions: []*semantic.Dimension{{Name: "age class", Table: public("accounts"), Description: "how old", Synonyms: []string{"seniority"}},
			{Name: "tax class", Table: public("accounts"), LLM: semantic.Hidden}},
		Relationships: []*semantic.Relationship{{Name: "orders_accounts_id_fkey", From: public("orders"), To: public("accounts")}},
		Hierarchies: []*semantic.Hierarchy{{Name: "geography", Description: "where", Synonyms: []string{"place"},
			Levels: []semantic.Level{{Table: public("accounts"), Column: "region"}, {Table: public("accounts"), Column: "tax_id"}}}},
	}
	var got []string
	for _, c := range Chunks(snapshot(accounts, own, part, points(table("orders", "id", "accounts_id"), "accounts")), m) {
		got = append(got, fmt.Sprintf("%s %s %q: %s", c.Kind, c.Table.Table, c.Name, c.Text))
	}
	want := []string{
		`table accounts "": accounts. clients. who buys. customer, buyer`,
		`column accounts "id": id of accounts`,
		`column accounts "region": region of accounts. area`,
		`dimension accounts "age class": age class of accounts. seniority. how old`,
		`hierarchy accounts "geography": geography. place. where`,
		`table orders "": orders`,
		`column orders "accounts_id": accounts id of orders`,
		`column orders "id": id of orders`,
		`metric orders "order_count": order count. how many`,
		`relationship orders "orders_accounts_id_fkey": orders of accounts`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Vectors have one length and a direction, and equal texts equal vectors.
func TestLexicalVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.String()).Draw(t, "texts")
		e, again := NewLexical(texts), NewLexical(texts)
		got, _ := e.Documents(context.Background(), texts)
		other, _ := again.Documents(context.Background(), texts)
		q, _ := e.Query(context.Background(), rapid.String().Draw(t, "question"))
		if diff := cmp.Diff(got, other); diff != "" {
			t.Fatal(diff)
		}
		for _, v := range append(got, q) {
			if length := math.Sqrt(dot(v, v)); len(v) != lexicalSize || math.Abs(length-1) > 1e-3 {
				t.Fatalf("%d dimensions, length %f", len(v), length)
			}
		}
	})
}

// stored is the built-in embedder and a memory that has the chunks of a snapshot.
func stored(t *testing.T, s *catalog.Snapshot) (*Lexical, *Memory) {
	t.Helper()
	chunks := Chunks(s, nil)
	e, m := NewLexical(Texts(chunks)), NewMemory()
	if built, err := m.Update(t.Context(), NewEdition("acme", e, chunks), e); err != nil || !built.Changed {
		t.Fatalf("%+v, %v", built, err)
	}
	return e, m
}

func TestMemory(t *testing.T) {
	e, m := stored(t, snapshot(shop()...))
	q, _ := e.Query(t.Context(), "product categories")
	look := func(within []catalog.Name, embedder string) []Near {
		near, err := m.Search(t.Context(), Query{Database: "acme", Embedder: embedder, Vector: q, Tables: within, Most: 3})
		if err != nil {
			t.Fatal(err)
		}
		return near
	}
	if near := look(nil, e.Name()); len(near) != 3 || near[0].Table != public("products") || near[0].Name != "category" {
		t.Errorf("found %v", near)
	}
	for _, n := range look([]catalog.Name{public("orders")}, e.Name()) {
		if n.Table != public("orders") {
			t.Errorf("found %v", n)
		}
	}
	if near := look([]catalog.Name{}, e.Name()); len(near) != 0 {
		t.Errorf("who sees nothing found %v", near)
	}
	if near := look(nil, "another"); near != nil {
		t.Errorf("another embedder found %v", near)
	}
	same := NewEdition("acme", e, Chunks(snapshot(shop()...), nil))
	if built, err := m.Update(t.Context(), same, nil); err != nil || built.Changed {
		t.Errorf("%+v, %v", built, err)
	}
	more := append(shop(), table("zebras", "stripes"))
	ed := NewEdition("acme", e, Chunks(snapshot(more...), nil))
	if built, err := m.Update(t.Context(), ed, e); err != nil || built.Embedded != 2 {
		t.Errorf("%+v, %v", built, err)
	}
	if _, err := m.Update(t.Context(), NewEdition("acme", e, []Chunk{{Text: "new"}}), failing{e}); err == nil {
		t.Error("a failing embedder went unnoticed")
	}
	if near := look(nil, e.Name()); len(near) != 3 {
		t.Errorf("a failed update left %v", near)
	}
}

type failing struct{ *Lexical }

func (failing) Documents(context.Context, []string) ([][]float32, error) {
	return nil, errors.New("no vectors")
}

// What vectors find is among the tables, and what the reader may not see isn't,
// whatever a store says.
func TestTablesByVectors(t *testing.T) {
	s := snapshot(shop()...)
	x := Build(s, nil)
	near := []Near{
		{KindTable, public("payroll"), "", 0.99},
		{KindColumn, public("departments"), "salary", 0.98},
		{KindColumn, public("payments"), "amount", 0.9},
		{KindMetric, public("products"), "revenue", 0.5},
	}
	got := names(x.Tables("how many orders per customer segment", near, 8))
	for _, want := range []string{"orders", "accounts", "payments"} {
		if !slices.Contains(got, want) {
			t.Errorf("%v lacks %s", got, want)
		}
	}
	if slices.Contains(got, "departments") || strings.Contains(fmt.Sprint(got), "payroll") || len(got) > 8 {
		t.Errorf("found %v", got)
	}
	if got := names(x.Tables("qqqq", near, 4)); !slices.Equal(got, []string{"payments", "products"}) {
		t.Errorf("without a known word %v is found", got)
	}
}
