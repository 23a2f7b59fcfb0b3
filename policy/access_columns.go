package policy

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"

	"github.com/pgask/pgask/pipeline/stmt"
)

// A sub-select's column that is of a reg type is a text for whoever reads it. Where
// it is compared with numbers it is made one again.

// reg notes that the next output is a text for a reg type, if it is.
func (o *outputs) reg(kind string) {
	if kind == "" {
		return
	}
	if o.regs == nil {
		o.regs = map[int]string{}
	}
	o.regs[len(o.names)] = kind
}

// standsFor is the reg type that a text will stand for which an expression, not
// judged yet, results in; empty for any other.
func (j *judge) standsFor(n *pg_query.Node, l *level) string {
	if j.verify {
		return ""
	}
	if c := j.columnAt(n, l); c != nil {
		return c.reg
	}
	kind, array := lookedUpKind(n)
	if array || kind == "regrole" {
		return ""
	}
	results(n, func(r *pg_query.Node) {
		if j.numbers[r.GetTypeCast()] || j.numbers[r.GetFuncCall()] {
			kind = ""
		}
	})
	return kind
}

// comparedColumns judges the operands of an operator that compares, and makes numbers
// of the columns among them that stand for a reg type: a relation may be spelled
// with its schema and without. Literals are names then.
func (j *judge) comparedColumns(e *pg_query.A_Expr, l *level) error {
	columns, kind := j.standing(e, l)
	if err := stmt.Children(e, func(c proto.Message) error { return j.walk(c, l) }); err != nil {
		return err
	}
	for _, n := range columns {
		if err := j.charge(j.view.names().nameBytes); err != nil {
			return err
		}
		j.replace(n, j.view.byName(&pg_query.Node{Node: n.Node}, kind))
	}
	return nil
}

// standing are the operands that are such columns, unless they meet texts, and their
// reg type.
func (j *judge) standing(e *pg_query.A_Expr, l *level) (columns []*pg_query.Node, kind string) {
	if j.verify || !compares(e) {
		return nil, ""
	}
	var others []*pg_query.Node
	for _, n := range append([]*pg_query.Node{e.Lexpr}, operands(e.Rexpr)...) {
		if c := j.columnAt(n, l); c != nil && c.reg != "" {
			columns, kind = append(columns, n), c.reg
			continue
		}
		others = append(others, n)
	}
	if len(columns) == 0 || slices.ContainsFunc(others, textual) {
		return nil, ""
	}
	j.alike(others, kind, e.Kind == pg_query.A_Expr_Kind_AEXPR_OP_ANY || e.Kind == pg_query.A_Expr_Kind_AEXPR_OP_ALL)
	return columns, kind
}

// operands are what stands on an operator's right side: a list's items.
func operands(n *pg_query.Node) []*pg_query.Node {
	if list := n.GetList(); list != nil {
		return list.Items
	}
	return []*pg_query.Node{n}
}
