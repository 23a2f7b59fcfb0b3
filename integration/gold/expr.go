package gold

import (
	"encoding/json"
	"fmt"
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/plan"
)

func op(name string, args ...plan.Expr) *plan.Expr {
	return &plan.Expr{Op: &plan.Op{Op: name, Args: args}}
}

// expr converts an expression.
func (b *scope) expr(n *pg_query.Node) (*plan.Expr, error) {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_ColumnRef:
		r, name := b.find(n)
		if r == nil {
			return nil, fmt.Errorf("there is no column %v", x.ColumnRef.GetFields())
		}
		return &plan.Expr{Column: plan.ColumnName(r.alias, name)}, nil
	case *pg_query.Node_AConst:
		return literal(x.AConst)
	case *pg_query.Node_FuncCall:
		return b.call(x.FuncCall)
	case *pg_query.Node_AExpr:
		return b.operator(x.AExpr)
	case *pg_query.Node_BoolExpr:
		return b.boolean(x.BoolExpr)
	case *pg_query.Node_NullTest:
		name := "is_null"
		if x.NullTest.GetNulltesttype() == pg_query.NullTestType_IS_NOT_NULL {
			name = "is_not_null"
		}
		return b.opOf(name, x.NullTest.GetArg())
	case *pg_query.Node_SubLink:
		return b.subselect(x.SubLink, "in", "exists")
	}
	return nil, Unsupported(fmt.Sprintf("%T", n.GetNode()))
}

func (b *scope) exprs(nodes []*pg_query.Node) ([]plan.Expr, error) {
	var out []plan.Expr
	for _, n := range nodes {
		e, err := b.expr(n)
		if err != nil {
			return nil, err
		}
		out = append(out, *e)
	}
	return out, nil
}

func (b *scope) opOf(name string, nodes ...*pg_query.Node) (*plan.Expr, error) {
	args, err := b.exprs(nodes)
	if err != nil {
		return nil, err
	}
	return op(name, args...), nil
}

func literal(c *pg_query.A_Const) (*plan.Expr, error) {
	var v any
	switch {
	case c.GetIsnull():
	case c.GetSval() != nil:
		v = c.GetSval().GetSval()
	case c.GetFval() != nil:
		v = json.Number(c.GetFval().GetFval())
	case c.GetBoolval() != nil:
		v = c.GetBoolval().GetBoolval()
	default: // the parser leaves a zero out
		v = json.Number(strconv.Itoa(int(c.GetIval().GetIval())))
	}
	return &plan.Expr{Literal: &plan.Literal{Value: v}}, nil
}

var aggregates = map[string]bool{"count": true, "sum": true, "avg": true, "min": true, "max": true}

// call converts an aggregate.
func (b *scope) call(c *pg_query.FuncCall) (*plan.Expr, error) {
	name := c.GetFuncname()[len(c.GetFuncname())-1].GetString_().GetSval()
	if !aggregates[name] || c.GetOver() != nil || c.GetAggFilter() != nil || len(c.GetArgs()) > 1 {
		return nil, Unsupported("function " + name)
	}
	a := &plan.Aggregate{Func: name, Distinct: c.GetAggDistinct()}
	if len(c.GetArgs()) == 1 {
		var err error
		if a.Arg, err = b.expr(c.GetArgs()[0]); err != nil {
			return nil, err
		}
	}
	if name == "count" && a.Arg != nil && !a.Distinct && len(b.rels) > 1 {
		// Counting rows that have a value can't be taken for counting the rows of
		// the column's own table, which a join may repeat.
		a = &plan.Aggregate{Func: name, Filter: op("is_not_null", *a.Arg)}
	}
	return &plan.Expr{Aggregate: a}, nil
}

func operator(x *pg_query.A_Expr) string {
	names := x.GetName()
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1].GetString_().GetSval()
}

// likes are LIKE's operators by Postgres's names.
var likes = map[string]string{"~~": "like", "!~~": "not_like", "~~*": "ilike", "!~~*": "not_ilike"}

func (b *scope) operator(x *pg_query.A_Expr) (*plan.Expr, error) {
	name := operator(x)
	switch x.GetKind() {
	case pg_query.A_Expr_Kind_AEXPR_OP:
		if x.GetLexpr() == nil {
			return b.opOf(name, x.GetRexpr())
		}
		return b.opOf(name, x.GetLexpr(), x.GetRexpr())
	case pg_query.A_Expr_Kind_AEXPR_LIKE, pg_query.A_Expr_Kind_AEXPR_ILIKE:
		return b.opOf(likes[name], x.GetLexpr(), x.GetRexpr())
	case pg_query.A_Expr_Kind_AEXPR_IN:
		in := map[string]string{"=": "in", "<>": "not_in"}[name]
		return b.opOf(in, append([]*pg_query.Node{x.GetLexpr()}, x.GetRexpr().GetList().GetItems()...)...)
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN:
		return b.opOf("between", append([]*pg_query.Node{x.GetLexpr()}, x.GetRexpr().GetList().GetItems()...)...)
	case pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN:
		return b.opOf("not_between", append([]*pg_query.Node{x.GetLexpr()}, x.GetRexpr().GetList().GetItems()...)...)
	}
	return nil, Unsupported(x.GetKind().String())
}

func (b *scope) boolean(x *pg_query.BoolExpr) (*plan.Expr, error) {
	switch x.GetBoolop() {
	case pg_query.BoolExprType_AND_EXPR:
		return b.opOf("and", x.GetArgs()...)
	case pg_query.BoolExprType_OR_EXPR:
		return b.opOf("or", x.GetArgs()...)
	}
	if sub := x.GetArgs()[0].GetSubLink(); sub.GetSubLinkType() == pg_query.SubLinkType_ANY_SUBLINK || sub.GetSubLinkType() == pg_query.SubLinkType_EXISTS_SUBLINK {
		return b.subselect(sub, "not_in", "not_exists")
	}
	return b.opOf("not", x.GetArgs()...)
}

// subselect converts a sub-select: a value, or a test by the operator named in
// or exists.
func (b *scope) subselect(x *pg_query.SubLink, in, exists string) (*plan.Expr, error) {
	p, err := b.query(x.GetSubselect().GetSelectStmt(), b)
	if err != nil {
		return nil, err
	}
	sub := plan.Expr{Plan: p}
	switch {
	case x.GetSubLinkType() == pg_query.SubLinkType_EXPR_SUBLINK:
		return &sub, nil
	case x.GetSubLinkType() == pg_query.SubLinkType_EXISTS_SUBLINK:
		return op(exists, sub), nil
	case x.GetSubLinkType() == pg_query.SubLinkType_ANY_SUBLINK && len(x.GetOperName()) == 0:
		value, err := b.expr(x.GetTestexpr())
		if err != nil {
			return nil, err
		}
		return op(in, *value, sub), nil
	}
	return nil, Unsupported(x.GetSubLinkType().String())
}
