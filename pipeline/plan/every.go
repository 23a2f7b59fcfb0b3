package plan

import "slices"

// ofOneRow tells whether each group has one row of r at most, and that one is visible: the block
// is grouped by its key, or by that of a row which it belongs to.
func (c *checker) ofOneRow(r *rel) bool {
	return slices.ContainsFunc(c.rels, func(x *rel) bool {
		key := x.ownKey()
		if x.host != nil || x.added || len(key) == 0 || !c.unrepeated(x)[r] {
			return false
		}
		return !slices.ContainsFunc(key, func(column string) bool {
			return !slices.ContainsFunc(c.groups, func(g *typed) bool { return g.rel == x && g.column.Name == column })
		})
	})
}

// fewer are the relations whose hidden rows may make a group have fewer rows than there are: those that are
// joined, and those that a condition or a semi join looks for.
func (c *checker) fewer() []*rel {
	var out []*rel
	add := func(hidden *rel, of ...*rel) {
		if hidden != nil && slices.ContainsFunc(of, func(r *rel) bool { return !c.ofOneRow(r) }) {
			out = append(out, hidden)
		}
	}
	for _, r := range c.rels {
		switch {
		case r.parent == nil, r.kind == "right", r.kind == "full":
			if c.restricted(r) {
				add(r, r)
			}
		case r.host == nil:
			add(c.mayLack(r), r)
		default:
			add(c.mayLack(r), r.outermost())
		}
	}
	if c.where != nil {
		for _, cond := range conjuncts(c.where) {
			var of []*rel
			for r := range cond.relations() {
				of = append(of, r)
			}
			add(c.unseenIn(cond), of...)
		}
	}
	return out
}

// outermost is the relation of the outer block whose rows an EXISTS, in which r stands, is about.
func (r *rel) outermost() *rel {
	for r.host != nil {
		r = r.host.parent
	}
	return r
}

// amongHidden is what an aggregate gives where the rows that matter are hidden: a filter, an outer join or
// a part of a union finds none, all are so, none is so.
func (c *checker) amongHidden(u *measureUse, m missing) lack {
	r := m.hidden
	switch {
	case u.filter != nil:
		return overNone(u.name, r)
	case u.name == "bool_and":
		return lackOf(r, true)
	case u.name == "bool_or":
		return lackOf(r, false)
	case u.arg == nil:
	case m.part != nil && u.arg.rel == r:
		if hidden := r.query.partMayLack(m.part, u.arg.column.Name, c.groupedColumns(r)); hidden != nil {
			return overNone(u.name, hidden)
		}
	case slices.ContainsFunc(c.rels, func(x *rel) bool { return u.arg.relations()[x] && x.outerJoined() }):
		return overNone(u.name, r)
	}
	return lack{}
}

// everyRow refuses to show whether all rows, or none, are so, where only some can be seen.
func (c *checker) everyRow(t *typed) {
	t.walk(func(x *typed) {
		u := x.measure
		if u == nil || u.name != "bool_and" && u.name != "bool_or" {
			return
		}
		for _, m := range c.lacks() {
			if m.hidden == nil {
				continue
			}
			f := c.faultf(stageGuarantee, CodeNegation, u.at, "%s over %s: %s, so that all or none are so can't be known", u.name, m.hidden.called(), m.hidden.partly())
			f.Hint = "count those that are so: what you may see is counted"
			return
		}
	})
}
