package snowflake

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
)

// translate writes what Snowflake spells in another way as Postgres does: functions that mean exactly the same,
// types, and divisions, which are of decimals there whatever is divided. The rest stays, to be refused by its name.
func translate(n *pg_query.Node) (*pg_query.Node, error) {
	return stmt.Rewrite(n, func(x *pg_query.Node) (*pg_query.Node, error) {
		switch y := x.GetNode().(type) {
		case *pg_query.Node_FuncCall:
			return function(x, y.FuncCall), nil
		case *pg_query.Node_TypeCast:
			y.TypeCast.TypeName = typeName(y.TypeCast.TypeName)
		case *pg_query.Node_AExpr:
			if isDivision(y.AExpr) && y.AExpr.Lexpr.GetTypeCast() == nil {
				y.AExpr.Lexpr = decimal(y.AExpr.Lexpr)
			}
		}
		return x, nil
	})
}

func isDivision(e *pg_query.A_Expr) bool {
	return e.Kind == pg_query.A_Expr_Kind_AEXPR_OP && len(e.Name) == 1 && e.Name[0].GetString_().GetSval() == "/" && e.Lexpr != nil
}

func decimal(n *pg_query.Node) *pg_query.Node {
	return stmt.Cast(n, &pg_query.TypeName{Typemod: -1, Names: stmt.Names("pg_catalog", "numeric")})
}

// typeName is Postgres's name of a type.
func typeName(t *pg_query.TypeName) *pg_query.TypeName {
	if t == nil || len(t.Names) != 1 {
		return t
	}
	same := map[string]string{"number": "numeric", "string": "text", "datetime": "timestamp", "timestamp_ntz": "timestamp",
		"timestampntz": "timestamp", "timestamp_tz": "timestamptz", "timestamp_ltz": "timestamptz", "double": "float8", "byteint": "int8"}
	if name, ok := same[t.Names[0].GetString_().GetSval()]; ok {
		t.Names = stmt.Names("pg_catalog", name)
	}
	return t
}

// function is what a call is in Postgres.
func function(n *pg_query.Node, call *pg_query.FuncCall) *pg_query.Node {
	if len(call.Funcname) != 1 || call.Over != nil || call.AggDistinct || call.AggFilter != nil {
		return n
	}
	name, args := call.Funcname[0].GetString_().GetSval(), call.Args
	zero := func() *pg_query.Node { return stmt.IntConst(0) }
	switch {
	case (name == "nvl" || name == "ifnull") && len(args) == 2:
		return coalesce(args...)
	case name == "zeroifnull" && len(args) == 1:
		return coalesce(args[0], zero())
	case name == "nullifzero" && len(args) == 1:
		return nullIf(args[0], zero())
	case name == "iff" && len(args) == 3:
		return choose(args[0], args[1], args[2])
	case name == "count_if" && len(args) == 1:
		count := stmt.Call([]string{"count"})
		count.GetFuncCall().AggStar, count.GetFuncCall().AggFilter = true, args[0]
		return count
	case name == "median" && len(args) == 1:
		return median(args[0])
	case slices.Contains(strings.Fields("year quarter month day hour minute"), name) && len(args) == 1:
		return stmt.Cast(stmt.Call([]string{"pg_catalog", "date_part"}, stmt.StringConst(name), args[0]), &pg_query.TypeName{Typemod: -1, Names: stmt.Names("pg_catalog", "int4")})
	}
	return n
}

func coalesce(args ...*pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_CoalesceExpr{CoalesceExpr: &pg_query.CoalesceExpr{Args: args}}}
}

func nullIf(x, y *pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_AExpr{AExpr: &pg_query.A_Expr{Kind: pg_query.A_Expr_Kind_AEXPR_NULLIF, Name: stmt.Names("="), Lexpr: x, Rexpr: y}}}
}

func choose(when, then, otherwise *pg_query.Node) *pg_query.Node {
	branch := &pg_query.Node{Node: &pg_query.Node_CaseWhen{CaseWhen: &pg_query.CaseWhen{Expr: when, Result: then}}}
	return &pg_query.Node{Node: &pg_query.Node_CaseExpr{CaseExpr: &pg_query.CaseExpr{Args: []*pg_query.Node{branch}, Defresult: otherwise}}}
}

func median(x *pg_query.Node) *pg_query.Node {
	order := &pg_query.Node{Node: &pg_query.Node_SortBy{SortBy: &pg_query.SortBy{Node: x, SortbyDir: pg_query.SortByDir_SORTBY_DEFAULT, SortbyNulls: pg_query.SortByNulls_SORTBY_NULLS_DEFAULT}}}
	n := stmt.Call([]string{"percentile_cont"}, stmt.FloatConst("0.5"))
	n.GetFuncCall().AggOrder, n.GetFuncCall().AggWithinGroup = []*pg_query.Node{order}, true
	return n
}
