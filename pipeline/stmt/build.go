package stmt

import (
	"math"
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// The functions of this file build nodes exactly as the parser would, so that
// a built tree equals what its printed text parses to.

// String is a bare string node, as in lists of names.
func String(s string) *pg_query.Node { return pg_query.MakeStrNode(s) }

// Names are string nodes, one for each part of a qualified name.
func Names(parts ...string) []*pg_query.Node {
	out := make([]*pg_query.Node, len(parts))
	for i, p := range parts {
		out[i] = String(p)
	}
	return out
}

// StringConst is an untyped string literal.
func StringConst(s string) *pg_query.Node { return pg_query.MakeAConstStrNode(s, 0) }

// IntConst is an integer literal; one that doesn't fit in 32 bits is spelled
// as a numeric, as the parser does.
func IntConst(v int64) *pg_query.Node {
	if v > math.MaxInt32 || v <= math.MinInt32 {
		return FloatConst(strconv.FormatInt(v, 10))
	}
	return pg_query.MakeAConstIntNode(v, 0)
}

// FloatConst is a numeric literal, spelled as text.
func FloatConst(text string) *pg_query.Node {
	return aConst(&pg_query.A_Const{Val: &pg_query.A_Const_Fval{Fval: &pg_query.Float{Fval: text}}})
}

// BoolConst is TRUE or FALSE.
func BoolConst(v bool) *pg_query.Node {
	return aConst(&pg_query.A_Const{Val: &pg_query.A_Const_Boolval{Boolval: &pg_query.Boolean{Boolval: v}}})
}

// Null is an untyped NULL.
func Null() *pg_query.Node { return aConst(&pg_query.A_Const{Isnull: true}) }

func aConst(c *pg_query.A_Const) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_AConst{AConst: c}}
}

// Column is a reference to a column, qualified by as many parts as are given.
func Column(parts ...string) *pg_query.Node { return pg_query.MakeColumnRefNode(Names(parts...), 0) }

// Star is *, or table.* with a table.
func Star(qualifier ...string) *pg_query.Node {
	return pg_query.MakeColumnRefNode(append(Names(qualifier...), pg_query.MakeAStarNode()), 0)
}

// Table is a schema-qualified relation in FROM; alias may be empty.
func Table(schema, table, alias string) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_RangeVar{RangeVar: &pg_query.RangeVar{
		Schemaname: schema, Relname: table, Inh: true, Relpersistence: "p", Alias: AliasOf(alias)}}}
}

// AliasOf is an alias with column names; nil when name is empty.
func AliasOf(name string, columns ...string) *pg_query.Alias {
	if name == "" {
		return nil
	}
	return &pg_query.Alias{Aliasname: name, Colnames: Names(columns...)}
}

// Subselect is a select in FROM under an alias.
func Subselect(query *pg_query.Node, alias string, columns ...string) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_RangeSubselect{RangeSubselect: &pg_query.RangeSubselect{
		Subquery: query, Alias: AliasOf(alias, columns...)}}}
}

// Join joins two FROM items on a condition.
func Join(kind pg_query.JoinType, left, right, on *pg_query.Node) *pg_query.Node {
	return pg_query.MakeJoinExprNode(kind, left, right, on)
}

// Call calls a function by its (qualified) name.
func Call(name []string, args ...*pg_query.Node) *pg_query.Node {
	return pg_query.MakeFuncCallNode(Names(name...), args, 0)
}

// Op is a binary operator; left is nil for a prefix operator.
func Op(operator string, left, right *pg_query.Node) *pg_query.Node {
	return pg_query.MakeAExprNode(pg_query.A_Expr_Kind_AEXPR_OP, Names(operator), left, right, 0)
}

// And joins conditions by AND; one condition stays as it is, none is TRUE.
func And(conditions ...*pg_query.Node) *pg_query.Node {
	return boolExpr(pg_query.BoolExprType_AND_EXPR, true, conditions)
}

// Or joins conditions by OR; one condition stays as it is, none is FALSE.
func Or(conditions ...*pg_query.Node) *pg_query.Node {
	return boolExpr(pg_query.BoolExprType_OR_EXPR, false, conditions)
}

// boolExpr flattens as the grammar does: an AND (or OR) on the left end of
// another is one longer list.
func boolExpr(op pg_query.BoolExprType, none bool, conditions []*pg_query.Node) *pg_query.Node {
	if len(conditions) == 0 {
		return BoolConst(none)
	}
	if len(conditions) == 1 {
		return conditions[0]
	}
	var args []*pg_query.Node
	if b := conditions[0].GetBoolExpr(); b.GetBoolop() == op {
		args = append(args, b.GetArgs()...)
		conditions = conditions[1:]
	}
	return pg_query.MakeBoolExprNode(op, append(args, conditions...), 0)
}

// Not negates a condition.
func Not(condition *pg_query.Node) *pg_query.Node {
	return pg_query.MakeBoolExprNode(pg_query.BoolExprType_NOT_EXPR, []*pg_query.Node{condition}, 0)
}

// IsNull is arg IS NULL.
func IsNull(arg *pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_NullTest{NullTest: &pg_query.NullTest{
		Arg: arg, Nulltesttype: pg_query.NullTestType_IS_NULL}}}
}

// Exists is EXISTS (query).
func Exists(query *pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_SubLink{SubLink: &pg_query.SubLink{
		SubLinkType: pg_query.SubLinkType_EXISTS_SUBLINK, Subselect: query}}}
}

// Scalar is a sub-select used as a value.
func Scalar(query *pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_SubLink{SubLink: &pg_query.SubLink{
		SubLinkType: pg_query.SubLinkType_EXPR_SUBLINK, Subselect: query}}}
}

// Cast is arg::type.
func Cast(arg *pg_query.Node, t *pg_query.TypeName) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_TypeCast{TypeCast: &pg_query.TypeCast{Arg: arg, TypeName: t}}}
}

// Target is one output of a select; name may be empty.
func Target(value *pg_query.Node, name string) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_ResTarget{ResTarget: &pg_query.ResTarget{Name: name, Val: value}}}
}

// SelectNode wraps a select, with the two fields that the parser always sets.
func SelectNode(s *pg_query.SelectStmt) *pg_query.Node {
	if s.LimitOption == pg_query.LimitOption_LIMIT_OPTION_UNDEFINED {
		s.LimitOption = pg_query.LimitOption_LIMIT_OPTION_DEFAULT
		if s.LimitCount != nil || s.LimitOffset != nil {
			s.LimitOption = pg_query.LimitOption_LIMIT_OPTION_COUNT
		}
	}
	if s.Op == pg_query.SetOperation_SET_OPERATION_UNDEFINED {
		s.Op = pg_query.SetOperation_SETOP_NONE
	}
	return &pg_query.Node{Node: &pg_query.Node_SelectStmt{SelectStmt: s}}
}

func selectOnly(value *pg_query.Node) *pg_query.Node {
	return SelectNode(&pg_query.SelectStmt{TargetList: []*pg_query.Node{Target(value, "")}})
}
