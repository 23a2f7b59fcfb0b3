package plan

import (
	"fmt"
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// lack is what an expression gives where a restricted row isn't visible: null, a
// value that the plan itself states, or anything.
type lack struct {
	kind lackKind
	// value is a string, bool or float64 where it is known.
	value any
	// of is the restricted relation whose row it depends on; nil where it doesn't.
	of *rel
}

type lackKind int

const (
	lackAny lackKind = iota
	lackNull
	lackKnown
)

func lackOf(of *rel, value any) lack {
	if value == nil {
		return lack{kind: lackNull, of: of}
	}
	return lack{kind: lackKnown, value: value, of: of}
}

// could tells whether a condition can be true (or false) then.
func (l lack) could(holds bool) bool {
	return l.kind == lackAny || l.kind == lackKnown && l.value == holds
}

// depends adds what else a value depends on.
func (l lack) depends(on ...lack) lack {
	for _, x := range on {
		if l.of == nil {
			l.of = x.of
		}
	}
	return l
}

// lack is what an output gives where rows are lacking, in whichever way.
func (c *checker) lack(t *typed) (out lack) {
	for _, m := range c.lacks() {
		out = out.beside(c.lacking(t, m))
	}
	return out
}

// beside is what two ways in which rows may be lacking give; one that changes nothing
// doesn't count.
func (l lack) beside(x lack) lack {
	switch {
	case x.of == nil:
		return l
	case l.of == nil:
		return x
	}
	return l.or(x)
}

// or is one of two values.
func (l lack) or(x lack) lack {
	if l.kind == x.kind && l.value == x.value {
		return l.depends(x)
	}
	return lack{}.depends(l, x)
}

// lacking computes with what is known of a block where rows are lacking.
func (c *checker) lacking(t *typed, m missing) lack {
	e := t.expr
	switch {
	case t.test != "":
		return c.lackingTest(t, m)
	case t.sub != nil:
		return c.lackingSubplan(t, m)
	case t.rel != nil:
		return c.lackingColumn(t, m)
	case e.Dimension != "":
		return c.lackingColumn(t.parts[0], m)
	case t.measure != nil && t.measure.metric != nil:
		return lackingMetric(t.measure, m)
	case t.measure != nil:
		return c.lackingAggregate(t.measure, m)
	case e.Window != nil:
		return c.lackingWindow(t, m)
	case e.Literal != nil:
		return lackingLiteral(t)
	case e.Case != nil:
		return c.lackingCase(t, m)
	}
	args := make([]lack, len(t.parts))
	for i, p := range t.parts {
		args[i] = c.lacking(p, m)
	}
	var out lack
	switch {
	case e.Op != nil:
		out = lackingOp(e.Op.Op, args)
	case e.Call != nil:
		out = lackingCall(e.Call.Func, args)
	case e.Cast != nil:
		out = lackingCast(args, t.typ)
	case e.Period != nil:
		out = strict(args)
	}
	return out.depends(args...)
}

func (c *checker) lackingColumn(t *typed, m missing) lack {
	switch {
	case m.nothing:
		return lack{kind: lackNull}
	case m.empty[t.rel]:
		return lack{kind: lackNull, of: m.cause}
	case t.rel.query != nil && m.cause == nil && m.hidden == nil:
		return t.rel.query.column(t.column.Name).lack
	}
	return lack{}
}

// lackingSubplan is the value of a sub-plan that finds nothing of what it reads.
func (c *checker) lackingSubplan(t *typed, m missing) lack {
	of := c.unseenSub(t)
	if of == nil || m.cause != nil || m.hidden != nil {
		return lack{}
	}
	b := t.sub.b
	switch {
	case b == nil || b.having != nil:
		return lack{of: of}
	case !b.grouped || len(b.groups) > 0:
		return lack{kind: lackNull, of: of}
	}
	v := t.sub.c.lacking(b.items[0].typed, missing{nothing: true})
	v.of = of
	return v
}

// lackingTest is a test of a sub-plan, which finds nothing where its rows are hidden. What
// else of it they decide, [checker.absentMembers] looks at.
func (c *checker) lackingTest(t *typed, m missing) (out lack) {
	if m.cause == nil && m.hidden == nil {
		if of := c.unseenSub(t); of != nil {
			return lackOf(of, t.test == "not_in" || t.test == "not_exists")
		}
	}
	for _, p := range t.parts {
		if p.expr.Plan == nil {
			out = strict([]lack{c.lacking(p, m)})
		}
		for _, correlated := range p.parts {
			out = out.depends(c.lacking(correlated, m))
		}
	}
	return out
}

// overNone is an aggregate over nothing.
func overNone(name string, of *rel) lack {
	if name == "count" {
		return lackOf(of, 0.0)
	}
	return lack{kind: lackNull, of: of}
}

func (c *checker) lackingAggregate(u *measureUse, m missing) lack {
	if m.nothing {
		return overNone(u.name, nil)
	}
	if m.hidden != nil {
		return c.amongHidden(u, m)
	}
	arg, filter := lack{}, lack{}
	if u.arg != nil {
		arg = c.lacking(u.arg, m)
	}
	if u.filter != nil {
		filter = c.lacking(u.filter, m)
		if !filter.could(true) {
			return overNone(u.name, filter.of)
		}
	}
	return aggregated(u.name, arg).depends(filter)
}

// aggregated is an aggregate of the same value in every row.
func aggregated(name string, arg lack) lack {
	switch {
	case arg.kind == lackNull:
		return overNone(name, arg.of)
	case name == "count", name == "string_agg", name == "stddev", name == "variance", name == "sum" && arg.value != 0.0:
		return lack{of: arg.of}
	}
	return arg
}

func (c *checker) lackingWindow(t *typed, m missing) lack {
	switch w := t.expr.Window; {
	case len(w.Args) == 0, w.Func == "ntile":
		return lack{} // a place among others tells of no row that isn't there
	default:
		return aggregated(w.Func, c.lacking(t.parts[0], m))
	}
}

// lackingMetric is a measure of a relation that has no row.
func lackingMetric(u *measureUse, m missing) lack {
	if m.hidden != nil && len(u.metric.Filters) > 0 {
		m.cause = m.hidden
	} else if !m.empty[u.rel] && !m.nothing {
		return lack{}
	}
	counts := 0
	for _, call := range semantic.Aggregates(u.metric.Expr) {
		if call.Funcname[len(call.Funcname)-1].GetString_().GetSval() == "count" {
			counts++
		}
	}
	switch {
	case fillsIn(u.metric.Expr), counts > 0 && u.metric.Expr.GetFuncCall() == nil:
		return lack{of: m.cause}
	case counts > 0:
		return overNone("count", m.cause)
	}
	return lack{kind: lackNull, of: m.cause}
}

// fillsIn tells whether an expression may put a value in the place of nulls.
func fillsIn(n *pg_query.Node) (found bool) {
	_ = stmt.Walk(n, func(x protoreflect.Message, _ stmt.Path) error { // the function never fails
		switch x.Descriptor().Name() {
		case "CoalesceExpr", "CaseExpr", "NullTest", "MinMaxExpr":
			found = true
		}
		return nil
	})
	return found
}

func lackingLiteral(t *typed) lack {
	switch v := t.expr.Literal.Value.(type) {
	case nil:
		return lack{kind: lackNull}
	case bool:
		return lackOf(nil, v)
	case string:
		if t.typ.fam == famText {
			return lackOf(nil, v)
		}
	}
	if t.typ.number() {
		if f, err := strconv.ParseFloat(fmt.Sprint(t.expr.Literal.Value), 64); err == nil {
			return lackOf(nil, f)
		}
	}
	return lack{}
}
