package plan_test

import (
	"slices"
	"testing"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// TestInferred: an inferred relationship is followed by a plan that names it, which says so,
// and by no other; it neither makes a join ambiguous nor counts as what both sides know.
func TestInferred(t *testing.T) {
	c := testContext(t)
	c.Semantic.Inferred = []*semantic.Relationship{{Name: "products.origin", From: public("products"), FromColumns: []string{"id"}, To: public("ports"),
		ToColumns: []string{"id"}, Inferred: true, Confidence: 0.5}}
	const rest = `"select":[{"expr":{"column":"products.name"}}]}`
	checked, _ := sqlOf(t, from+`"products"},"joins":[{"table":"ports","key":"products.origin"}],`+rest, c)
	if got := checked.Qualifiers(); !slices.Contains(got, "joined by public.products.id = public.ports.id, which no foreign key declares") {
		t.Errorf("qualifiers %q", got)
	}
	if got := checked.Annotations().Confidence; got != 0.5 {
		t.Errorf("confidence %v, want the relationship's", got)
	}
	p, err := plan.Decode([]byte(from + `"products"},"joins":[{"table":"ports"}],` + rest))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Validate(p, c); err == nil {
		t.Error("a plan that doesn't name it follows an inferred relationship")
	}
}
