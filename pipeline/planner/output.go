package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
)

// output adds what is selected and grouped.
func (b *builder) output() error {
	var dims, measures []plan.Item
	keyed := map[*catalog.Table]bool{} // tables whose key is a grouping
	for _, g := range b.f.groups {
		if g.table != nil {
			keyed[g.table] = true
		}
	}
	aggregated := b.aggregated()
	for _, o := range b.f.outs {
		switch {
		case o.metric != nil:
			measures = append(measures, plan.Item{Expr: plan.Expr{Metric: o.metric.Name}})
		case o.fn == "count" && o.table != nil:
			measures = append(measures, b.count(o.table))
		case o.fn != "":
			e, err := b.aggregate(o)
			if err != nil {
				return err
			}
			measures = append(measures, e)
		case o.table != nil:
			items, err := b.label(o.table)
			if err != nil {
				return err
			}
			if aggregated {
				keyed[o.table] = true
			}
			dims = append(dims, items...)
		default:
			m := b.picks[o.col]
			dims = appendItem(dims, plan.Item{Expr: column(m.table, m.column)})
			if aggregated && (contains(b.f.also, m.table) || o.col.owner == m.table) && !b.inGroups(m) && !contains(b.measures, m.table) {
				keyed[m.table] = true
			}
		}
	}
	if !aggregated && !b.f.distinct && !slices.ContainsFunc(b.f.outs, func(o out) bool { return o.col == nil || !truth(b.picks[o.col].column) }) {
		return unfit("%s is true or false: it isn't said for what it is to be told", b.picks[b.f.outs[0].col].column.Name)
	}
	return b.grouped(dims, measures, keyed, aggregated)
}

// inGroups tells whether the column itself is a grouping.
func (b *builder) inGroups(m meaning) bool {
	for _, g := range b.f.groups {
		if g.col != nil && b.picks[g.col].column == m.column {
			return true
		}
	}
	return false
}

// grouped adds the groupings that weren't asked for by name, and the keys of the tables
// that are grouped by their rows.
func (b *builder) grouped(dims, measures []plan.Item, keyed map[*catalog.Table]bool, aggregated bool) error {
	asked := len(dims)
	var lead []plan.Item
	for _, g := range b.f.groups {
		switch {
		case g.unit != "":
			d, err := b.dateColumn(g)
			if err != nil {
				return err
			}
			lead = append(lead, plan.Item{As: g.unit, Expr: pieceOf(column(d.table, d.column), g.unit)})
		case g.col != nil:
			m := b.picks[g.col]
			if err := b.ofOneTime(m); err != nil {
				return err
			}
			if !hasItem(dims, column(m.table, m.column)) && !b.keyIn(dims, m) {
				lead = appendItem(lead, plan.Item{Expr: column(m.table, m.column)})
			}
			keyed[m.table] = keyed[m.table] || b.namesRows(m)
		default:
			if b.hasColumnOf(dims, g.table) {
				continue
			}
			items, err := b.label(g.table)
			if err != nil {
				return err
			}
			lead = append(lead, items...)
		}
	}
	if aggregated && asked > 0 && len(measures) > 0 && len(b.f.groups) == 0 && !b.f.each && len(b.f.orders) == 0 && b.having() == nil {
		if !b.countsBeside() {
			return unfit("it isn't said for what the numbers are to be worked out")
		}
	}
	b.plan.Select = append(append(lead, dims...), measures...)
	if len(b.plan.Select) == 0 {
		return unfit("nothing is asked for")
	}
	if aggregated {
		for _, t := range b.tree.tables() {
			if keyed[t] {
				if len(t.PrimaryKey) == 0 {
					return unfit("%s has no primary key", t.Name.Table)
				}
				for _, k := range t.PrimaryKey {
					e := column(t, t.Column(k))
					if !hasItem(b.plan.Select, e) {
						b.plan.GroupBy = append(b.plan.GroupBy, e)
					}
				}
			}
		}
		if len(measures) == 0 && len(b.plan.GroupBy) == 0 {
			for _, d := range b.plan.Select {
				b.plan.GroupBy = append(b.plan.GroupBy, d.Expr)
			}
		}
	}
	if (b.f.distinct || b.kinds()) && !aggregated {
		if m := b.picks[b.f.outs[0].col]; !b.f.distinct && numeric(m.column) && len(b.tree.steps) > 0 && !b.pinned(m.table) {
			return unfit("it isn't said how the %s of several rows is put together", m.column.Name)
		}
		b.plan.Distinct = true
	}
	b.name()
	return b.havingCount()
}

