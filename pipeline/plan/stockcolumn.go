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
	// what it is: a metric's name, an average, a count of distinct values.
	what string
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
	if what := c.ofParts(b, t); what != "" {
		return &stockColumn{what: what}
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
				return &stockColumn{what: m.Name, over: over}
			}
			found = &stockColumn{what: m.Name, once: true}
		}
	}
	t.walk(func(x *typed) {
		inner := x.stockInside()
		if inner == nil || found != nil && (inner.once || !found.once) {
			return
		}
		found = &stockColumn{what: inner.what, over: b.shows(x.rel, inner.over), once: inner.once}
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
			return &stockColumn{what: stock.what}
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
		return &stockColumn{what: out.what}
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

// ofParts is the measure in an expression that says nothing of several groups
// together: a metric that is never additive, an average, a count of values that may
// be in several groups; "" where none is.
func (c *checker) ofParts(b *block, t *typed) (what string) {
	t.walk(func(x *typed) {
		u := x.measure
		switch {
		case what != "":
		case x.metric != nil:
			what = x.metric.Name
		case u == nil:
		case u.metric != nil && u.metric.Additivity.Kind == "non":
			what = u.metric.Name
		case u.metric != nil:
		case slices.Contains([]string{"avg", "median", "percentile_cont", "percentile_disc", "stddev", "variance"}, u.name):
			what = "an average or the like"
		case u.name == "count" && u.distinct && !c.inOneGroup(b, u.arg):
			what = "a count of distinct values"
		}
	})
	return what
}

// inOneGroup tells whether every value is counted in one group only: it is a key, and what
// the block groups by belongs to the key's row.
func (c *checker) inOneGroup(b *block, t *typed) bool {
	if t.rel == nil || t.rel.query != nil || !isKey(t.rel.table, t.column.Name) {
		return false
	}
	one := c.unrepeated(t.rel)
	return !slices.ContainsFunc(b.groups, func(g *typed) bool {
		return slices.ContainsFunc(c.rels, func(r *rel) bool { return g.relations()[r] && !one[r] })
	})
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
		stock := c.unaddable(u, b, x)
		if stock == nil {
			return
		}
		f := c.faultf(stageMeasures, CodeAdditivity, u.at, "%s holds %s, whose values can't be added up here",
			cmp.Or(x.expr.Column, "the sub-plan"), stock.what)
		f.Hint = "take its average, or measure it in the block that shows it"
		if len(stock.over) > 0 {
			f.Message = fmt.Sprintf("%s holds the stock %s: its values of several %ss can't be added up", x.expr.Column, stock.what, stock.over[0])
			f.Hint = fmt.Sprintf("group by %s, or take its average", ColumnName(x.rel.alias, stock.over[0]))
		}
		if len(stock.over) == 1 && !u.window {
			f.Repair = c.addGroup(Expr{Column: ColumnName(x.rel.alias, stock.over[0])})
		}
	})
}

// unaddable is the stock of which x, a part of the aggregate's argument, holds values that can't be
// added up where the aggregate stands; nil where there is none.
func (c *checker) unaddable(u *measureUse, b *block, x *typed) *stockColumn {
	stock := x.stockInside()
	if stock == nil || stock.once {
		return nil
	}
	one := len(stock.over) > 0
	for _, over := range stock.over {
		one = one && (b.groupedBy(x.rel, over) || b.pinned(x.rel, over) || u.partitionedBy(x.rel, over))
	}
	if one {
		return nil
	}
	return stock
}

// averagesOfParts says that an average is over groups, each of which counts once.
func (c *checker) averagesOfParts(u *measureUse) {
	u.arg.walk(func(x *typed) {
		if stock := x.stockInside(); stock != nil && stock.over == nil && !stock.once {
			c.qualify("%s is averaged over groups: each counts once, whatever its size", cmp.Or(x.expr.Column, stock.what))
		}
	})
}

// groupStocks refuses a window's sum over groups of a measure that can't be added
// up over them: a running total of month-ends.
func (c *checker) groupStocks(u *measureUse, b *block) {
	if u.name != "sum" {
		return
	}
	if stock := c.groupStock(u, b); stock != nil {
		f := c.faultf(stageMeasures, CodeAdditivity, u.at, "the values of %s for several times can't be added up over a window", stock.what)
		f.Hint = "take its average, or divide the window by its time"
	}
}

// groupStock is the measure that can't be added up over the groups that a window is over.
func (c *checker) groupStock(u *measureUse, b *block) *stockColumn {
	if u.arg == nil {
		return nil
	}
	stock := c.stockColumn(b, u.arg)
	if stock == nil || stock.once {
		return nil
	}
	one := len(stock.over) > 0
	for _, over := range stock.over {
		i := slices.IndexFunc(b.items, func(o *output) bool { return o.name == over })
		one = one && slices.ContainsFunc(u.partition, func(p *typed) bool { return same(p, b.items[i].typed) })
	}
	if one {
		return nil
	}
	return stock
}
