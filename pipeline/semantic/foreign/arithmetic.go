package foreign

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
)

// bare is a calculation without what pgask sees to by itself: casts to a type of numbers (a division
// is never one of integers), and divisors that are null in the place of 0. Metrics are named in one part.
func bare(n *pg_query.Node) *pg_query.Node {
	out, err := stmt.Rewrite(stmt.Clone(n), func(x *pg_query.Node) (*pg_query.Node, error) {
		switch y := x.GetNode().(type) {
		case *pg_query.Node_ColumnRef:
			return stmt.Column(Parts(y.ColumnRef)[len(y.ColumnRef.Fields)-1]), nil
		case *pg_query.Node_TypeCast:
			if numeric(y.TypeCast.TypeName) {
				return y.TypeCast.Arg, nil
			}
		case *pg_query.Node_AExpr:
			if isOperator(y.AExpr, "/") {
				y.AExpr.Rexpr = orNull(y.AExpr.Rexpr)
			}
		}
		return x, nil
	})
	if err != nil {
		panic("foreign: bare: " + err.Error()) // the function above never fails
	}
	return out
}

func numeric(t *pg_query.TypeName) bool {
	name := t.Names[len(t.Names)-1].GetString_().GetSval()
	return len(t.ArrayBounds) == 0 && slices.Contains([]string{"numeric", "float8", "float4"}, name)
}

func isOperator(e *pg_query.A_Expr, operators ...string) bool {
	return e.Kind == pg_query.A_Expr_Kind_AEXPR_OP && len(e.Name) == 1 && slices.Contains(operators, e.Name[0].GetString_().GetSval())
}

// orNull is x of nullif(x, 0), and any other divisor itself.
func orNull(n *pg_query.Node) *pg_query.Node {
	e := n.GetAExpr()
	if e == nil || e.Kind != pg_query.A_Expr_Kind_AEXPR_NULLIF {
		return n
	}
	if c := e.Rexpr.GetAConst(); c == nil || c.GetIval() == nil || c.GetIval().GetIval() != 0 {
		return n
	}
	return e.Lexpr
}
