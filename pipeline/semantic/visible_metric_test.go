package semantic_test

import (
	"testing"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// Who doesn't see the date that the file says for a metric would have other periods for it than others
// have, and doesn't see the metric; one that was only inferred is left out of it.
func TestVisibleDate(t *testing.T) {
	orders := table("orders", []string{"id"}, "id")
	for _, c := range []string{"placed", "paid"} {
		orders.Columns = append(orders.Columns, &catalog.Column{Name: c, Type: catalog.Type{Name: "date", SQL: "date", Category: 'D'}})
	}
	items := table("items", []string{"id"}, "id", "order_id")
	items.ForeignKeys = []*catalog.ForeignKey{{Name: "k", Columns: []string{"order_id"}, Ref: name("orders"), RefColumns: []string{"id"}}}
	s := catalog.NewSnapshot("shop", 150000, []*catalog.Table{orders, items}, nil)
	stated := configs.Metric{Name: "lines", Table: cname("items"), Expr: "count(*)", TimeDimension: configs.ColumnRef{Name: cname("orders"), Column: "placed"}}
	m, faults := semantic.Build(configs.Semantic{Metrics: []configs.Metric{stated, {Name: "orders", Table: cname("orders"), Expr: "count(*)"}, {Name: "size", Derived: "lines / orders"}}}, s)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for hidden, want := range map[[2]string]bool{{"orders", "paid"}: true, {"orders", "placed"}: false, {"items", "order_id"}: false} {
		v := m.Visible(without(s, hidden[0], hidden[1]))
		if seen := v.Metric("lines") != nil; seen != want {
			t.Errorf("without %v lines are seen: %v, want %v", hidden, seen, want)
		}
		if seen := v.Metric("size") != nil; seen != want {
			t.Errorf("without %v what is derived of lines is seen: %v, want %v", hidden, seen, want)
		}
	}

	m, _ = semantic.Build(configs.Semantic{Metrics: []configs.Metric{{Name: "orders", Table: cname("orders"), Expr: "count(*)"}, {Name: "twice", Derived: "orders * 2"}}},
		without(s, "orders", "paid"))
	v := m.Visible(without(without(s, "orders", "paid"), "orders", "placed"))
	x, twice := v.Metric("orders"), v.Metric("twice")
	if x == nil || x.Time != nil || m.Metric("orders").Time == nil {
		t.Errorf("orders without their date: %v", x)
	}
	if twice == nil || twice.Parts[0] != x {
		t.Errorf("what is derived of orders isn't made of those that are seen: %v", twice)
	}
}
