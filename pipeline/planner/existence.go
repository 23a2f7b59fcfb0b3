package planner

import "strings"

// related reads a relative clause or a predicate about other rows: "without
// orders", "that have more than 5 orders", "who never filed a complaint",
// "taught by teachers", "with the most orders".
func (p *parser) related(s state) []state {
	var out []state
	for _, c := range p.clauses(s.at) {
		i := c.at
		if c.verb && c.at0 == s.at && strings.HasSuffix(p.low(s.at), "s") && len(s.f.outs) > 0 && last(s.f.outs).fn == "count" {
			continue // how many movie reviews: a noun
		}
		if c.verb {
			out = append(out, p.acted(s, c)...)
		}
		neg := c.neg
		if p.is(i, "no") || p.is(i, "not", "any") {
			if neg {
				continue // never no: who knows what that means
			}
			neg = true
			i++
		}
		if neg {
			out = append(out, p.absent(s, p.anyWord(i))...)
			if c.verb {
				out = append(out, p.absentValue(s, i)...)
			}
			continue
		}
		if c.verb && p.is(i-1, "by") && p.is(i-2, "shared") {
			out = append(out, p.bothSides(state{at: p.det(i), f: s.f})...)
		}
		if p.is(i, "both") {
			out = append(out, p.bothSides(state{at: i + 1, f: s.f})...)
			continue
		}
		out = append(out, p.counts(s, i)...)
		out = append(out, p.measuredAbove(s, i)...)
		out = append(out, p.superlativeAt(state{at: i, f: s.f})...)
		out = append(out, p.present(s, p.anyWord(i))...)
		if c.verb && (p.relates(c.at0) || len(p.acts(c.at0)) == 0) && p.saysMore(s, i) || c.pron && i >= len(p.toks) && len(s.f.also) > 1 {
			out = append(out, state{at: i, f: s.f})
		}
	}
	return out
}

// acted reads a verb that a table is called after: "that have never been loaned"
// where there are loans.
func (p *parser) acted(s state, c clause) []state {
	var out []state
	for _, m := range p.acts(c.at0) {
		t := m.table
		if s.f.subject == nil || s.f.subject == t || !p.x.graph.adjacent(t, s.f.subject) && !(c.neg && p.x.graph.oneWay(s.f.subject, t)) {
			continue
		}
		n := state{at: c.at0 + 1, f: s.f}.names(m)
		if c.neg {
			n.f.near = t
			n.f.linked = add(n.f.linked, linked{table: t, kind: "anti", at: c.at0})
			n.f.linkedEnd, n.f.notEnd = n.at, n.at
		} else {
			n.f.also, n.f.objects, n.f.near = add(n.f.also, t), add(n.f.objects, t), t
		}
		out = append(out, n)
	}
	return out
}

// saysMore tells whether a verb may be passed over: where more stands behind
// it, or where it repeats how things said before belong together.
func (p *parser) saysMore(s state, i int) bool {
	if i < len(p.toks) && p.kind(i) != stop {
		return true
	}
	before := p.low(i - 2)
	return auxiliaries[before] || pronouns[before] || len(s.f.also) > 1
}

// counts reads "more than 5 employees", "5 or more orders".
func (p *parser) counts(s state, i int) []state {
	if p.is(i, "only") || p.is(i, "just") {
		i++
	}
	if op, k := p.comparison(i); k > 0 && p.kind(i+k) == number {
		return p.countedRows(s, i+k+1, op, p.toks[i+k].num)
	}
	if p.kind(i) != number {
		return nil
	}
	op, k := "=", i+1
	switch {
	case p.is(k, "or", "more"), p.is(k, "or", "above"):
		op, k = ">=", k+2
	case p.is(k, "or", "less"), p.is(k, "or", "fewer"):
		op, k = "<=", k+2
	}
	return p.countedRows(s, k, op, p.toks[i].num)
}

// countedRows reads the rows of which there are so many.
func (p *parser) countedRows(s state, i int, op, count string) []state {
	var out []state
	for _, e := range p.entity(state{at: p.det(i), f: s.f}) {
		t := last(e.f.also)
		l := linked{table: t, kind: "having", op: op, count: count, at: i}
		if s.f.subject == nil || t == s.f.subject {
			// "cities with more than two stores": the values of a column.
			if len(e.f.outs) != 1 || e.f.outs[0].col == nil || len(e.f.groups) > 0 || e.f.outs[0].fn != "" {
				continue
			}
			e.f.groups = add(e.f.groups, group{col: e.f.outs[0].col})
			e.f.mostBy = true
			e.f.linked = add(e.f.linked, l)
			out = append(out, e)
			continue
		}
		l.conds = e.f.conds[len(s.f.conds):]
		e.f.conds = s.f.conds
		e.f.also = s.f.also
		if count == "0" && op != ">" && op != ">=" { // with 0 orders: without any
			l.kind = "anti"
			e.f.subject, e.f.near, e.f.notEnd = s.f.subject, t, e.at
		}
		e.f.linked = add(e.f.linked, l)
		e.f.linkedEnd = e.at
		out = append(out, e)
	}
	return out
}

