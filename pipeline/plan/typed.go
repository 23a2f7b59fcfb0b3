package plan

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// typed is a checked expression: its canonical form, type and tree.
type typed struct {
	expr Expr
	tree *pg_query.Node
	typ  typ
	// column and rel are set for a plain column.
	column *catalog.Column
	rel    *rel
	// parts are the operands.
	parts []*typed
	// at is its place in the plan.
	at string
	// measure is set for an aggregate or a metric.
	measure *measureUse
	// metric is set for a registered one that isn't measured where it stands: it is
	// derived, or its block drills across.
	metric *semantic.Metric
	// sub is set for a sub-plan; test is what is asked of it: in, exists, or
	// nothing, where its value counts.
	sub  *query
	test string
	// windowed is set for a window function, over where that is an aggregate.
	windowed bool
	over     *measureUse
	// back is set for the end of a period that ends with today's day.
	back *symbol
	// outer tells that it is a column of a block around this one.
	outer bool
	// around is that column as the block around sees it.
	around *typed
}

// env is where an expression stands.
type env struct {
	// host is the EXISTS it is part of; nil in the outer block.
	host *rel
	// measures tells whether aggregates may stand here, inside that this is
	// already an aggregate's argument.
	measures, inside bool
	// windows tells whether window functions may stand here.
	windows bool
}

// walk visits an expression and its operands, aggregates' arguments included.
func (t *typed) walk(f func(*typed)) {
	f(t)
	for _, p := range t.parts {
		p.walk(f)
	}
}

// aggregated tells whether a measure is in the expression.
func (t *typed) aggregated() bool {
	found := false
	t.walk(func(x *typed) { found = found || x.measure != nil || x.metric != nil })
	return found
}

// overWindow tells whether a window function is in the expression.
func (t *typed) overWindow() bool {
	found := false
	t.walk(func(x *typed) { found = found || x.windowed })
	return found
}

// relations are the relations whose columns the expression uses.
func (t *typed) relations() map[*rel]bool {
	out := map[*rel]bool{}
	t.walk(func(x *typed) {
		if x.rel != nil {
			out[x.rel] = true
		}
	})
	return out
}

// counts tells whether the expression is a count, of an aggregate or a metric.
func (t *typed) counts() bool {
	switch {
	case t.measure == nil:
		return false
	case t.measure.metric == nil:
		return t.measure.name == "count"
	}
	return t.measure.metric.Counts()
}

// neverNull tells whether the value is certainly there.
func (t *typed) neverNull() bool {
	switch {
	case t.column != nil:
		return t.column.NotNull && !t.rel.nullable
	case t.measure != nil:
		return t.measure.name == "count"
	case t.expr.Literal != nil:
		return t.expr.Literal.Value != nil
	case t.expr.Call != nil && (t.expr.Call.Func == "date_trunc" || t.expr.Call.Func == "date_part"):
		return t.parts[0].neverNull()
	}
	return false
}
