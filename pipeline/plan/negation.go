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
		if t.expr.Op != nil && emptyCount(t) {
			for _, p := range t.parts {
				c.unknowable(p, "a comparison with none")
			}
		}
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

// unknowable refuses what a sub-plan over restricted rows can't tell.
func (c *checker) unknowable(t *typed, what string) {
	if t.sub == nil {
		return
	}
	for _, r := range t.sub.reads() {
		if c.restricted(r) {
			c.refuseNegation(t.at, what, r)
			return
		}
	}
}

func (c *checker) refuseNegation(at, what string, r *rel) {
	if slices.ContainsFunc(c.faults, func(f *Rejection) bool { return f.Code == CodeNegation && f.Path == at }) {
		return
	}
	f := c.faultf(stageGuarantee, CodeNegation, at,
		"%s over %s: you may see only some of its rows, so that none is there can't be known", what, r.called())
	f.Hint = hintPresent
}

// hintPresent is what can be asked instead of an absence.
const hintPresent = "ask which are there: what you may see is shown"

// emptyCount tells whether a comparison holds where a sub-plan found nothing: its
// count is compared from below, or its value with null.
func emptyCount(t *typed) bool {
	last := len(t.parts) - 1
	if last < 0 {
		return false
	}
	isSub := func(p *typed) bool { return p.sub != nil && p.test == "" }
	switch t.expr.Op.Op {
	case "is_null":
		return isSub(t.parts[0])
	case "=", "<", "<=", "between", "in":
		return last > 0 && isSub(t.parts[0]) && t.parts[0].sub.counts() && reachesZero(t)
	case ">", ">=":
		return isSub(t.parts[last]) && t.parts[last].sub.counts()
	}
	return false
}

// counts tells whether the query gives a count.
func (q *query) counts() bool {
	return q.b != nil && len(q.b.items) == 1 && q.b.items[0].standsForNone()
}

// absent finds the restricted relation whose missing rows a value may stand for.
func (c *checker) absent(t *typed) (found *rel) {
	t.walk(func(x *typed) {
		if x.sub != nil {
			for _, r := range x.sub.reads() {
				if found == nil && c.restricted(r) {
					found = r
				}
			}
		}
		if x.rel == nil || found != nil {
			return
		}
		if x.rel.query != nil {
			found = x.rel.query.column(x.column.Name).absent
		}
		if found == nil && x.rel.nullable && !x.rel.added && c.restricted(x.rel) && !c.covered(x.rel) {
			found = x.rel
		}
	})
	return found
}

// absentColumn is what a derived block's column may stand for, where x is one.
func (t *typed) absentColumn() *rel {
	if t.rel == nil || t.rel.query == nil {
		return nil
	}
	return t.rel.query.column(t.column.Name).absent
}

// subtracted refuses a difference whose subtrahend is restricted.
func (c *checker) subtracted(q *query) {
	if q.set.op != "except" {
		return
	}
	for _, m := range q.set.members[1:] {
		for _, r := range m.reads() {
			if c.restricted(r) {
				c.refuseNegation(c.base+"/set", "except", r)
				return
			}
		}
	}
}
