package plan

import "slices"

// absentMembers refuses tests that a value or row is not in a sub-plan over
// restricted rows: what isn't visible can't be known to be absent. Holds tells
// whether the condition must be true (or false) for the row to pass.
func (c *checker) absentMembers(t *typed, holds bool) {
	switch {
	case t.test != "":
		negated := t.test == "not_in" || t.test == "not_exists"
		if negated == holds {
			c.unknowable(t, "a test for absence")
		}
		for _, p := range t.parts {
			c.eitherWay(p)
		}
	case t.expr.Op != nil && (t.expr.Op.Op == "and" || t.expr.Op.Op == "or"):
		for _, p := range t.parts {
			c.absentMembers(p, holds)
		}
	case t.expr.Op != nil && t.expr.Op.Op == "not":
		c.absentMembers(t.parts[0], !holds)
	default:
		for _, p := range t.parts {
			c.eitherWay(p)
		}
	}
}

// eitherWay is for a test that counts whether it is true or false.
func (c *checker) eitherWay(t *typed) {
	if t.test != "" {
		c.unknowable(t, "a test for absence")
	}
	for _, p := range t.parts {
		c.eitherWay(p)
	}
}

// unknowable refuses what a sub-plan can't tell: its rows may be hidden where the
// block's are not.
func (c *checker) unknowable(t *typed, what string) {
	if t.sub == nil {
		return
	}
	if r := c.unseenSub(t); r != nil {
		c.refuseNegation(t.at, what, r)
	}
}

func (c *checker) refuseNegation(at, what string, r *rel) {
	if slices.ContainsFunc(c.faults, func(f *Rejection) bool { return f.Code == CodeNegation && f.Path == at }) {
		return
	}
	f := c.faultf(stageGuarantee, CodeNegation, at, "%s over %s: %s, so that none is there can't be known", what, r.called(), r.partly())
	f.Hint = hintInstead(r)
}

// subtracted refuses a difference of whose subtrahend rows may be hidden that equal
// visible ones.
func (c *checker) subtracted(q *query) {
	if q.set.op != "except" {
		return
	}
	first := q.set.members[0]
	for _, m := range q.set.members[1:] {
		if r := m.unseenAmong(first); r != nil {
			c.refuseNegation(c.base+"/set", "except", r)
			return
		}
	}
}

// unseenAmong is a relation of which rows may be hidden that would make rows equal to those of
// another plan.
func (q *query) unseenAmong(first *query) *rel {
	found := q.c.firstRestricted(q)
	if found == nil || first.b == nil {
		return found
	}
	for _, x := range first.c.rels {
		t := tie{from: x}
		for i, o := range first.b.items {
			if o.rel == x && o.neverNull() { // nulls are equal here, and tie nothing
				t.fromColumns, t.toColumns = append(t.fromColumns, o.column.Name), append(t.toColumns, q.columns[i].name)
			}
		}
		if len(t.toColumns) == 0 {
			continue
		}
		if found = q.unseen(t); found == nil {
			return nil
		}
	}
	return found
}
