package policy

import (
	"errors"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// bind puts attributes into an expression as typed constants.
func (b binder) bind(t *template, table *catalog.Table) (*pg_query.Node, *Denied) {
	for _, name := range t.names {
		if value, ok := b.attributes[name]; !ok || value == nil {
			return nil, deny(stateDenied, "permission denied for relation %q: attribute %q is not set for this user", table.Name.Table, name)
		}
	}
	c := constants{names: t.names, attributes: b.attributes, table: table, routines: b.routines}
	root := stmt.Clone(t.node)
	if err := walk(root, c.visit); err != nil {
		return nil, ruleMismatch(table.Name)
	}
	n, err := stmt.Rewrite(root, c.bare)
	if err != nil {
		return nil, ruleMismatch(table.Name)
	}
	return n, nil
}

// errMismatch stops a walk; what exactly doesn't fit is told by Check.
var errMismatch = errors.New("the rule doesn't fit the table")

// constants replaces parameters by constants. An operator's parameter takes
// the type of the column on its other side, any other its value's own type.
type constants struct {
	names      []string
	attributes map[string]any
	table      *catalog.Table
	routines   map[catalog.Name]routines
}

// visit is called for parents first, so an operator replaces its parameters
// before they are looked at on their own.
func (c constants) visit(m any) error {
	switch n := m.(type) {
	case *pg_query.ColumnRef:
		if c.column(n) == nil {
			return errMismatch
		}
	case *pg_query.FuncCall:
		if !admits(c.routines, n) {
			return errMismatch
		}
	case *pg_query.A_Expr:
		return c.operator(n)
	}
	return nil
}

// bare replaces what no operator took.
func (c constants) bare(n *pg_query.Node) (*pg_query.Node, error) {
	if p := n.GetParamRef(); p != nil {
		v := c.value(p)
		return stmt.Const(v, ownType(v))
	}
	return n, nil
}

func (c constants) column(ref *pg_query.ColumnRef) *catalog.Column {
	if ref == nil || len(ref.Fields) != 1 {
		return nil
	}
	return c.table.Column(ref.Fields[0].GetString_().GetSval())
}

func (c constants) value(p *pg_query.ParamRef) any { return c.attributes[c.names[p.Number-1]] }

func (c constants) operator(e *pg_query.A_Expr) error {
	switch e.Kind {
	case pg_query.A_Expr_Kind_AEXPR_OP:
		return c.binary(e)
	case pg_query.A_Expr_Kind_AEXPR_OP_ANY, pg_query.A_Expr_Kind_AEXPR_OP_ALL:
		return c.array(e)
	case pg_query.A_Expr_Kind_AEXPR_IN:
		return c.in(e)
	}
	t := c.sideType(e.Lexpr)
	for _, item := range e.Rexpr.GetList().GetItems() { // BETWEEN
		if err := c.put(item, t); err != nil {
			return err
		}
	}
	if err := c.put(e.Rexpr, t); err != nil {
		return err
	}
	return c.put(e.Lexpr, c.sideType(e.Rexpr))
}

// binary is left op right; a list on the right of = means any of.
func (c constants) binary(e *pg_query.A_Expr) error {
	if e.Lexpr.GetParamRef() != nil && e.Rexpr.GetParamRef() == nil && e.Name[0].GetString_().GetSval() == "=" {
		e.Lexpr, e.Rexpr = e.Rexpr, e.Lexpr
	}
	p := e.Rexpr.GetParamRef()
	list, isList := []any(nil), false
	if p != nil {
		list, isList = c.value(p).([]any)
	}
	if isList {
		if e.Name[0].GetString_().GetSval() != "=" {
			return errMismatch
		}
		array, err := stmt.Const(withoutNulls(list), elementType(list, c.sideType(e.Lexpr)))
		e.Kind, e.Rexpr = pg_query.A_Expr_Kind_AEXPR_OP_ANY, array
		return err
	}
	if err := c.put(e.Rexpr, c.sideType(e.Lexpr)); err != nil {
		return err
	}
	return c.put(e.Lexpr, c.sideType(e.Rexpr))
}

// array is left op ANY (:list); one value is a list of one.
func (c constants) array(e *pg_query.A_Expr) error {
	p := e.Rexpr.GetParamRef()
	if p == nil {
		return c.put(e.Lexpr, "")
	}
	list, ok := c.value(p).([]any)
	if !ok {
		list = []any{c.value(p)}
	}
	array, err := stmt.Const(withoutNulls(list), elementType(list, c.sideType(e.Lexpr)))
	e.Rexpr = array
	return err
}

// in is left IN (…); a list among the items adds its own items.
func (c constants) in(e *pg_query.A_Expr) error {
	t := c.sideType(e.Lexpr)
	var items []*pg_query.Node
	for _, item := range e.Rexpr.GetList().GetItems() {
		p := item.GetParamRef()
		if p == nil {
			items = append(items, item)
			continue
		}
		values, ok := c.value(p).([]any)
		if !ok {
			values = []any{c.value(p)}
		}
		for _, v := range withoutNulls(values) {
			n, err := stmt.Const(v, orOwn(t, v))
			if err != nil {
				return err
			}
			items = append(items, n)
		}
	}
	if len(items) == 0 {
		return errMismatch // IN () can't be written; an empty list sees nothing
	}
	e.Rexpr = pg_query.MakeListNode(items)
	return c.put(e.Lexpr, "")
}

// put replaces the node in place if it is a parameter.
func (c constants) put(n *pg_query.Node, t string) error {
	p := n.GetParamRef()
	if p == nil {
		return nil
	}
	v := c.value(p)
	if _, isList := v.([]any); isList && t != "" {
		return errMismatch
	}
	out, err := stmt.Const(v, orOwn(t, v))
	if err != nil {
		return err
	}
	n.Node = out.Node
	return nil
}

// sideType is the type of an operand that is a column, else empty.
func (c constants) sideType(n *pg_query.Node) string {
	if col := c.column(n.GetColumnRef()); col != nil {
		return constantType(col.Type)
	}
	return ""
}

// constantType is how a constant of a column's type is spelled: without a
// length, which would cut the value instead of comparing it.
func constantType(t catalog.Type) string {
	if t.Schema == builtinSchema && t.Name == "bpchar" {
		return "text" // bare bpchar is printed as char, which is char(1)
	}
	return quoted(t.Schema) + "." + quoted(t.Name)
}

// typeSpelling is the column's very type, with its length.
func typeSpelling(t catalog.Type) string {
	if t.Schema == builtinSchema {
		return t.SQL
	}
	return quoted(t.Schema) + "." + quoted(t.Name)
}

func quoted(identifier string) string {
	return `"` + strings.ReplaceAll(identifier, `"`, `""`) + `"`
}

// ownType is the type that a value has by itself.
func ownType(v any) string {
	switch x := v.(type) {
	case string:
		return "text"
	case bool:
		return "boolean"
	case int, int64:
		return "bigint"
	case float64:
		return "numeric"
	case []any:
		if len(x) > 0 {
			return ownType(x[0])
		}
	}
	return "text"
}

func orOwn(t string, v any) string {
	if t == "" {
		return ownType(v)
	}
	return t
}

func elementType(list []any, t string) string {
	if t == "" {
		return ownType(list)
	}
	return t
}

// withoutNulls drops nulls from a list: nothing equals them, and in a NOT IN
// they would hide every row.
func withoutNulls(list []any) []any {
	out := make([]any, 0, len(list))
	for _, v := range list {
		if v != nil {
			out = append(out, v)
		}
	}
	return out
}
