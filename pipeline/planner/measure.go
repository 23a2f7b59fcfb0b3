package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// count counts a table's rows: by its key where joins can repeat them.
func (b *builder) count(t *catalog.Table) plan.Item {
	agg := &plan.Aggregate{Func: "count"}
	if b.tree.root != t || b.multiplied() {
		if len(t.PrimaryKey) == 1 {
			e := column(t, t.Column(t.PrimaryKey[0]))
			agg.Arg, agg.Distinct = &e, true
		}
	}
	return plan.Item{Expr: plan.Expr{Aggregate: agg}, As: t.Name.Table}
}

// multiplied tells whether a join of the outer block repeats the root's rows.
func (b *builder) multiplied() bool {
	for _, s := range b.tree.steps {
		if !s.up && !b.semi[s.to] {
			return true
		}
	}
	return false
}

func (b *builder) aggregate(o out) (plan.Item, error) {
	m := b.picks[o.col]
	e := column(m.table, m.column)
	fn := o.fn
	if fn == "sumcount" {
		fn = "sum"
	}
	if fn == "count" && truth(m.column) {
		return plan.Item{}, unfit("%s is true or false: how many of those there are isn't meant", m.column.Name)
	}
	if (fn == "sum" || fn == "avg") && isKey(m.table, m.column) {
		return plan.Item{}, unfit("%s is a key: it can't be added up", m.column.Name)
	}
	if fn == "sum" || fn == "avg" {
		if x := b.guarded(m); x != nil {
			return plan.Item{}, unfit("%s is what the metric %s is made of, which can't be added up freely", m.column.Name, x.Name)
		}
		if !numeric(m.column) {
			return plan.Item{}, unfit("%s holds no numbers", m.column.Name)
		}
	}
	return plan.Item{Expr: plan.Expr{Aggregate: &plan.Aggregate{Func: fn, Arg: &e, Distinct: o.distinct}}, As: fnName(o.fn, m.column.Name)}, nil
}

// guarded is a metric over the column, or one in the dimension, that is not simply additive: its owner
// says how it may be added up; nil where there is none.
func (b *builder) guarded(m meaning) *semantic.Metric {
	if b.semantic == nil {
		return nil
	}
	reads := []string{m.column.Name}
	if d := b.semantic.Dimension(m.column.Name); d != nil && d.Table == m.table.Name {
		reads = semantic.Columns(d.Expr)
	}
	for _, x := range b.semantic.Metrics {
		if x.Table == m.table.Name && x.Additivity.Kind == "semi" && slices.ContainsFunc(semantic.Columns(x.Expr), func(c string) bool { return slices.Contains(reads, c) }) {
			return x
		}
	}
	return nil
}

func fnName(fn, column string) string {
	switch fn {
	case "count":
		return "count"
	case "sumcount":
		return column
	}
	return fn + "_" + column
}

// isKey tells whether a column is part of a key.
func isKey(t *catalog.Table, c *catalog.Column) bool {
	for _, k := range t.PrimaryKey {
		if k == c.Name && len(t.PrimaryKey) == 1 {
			return true
		}
	}
	for _, f := range t.ForeignKeys {
		for _, k := range f.Columns {
			if k == c.Name {
				return true
			}
		}
	}
	return false
}

// metricTables are the tables that a metric is measured on; none for no metric.
func metricTables(c *catalog.Snapshot, m *semantic.Metric) (out []*catalog.Table) {
	if m == nil {
		return nil
	}
	for _, t := range m.Tables() {
		out = append(out, c.Table(t))
	}
	return out
}

// metricTable is the table at whose grain a metric is defined.
func metricTable(c *catalog.Snapshot, m *semantic.Metric) *catalog.Table { return c.Table(m.Table) }

// pointsTo tells whether a meaning is a key to a table that has another of the
// meanings: in other columns than the one pointed to, or in just that.
func pointsTo(m meaning, others []meaning) (other, key bool) {
	for _, f := range m.table.ForeignKeys {
		if len(f.Columns) != 1 || f.Columns[0] != m.column.Name {
			continue
		}
		for _, o := range others {
			if o.table.Name == f.Ref && o.table != m.table {
				other = other || o.column.Name != f.RefColumns[0]
				key = key || o.column.Name == f.RefColumns[0]
			}
		}
	}
	return other, key
}

// amounts tells whether a table is called after a number that it holds: the
// degrees that were conferred in each year.
func amounts(t *catalog.Table) bool {
	name := stems(splitIdentifier(t.Name.Table))
	return slices.ContainsFunc(t.Columns, func(c *catalog.Column) bool {
		return numeric(c) && !isKey(t, c) && slices.Equal(stems(splitIdentifier(c.Name)), name)
	})
}
