package semantic

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// aggregates are Postgres's aggregate functions that a metric may use.
var aggregates = []string{"count", "sum", "avg", "min", "max", "stddev", "stddev_pop", "stddev_samp", "variance",
	"var_pop", "var_samp", "bool_and", "bool_or", "every", "string_agg", "array_agg", "percentile_cont",
	"percentile_disc", "mode", "corr", "covar_pop", "covar_samp", "regr_slope", "regr_intercept", "regr_r2"}

// IsAggregate tells whether a call is of one of Postgres's aggregates.
func IsAggregate(call *pg_query.FuncCall) bool {
	names := call.GetFuncname()
	if len(names) == 0 || len(names) == 2 && names[0].GetString_().GetSval() != "pg_catalog" {
		return false
	}
	return slices.Contains(aggregates, names[len(names)-1].GetString_().GetSval())
}

// Aggregates are the aggregate calls of an expression.
func Aggregates(n *pg_query.Node) []*pg_query.FuncCall {
	var out []*pg_query.FuncCall
	each(n, func(m any) {
		if call, ok := m.(*pg_query.FuncCall); ok && IsAggregate(call) {
			out = append(out, call)
		}
	})
	return out
}

// Columns are the names of the columns that an expression reads, sorted.
func Columns(n *pg_query.Node) []string {
	var out []string
	for _, ref := range columnRefs(n) {
		out = append(out, ref.Fields[len(ref.Fields)-1].GetString_().GetSval())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Texts are the text constants of an expression, in its order.
func Texts(n *pg_query.Node) []string {
	var out []string
	each(n, func(m any) {
		if c, ok := m.(*pg_query.A_Const); ok && c.GetSval() != nil {
			out = append(out, c.GetSval().GetSval())
		}
	})
	return out
}

func columnRefs(n *pg_query.Node) []*pg_query.ColumnRef {
	var out []*pg_query.ColumnRef
	each(n, func(m any) {
		if ref, ok := m.(*pg_query.ColumnRef); ok {
			out = append(out, ref)
		}
	})
	return out
}

// each visits all nodes; the visitor can't fail, so the walk doesn't.
func each(n *pg_query.Node, f func(m any)) {
	_ = stmt.Walk(n, func(m protoreflect.Message, _ stmt.Path) error {
		f(m.Interface())
		return nil
	})
}
