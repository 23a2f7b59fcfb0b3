package planner

import (
	"slices"
)

// valueCondition reads a value by itself, with its column's or its table's
// name behind it or not: "in EMEA", "the Sonoma county".
func (p *parser) valueCondition(s state, neg bool) []state {
	var out []state
	if !neg {
		out = p.opposed(s)
	}
	for _, h := range p.find(s.at, isValue) {
		k := s.at + h.n
		c := cond{col: &mention{at: s.at, n: h.n, meanings: h.meanings}, op: negated("=", neg), spoken: s.at}
		n := s.with(c, k)
		n.f.cost += 0.02
		if !p.ownColumn(s, h) {
			out = append(out, n)
		}
		as := k
		if p.is(k, "as") {
			as = p.det(k + 1)
		}
		for _, ch := range p.find(as, isColumn) {
			if m := narrowed(h.meanings, ch.meanings); m != nil {
				c.col = &mention{at: s.at, n: h.n, meanings: m}
				out = append(out, s.with(c, as+ch.n))
			}
		}
		for _, ch := range p.find(as, isTable) {
			if m := narrowedTable(h.meanings, ch.meanings); m != nil {
				c.col = &mention{at: s.at, n: h.n, meanings: m}
				out = append(out, s.with(c, as+ch.n))
			}
		}
		out = append(out, p.moreValues(s, h, k, neg)...)
	}
	return out
}

// ownColumn tells whether the words of a value, which other rows have, are also the name of a column
// of what is asked about: accounts with an email have an address, not a conversation by e-mail.
func (p *parser) ownColumn(s state, value hit) bool {
	own := func(m meaning) bool { return m.table == s.f.subject }
	return s.f.subject != nil && !slices.ContainsFunc(value.meanings, own) && slices.ContainsFunc(p.find(s.at, isColumn), func(h hit) bool {
		return h.n == value.n && slices.ContainsFunc(h.meanings, own)
	})
}

// moreValues reads "EMEA or APAC", and behind "not" also "EMEA and APAC".
func (p *parser) moreValues(s state, h hit, k int, neg bool) []state {
	vals := []value{{link: h.meanings}}
	for p.joins(k, neg) || p.kind(k) == comma && p.listEnds(k, neg) {
		if p.kind(k) == comma {
			k++
		}
		if p.joins(k, neg) {
			k++
		}
		hs := p.find(p.det(k), isValue)
		if len(hs) == 0 {
			return nil
		}
		vals = append(vals, value{link: hs[0].meanings})
		k = p.det(k) + hs[0].n
	}
	if len(vals) < 2 {
		return nil
	}
	var shared []meaning
	for _, m := range h.meanings {
		if inAll(vals, m) {
			shared = append(shared, m)
		}
	}
	if shared == nil {
		return nil
	}
	return []state{s.with(cond{col: &mention{at: s.at, n: h.n, meanings: shared}, op: negated("in", neg), vals: vals, spoken: s.at}, k)}
}

// inAll tells whether every value can be one of the meaning's column.
func inAll(vals []value, m meaning) bool {
	for _, v := range vals {
		if !slices.ContainsFunc(v.link, func(o meaning) bool { return o.column == m.column }) {
			return false
		}
	}
	return true
}

// narrowed keeps the values of the named columns.
func narrowed(values, columns []meaning) []meaning {
	var out []meaning
	for _, v := range values {
		if slices.ContainsFunc(columns, func(c meaning) bool { return c.column == v.column }) {
			out = append(out, v)
		}
	}
	return out
}

// narrowedTable keeps the values of the named tables' columns.
func narrowedTable(values, tables []meaning) []meaning {
	var out []meaning
	for _, v := range values {
		if slices.ContainsFunc(tables, func(c meaning) bool { return c.table == v.table }) {
			out = append(out, v)
		}
	}
	return out
}
