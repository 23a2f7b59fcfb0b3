package planner

import "slices"

// howMany reads "how many X" and "count X".
func (p *parser) howMany(s state) []state {
	i := s.at
	switch {
	case p.is(i, "how", "many"):
		i += 2
	case p.is(i, "how", "much"):
		return p.items(state{at: p.det(i + 2), f: s.f}, 0)
	case p.is(i, "count") && !p.is(i+1, "of"):
		i = p.det(i + 1)
		i += p.countIntro(i)
	case p.is(i, "in", "how", "many"):
		i += 3
	case p.is(i, "number") && !p.is(i+1, "of"):
		return nil
	default:
		return nil
	}
	return p.counted(state{at: p.det(i), f: s.f})
}

// anyThere reads "do we have accounts in Japan", "are there any orders": how many there are
// tells that, too.
func (p *parser) anyThere(s state) []state {
	n := p.oneOf(0, [][]string{{"do", "we", "have"}, {"are", "there"}, {"is", "there"}, {"were", "there"}, {"did", "we", "have"}})
	if n == 0 || s.at > n {
		return nil
	}
	var out []state
	for _, e := range p.entity(state{at: p.anyWord(n), f: s.f}) {
		e.f.outs = add(e.f.outs, out1(e, "count", false))
		out = append(out, e)
	}
	return out
}

// counted reads what is to be counted: rows of a table, or the different
// values of a column.
func (p *parser) counted(s state) []state {
	distinct := false
	i := s.at
	for distinctWords[p.low(i)] || determiners[p.low(i)] || p.low(i) == "total" {
		distinct = distinct || distinctWords[p.low(i)]
		i++
	}
	var out []state
	if n := p.oneOf(i, [][]string{{"them"}, {"of", "them"}, {"them", "are", "there"}, {"are", "there"}, {"there", "are"}}); n > 0 && s.f.subject != nil && len(s.f.outs) == 1 && s.f.outs[0].col != nil {
		t := state{at: i + n, f: s.f}
		if len(t.f.groups) == 0 {
			t.f.groups = add(t.f.groups, group{col: s.f.outs[0].col})
		}
		t.f.outs = add(t.f.outs, countOf(s.f.subject, i))
		out = append(out, t)
	}
	for _, e := range p.entity(state{at: i, f: s.f}) {
		e.f.outs = add(e.f.outs, out1(e, "count", distinct))
		e.f.cost += p.metricFirst(i, e.at)
		if amounts(last(e.f.also)) {
			e.f.cost += 0.2 // its rows say how many, they aren't the things
		}
		out = append(out, e)
	}
	for _, e := range p.fresh(state{at: i, f: s.f}) {
		e.f.outs = add(e.f.outs, out1(e, "count", distinct))
		out = append(out, e)
	}
	for _, h := range p.find(i, isColumn) {
		if len(p.find(i, isTable)) > 0 { // the things themselves, not where they are pointed to
			h = p.keep(h, func(m meaning) bool { return isColumn(m) && m.weight >= 0.9 && !isKey(m.table, m.column) })
		}
		if h.meanings == nil {
			continue
		}
		n := state{at: i + h.n, f: s.f}
		fn := "count"
		if !distinct && len(p.keep(h, isMeasure).meanings) > 0 {
			// "how many undergraduates": a column that counts them.
			h, fn = p.keep(h, isMeasure), "sumcount"
			if len(p.find(i, isTable)) == 0 {
				n.f.cost += 0.2
			}
		} else if !distinct {
			n.f.cost += 0.15
		}
		n.f.outs = add(n.f.outs, outCol(fn, fn == "count", i, h))
		out = append(out, n)
	}
	for _, h := range p.find(i, isCount) {
		n := state{at: i + h.n, f: s.f}
		n.f.outs = add(n.f.outs, outCol("sumcount", false, i, h))
		out = append(out, n)
	}
	for _, h := range p.find(i, isMetric) {
		out = append(out, p.metricItem(state{at: i, f: s.f}, h)...)
	}
	return out
}

// ownName is what a reading costs that passes over a better name at the same
// place: more than the margin by which readings are told apart.
const ownName = 0.15

// metricFirst is what it costs not to read a registered measure where its name
// stands: it is computed in its owner's way and no other.
func (p *parser) metricFirst(i, end int) float64 {
	for _, h := range p.find(i, isMetric) {
		if i+h.n == end {
			return ownName
		}
	}
	return 0
}

// cutsMetric is what it costs to read only n words of a registered measure's name: revenue per
// account is no revenue, where it is a measure itself.
func (p *parser) cutsMetric(i, n int) float64 {
	if slices.ContainsFunc(p.find(i, isMetric), func(h hit) bool { return h.n > n }) {
		return ownName
	}
	return 0
}

// countOf is a table's rows to be counted.
func countOf(t tableRef, at int) out { return out{fn: "count", table: t, spoken: at} }

// outCol is a column asked for.
func outCol(fn string, distinct bool, at int, h hit) out {
	return out{fn: fn, distinct: distinct, col: &mention{at: at, n: h.n, meanings: h.meanings}, spoken: at}
}

// out1 is a table's rows asked for: the last one the state mentions.
func out1(s state, fn string, distinct bool) out {
	return out{fn: fn, distinct: distinct, table: s.f.also[len(s.f.also)-1], spoken: s.at}
}
