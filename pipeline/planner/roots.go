package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
)

// tablesNeeded sorts the tables that a frame reads: those whose rows make the
// answer, and those that only restrict it.
func (b *builder) tablesNeeded() (needed, filters []*catalog.Table, err error) {
	take := func(t *catalog.Table) {
		if !contains(needed, t) {
			needed = append(needed, t)
		}
	}
	measure := func(t *catalog.Table) {
		take(t)
		if !contains(b.measures, t) {
			b.measures = append(b.measures, t)
		}
	}
	for _, o := range b.f.outs {
		switch {
		case o.metric != nil && b.f.drills(): // each brings its tables itself
		case o.metric != nil:
			measure(metricTable(b.catalog, o.metric))
		case o.table != nil && o.fn == "count":
			measure(o.table)
		case o.table != nil:
			take(o.table)
		case o.fn != "":
			measure(b.picks[o.col].table)
		default:
			take(b.picks[o.col].table)
		}
	}
	for _, g := range b.f.groups {
		switch {
		case g.col != nil:
			take(b.picks[g.col].table)
		case g.table != nil:
			take(g.table)
		default:
			if m, ok := b.dates[-1]; ok && m.table != metricTime.table {
				take(m.table)
			}
		}
	}
	for _, o := range b.f.orders {
		switch {
		case o.metric != nil && b.f.drills():
		case o.metric != nil:
			measure(metricTable(b.catalog, o.metric))
		case o.count != nil:
			measure(o.count)
		case o.col != nil && o.fn != "":
			measure(b.picks[o.col].table)
		case o.col != nil:
			take(b.picks[o.col].table)
		}
	}
	if h := b.having(); h != nil {
		measure(h.table)
	}
	filters = b.filterTables(needed)
	return needed, filters, b.allUsed(needed, filters)
}

func (b *builder) filterTables(needed []*catalog.Table) []*catalog.Table {
	var filters []*catalog.Table
	var visit func(conds []cond)
	visit = func(conds []cond) {
		for _, c := range conds {
			if c.any != nil {
				visit(c.any)
				continue
			}
			if t := b.dateOf(c).table; t != nil && t != metricTime.table && !contains(needed, t) && !contains(filters, t) {
				filters = append(filters, t)
			}
			for _, v := range c.vals {
				if t := b.picks[v.than].table; v.than != nil && !contains(needed, t) && !contains(filters, t) {
					filters = append(filters, t)
				}
			}
		}
	}
	visit(b.f.conds)
	return filters
}

// allUsed refuses a frame that names a table which takes no part in the answer.
func (b *builder) allUsed(needed, filters []*catalog.Table) error {
	for _, t := range b.f.also {
		if !contains(needed, t) && (!contains(filters, t) || b.onlyDated(t)) && !b.implied(t) {
			if contains(b.f.objects, t) {
				continue
			}
			return unfit("how %s take part in the answer isn't clear", t.Name.Table)
		}
	}
	return nil
}

// onlyDated tells whether nothing but a period that names no column is about the table, though
// something else is said: in "revenue of customers who bought bread in 2026" the year is that
// of the buying.
func (b *builder) onlyDated(t *catalog.Table) bool {
	about := func(c cond) bool { return c.col != nil && b.dateOf(c).table == t }
	other := func(c cond) bool { return c.any != nil || c.col != nil }
	return len(b.measures) > 0 && slices.ContainsFunc(b.f.conds, other) && !slices.ContainsFunc(b.f.conds, func(c cond) bool {
		return about(c) || slices.ContainsFunc(c.any, about)
	})
}

// implied tells whether a table that is named takes part already: each row that is counted
// belongs to one of its, or a list is of its rows.
func (b *builder) implied(t *catalog.Table) bool {
	if len(b.measures) == 0 {
		return t == b.subject
	}
	if contains(b.f.objects, t) || len(b.f.orders)+len(b.f.groups) > 0 {
		return false
	}
	for _, s := range b.x.graph.next[b.measures[0]] {
		if s.up && s.rel.From == b.measures[0].Name && s.to == t {
			return true
		}
	}
	return false
}

