package planner

import (
	"strings"
	"unicode"
)

var versusWords = [][]string{{"vs"}, {"versus"}, {"compared", "to"}, {"compared", "with"}, {"as", "compared", "to"}, {"in", "comparison", "to"}, {"against"}}

// opposite is how many words at i set what follows against what was said before; behind
// "compare" any that join will do.
func (p *parser) opposite(s state, i int) int {
	n := p.oneOf(i, versusWords)
	if n == 0 && s.f.comparing {
		n = p.oneOf(i, [][]string{{"and"}, {"with"}, {"to"}, {"between"}})
	}
	return n
}

// side is one of the periods that a number is compared over.
type side struct {
	period *period
	text   string
}

// versus reads "2025 vs 2026", "this month compared to last month", "in Q3 2026 versus the
// quarter before": a number of each of two periods.
func (p *parser) versus(s state) []state {
	if s.f.figure != nil || len(s.f.outs) != 1 {
		return nil
	}
	i := p.det(s.at + p.oneOf(s.at, periodIntros))
	one, n := p.sided(i, p.periodAt)
	if n == 0 {
		return p.seasons(s, i)
	}
	k := i + n
	m := p.opposite(s, k)
	if m == 0 {
		return nil
	}
	k = p.led(k + m)
	two, m := p.sided(k, func(i int) (*period, int) { return p.before(one.period, i) })
	if m == 0 {
		if two, m = p.sided(k, p.periodAt); m == 0 {
			return nil
		}
	}
	return []state{s.against(one, two, k+m)}
}

// led passes over what leads to a period.
func (p *parser) led(i int) int {
	i = p.det(i)
	return p.det(i + p.oneOf(i, periodIntros))
}

// against is s with a comparison of two sides, read up to a position.
func (s state) against(one, two side, at int) state {
	s.f.figure = &figure{kind: "versus", at: s.at, word: "comparison", sides: [2]side{one, two}, near: s.f.near}
	s.at = at
	return s
}

// seasons reads parts of one year, which is said of the second at most: Q2 vs Q3 2026. Else it is
// the last in which both have begun, and the columns say so.
func (p *parser) seasons(s state, i int) []state {
	first, n := p.season(i)
	m := p.opposite(s, i+n)
	if n == 0 || m == 0 {
		return nil
	}
	k := p.led(i + n + m)
	second, l := p.season(k)
	if l == 0 {
		return nil
	}
	year, y := p.yearOf(k + l)
	if y == 0 {
		year = min(p.begins(first), p.begins(second))
	}
	sideOf := func(part season, i, n int) side {
		return side{period: span(year, part.month, part.count), text: p.textOf(i, n) + " " + year}
	}
	return []state{s.against(sideOf(first, i, n), sideOf(second, k, l), k+l+y)}
}

// sided reads one side. It isn't moved to where the data ends: the other would be another
// one beside it.
func (p *parser) sided(i int, read func(int) (*period, int)) (side, int) {
	per, n := read(i)
	if n == 0 {
		return side{}, 0
	}
	fixed := *per
	fixed.relative = nil
	return side{period: &fixed, text: p.textOf(i, n)}, n
}

// inYear is how many of a unit a year has.
var inYear = map[string]int{"year": 1, "quarter": 4, "month": 12}

// before reads a period that is told by another one, which it lies before: the month before,
// the previous month, the same month last year.
func (p *parser) before(of *period, i int) (*period, int) {
	if of.lo == nil || of.hi == nil || of.lo.Date == nil || of.hi.Date == nil || of.hi.Date.Offset != of.lo.Date.Offset+1 {
		return nil, 0
	}
	unit, at := of.lo.Date.Unit, of.lo.Date.Offset
	switch {
	case p.is(i, unit, "before"), p.is(i, "previous", unit), p.is(i, "prior", unit):
		return whole(unit, at-1), 2
	case p.is(i, "same", unit, "last", "year"), p.is(i, "same", "period", "last", "year"):
		if n := inYear[unit]; n > 1 {
			return whole(unit, at-n), 4
		}
	}
	return nil, 0
}

// compares reads each side by itself and puts the numbers beside each other.
func (q *question) compares(f frame, fig figure) (found []reading, why []error) {
	f.outs = counting(f.outs)
	if o := f.outs[0]; o.fn == "" && o.metric == nil {
		return nil, []error{unfit("it isn't clear which number is to be compared")}
	}
	of := func(s side) frame {
		one := f
		one.conds = add(f.conds, cond{op: "period", period: s.period, spoken: fig.at, near: fig.near})
		return one
	}
	pairs, why := q.pairs(of(fig.sides[0]), of(fig.sides[1]))
	for _, pair := range pairs {
		p, err := q.beside(pair[:])
		if err != nil {
			why = append(why, err)
			continue
		}
		for i, s := range fig.sides {
			it := &p.Select[len(p.Select)-2+i]
			it.As = outputName(last(pair[i].plan.Select)) + "_" + slug(s.text)
		}
		r, err := worked(p, describe(pair[0].plan)+", and "+describe(pair[1].plan), f, pair[0], pair[1])
		if err != nil {
			return found, append(why, err)
		}
		found = append(found, r)
	}
	return found, why
}

// slug is a text as a part of a name.
func slug(s string) string {
	return strings.Join(strings.FieldsFunc(fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), "_")
}

// opposed reads "EMEA vs APAC", "completed vs cancelled": rows with either value of a column, of
// which each is a group.
func (p *parser) opposed(s state) []state {
	var out []state
	for _, h := range p.find(s.at, isValue) {
		k := s.at + h.n
		vals := []value{{link: h.meanings}}
		for n := p.opposite(s, k); n > 0; n = p.opposite(s, k) {
			next := p.det(k + n)
			next += p.oneOf(next, [][]string{{"in"}, {"for"}, {"from"}, {"of"}})
			hs := p.find(p.det(next), isValue)
			if len(hs) == 0 {
				break
			}
			vals = append(vals, value{link: hs[0].meanings})
			k = p.det(next) + hs[0].n
		}
		var shared []meaning
		for _, m := range h.meanings {
			if inAll(vals, m) {
				shared = append(shared, m)
			}
		}
		if len(vals) < 2 || shared == nil {
			continue
		}
		take := func(meanings []meaning, end int) {
			n := s.with(cond{col: &mention{at: s.at, n: h.n, meanings: meanings}, op: "in", vals: vals, spoken: s.at}, end)
			n.f.groups = add(n.f.groups, group{col: last(n.f.conds).col, at: s.at, opposed: true})
			out = append(out, n)
		}
		take(shared, k)
		for _, c := range p.find(k, isColumn) { // the plus and the basic plan
			if m := narrowed(shared, c.meanings); m != nil {
				take(m, k+c.n)
			}
		}
	}
	return out
}

// valued reads a metric with the value in front that it is of: EMEA revenue.
func (p *parser) valued(s state) []state {
	before := p.opposed(s)
	for _, h := range p.find(s.at, isValue) {
		if p.kind(s.at) != quoted {
			before = append(before, s.with(cond{col: &mention{at: s.at, n: h.n, meanings: h.meanings}, op: "=", spoken: s.at}, s.at+h.n))
		}
	}
	var out []state
	for _, n := range before {
		if len(p.find(n.at, isTable)) > 0 {
			continue // completed orders are rows
		}
		for _, h := range p.find(n.at, isMetric) {
			out = append(out, p.metricItem(n, h)...)
		}
	}
	return out
}
