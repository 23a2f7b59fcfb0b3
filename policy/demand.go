package policy

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// demands reads a bound scope: what it demands of each column that it holds to
// constants, and whether that is all of it.
func demands(scope *pg_query.Node, t *catalog.Table) (held map[string]string, whole bool) {
	conditions := []*pg_query.Node{scope}
	if b := scope.GetBoolExpr(); b != nil && b.Boolop == pg_query.BoolExprType_AND_EXPR {
		conditions = b.Args
	}
	held, whole = map[string]string{}, true
	for _, c := range conditions {
		column, text := demand(c, t)
		switch before := held[column]; {
		case text == "":
			whole = false
		case before != "" && before != text:
			held[column] = before + " and " + text
		default:
			held[column] = text
		}
	}
	return held, whole
}

// demand reads column = constant, and any of a list of constants; no text for
// anything else. The text says the column's kind of value too, since 1 and '1' are
// equal to other things.
func demand(n *pg_query.Node, t *catalog.Table) (column, text string) {
	e := n.GetAExpr()
	switch e.GetKind() {
	case pg_query.A_Expr_Kind_AEXPR_OP, pg_query.A_Expr_Kind_AEXPR_OP_ANY, pg_query.A_Expr_Kind_AEXPR_IN:
	default:
		return "", ""
	}
	_, op, ok := nameParts(e.Name)
	name, plain := bareName(e.Lexpr)
	if !ok || op != "=" || !plain || t.Column(name) == nil {
		return "", ""
	}
	values := []*pg_query.Node{e.Rexpr}
	if list := e.Rexpr.GetList(); list != nil {
		values = list.Items
	}
	text = kindOfValue(t.Column(name))
	for _, v := range values {
		c, ok := constantOf(v, t.Column(name).Type.Name)
		if !ok {
			return "", ""
		}
		text += ", " + c
	}
	return name, text
}

// kindOfValue is what a column's values are compared as.
func kindOfValue(c *catalog.Column) string {
	switch {
	case integerType(c.Type.Name):
		return "integer"
	case c.Type.Name == "varchar":
		return "text " + c.Collation
	}
	return c.Type.Name + " " + c.Collation
}

// constantOf spells a constant, or a list of them, that is compared with a column of
// that type as it is; without its cast.
func constantOf(n *pg_query.Node, column string) (string, bool) {
	if c := n.GetTypeCast(); c != nil {
		_, name, _ := nameParts(c.TypeName.Names)
		same := name == column || integerType(name) && integerType(column) || name == "text" && column == "varchar"
		if _, ok := builtinType(c.TypeName); !ok || !same || len(c.TypeName.Typmods) > 0 {
			return "", false
		}
		n = c.Arg
	}
	if n.GetAConst() == nil || n.GetAConst().Isnull {
		return "", false
	}
	text, err := stmt.Print(stmt.SelectNode(&pg_query.SelectStmt{TargetList: []*pg_query.Node{stmt.Target(n, "")}}))
	return strings.TrimPrefix(text, "SELECT "), err == nil
}

// partitionOf is the attribute that a scope's condition holds the column to, in one
// of the conditions that all hold; "" where it doesn't.
func (t *template) partitionOf(column string) string {
	conditions := []*pg_query.Node{t.node}
	if b := t.node.GetBoolExpr(); b != nil && b.Boolop == pg_query.BoolExprType_AND_EXPR {
		conditions = b.Args
	}
	for _, c := range conditions {
		if p := heldTo(c.GetAExpr(), column); p != nil {
			return t.names[p.Number-1]
		}
	}
	return ""
}

// heldTo is the parameter of column = :name, :name = column, column = ANY (:name) and
// column IN (:name); nil for any other condition.
func heldTo(e *pg_query.A_Expr, column string) *pg_query.ParamRef {
	_, op, ok := nameParts(e.GetName())
	if !ok || op != "=" {
		return nil
	}
	own, other := e.Lexpr, e.Rexpr
	switch e.Kind {
	case pg_query.A_Expr_Kind_AEXPR_OP:
		if own.GetParamRef() != nil {
			own, other = other, own
		}
	case pg_query.A_Expr_Kind_AEXPR_IN:
		if len(other.GetList().GetItems()) != 1 {
			return nil
		}
		other = other.GetList().Items[0]
	case pg_query.A_Expr_Kind_AEXPR_OP_ANY:
	default:
		return nil
	}
	if name, plain := bareName(own); !plain || name != column {
		return nil
	}
	return other.GetParamRef()
}
