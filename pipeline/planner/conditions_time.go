package planner

import "slices"

// periods reads a restriction to a span of time without naming its column.
func (p *parser) periods(s state) []state {
	if lightVerbs[p.low(s.at)] && s.at+1 < len(p.toks) {
		s.at++ // that happened in 2025
	}
	return p.periodConditions(s, nil)
}

// periodConditions reads "last month", "in 2025", "since 2026-01-01", "between
// … and …" about a column, or about whichever dates the rows have.
func (p *parser) periodConditions(s state, col *mention) []state {
	i := s.at
	op := ""
	not := p.oneOf(i, [][]string{{"not", "in"}, {"not", "during"}, {"not", "from"}})
	if _, n := p.namedPeriod(i + 1); n > 0 && p.is(i, "not") {
		not = 1
	}
	switch c, n := p.comparison(i); {
	case not > 0:
		i += not
	case n > 0 && slices.Contains([]string{"before", "after", "since", "until", "earlier", "later", "prior"}, p.low(i)):
		op, i = c, i+n
	default:
		i += p.oneOf(i, periodIntros)
	}
	i = p.det(i)
	if both, n := p.ranged(i); n > 0 {
		both.text = p.textOf(i, n)
		return []state{s.with(cond{col: col, op: "period", period: both, spoken: s.at, near: s.f.near}, i+n)}
	}
	per, n := p.periodAt(i)
	if n == 0 {
		return p.yearless(s, i, op, col)
	}
	if op != "" {
		per = bounded(per, op)
	}
	if op == "" && per.year != "" {
		if m := p.oneOf(i+n, [][]string{{"or", "later"}, {"or", "after"}, {"or", "afterwards"}, {"and", "later"}}); m > 0 {
			per, n = bounded(per, ">="), n+m
		} else if m := p.oneOf(i+n, [][]string{{"or", "earlier"}, {"or", "before"}}); m > 0 {
			per, n = bounded(per, "<="), n+m
		}
	}
	if not > 0 {
		per.not, per.relative = true, nil
	}
	return p.spanned(s, per, i+n, col)
}

// periodIntros lead to a period.
var periodIntros = [][]string{{"in"}, {"during"}, {"on"}, {"of"}, {"for"}, {"from"}, {"in", "the"}, {"during", "the"}, {"over", "the"}, {"within", "the"}, {"for", "the"}, {"made", "in"}, {"from", "the"}, {"of", "the"}}

// spanned adds the condition of a period that ends before a position.
func (p *parser) spanned(s state, per *period, end int, col *mention) []state {
	per.text = p.textOf(s.at, end-s.at)
	if col == nil && p.done(s.at) {
		return nil // riders that rented in 2026: when they did isn't when they came
	}
	if len(s.f.linked) > 0 && col == nil && s.f.linkedEnd == s.at {
		return nil // what the period is about, the rows or those they are linked to, isn't said
	}
	n := s.with(cond{col: col, op: "period", period: per, spoken: s.at, near: s.f.near}, end)
	if per.not {
		n.f.notEnd = end
	}
	return []state{n}
}

// done tells whether a verb stands before i that says what the rows did, and not what was done to
// them: riders that rented in 2026, but not films that were made in 2026.
func (p *parser) done(i int) bool {
	v := i - 1
	if preposition[p.low(v)] {
		v--
	}
	return p.relates(v) && relatives[p.low(v-1)] && len(p.acts(v)) == 0 && !p.dated(v)
}
