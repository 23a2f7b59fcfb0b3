package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// undated are the periods and time groups of a frame that don't say which date
// they mean: the condition's position, -1 for groups.
func (f *frame) undated() (at []int, year bool) {
	year = true
	for _, c := range f.conds {
		if c.op == "period" && c.col == nil {
			at = append(at, c.spoken)
			year = year && c.period.year != ""
		}
	}
	for _, g := range f.groups {
		if g.unit != "" {
			at = append(at, -1)
			year = false
		}
	}
	return at, year && len(at) > 0
}

// dated is the one table that was named last before the periods that don't say what they
// are about; nil where there isn't just one, or where groups are by time.
func (f *frame) dated() *catalog.Table {
	var near *catalog.Table
	for _, c := range f.conds {
		if c.op != "period" || c.col != nil {
			continue
		}
		if near != nil && c.near != near {
			return nil
		}
		near = c.near
	}
	if slices.ContainsFunc(f.groups, func(g group) bool { return g.unit != "" }) {
		return nil
	}
	return near
}

// shows tells whether the answer has a row for each of the table's: a period behind "revenue per
// customer" says when the revenue was made, and not when the customer came.
func (f *frame) shows(t *catalog.Table) bool {
	return f.over == t || slices.ContainsFunc(f.groups, func(g group) bool { return g.table == t }) ||
		slices.ContainsFunc(f.outs, func(o out) bool { return o.table == t && o.fn == "" })
}

// dateOptions are the date columns nearest to a table: its own, else those of
// the tables its rows point to. With year, columns that hold a year count as well.
func (x *lexicon) dateOptions(from *catalog.Table, year bool) []meaning {
	level := []*catalog.Table{from}
	seen := map[*catalog.Table]bool{from: true}
	for len(level) > 0 {
		var found []meaning
		for _, t := range level {
			for _, c := range t.Columns {
				if (temporal(c) || year && yearColumn(c)) && !semantic.OfBirth(c) {
					found = append(found, meaning{kind: aColumn, table: t, column: c, weight: 1})
				}
			}
		}
		if found != nil {
			return found
		}
		var next []*catalog.Table
		for _, t := range level {
			for _, s := range x.graph.next[t] {
				if s.up && !seen[s.to] {
					seen[s.to] = true
					next = append(next, s.to)
				}
			}
		}
		level = next
	}
	return nil
}

// passed are the dates of rows that lie between a table's and those of which something was said
// before a period: "customers that bought phones in 2026" may be of orders from then.
func (q *question) passed(f *frame, from *catalog.Table, p picks, year bool) (out []meaning) {
	for _, c := range f.conds {
		if c.op != "period" || c.col != nil {
			continue
		}
		for _, o := range f.conds {
			if o.col == nil || o.spoken >= c.spoken || p[o.col].table == from || q.ofStock(p[o.col]) {
				continue
			}
			for _, t := range q.x.graph.trees(from, []*catalog.Table{p[o.col].table}) {
				if many := t.many(); many != nil {
					out = append(out, q.x.dateOptions(many, year)...)
				}
			}
		}
	}
	return slices.DeleteFunc(out, func(m meaning) bool { return m.table == from })
}

// ofStock tells whether a stock is made of the column: "accounts with arr above 5 in 2026" asks for
// the metric, which knows its time, and not whether it was so at any.
func (q *question) ofStock(m meaning) bool {
	return slices.ContainsFunc(q.in.Semantic.Metrics, func(x *semantic.Metric) bool {
		return x.Additivity.Kind == "semi" && x.Table == m.table.Name && slices.Contains(semantic.Columns(x.Expr), m.column.Name)
	})
}

// yearColumn tells whether a column holds a year as a number or a text.
func yearColumn(c *catalog.Column) bool {
	return (numeric(c) || textual(c)) && slices.Contains(splitIdentifier(c.Name), "year")
}

// dateColumn is the date that a time group cuts into periods.
func (b *builder) dateColumn(g group) (meaning, error) {
	m, ok := b.dates[-1]
	if !ok || !temporal(m.column) {
		return meaning{}, unfit("there is no date to group by %s", g.unit)
	}
	return m, nil
}