// trees are the ways to join what the frame needs, each from a root whose rows
// the other tables don't repeat where that matters.
func (b *builder) trees(needed, filters []*catalog.Table) ([]tree, error) {
	if b.f.drills() {
		return b.drillTrees(needed, filters)
	}
	if len(b.measures) > 1 {
		return nil, unfit("numbers over %s and %s don't fit in one answer", b.measures[0].Name.Table, b.measures[1].Name.Table)
	}
	if len(b.measures) == 1 {
		found := b.from(b.measures[0], needed, filters, b.countsOnly())
		if len(found) == 0 {
			return nil, unfit("joining what is asked for would count rows of %s more than once", b.measures[0].Name.Table)
		}
		return found, nil
	}
	// A list: the rows of the table that points to all others. The subject
	// restricts it if it takes no other part.
	var roots []*catalog.Table
	asked := needed
	if contains(needed, b.subject) {
		roots = append(roots, b.subject)
	} else if len(b.f.also) > 0 {
		needed = append(needed, b.subject)
		roots = append(roots, b.subject)
	}
	for _, t := range needed {
		if !contains(roots, t) {
			roots = append(roots, t)
		}
	}
	for _, r := range roots {
		if found := b.from(r, needed, filters, false); len(found) > 0 {
			return found, nil
		}
	}
	if len(asked) == 1 && len(needed) == 2 { // authors who belong to an institution, each once
		if found := b.from(asked[0], asked, add(filters, b.subject), false); len(found) > 0 {
			return found, nil
		}
	}
	return b.bridges(needed, filters)
}

// bridges tries tables between: students and courses meet in enrolments.
func (b *builder) bridges(needed, filters []*catalog.Table) ([]tree, error) {
	var all []tree
	for _, r := range b.x.tables {
		if !contains(needed, r) {
			all = append(all, b.from(r, needed, filters, false)...)
		}
	}
	if len(all) == 0 {
		return nil, unfit("no keys, declared or inferred, connect what is asked for")
	}
	return cheapest(all), nil
}

// countsOnly tells whether all numbers are counts of rows, which a repeated
// row doesn't spoil when keys are counted once.
func (b *builder) countsOnly() bool {
	if h := b.having(); h != nil && h.metric != nil {
		return false
	}
	for _, o := range b.f.outs {
		if o.metric != nil || o.fn != "" && o.table == nil {
			return false
		}
	}
	for _, o := range b.f.orders {
		if o.metric != nil || o.fn != "" {
			return false
		}
	}
	return len(b.measures[0].PrimaryKey) == 1
}

// from are the cheapest trees from a root. A needed table that would repeat
// the root's rows is not allowed, unless rows are counted by key.
func (b *builder) from(root *catalog.Table, needed, filters []*catalog.Table, repeat bool) []tree {
	wanted := append(needed[:len(needed):len(needed)], filters...)
	var out []tree
	for _, t := range b.x.graph.trees(root, wanted) {
		ok := !t.sideways()
		for _, n := range needed {
			ok = ok && (repeat || !t.fanOut(n))
		}
		if ok {
			out = append(out, t)
		}
	}
	return out
}

// sideways tells whether a tree goes from a row to the one it points to and from
// there to others that point to it: orders and tickets of the same customer
// have nothing to do with each other.
func (t tree) sideways() bool {
	for _, s := range t.steps {
		if s.up || s.from == t.root {
			continue
		}
		for _, before := range t.steps {
			if before.to == s.from && before.up && !before.rel.OneToOne {
				return true
			}
		}
	}
	return false
}

// semis are the tables of a tree that only restrict and could repeat rows:
// they go into EXISTS, with the tables on the way to them.
func semis(t tree, needed []*catalog.Table) map[*catalog.Table]bool {
	keep := map[*catalog.Table]bool{t.root: true}
	for _, n := range needed {
		for at := n; at != t.root; {
			keep[at] = true
			at = t.before(at)
		}
	}
	out := map[*catalog.Table]bool{}
	for _, s := range t.steps {
		if out[s.from] || !s.up && !keep[s.to] {
			out[s.to] = true
		}
	}
	return out
}

// before is the table from which a tree reaches another.
func (t tree) before(table *catalog.Table) *catalog.Table {
	for _, s := range t.steps {
		if s.to == table {
			return s.from
		}
	}
	return t.root
}
