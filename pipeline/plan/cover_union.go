package plan

import "slices"

// groupedColumns are the relation's columns by which the block groups.
func (c *checker) groupedColumns(r *rel) (out []string) {
	for _, g := range c.groups {
		if g.rel == r {
			out = append(out, g.column.Name)
		}
	}
	return out
}

// parts are those of a union.
func (r *rel) parts() []*query {
	if r.query == nil || r.query.set == nil || r.query.set.op != "union" {
		return nil
	}
	return r.query.set.members
}

// partMayLack is a relation whose hidden rows may be why a union has no value of the column in a group
// that others of its parts show: all others have none anyway. Nil where there is none.
func (q *query) partMayLack(part *query, column string, groups []string) *rel {
	place := func(name string) int {
		return slices.IndexFunc(q.columns, func(col *outColumn) bool { return col.name == name })
	}
	n := place(column)
	if slices.ContainsFunc(q.set.members, func(m *query) bool { return m != part && !m.alwaysNull(n) }) {
		return nil
	}
	var by []int
	for _, name := range groups {
		by = append(by, place(name))
	}
	return part.unseenInGroups(by)
}

// alwaysNull tells whether an output is the literal null.
func (q *query) alwaysNull(n int) bool {
	if q.b == nil {
		return false
	}
	literal := q.b.items[n].expr.Literal
	return literal != nil && literal.Value == nil
}

// unseenInGroups is a relation of which rows may be hidden that belong to the outputs in these places; nil
// where all are visible: none of the block's is hidden, or the outputs have the key of a row that brings all of its own.
func (q *query) unseenInGroups(places []int) *rel {
	found := q.c.firstRestricted(q)
	if found == nil || q.b == nil || q.b.limit != nil || q.b.offset != nil {
		return found
	}
	for _, x := range q.c.rels {
		shown := func(column string) bool {
			return slices.ContainsFunc(places, func(n int) bool { return q.b.items[n].rel == x && q.b.items[n].column.Name == column })
		}
		key := x.ownKey()
		if x.host != nil || len(key) == 0 || slices.ContainsFunc(key, func(column string) bool { return !shown(column) }) {
			continue
		}
		if found = q.spreadFrom(x); found == nil {
			return nil
		}
	}
	return found
}
