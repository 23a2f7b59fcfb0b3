package planner

import (
	"context"
	"fmt"
	"testing"

	"github.com/pgask/pgask/pipeline/catalog"
)

// wideCatalog has n tables of twelve columns, each pointing to the one before, with
// names that share words as those of warehouses do.
func wideCatalog(n int) *catalog.Snapshot {
	things := []string{"order", "invoice", "customer", "product", "shipment", "payment", "supplier", "store", "employee", "contract"}
	kinds := []string{"line", "history", "detail", "type", "region", "group", "status", "event", "plan", "note"}
	var tables []*catalog.Table
	for i := range n {
		name := fmt.Sprintf("%s_%s_%d", things[i%10], kinds[i/10%10], i/100)
		t := bikeTable(name, "id", "int", "name", "text", "city", "text", "amount", "num", "quantity", "int", "opened_on", "date",
			"closed_on", "date", "status", "text", "price_usd", "num", "created_at", "time", "description", "text", "parent_id", "int")
		values(t, "city", true, "Lisbon", "Porto", "New Haven")
		values(t, "status", true, "open", "closed", fmt.Sprintf("state %d", i))
		if i > 0 {
			points(t, "parent_id", tables[i/2])
		}
		tables = append(tables, t)
	}
	return catalog.NewSnapshot("wide", 150000, tables, nil)
}

// BenchmarkBuiltinWide plans a question over schemas of 100 and 1,000 tables, the
// index being built already, and builds the index.
func BenchmarkBuiltinWide(b *testing.B) {
	for _, n := range []int{100, 1000} {
		in := Input{Question: "names of customer history 0 in Porto with amount above the average and status open", Catalog: wideCatalog(n)}
		b.Run(fmt.Sprintf("plan/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			planner := NewBuiltin()
			planner.lexicon(in.Catalog, nil)
			for b.Loop() {
				if _, err := planner.Plan(context.Background(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("index/%d", n), func(b *testing.B) {
			for b.Loop() {
				buildLexicon(in.Catalog, nil)
			}
		})
	}
}
