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

// unknowable refuses what a sub-plan over restricted rows can't tell.
func (c *checker) unknowable(t *typed, what string) {
	if t.sub == nil {
		return
	}
	if r := c.restrictedRead(t.sub); r != nil {
		c.refuseNegation(t.at, what, r)
	}
}

// restrictedRead is the first restricted relation that a query reads; nil for none.
func (c *checker) restrictedRead(q *query) *rel {
	all := q.reads()
	if i := slices.IndexFunc(all, c.restricted); i >= 0 {
		return all[i]
	}
	return nil
}

func (c *checker) refuseNegation(at, what string, r *rel) {
	if slices.ContainsFunc(c.faults, func(f *Rejection) bool { return f.Code == CodeNegation && f.Path == at }) {
		return
	}
	f := c.faultf(stageGuarantee, CodeNegation, at, "%s over %s: %s, so that none is there can't be known", what, r.called(), r.partly())
	f.Hint = hintInstead(r)
}

// subtracted refuses a difference whose subtrahend is restricted.
func (c *checker) subtracted(q *query) {
	if q.set.op != "except" {
		return
	}
	for _, m := range q.set.members[1:] {
		if r := c.restrictedRead(m); r != nil {
			c.refuseNegation(c.base+"/set", "except", r)
			return
		}
	}
}
