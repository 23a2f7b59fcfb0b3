package plan

import "slices"

// unseen is such a relation among those that the query reads, for its rows that show
// the tie's values.
func (q *query) unseen(t tie) *rel {
	k := q.c.run
	if q.set != nil {
		return q.unseenInSet(t)
	}
	found := k.firstRestricted(q)
	if q.b.limit != nil || q.b.offset != nil {
		return found // what the cut takes away depends on other rows
	}
	for _, x := range q.c.rels {
		inner := tie{from: t.from, to: x}
		for i, name := range t.toColumns {
			for _, o := range q.b.items {
				if o.name == name && o.rel == x {
					inner.fromColumns, inner.toColumns = append(inner.fromColumns, t.fromColumns[i]), append(inner.toColumns, o.column.Name)
				}
			}
		}
		if len(inner.toColumns) == 0 {
			continue
		}
		if found = q.spread(inner); found == nil {
			return nil
		}
	}
	return found
}

// unseenInSet is for a set operation: a row is in it by what each of its plans finds.
func (q *query) unseenInSet(t tie) *rel {
	if q.c.given.Limit != nil || q.c.given.Offset != nil {
		return q.c.firstRestricted(q)
	}
	for _, m := range q.set.members {
		inner := tie{from: t.from, fromColumns: t.fromColumns}
		for _, name := range t.toColumns {
			i := slices.IndexFunc(q.columns, func(col *outColumn) bool { return col.name == name })
			inner.toColumns = append(inner.toColumns, m.columns[i].name)
		}
		if q.c.firstRestricted(m) == nil {
			continue
		}
		if r := m.unseen(inner); r != nil {
			return r
		}
	}
	return nil
}

// spread follows a tie into the block: of the relations there, joined to each other, all
// rows that belong to what it leads to must be visible.
func (q *query) spread(t tie) *rel {
	if r := q.c.unseen(t); r != nil {
		return r
	}
	return q.spreadFrom(t.to)
}

// spreadFrom goes on from a relation whose rows are known to be visible.
func (q *query) spreadFrom(start *rel) *rel {
	c := q.c
	reached := map[*rel]bool{start: true}
	for grown := true; grown; {
		grown = false
		for _, x := range c.rels {
			if x.parent == nil || reached[x] == reached[x.parent] {
				continue
			}
			step, next := x.joined(), x
			if reached[x] {
				step, next = step.reverse(), x.parent
			}
			if r := c.unseen(step); r != nil {
				return r
			}
			reached[next], grown = true, true
		}
	}
	return q.unseenInside()
}

// unseenInside is such a relation in the sub-plans of the block's expressions.
func (q *query) unseenInside() (found *rel) {
	look := func(t *typed) {
		if t != nil && found == nil {
			found = q.c.unseenIn(t)
		}
	}
	for _, r := range q.c.rels {
		look(r.where)
	}
	look(q.b.where)
	look(q.b.having)
	for _, o := range q.b.items {
		look(o.typed)
	}
	for _, key := range q.b.order {
		look(key.typed)
	}
	return found
}

// unseenIn is a relation of which an expression's sub-plans may miss rows that belong to a
// visible row of the block.
func (c *checker) unseenIn(t *typed) (found *rel) {
	t.walk(func(x *typed) {
		if x.sub != nil && found == nil {
			found = c.unseenSub(x)
		}
	})
	return found
}

// unseenSub is that of one sub-plan: its rows belong to the block's by the columns that it
// compares with the block's, and by the one that a value is looked for in.
func (c *checker) unseenSub(t *typed) *rel {
	found := c.firstRestricted(t.sub)
	if found == nil {
		return nil
	}
	// Whether nothing is in a list depends on all of it.
	if x := t.parts; (t.test == "in" || t.test == "not_in") && x[0].rel != nil && x[0].neverNull() {
		x := x[0]
		if r := t.sub.unseen(tie{x.rel, nil, []string{x.column.Name}, []string{t.sub.columns[0].name}}); r == nil {
			return nil
		}
	}
	if t.sub.b == nil || t.sub.b.where == nil {
		return found
	}
	for _, inner := range t.sub.correlations() {
		if found = t.sub.spread(inner); found == nil {
			return nil
		}
	}
	return found
}

// correlations are the ties by which a sub-plan's rows belong to those of the block around.
func (q *query) correlations() []tie {
	var out []tie
	for _, cond := range conjuncts(q.b.where) {
		if cond.expr.Op == nil || cond.expr.Op.Op != "=" {
			continue
		}
		own, there := cond.parts[0], cond.parts[1]
		if own.around != nil {
			own, there = there, own
		}
		if own.rel == nil || there.around == nil || there.around.rel == nil {
			continue
		}
		there = there.around
		i := slices.IndexFunc(out, func(t tie) bool { return t.from == there.rel && t.to == own.rel })
		if i < 0 {
			i, out = len(out), append(out, tie{from: there.rel, to: own.rel})
		}
		out[i].fromColumns, out[i].toColumns = append(out[i].fromColumns, there.column.Name), append(out[i].toColumns, own.column.Name)
	}
	return out
}

// firstRestricted is the first restricted relation that a query reads; nil for none.
func (k *run) firstRestricted(q *query) *rel {
	all := q.reads()
	if i := slices.IndexFunc(all, k.restricted); i >= 0 {
		return all[i]
	}
	return nil
}
