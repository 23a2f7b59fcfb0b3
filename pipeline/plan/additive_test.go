package plan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// The values of a column that semantic.yaml calls not additive make no sum, but may be part of
// what does.
func TestNonAdditive(t *testing.T) {
	c := testContext(t)
	m := *c.Semantic
	m.Tables = map[catalog.Name]*semantic.Table{public("order_items"): {Columns: map[string]semantic.Column{"discount": {NonAdditive: true}}}}
	c.Semantic = &m
	const rest = from + `"order_items"},`
	for _, ok := range []string{sel(agg("avg", col("discount"))), sel(agg("max", col("discount"))), sel(agg("sum", col("quantity"))),
		sel(agg("sum", `{"op":{"op":"*","args":[`+col("quantity")+`,`+col("discount")+`]}}`))} {
		sqlOf(t, rest+ok+`}`, c)
	}
	for refused, repaired := range map[string]bool{
		sel(agg("sum", col("discount"))): true,
		sel(col("order_id"), `{"window":{"func":"sum","args":[`+col("discount")+`],"partition_by":[`+col("order_id")+`]}}`): false,
	} {
		p, err := plan.Decode([]byte(rest + refused + `}`))
		if err != nil {
			t.Fatal(err)
		}
		_, err = plan.Validate(p, c)
		r, ok := errors.AsType[*plan.Rejections](err)
		if !ok || r.SQLState() != "PA006" || strings.Contains(r.Detail(), `"avg"`) != repaired {
			t.Errorf("%s: %v", refused, err)
		}
	}
}
