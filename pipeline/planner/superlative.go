package planner

// superlative reads "with the highest price", "with the most orders", "whose
// age is the highest".
func (p *parser) superlative(s state) []state {
	n := p.oneOf(s.at, [][]string{{"whose"}, {"by"}, {"for"}, {"of"}})
	if n == 0 {
		return nil
	}
	return p.superlativeAt(state{at: s.at + n, f: s.f})
}

// superlativeAt reads "the highest price", "the most orders", "the oldest
// player".
func (p *parser) superlativeAt(s state) []state {
	k := p.det(s.at)
	var out []state
	if p.kind(k) == number && len(p.adjective(k+1)) > 0 { // the 5 oldest players
		s.f.limit = atoi(p.toks[k].num)
		k++
	}
	for _, a := range p.adjective(k) {
		for _, h := range p.find(k+a.n, isMeasure) { // the youngest age
			r := state{at: k + a.n + h.n, f: s.f}
			r.f.orders = add(r.f.orders, order{col: &mention{at: k, n: h.n, meanings: h.meanings}, desc: a.desc})
			out = append(out, p.ranked(r))
		}
		for _, e := range p.entity(state{at: k + a.n, f: s.f}) { // the oldest player
			col := *a.col
			col.owner = last(e.f.also)
			e.f.orders = add(e.f.orders, order{col: &col, desc: a.desc})
			out = append(out, p.first(e, e.at))
		}
	}
	if p.is(k, "top") && p.kind(k+1) == number || p.kind(k) == number {
		top := p.is(k, "top")
		if top {
			k++
		}
		s.f.limit = atoi(p.toks[k].num)
		k++
		if _, more := superlatives[p.low(k)]; !more {
			if !top || s.f.limit == 0 {
				return out
			}
			k-- // the number stands where "highest" would
		}
	}
	desc, ok := superlatives[p.low(k)]
	if p.kind(k) == number {
		desc, ok = true, true
	}
	if !ok {
		return out
	}
	k++
	for _, r := range p.ranking(state{at: k, f: s.f}, desc) {
		if ordered(last(r.f.orders)) {
			out = append(out, p.ranked(r))
		}
	}
	if !manyWords[p.low(k-1)] {
		return out
	}
	for _, e := range p.entity(state{at: k, f: s.f}) {
		e.f.orders = add(e.f.orders, order{count: last(e.f.also), desc: desc})
		e.f.cost += p.metricFirst(k, e.at)
		if amounts(last(e.f.also)) {
			e.f.cost += 0.5 // the most degrees aren't the most rows
		}
		out = append(out, p.ranked(e))
	}
	for _, h := range p.find(k, isCount) {
		r := state{at: k + h.n, f: s.f}
		r.f.orders = add(r.f.orders, order{col: &mention{at: k, n: h.n, meanings: h.meanings}, desc: desc})
		out = append(out, p.ranked(r))
	}
	return out
}

// manyWords are superlatives of how many there are.
var manyWords = set("most", "fewest", "least")

// ranked cuts a ranking to the first where no number was given.
func (p *parser) ranked(s state) state {
	if s.f.limit == 0 {
		s.f.limit = 1
	}
	return s
}

// someRows is how many come first where several were asked for, but not how many.
const someRows = 10

// first cuts a ranking of what was named up to end where no number was given: to one, or to
// some where it was named in the plural: "what is the age of the oldest riders" is one age.
func (p *parser) first(s state, end int) state {
	if s.f.limit == 0 && !p.one(end-1) && p.low(1) != "is" {
		s.f.limit, s.f.several = someRows, true
	}
	return p.ranked(s)
}

// ordered narrows a ranking to columns that have a highest and a lowest; false
// where none is left.
func ordered(o order) bool {
	if o.col == nil {
		return true
	}
	var kept []meaning
	for _, m := range o.col.meanings {
		if isMeasure(m) || m.count {
			kept = append(kept, m)
		}
	}
	o.col.meanings = kept
	return kept != nil
}
