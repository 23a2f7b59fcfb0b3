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

// amongHidden is what an aggregate gives where the rows that matter are hidden: a filter finds none, all
// are so, none is so.
func (u *measureUse) amongHidden(r *rel) lack {
	switch {
	case u.filter != nil:
		return emptied(u.name, r)
	case u.name == "bool_and":
		return lackOf(r, true)
	case u.name == "bool_or":
		return lackOf(r, false)
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
