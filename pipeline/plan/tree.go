package plan

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// The builders below are the only places that make parse tree nodes; every
// operator and function name in them is one of the language's own.

func columnNode(alias, column string) *pg_query.Node { return stmt.Column(alias, column) }

func intNode(i int64) *pg_query.Node { return stmt.IntConst(i) }

func opNode(op string, left, right *pg_query.Node) *pg_query.Node { return stmt.Op(op, left, right) }

func exprNode(kind pg_query.A_Expr_Kind, op string, left, right *pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_AExpr{AExpr: &pg_query.A_Expr{
		Kind: kind, Name: []*pg_query.Node{pg_query.MakeStrNode(op)}, Lexpr: left, Rexpr: right}}}
}

// allOf joins conditions by AND; nil where there are none.
func allOf(conds []*pg_query.Node) *pg_query.Node {
	if len(conds) == 0 {
		return nil
	}
	return stmt.And(conds...)
}

func nullTestNode(arg *pg_query.Node, kind pg_query.NullTestType) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_NullTest{NullTest: &pg_query.NullTest{Arg: arg, Nulltesttype: kind}}}
}

func callNode(name string, args ...*pg_query.Node) *pg_query.Node {
	return stmt.Call([]string{name}, args...)
}

func coalesceNode(args ...*pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_CoalesceExpr{CoalesceExpr: &pg_query.CoalesceExpr{Args: args}}}
}

func minMaxNode(op pg_query.MinMaxOp, args ...*pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_MinMaxExpr{MinMaxExpr: &pg_query.MinMaxExpr{Op: op, Args: args}}}
}

func nullIfNode(left, right *pg_query.Node) *pg_query.Node {
	return exprNode(pg_query.A_Expr_Kind_AEXPR_NULLIF, "=", left, right)
}

// textNode is a value as a typed constant of pg_catalog, as stmt.Const makes
// them, without parsing the type's name for each.
func textNode(value, internal string) *pg_query.Node {
	return castNode(stmt.StringConst(value), internal)
}

// castNode casts to a type of pg_catalog by its internal name.
func castNode(arg *pg_query.Node, internal string) *pg_query.Node {
	return stmt.Cast(arg, &pg_query.TypeName{Typemod: -1, Names: stmt.Names("pg_catalog", internal)})
}

func currentDateNode() *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_SqlvalueFunction{SqlvalueFunction: &pg_query.SQLValueFunction{
		Op: pg_query.SQLValueFunctionOp_SVFOP_CURRENT_DATE, Typmod: -1}}}
}

func listNode(items []*pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_List{List: &pg_query.List{Items: items}}}
}

func rangeNode(n catalog.Name, alias string) *pg_query.Node {
	if alias == n.Table {
		alias = ""
	}
	return stmt.Table(n.Schema, n.Table, alias)
}

func subLinkNode(kind pg_query.SubLinkType, test, sub *pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_SubLink{SubLink: &pg_query.SubLink{
		SubLinkType: kind, Testexpr: test, Subselect: sub}}}
}

func sortByNode(n *pg_query.Node, desc bool, nulls pg_query.SortByNulls) *pg_query.Node {
	dir := pg_query.SortByDir_SORTBY_DEFAULT
	if desc {
		dir = pg_query.SortByDir_SORTBY_DESC
	}
	return pg_query.MakeSortByNode(n, dir, nulls, 0)
}

// whenNode is the result where the condition holds, else null.
func whenNode(cond, result *pg_query.Node) *pg_query.Node { return caseNode(nil, cond, result) }

// caseNode is CASE over pairs of condition and result; otherwise may be nil.
func caseNode(otherwise *pg_query.Node, pairs ...*pg_query.Node) *pg_query.Node {
	node := &pg_query.CaseExpr{Defresult: otherwise}
	for i := 0; i+1 < len(pairs); i += 2 {
		node.Args = append(node.Args, &pg_query.Node{Node: &pg_query.Node_CaseWhen{
			CaseWhen: &pg_query.CaseWhen{Expr: pairs[i], Result: pairs[i+1]}}})
	}
	return &pg_query.Node{Node: &pg_query.Node_CaseExpr{CaseExpr: node}}
}
