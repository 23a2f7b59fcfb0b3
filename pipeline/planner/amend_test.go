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

// TestTellable wants no model to be shown what is hidden from models in a plan that it
// didn't make.
func TestTellable(t *testing.T) {
	for _, c := range []struct {
		plan, question string
		told           bool
	}{
		{`"select":[{"expr":{"column":"accounts.region"}}]`, "regions", true},
		{`"select":[{"expr":{"column":"accounts.risk_score"}}]`, "regions", false},
		{`"where":{"op":{"op":"=","args":[{"column":"accounts.credit_note"},{"literal":{"value":"never tell"}}]}},"select":[{"expr":{"column":"accounts.id"}}]`, "accounts with a note", false},
		{`"where":{"op":{"op":"=","args":[{"column":"accounts.credit_note"},{"literal":{"value":"late"}}]}},"select":[{"expr":{"column":"accounts.id"}}]`, "accounts noted as late", true},
		{`"where":{"op":{"op":"=","args":[{"column":"accounts.region"},{"literal":{"value":"EMEA"}}]}},"select":[{"expr":{"column":"accounts.id"}}]`, "accounts over here", true},
	} {
		in := modelInput(t, "only the first")
		in.Last = &Last{Question: c.question, Plan: decoded(t, `{"version":1,"from":{"table":"public.accounts"},`+c.plan+`}`)}
		if told := tellable(in); told != c.told {
			t.Errorf("%s after %q: told %v", c.plan, c.question, told)
		}
	}
}
