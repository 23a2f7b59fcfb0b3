package stmt

import (
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// PrintBracketed is Print with brackets around every operand that could need
// them: the printer leaves out some that do, such as those of (a IS DISTINCT FROM b)
// IS TRUE and (CASE … END)[1]. An operand is printed as the argument of
// a call whose name is nowhere else, and the name is taken out of the text. As
// with Print, whoever sends the text parses it again and compares.
func PrintBracketed(n *pg_query.Node) (string, error) {
	plain, err := Print(n)
	if err != nil {
		return "", err
	}
	name := "pgask_bracket"
	for i := 1; strings.Contains(plain, name); i++ {
		name = "pgask_bracket_" + strconv.Itoa(i)
	}
	b := brackets{name}
	marked, err := Rewrite(Clone(n), b.operands)
	if err != nil {
		return "", err
	}
	text, err := Print(marked)
	return strings.ReplaceAll(text, name+"(", "("), err
}

type brackets struct{ name string }

// operands marks the operands of a node.
func (b brackets) operands(n *pg_query.Node) (*pg_query.Node, error) {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_AExpr:
		b.mark(&x.AExpr.Lexpr)
		if list := x.AExpr.Rexpr.GetList(); list != nil {
			b.all(list.Items)
		} else {
			b.mark(&x.AExpr.Rexpr)
		}
	case *pg_query.Node_BoolExpr:
		b.all(x.BoolExpr.Args)
	case *pg_query.Node_NullTest:
		b.mark(&x.NullTest.Arg)
	case *pg_query.Node_BooleanTest:
		b.mark(&x.BooleanTest.Arg)
	case *pg_query.Node_TypeCast:
		b.mark(&x.TypeCast.Arg)
	case *pg_query.Node_CollateClause:
		b.mark(&x.CollateClause.Arg)
	case *pg_query.Node_AIndirection:
		b.mark(&x.AIndirection.Arg)
	case *pg_query.Node_SubLink:
		b.mark(&x.SubLink.Testexpr)
	case *pg_query.Node_FuncCall:
		if x.FuncCall.Funcformat == pg_query.CoercionForm_COERCE_SQL_SYNTAX {
			b.all(x.FuncCall.Args)
		}
	}
	return n, nil
}

func (b brackets) all(list []*pg_query.Node) {
	for i := range list {
		b.mark(&list[i])
	}
}

// mark marks what is not one word or one pair of brackets already.
func (b brackets) mark(n **pg_query.Node) {
	switch x := (*n).GetNode().(type) {
	case *pg_query.Node_AExpr, *pg_query.Node_BoolExpr, *pg_query.Node_NullTest, *pg_query.Node_BooleanTest, *pg_query.Node_CaseExpr,
		*pg_query.Node_CoalesceExpr, *pg_query.Node_MinMaxExpr, *pg_query.Node_AArrayExpr, *pg_query.Node_TypeCast,
		*pg_query.Node_CollateClause, *pg_query.Node_AIndirection, *pg_query.Node_SubLink:
	case *pg_query.Node_FuncCall:
		if x.FuncCall.Funcformat != pg_query.CoercionForm_COERCE_SQL_SYNTAX {
			return
		}
	default:
		return
	}
	*n = Call([]string{b.name}, *n)
}
