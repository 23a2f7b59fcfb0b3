package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/semantic"
)

// defined checks the conditions against what the metrics asked for are by definition:
// revenue of completed orders has none of cancelled ones, and what is
// in dollars isn't in euros because the order was. An answer would be nothing, or not
// what was meant.
func (b *builder) defined() error {
	for _, x := range b.metrics() {
		for _, c := range b.f.conds {
			m := b.dateOf(c)
			if c.any != nil || m.column == nil {
				continue
			}
			said := b.texts(c)
			if len(c.vals) == 0 && x.Unit != "" && slices.Contains(m.column.Values, x.Unit) { // its column isn't named
				return unfit("%s is in %s, whatever the %s", x.Name, x.Unit, m.column.Name)
			}
			for _, f := range x.Filters {
				own := semantic.Texts(f.Cond)
				if f.Table != m.table.Name || len(own) == 0 || !slices.Equal(semantic.Columns(f.Cond), []string{m.column.Name}) {
					continue
				}
				one := slices.ContainsFunc(said, func(s string) bool { return slices.Contains(own, s) })
				if (c.op == "=" || c.op == "in") && !one || (c.op == "<>" || c.op == "not_in") && one {
					return unfit("%s counts only rows of %s where %s", x.Name, m.table.Name.Table, f.Text)
				}
			}
		}
	}
	return nil
}

// metrics are those that are measured for what is asked for, or ranked by.
func (b *builder) metrics() []*semantic.Metric {
	var out []*semantic.Metric
	for _, o := range b.f.outs {
		if o.metric != nil {
			out = append(out, o.metric.Bases()...)
		}
	}
	for _, o := range b.f.orders {
		if o.metric != nil {
			out = append(out, o.metric.Bases()...)
		}
	}
	if h := b.having(); h != nil && h.metric != nil {
		out = append(out, h.metric.Bases()...)
	}
	return out
}

// texts are the values that a condition compares its column with, as the column has them.
func (b *builder) texts(c cond) []string {
	m := b.dateOf(c)
	if len(c.vals) == 0 {
		return []string{m.value}
	}
	var out []string
	for _, v := range c.vals {
		if e, err := literalFor(m, v, c.op); err == nil && e.Literal != nil {
			if s, ok := e.Literal.Value.(string); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// ofOneTime refuses a stock's amounts that are compared or grouped by without saying
// when: accounts with arr over 50,000 have that now, not once.
func (b *builder) ofOneTime(m meaning) error {
	if m.column == nil {
		return nil
	}
	x := b.guarded(m)
	if x == nil {
		return nil
	}
	for _, c := range b.f.conds {
		if o := b.dateOf(c); o.table == m.table && o.column != nil && slices.Contains(x.Additivity.NotOver, o.column.Name) {
			return nil
		}
	}
	return unfit("%s is a stock: it isn't said for which %s it is to be compared", x.Name, x.Additivity.NotOver[0])
}
