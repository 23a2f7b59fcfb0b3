package plan

import (
	"cmp"
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// Output is what is known of an output column beyond its type, for those who tell
// or draw the answer.
type Output struct {
	Column
	// Metric is the registered measure that it holds, if it is one.
	Metric string
	// Measure tells of a number that is computed of rows, Count that it is how many
	// there are, Additive that the numbers of several groups may be added up.
	Measure, Count, Additive bool
	// Period is the unit of the calendar (month) that a moment is the beginning of.
	Period string
	// From are the catalog's columns that its values are made of; Opaque tells that
	// they aren't all known.
	From   []Read
	Opaque bool
}

// Read is a column of the catalog that a plan reads.
type Read struct {
	Table  catalog.Name
	Column string
}

// Outputs are the output columns in order.
func (c *Checked) Outputs() []Output { return slices.Clone(c.outputs) }

// Limited tells that the plan shows a number of rows only, or only some groups.
func (c *Checked) Limited() bool {
	return c.plan.Limit != nil || c.plan.Offset != nil || c.plan.Having != nil
}

// outputs describes the columns of a checked query, once: blocks around it look them
// up again and again.
func (q *query) outputs() []Output {
	if q.described == nil {
		q.described = q.describeColumns()
	}
	return q.described
}

func (q *query) describeColumns() []Output {
	if q.set != nil {
		return q.set.outputs(q)
	}
	out := make([]Output, len(q.b.items))
	for i, item := range q.b.items {
		o := q.c.output(item.typed)
		o.Column = Column{Name: item.name, Type: q.columns[i].typ.sql}
		out[i] = o
	}
	return out
}

// beside is what two columns of a set operation have in common. A value that is made of
// nothing, such as a null in the place of what only the other has, adds nothing.
func (o Output) beside(p Output) Output {
	switch {
	case p.empty():
		return o
	case o.empty():
		return p
	}
	o.Measure, o.Count, o.Opaque = o.Measure && p.Measure, o.Count && p.Count, o.Opaque || p.Opaque
	o.From = append(slices.Clip(o.From), p.From...)
	if o.Metric != p.Metric {
		o.Metric = ""
	}
	if o.Period != p.Period {
		o.Period = ""
	}
	return o
}

func (o Output) empty() bool { return !o.Measure && !o.Opaque && o.Metric == "" && len(o.From) == 0 }

// outputs of a set operation are what its members have in common.
func (s *setOperation) outputs(q *query) []Output {
	out := slices.Clone(s.members[0].outputs())
	for _, m := range s.members[1:] {
		for i, o := range m.outputs() {
			out[i] = out[i].beside(o)
		}
	}
	for i := range out {
		out[i].Column = Column{Name: q.columns[i].name, Type: q.columns[i].typ.sql}
		out[i].Additive = false // its rows may be of the same things
	}
	return out
}

// output describes an expression.
func (c *checker) output(t *typed) Output {
	if t.rel != nil && t.rel.query != nil {
		if o, ok := t.rel.query.outputOf(t.column.Name); ok {
			o.Additive = false // the block around it may repeat its rows
			return o
		}
	}
	o := Output{Metric: t.expr.Metric, Measure: t.aggregated() || t.windowed}
	if call := t.expr.Call; call != nil && call.Func == "date_trunc" {
		o.Period = call.Unit
	}
	if t.measure != nil {
		o.Count, o.Additive = t.counts(), c.additive(t)
	}
	if a := t.expr.Aggregate; a != nil && len(t.parts) == 1 && slices.Contains([]string{"sum", "min", "max"}, a.Func) {
		o.Metric = c.output(t.parts[0]).Metric // that of a block, put together
	}
	t.walk(func(x *typed) { c.reads(x, &o) })
	if o.Measure || len(t.parts) == 0 {
		return o
	}
	for _, p := range t.parts { // what is computed of measures is one
		o.Measure = o.Measure || p.rel != nil && p.rel.query != nil && c.output(p).Measure
	}
	return o
}

// outputOf is one of a query's columns by its name.
func (q *query) outputOf(name string) (Output, bool) {
	all := q.outputs()
	i := slices.IndexFunc(all, func(o Output) bool { return o.Name == name })
	if i < 0 {
		return Output{}, false
	}
	return all[i], true
}

// additive tells whether the measure of several groups may be added up. A count of
// different values may not, since the same one may be in several groups.
func (c *checker) additive(t *typed) bool {
	if a := t.expr.Aggregate; a != nil {
		return (a.Func == "count" || a.Func == "sum") && !a.Distinct
	}
	m := c.Semantic.Metric(t.expr.Metric)
	return m != nil && cmp.Or(m.Additivity.Kind, "non") == "additive"
}

// reads notes what an expression itself reads.
func (c *checker) reads(x *typed, o *Output) {
	switch {
	case x.sub != nil:
		for _, inner := range x.sub.outputs() {
			o.From, o.Opaque = append(o.From, inner.From...), o.Opaque || inner.Opaque
		}
	case x.rel != nil && x.rel.query != nil:
		inner, ok := x.rel.query.outputOf(x.column.Name)
		o.From, o.Opaque = append(o.From, inner.From...), o.Opaque || inner.Opaque || !ok
	case x.rel != nil:
		o.From = append(o.From, Read{x.rel.table.Name, x.column.Name})
	case x.expr.Dimension != "": // its columns are parts
		o.From = append(o.From, Read{x.parts[0].rel.table.Name, dimensionName(x)})
	case x.metric != nil: // its parts say it
	case x.expr.Metric != "":
		if m := c.Semantic.Metric(x.expr.Metric); m != nil {
			for _, name := range semantic.Columns(m.Expr) {
				o.From = append(o.From, Read{m.Table, name})
			}
		} else {
			o.Opaque = true
		}
	}
}