// namesRows tells whether groups by a column are groups by the rows that it names, of which
// two may be called alike; the rows themselves are counted by name.
func (b *builder) namesRows(m meaning) bool {
	return len(b.x.labels[m.table]) == 1 && b.isLabel(m) && len(m.table.PrimaryKey) > 0 && !b.f.mostBy && !b.f.distinct &&
		!contains(b.measures, m.table) && !b.x.calledOnce(m.table)
}

// keyIn tells whether what a key points to is among the items: its values are the same.
func (b *builder) keyIn(items []plan.Item, m meaning) bool {
	for _, f := range m.table.ForeignKeys {
		if to := b.catalog.Table(f.Ref); to != nil && len(f.Columns) == 1 && f.Columns[0] == m.column.Name {
			if c := to.Column(f.RefColumns[0]); c != nil && hasItem(items, column(to, c)) {
				return true
			}
		}
	}
	return false
}

func (b *builder) hasColumnOf(items []plan.Item, t *catalog.Table) bool {
	for _, o := range b.f.outs {
		if o.fn == "" && o.col != nil && b.picks[o.col].table == t || o.fn == "" && o.table == t {
			return true
		}
	}
	return false
}

// name gives outputs of the same name different ones.
func (b *builder) name() {
	seen := map[string]int{}
	for i := range b.plan.Select {
		it := &b.plan.Select[i]
		n := outputName(*it)
		seen[n]++
		if seen[n] == 1 {
			continue
		}
		if tableAlias, _, ok := cutByte(it.Expr.Column+it.Expr.Dimension, '.'); ok {
			it.As = trimQuotes(tableAlias) + "_" + n
		} else {
			it.As = n + "_" + string(rune('0'+seen[n]))
		}
	}
}

func trimQuotes(s string) string {
	if len(s) > 2 && s[0] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

func outputName(it plan.Item) string {
	switch {
	case it.As != "":
		return it.As
	case it.Expr.Metric != "":
		return it.Expr.Metric
	case it.Expr.Aggregate != nil:
		return it.Expr.Aggregate.Func
	case named(it.Expr) != "":
		_, c, _ := cutByte(it.Expr.Column+it.Expr.Dimension, '.')
		return trimQuotes(c)
	}
	return "column"
}

// label is what stands for a row of a table.
func (b *builder) label(t *catalog.Table) ([]plan.Item, error) {
	cols := b.x.labels[t]
	if cols == nil {
		return nil, unfit("no column says what a row of %s is called", t.Name.Table)
	}
	items := make([]plan.Item, len(cols))
	for i, c := range cols {
		items[i] = plan.Item{Expr: column(t, c)}
	}
	return items, nil
}

func appendItem(items []plan.Item, it plan.Item) []plan.Item {
	if hasItem(items, it.Expr) {
		return items
	}
	return append(items, it)
}

func hasItem(items []plan.Item, e plan.Expr) bool {
	for _, it := range items {
		if named(it.Expr) != "" && named(it.Expr) == named(e) {
			return true
		}
	}
	return false
}

// countsBeside tells whether what is listed beside a number of rows says for what
// they are counted: the rows of another table, or a column that several share.
func (b *builder) countsBeside() bool {
	if len(b.f.outs) < 2 || len(b.measures) != 1 || !b.countsOnly() {
		return false
	}
	counted := b.measures[0]
	for _, o := range b.f.outs {
		if o.fn != "" || o.table == counted {
			continue
		}
		if o.col != nil && b.picks[o.col].table == counted && (contains(b.f.also, counted) && b.isLabel(b.picks[o.col]) || isKey(counted, b.picks[o.col].column)) {
			return false
		}
	}
	return true
}

// kinds tells whether the values of one column are asked for as things of their own,
// without a word of the rows that hold them: "which classrooms are used by grade 5".
func (b *builder) kinds() bool {
	if b.f.subject != nil || len(b.f.also) > 0 || len(b.f.outs) != 1 || b.f.outs[0].col == nil || len(b.f.conds) == 0 || len(b.f.orders) > 0 {
		return false
	}
	m := b.picks[b.f.outs[0].col]
	return !b.isLabel(m) && !isKey(m.table, m.column)
}

// isLabel tells whether a column is what rows of its table are called by.
func (b *builder) isLabel(m meaning) bool {
	for _, c := range b.x.labels[m.table] {
		if c == m.column {
			return true
		}
	}
	return false
}
