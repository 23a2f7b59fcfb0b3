package planner

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pgask/pgask/pipeline/catalog"
)

// TestFollowUpRetrieves has a model see the tables of the last question.
func TestFollowUpRetrieves(t *testing.T) {
	in := modelInput(t, "only large ones")
	tables := in.Catalog.Tables
	for i := range 30 {
		tables = append(tables, &catalog.Table{OID: uint32(100 + i), Name: modelRelation(fmt.Sprintf("thing_%d", i)), Kind: catalog.KindTable,
			Columns: []*catalog.Column{modelColumn(1, "large", "text", 'S')}})
	}
	in.Catalog = catalog.NewSnapshot("acme", 150000, tables, nil)
	in.Last = &Last{Question: "how many orders", Plan: decoded(t, countOrders)}
	got, _ := askedModel(t, &modelProvider{}, ModelOptions{TopK: 2}).retrieve(t.Context(), in)
	if !slices.ContainsFunc(got, func(t *catalog.Table) bool { return t.Name == modelRelation("orders") }) {
		t.Errorf("%d tables without orders", len(got))
	}
}
