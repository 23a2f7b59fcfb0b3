package plan

import (
	"fmt"
	"slices"
)

// qualify adds a sentence that every telling of the answer must carry.
func (k *run) qualify(format string, args ...any) {
	if q := fmt.Sprintf(format, args...); !slices.Contains(k.qualifiers, q) {
		k.qualifiers = append(k.qualifiers, q)
	}
}

// guarantee refuses what can't be known within the rows that the asker may
// see: that something isn't there.
func (c *checker) guarantee(q *query) {
	if q.set != nil {
		c.subtracted(q)
		return
	}
	b := q.b
	for _, r := range c.rels {
		if r.kind == "anti" {
			c.absence(r)
		}
		if r.where != nil {
			c.absentRows(r.where, r)
			c.absentMembers(r.where, true)
		}
	}
	for _, cond := range []*typed{b.where, b.having} {
		if cond != nil {
			c.absentRows(cond, nil)
			c.absentMembers(cond, true)
		}
	}
	for _, u := range c.sums {
		if u.filter != nil {
			c.absentRows(u.filter, nil)
			c.absentMembers(u.filter, true)
		}
	}
	for _, o := range b.items {
		c.eitherWay(o.typed)
		c.everyRow(o.typed)
	}
	for _, k := range b.order {
		c.eitherWay(k.typed)
	}
}

// absence refuses "has none" over restricted rows, unless every row that
// could be there is visible where its partner is.
func (c *checker) absence(r *rel) {
	for _, x := range c.rels {
		if x != r && !inside(x, r) {
			continue
		}
		if hidden := c.mayLack(x); hidden != nil {
			c.refuseNegation(r.at, "anti join", hidden)
		}
	}
}

// mayLack is a relation whose hidden rows may be why a join finds no row of r: its own, or
// those that the join's condition looks for; nil where there is none.
func (c *checker) mayLack(r *rel) *rel {
	if hidden := c.unseen(r.joined()); hidden != nil || r.where == nil {
		return hidden
	}
	return c.unseenIn(r.where)
}

// hintInstead is what can be asked instead of the absence of a row of r.
func hintInstead(r *rel) string {
	if r.parent == nil || r.query != nil || r.parent.query != nil {
		return "ask which are there: what you may see is shown"
	}
	return fmt.Sprintf("ask for the number of %s for each of %s instead: what you may see is counted", r.table.Name.Table, r.parent.table.Name.Table)
}

// inside tells whether x stands in the EXISTS of r.
func inside(x, r *rel) bool {
	for h := x.host; h != nil; h = h.parent.host {
		if h == r {
			return true
		}
	}
	return false
}

// restricted tells whether only some rows of the relation can be seen, or of one that a derived
// block reads: those that the asker may see, or that a search finds.
func (k *run) restricted(r *rel) bool {
	if r.search != nil {
		return true
	}
	if r.query != nil {
		return slices.ContainsFunc(r.query.reads(), k.restricted)
	}
	_, ok := k.Access.Scoped[r.table.Name]
	return ok
}

// absentRows finds anti joins in disguise: a condition that holds (or doesn't) where a
// restricted row is lacking. With except, that of a join, which has a row of it.
func (c *checker) absentRows(cond *typed, except *rel) {
	for _, m := range c.lacks() {
		if except == nil || !m.empty[except] {
			c.absentRow(cond, true, m)
		}
	}
}

func (c *checker) absentRow(t *typed, holds bool, m missing) {
	op := ""
	if t.expr.Op != nil {
		op = t.expr.Op.Op
	}
	switch {
	case op == "not":
		c.absentRow(t.parts[0], !holds, m)
	case op == "and" || op == "or":
		all := (op == "and") == holds
		if all && slices.ContainsFunc(t.parts, func(p *typed) bool { return !c.lacking(p, m).could(holds) }) {
			return
		}
		for _, p := range t.parts {
			c.absentRow(p, holds, m)
		}
	default:
		if v := c.lacking(t, m); v.of != nil && v.could(holds) {
			c.refuseNegation(t.at, "a test for a missing row", v.of)
		}
	}
}
