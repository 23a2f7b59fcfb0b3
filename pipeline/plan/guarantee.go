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
			c.absence(r, r.at, "anti join")
		}
		if r.where != nil {
			c.absentMembers(r.where, true)
		}
	}
	for _, cond := range []*typed{b.where, b.having} {
		if cond != nil {
			c.absentRows(cond)
			c.absentMembers(cond, true)
		}
	}
	for _, u := range c.sums {
		if u.filter != nil {
			c.absentMembers(u.filter, true)
		}
	}
	for _, o := range b.items {
		c.eitherWay(o.typed)
	}
	for _, k := range b.order {
		c.eitherWay(k.typed)
	}
}

// absence refuses "has none" over restricted rows, unless every row that
// could be there is visible where its partner is.
func (c *checker) absence(r *rel, at, what string) {
	for _, x := range c.rels {
		if x != r && !inside(x, r) || !c.restricted(x) || c.covered(x) {
			continue
		}
		f := c.faultf(stageGuarantee, CodeNegation, at,
			"%s over %s: you may see only some of its rows, so that none is there can't be known", what, x.called())
		if f.Hint = hintPresent; x.parent != nil {
			f.Hint = fmt.Sprintf("ask for the number of %s for each of %s instead: what you may see is counted",
				x.table.Name.Table, x.parent.table.Name.Table)
		}
	}
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

// restricted tells whether the asker sees only some rows of the relation, or of
// one that a derived block reads.
func (k *run) restricted(r *rel) bool {
	if r.query != nil {
		return slices.ContainsFunc(r.query.reads(), k.restricted)
	}
	_, ok := k.Access.Scoped[r.table.Name]
	return ok
}

// covered tells whether all rows of r that belong to a visible row of its
// parent are visible too: its rows follow that very parent, or both are cut by
// the same column, which the key holds equal.
func (c *checker) covered(r *rel) bool {
	if r.parent == nil || r.query != nil || r.parent.query != nil {
		return false
	}
	parent, own := r.parentColumns, r.ownColumns
	if f, ok := c.Access.Follows[r.table.Name]; ok && f.Parent == r.parent.table.Name && len(f.Columns) == len(own) {
		same := true
		for i := range own {
			same = same && f.Columns[own[i]] == parent[i]
		}
		if same {
			return true
		}
	}
	columns := c.Access.Scoped[r.table.Name]
	if len(columns) == 0 || !sameSet(columns, c.Access.Scoped[r.parent.table.Name]) {
		return false
	}
	for _, col := range columns {
		i := slices.Index(own, col)
		if i < 0 || parent[i] != col {
			return false
		}
	}
	return true
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// absentRows finds anti joins in disguise: a condition that holds where a left
// join found no restricted row.
func (c *checker) absentRows(cond *typed) {
	for _, t := range conjuncts(cond) {
		t.walk(func(x *typed) {
			if x.expr.Op == nil || !holdsForNone(x) {
				return
			}
			x.walk(func(y *typed) {
				if r := y.absentColumn(); r != nil {
					c.refuseNegation(x.at, "a test for a missing row", r)
				}
			})
			for r := range x.relations() {
				if r.nullable && r.host == nil && !r.added {
					c.absence(r, x.at, "a test for a missing row")
				}
			}
		})
	}
}

// holdsForNone tells whether an operator can be true of a row that isn't
// there: a null test, or a count compared from below.
func holdsForNone(x *typed) bool {
	counts := len(x.parts) > 0 && x.parts[0].standsForNone()
	switch x.expr.Op.Op {
	case "is_null":
		return true
	case "=", "<", "<=", "between", "in":
		return counts && len(x.parts) > 1 && reachesZero(x)
	case ">", ">=":
		last := x.parts[len(x.parts)-1]
		return last.measure != nil && last.measure.name == "count" || last.absentColumn() != nil
	}
	return false
}

// standsForNone tells whether a value can be that of a row that isn't there: a
// count, or what coalesce puts in its place.
func (t *typed) standsForNone() bool {
	found := false
	t.walk(func(x *typed) {
		found = found || x.measure != nil && x.measure.name == "count" || x.expr.Call != nil && x.expr.Call.Func == "coalesce" || x.absentColumn() != nil
	})
	return found
}

// reachesZero tells whether a count of none passes the comparison.
func reachesZero(x *typed) bool {
	if x.expr.Op.Op == "<" || x.expr.Op.Op == "<=" {
		return true
	}
	for _, p := range x.parts[1:] {
		if p.expr.Literal == nil || fmt.Sprint(p.expr.Literal.Value) == "0" {
			return true
		}
	}
	return false
}
