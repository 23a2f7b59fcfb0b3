package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOutputs: what is known of columns, for those who tell an answer.
func TestOutputs(t *testing.T) {
	month := `{"call":{"func":"date_trunc","unit":"month","args":[` + col("ordered_at") + `]}}`
	block := `{"version":1,"from":{"plan":{"from":{"table":"orders"},` + sel(col("status")+`},{"expr":`+agg("count", "")) + `},"as":"d"},`
	for name, test := range map[string]struct {
		plan string
		want []string
	}{
		"columns": {from + `"ports"},` + sel(col("name")) + `}`, []string{"name of ports.name"}},
		"a count by month": {from + `"orders"},` + sel(month+`},{"expr":`+agg("count", "")) + `}`,
			[]string{"month per month of orders.ordered_at", "count measure count additive of "}},
		"an average": {from + `"order_items"},` + sel(agg("avg", col("quantity"))) + `}`, []string{"avg measure of order_items.quantity"}},
		"a metric":   {from + `"order_items"},` + sel(`{"metric":"revenue"}`) + `}`, []string{"revenue metric measure additive of order_items.discount order_items.quantity order_items.unit_price"}},
		"a block's":  {block + sel(col("status")+`},{"expr":`+col("count")) + `}`, []string{"status of orders.status", "count measure count of "}},
		"united with nulls": {`{"version":1,"set":{"op":"union","all":true,"plans":[{"from":{"table":"order_items"},` + sel(`{"metric":"revenue"}`) + `},{"from":{"table":"ports"},"select":[{"expr":{"literal":{"value":null,"type":"numeric"}},"as":"revenue"}]}]}}`,
			[]string{"revenue metric measure of order_items.discount order_items.quantity order_items.unit_price"}},
		"a sum of a block": {block + sel(agg("sum", col("count"))) + `}`, []string{"sum measure additive of "}},
	} {
		checked, _ := sqlOf(t, test.plan, testContext(t))
		var got []string
		for _, o := range checked.Outputs() {
			s := o.Name
			for _, flag := range []struct {
				word string
				on   bool
			}{{"metric", o.Metric != ""}, {"measure", o.Measure}, {"count", o.Count}, {"additive", o.Additive}, {"per " + o.Period, o.Period != ""}, {"opaque", o.Opaque}} {
				if flag.on {
					s += " " + flag.word
				}
			}
			var reads []string
			for _, r := range o.From {
				reads = append(reads, fmt.Sprintf("%s.%s", r.Table.Table, r.Column))
			}
			got = append(got, s+" of "+strings.Join(reads, " "))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
