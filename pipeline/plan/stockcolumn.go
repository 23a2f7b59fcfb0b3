package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pgask/pgask/pipeline/semantic"
)

// stockColumn is why the values of a block's column can't be added up over all
// of its rows.
type stockColumn struct {
	metric *semantic.Metric
	// over are the block's columns that each sum must be grouped by; nil where
	// nothing makes one right.
	over []string
	// once tells that all are of one time: they can be added up, but not with those
	// of another.
	once bool
}

// stockColumn tells whether an output is a measure that the block around may
// not add up: a metric that is never additive, or a stock for each of several times.
func (c *checker) stockColumn(b *block, t *typed) *stockColumn {
	if m := ratio(t); m != nil {
		return &stockColumn{metric: m}
	}
	var found *stockColumn
	for _, m := range c.Semantic.Metrics {
		if m.Additivity.Kind != "semi" {
			continue
		}
		for _, r := range c.rels {
			if r.table.Name != m.Table || !c.carries(t, r, m) {
				continue
			}
			over, several := c.times(b, r, m)
			if several {
				return &stockColumn{metric: m, over: over}
			}
			found = &stockColumn{metric: m, once: true}
		}
	}
	t.walk(func(x *typed) {
		inner := x.stockInside()
		if inner == nil || found != nil && (inner.once || !found.once) {
			return
		}
		found = &stockColumn{metric: inner.metric, over: b.shows(x.rel, inner.over), once: inner.once}
	})
	return found
}

// stockInside is the stock that a derived block's column holds, or a sub-plan's
// value. One that is looked up for each row is of each row's own last time.
func (t *typed) stockInside() *stockColumn {
	switch {
	case t.rel != nil && t.rel.query != nil:
		return t.rel.query.column(t.column.Name).stock
	case t.sub != nil && t.test == "" && len(t.parts) > 0:
		if stock := t.sub.columns[0].stock; stock != nil {
			return &stockColumn{metric: stock.metric}
		}
	}
	return nil
}

// united is the stock that a column of a union holds. Its members may be of other times,
// unless all show their times in the same columns.
func (s *setOperation) united(n int) *stockColumn {
	var out *stockColumn
	alike := true
	for _, m := range s.members {
		stock := m.columns[n].stock
		if stock != nil && out == nil {
			out = stock
		}
		alike = alike && stock != nil && slices.Equal(m.places(stock.over), s.members[0].places(out.over)) && len(stock.over) > 0
	}
	switch {
	case out == nil || s.op == "union" && alike:
		return out
	case s.op == "union":
		return &stockColumn{metric: out.metric}
	}
	return s.members[0].columns[n].stock
}

// places are the positions of columns.
func (q *query) places(columns []string) (out []int) {
	for i, col := range q.columns {
		if slices.Contains(columns, col.name) {
			out = append(out, i)
		}
	}
	return out
}

// ratio is the metric in an expression that is never additive; nil where none is.
func ratio(t *typed) (m *semantic.Metric) {
	t.walk(func(x *typed) {
		if x.measure != nil && x.measure.metric != nil && x.measure.metric.Additivity.Kind == "non" {
			m = x.measure.metric
		}
	})
	return m
}

// carries tells whether an output holds the metric, or reads its columns.
func (c *checker) carries(t *typed, r *rel, m *semantic.Metric) bool {
	switch {
	case t.measure != nil && t.measure.metric != nil:
		return t.measure.metric == m && t.measure.rel == r
	case t.measure != nil && t.measure.name != "sum":
		return false
	case t.rel == r && slices.Contains(semantic.Columns(m.Expr), t.column.Name):
		return true
	}
	return slices.ContainsFunc(t.parts, func(p *typed) bool { return c.carries(p, r, m) })
}

// times are the outputs that hold the metric's times, nil where one is not shown;
// several tells that the block has a row for each of several.
func (c *checker) times(b *block, r *rel, m *semantic.Metric) (over []string, several bool) {
	shown := true
	for _, column := range m.Additivity.NotOver {
		if b.pinned(r, column) {
			continue
		}
		if !b.grouped {
			names := b.shows(r, []string{column})
			several, shown, over = true, shown && names != nil, append(over, names...)
			continue
		}
		for _, g := range b.groups {
			if !c.touches(g, r, []string{column}) {
				continue
			}
			several = true
			i := slices.IndexFunc(b.items, func(o *output) bool { return same(o.typed, g) })
			if i < 0 {
				shown = false
				continue
			}
			over = append(over, b.items[i].name)
		}
	}
	if !shown {
		return nil, several
	}
	return over, several
}

// derivedStocks refuses a sum over a derived block's column or a sub-plan's value that
// can't be added up over its rows.
func (c *checker) derivedStocks(u *measureUse, b *block) {
	u.arg.walk(func(x *typed) {
		stock := x.stockInside()
		if stock == nil || stock.once {
			return
		}
		one := len(stock.over) > 0
		for _, over := range stock.over {
			one = one && (b.groupedBy(x.rel, over) || b.pinned(x.rel, over) || u.partitionedBy(x.rel, over))
		}
		if one {
			return
		}
		f := c.faultf(stageMeasures, CodeAdditivity, u.at, "%s holds %s, whose values can't be added up here",
			cmp.Or(x.expr.Column, "the sub-plan"), stock.metric.Name)
		f.Hint = "take its average, or measure it in the block that shows it"
		if len(stock.over) > 0 {
			f.Hint = fmt.Sprintf("group by %s, or take its average", ColumnName(x.rel.alias, stock.over[0]))
		}
	})
}

// groupStocks refuses a window's sum over groups of a measure that can't be added
// up over them: a running total of month-ends.
func (c *checker) groupStocks(u *measureUse, b *block) {
	if u.name != "sum" || u.arg == nil {
		return
	}
	stock := c.stockColumn(b, u.arg)
	if stock == nil || stock.once {
		return
	}
	one := len(stock.over) > 0
	for _, over := range stock.over {
		i := slices.IndexFunc(b.items, func(o *output) bool { return o.name == over })
		one = one && slices.ContainsFunc(u.partition, func(p *typed) bool { return same(p, b.items[i].typed) })
	}
	if !one {
		f := c.faultf(stageMeasures, CodeAdditivity, u.at, "the values of %s for several times can't be added up over a window", stock.metric.Name)
		f.Hint = "take its average, or divide the window by its time"
	}
}
