package plan

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
)

type catalogSnapshot = *catalog.Snapshot

// inferType types an SQL expression over a table's bare columns, as far as
// metrics usually go; the zero type where it doesn't know.
func inferType(n *pg_query.Node, t *catalog.Table, s *catalog.Snapshot) typ {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_ColumnRef:
		fields := x.ColumnRef.GetFields()
		if col := t.Column(fields[len(fields)-1].GetString_().GetSval()); col != nil {
			return typeOf(s, col.Type)
		}
	case *pg_query.Node_AConst:
		return constantType(x.AConst)
	case *pg_query.Node_FuncCall:
		return inferCall(x.FuncCall, t, s)
	case *pg_query.Node_TypeCast:
		names := x.TypeCast.GetTypeName().GetNames()
		return typ{fam: families[names[len(names)-1].GetString_().GetSval()], sql: internalSQL[names[len(names)-1].GetString_().GetSval()]}
	case *pg_query.Node_CoalesceExpr:
		return inferType(x.CoalesceExpr.GetArgs()[0], t, s)
	case *pg_query.Node_CaseExpr:
		return inferType(x.CaseExpr.GetArgs()[0].GetCaseWhen().GetResult(), t, s)
	case *pg_query.Node_AExpr:
		if x.AExpr.GetKind() == pg_query.A_Expr_Kind_AEXPR_NULLIF {
			return inferType(x.AExpr.GetLexpr(), t, s)
		}
		right := inferType(x.AExpr.GetRexpr(), t, s)
		if x.AExpr.GetLexpr() == nil {
			return right.plain()
		}
		if both, ok := common(inferType(x.AExpr.GetLexpr(), t, s), right); ok && both.number() {
			return both.plain()
		}
	}
	return typ{}
}

// internalSQL spells pg_catalog's names as format_type does.
var internalSQL = map[string]string{"int2": "smallint", "int4": "integer", "int8": "bigint", "numeric": "numeric",
	"float4": "real", "float8": "double precision", "text": "text", "bool": "boolean", "date": "date"}

func constantType(a *pg_query.A_Const) typ {
	switch {
	case a.GetIval() != nil:
		return typeInt
	case a.GetFval() != nil:
		return typeNumeric
	case a.GetSval() != nil:
		return typeText
	}
	return typ{}
}

func inferCall(call *pg_query.FuncCall, t *catalog.Table, s *catalog.Snapshot) typ {
	name := call.GetFuncname()[len(call.GetFuncname())-1].GetString_().GetSval()
	if call.GetAggStar() || name == "count" {
		return typeBigint
	}
	if len(call.GetArgs()) == 0 {
		return typ{}
	}
	arg := inferType(call.GetArgs()[0], t, s)
	switch name {
	case "sum", "avg", "min", "max":
		if arg.sql != "" {
			return aggregateType(name, arg)
		}
	case "round":
		if arg.fam == famFloat && len(call.GetArgs()) == 1 {
			return typeFloat
		}
		return typeNumeric
	case "abs":
		return arg.plain()
	}
	return typ{}
}
