package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// figured is a name and how good it is: 2 for a good one, 1 for a fallback that
// an enclosing node may replace, 0 for none.
type figured struct {
	name     string
	strength int
}

// figure is the name Postgres gives to a column of this expression, which was
// judged already; empty for ?column?.
func (j *judge) figure(n *pg_query.Node) string {
	name, _ := j.figureStrength(n)
	return name
}

// clientFigure is the name that the client's own expression would get: what was
// answered in it counts as it was.
func (j *judge) clientFigure(n *pg_query.Node) string {
	j.replaced = j.answered
	defer func() { j.replaced = nil }()
	return j.figure(n)
}

func orUnnamed(name string) string {
	if name == "" {
		return "?column?"
	}
	return name
}

// figureStrength follows FigureColnameInternal.
func (j *judge) figureStrength(n *pg_query.Node) (string, int) {
	if f, ok := j.replaced[n]; ok {
		return f.name, f.strength
	}
	switch x := n.GetNode().(type) {
	case *pg_query.Node_ColumnRef:
		return lastString(x.ColumnRef.Fields)
	case *pg_query.Node_AIndirection:
		if name, s := lastString(x.AIndirection.Indirection); s > 0 {
			return name, s
		}
		return j.figureStrength(x.AIndirection.Arg)
	case *pg_query.Node_FuncCall:
		return lastString(x.FuncCall.Funcname)
	case *pg_query.Node_TypeCast:
		name, s := j.figureStrength(x.TypeCast.Arg)
		if s <= 1 {
			if t, ok := lastString(x.TypeCast.TypeName.GetNames()); ok > 0 {
				return t, 1
			}
		}
		return name, s
	case *pg_query.Node_CollateClause:
		return j.figureStrength(x.CollateClause.Arg)
	case *pg_query.Node_CaseExpr:
		if name, s := j.figureStrength(x.CaseExpr.Defresult); s > 1 {
			return name, s
		}
		return "case", 1
	case *pg_query.Node_AExpr:
		if x.AExpr.Kind == pg_query.A_Expr_Kind_AEXPR_NULLIF {
			return "nullif", 2
		}
	case *pg_query.Node_SubLink:
		return j.figureSubLink(x.SubLink)
	case *pg_query.Node_MinMaxExpr:
		if x.MinMaxExpr.Op == pg_query.MinMaxOp_IS_LEAST {
			return "least", 2
		}
		return "greatest", 2
	case *pg_query.Node_SqlvalueFunction:
		if name := specialName(x.SqlvalueFunction.Op); name != "" {
			return name, 2
		}
	}
	return fixedName(n)
}

func (j *judge) figureSubLink(s *pg_query.SubLink) (string, int) {
	switch s.SubLinkType {
	case pg_query.SubLinkType_EXISTS_SUBLINK:
		return "exists", 2
	case pg_query.SubLinkType_ARRAY_SUBLINK:
		return "array", 2
	case pg_query.SubLinkType_EXPR_SUBLINK:
		if name := j.scalars[s]; name != "" {
			return name, 2
		}
	}
	return "", 0
}

func fixedName(n *pg_query.Node) (string, int) {
	switch n.GetNode().(type) {
	case *pg_query.Node_AArrayExpr:
		return "array", 2
	case *pg_query.Node_RowExpr:
		return "row", 2
	case *pg_query.Node_CoalesceExpr:
		return "coalesce", 2
	case *pg_query.Node_GroupingFunc:
		return "grouping", 2
	}
	return "", 0
}

func lastString(list []*pg_query.Node) (string, int) {
	for i := len(list) - 1; i >= 0; i-- {
		if s := list[i].GetString_(); s != nil {
			return s.Sval, 2
		}
	}
	return "", 0
}

// specialName is the column name of CURRENT_DATE and its like.
func specialName(op pg_query.SQLValueFunctionOp) string {
	switch op {
	case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_DATE:
		return "current_date"
	case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIME, pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIME_N:
		return "current_time"
	case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP, pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP_N:
		return "current_timestamp"
	case pg_query.SQLValueFunctionOp_SVFOP_LOCALTIME, pg_query.SQLValueFunctionOp_SVFOP_LOCALTIME_N:
		return "localtime"
	case pg_query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP, pg_query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N:
		return "localtimestamp"
	case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_ROLE:
		return "current_role"
	case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_USER:
		return "current_user"
	case pg_query.SQLValueFunctionOp_SVFOP_USER:
		return "user"
	case pg_query.SQLValueFunctionOp_SVFOP_SESSION_USER:
		return "session_user"
	case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_CATALOG:
		return "current_catalog"
	case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_SCHEMA:
		return "current_schema"
	}
	return ""
}