// present reads rows that must exist. Where nothing else is said of them, they
// only have to be there.
func (p *parser) present(s state, i int) []state {
	if allWords[p.low(i)] && s.f.subject != nil {
		return nil // with all orders completed: some that are don't mean that all are
	}
	var out []state
	for _, e := range p.entity(state{at: p.det(i), f: s.f}) {
		t := last(e.f.also)
		if s.f.subject == nil || t == s.f.subject {
			if s.f.subject == nil && len(e.f.outs) == 1 && e.f.outs[0].col != nil && e.f.outs[0].fn == "" && p.listsTable(e.f.outs[0], t) {
				e.f.distinct = true // cities with a store
			}
			e.f.own(t)
			out = append(out, e)
			continue
		}
		if allWords[p.low(e.at)] || auxiliaries[p.low(e.at)] && allWords[p.low(e.at+1)] {
			continue // whose orders are all completed
		}
		e.f.own(t)
		e.f.objects = add(e.f.objects, t)
		e.f.linkedEnd = e.at
		out = append(out, e)
	}
	return out
}

// absent reads rows that must not exist, with what is said of them.
func (p *parser) absent(s state, i int) []state {
	var out []state
	for _, e := range p.entity(state{at: p.det(i), f: s.f}) {
		t := last(e.f.also)
		own := t == s.f.subject || s.f.subject == nil && len(s.f.outs) > 0 && s.f.outs[0].col != nil && p.listsTable(s.f.outs[0], t)
		l := linked{table: t, kind: "anti", at: i}
		for _, n := range p.said(e, len(s.f.conds), 2) {
			if own { // studios that have made no film in 2010: all but those that have
				if len(n.f.conds) > len(s.f.conds) && len(n.f.outs) > 0 && s.f.except == nil {
					n.f.except = n.f.conds[len(s.f.conds):]
					n.f.conds, n.f.notEnd = s.f.conds, n.at
					n.f.own(t)
					out = append(out, n)
				}
				continue
			}
			l.conds = n.f.conds[len(s.f.conds):]
			n.f.conds = s.f.conds
			n.f.also, n.f.subject = s.f.also, s.f.subject
			n.f.near = t
			n.f.linked = add(n.f.linked, l)
			n.f.linkedEnd, n.f.notEnd = n.at, n.at
			out = append(out, n)
		}
	}
	return out
}

// absentValue reads a value that no related row may have: "not reviewed by
// Jane Doe".
func (p *parser) absentValue(s state, i int) []state {
	listing := s.f.subject == nil && len(s.f.outs) == 1 && s.f.outs[0].col != nil && s.f.outs[0].fn == "" && s.f.except == nil
	if s.f.subject == nil && !listing {
		return nil
	}
	var out []state
	for _, c := range p.condition(state{at: i, f: s.f}, false) {
		own := c.f.conds[len(s.f.conds):]
		if len(own) == 0 || own[0].col == nil {
			continue
		}
		for _, m := range own[0].col.meanings {
			if m.table == s.f.subject || !one(own[0].col.meanings, m) {
				continue
			}
			n := c
			n.f.conds = s.f.conds
			if listing { // studios that never worked with that director
				if p.listsTable(s.f.outs[0], m.table) {
					n.f.except, n.f.notEnd = own, n.at
					out = append(out, n)
				}
				continue
			}
			n.f.near = m.table
			n.f.linked = add(n.f.linked, linked{table: m.table, kind: "anti", conds: own, at: i})
			n.f.linkedEnd, n.f.notEnd = n.at, n.at
			out = append(out, n)
		}
	}
	return out
}

// one tells whether a meaning is the first of its table's.
func one(list []meaning, m meaning) bool {
	for _, o := range list {
		if o.table == m.table {
			return o.column == m.column
		}
	}
	return false
}

// said reads up to so many conditions, each way to stop included.
func (p *parser) said(s state, have, more int) []state {
	out := []state{s}
	if more == 0 || p.spent() {
		return out
	}
	for _, c := range append(p.conditions(s), p.periods(s)...) {
		if c.at > s.at && len(c.f.conds) > have {
			out = append(out, p.said(c, len(c.f.conds), more-1)...)
		}
	}
	return out
}

// anyWord passes over any, a, some, at least one.
func (p *parser) anyWord(i int) int {
	return i + p.oneOf(i, [][]string{{"at", "least", "one"}, {"at", "least", "1"}, {"one", "or", "more"}, {"some"}, {"any"}, {"a"}, {"an"}, {"a", "single"}, {"any", "of"}, {"some", "of"}})
}
