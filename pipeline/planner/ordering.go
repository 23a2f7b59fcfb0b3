package planner

import "slices"

// ordering reads "ordered by X descending", "in alphabetical order", "from
// highest to lowest".
func (p *parser) ordering(s state) []state {
	i := s.at
	if p.is(i, "and") {
		i++
	}
	if out := p.thatFirst(state{at: p.det(i), f: s.f}); out != nil {
		return out
	}
	if p.is(i, "by") {
		if n, d, label := p.direction(i + 1); n > 0 && !label && p.is(i+1+n, "of") { // by ascending order of age
			return p.orderKeys(state{at: p.det(i + 2 + n), f: s.f}, d, true)
		}
	}
	desc, dir := false, false
	if p.is(i, "ranked") {
		desc = true // the first in rank has most
	}
	if n := p.oneOf(i, [][]string{{"ordered"}, {"sorted"}, {"order"}, {"sort"}, {"ranked"}, {"listed"}, {"arranged"}, {"order", "them"}, {"sort", "them"}, {"order", "the", "results"}, {"sort", "the", "results"}, {"order", "the", "result"}, {"sorting"}, {"ordering"}, {"in", "order"}, {"in", "the", "order"}, {"ordered", "by", "the", "order"}, {"sorted", "by", "the", "order"}}); n > 0 {
		i += n
	}
	if p.is(i, "alphabetically") {
		if !p.is(i+1, "by") {
			s.f.orders = add(s.f.orders, order{label: true})
			return []state{{at: i + 1, f: s.f}}
		}
		return p.orderKeys(state{at: p.det(i + 2), f: s.f}, false, true)
	}
	if n, d, label := p.direction(i); n > 0 {
		i, desc, dir = i+n, d, true
		if label && !p.is(i, "of") && !p.is(i, "by") {
			s.f.orders = add(s.f.orders, order{label: true, desc: desc})
			return []state{{at: i, f: s.f}}
		}
	}
	if p.is(i, "by") && i > s.at {
		if n, d, _ := p.direction(i + 1); n > 0 { // by descending price
			return p.orderKeys(state{at: p.det(i + 1 + n + p.oneOf(i+1+n, [][]string{{"of"}})), f: s.f}, d, true)
		}
	}
	if n := p.oneOf(i, [][]string{{"by"}, {"of"}, {"based", "on"}, {"according", "to"}, {"in", "terms", "of"}, {"on"}}); n > 0 && (i > s.at || s.f.sorting && len(s.f.orders) == 0) {
		i += n
	} else {
		return nil
	}
	return p.orderKeys(state{at: p.det(i), f: s.f}, desc, dir)
}

// thatFirst reads "the most expensive first" and "highest first".
func (p *parser) thatFirst(s state) []state {
	for _, a := range p.adjective(s.at) {
		if p.is(s.at+a.n, "first") {
			s.f.orders = add(s.f.orders, order{col: a.col, desc: a.desc})
			return []state{{at: s.at + a.n + 1, f: s.f}}
		}
	}
	desc, ok := superlatives[p.low(s.at)]
	if n := len(s.f.orders); ok && p.is(s.at+1, "first") && n > 0 {
		s.f.orders = slices.Clone(s.f.orders)
		s.f.orders[n-1].desc = desc
		return []state{{at: s.at + 2, f: s.f}}
	}
	return nil
}

// direction reads "in descending order", "ascending", "in alphabetical order";
// label tells that it is about the names.
func (p *parser) direction(i int) (n int, desc, label bool) {
	k := i
	if p.is(k, "in") || p.is(k, "from") {
		k++
	}
	if p.is(k, "the") || p.is(k, "a") || p.is(k, "an") {
		k++
	}
	label = false
	switch {
	case p.is(k, "descending"), p.is(k, "decreasing"), p.is(k, "desc"):
		desc, k = true, k+1
	case p.is(k, "ascending"), p.is(k, "increasing"), p.is(k, "asc"), p.is(k, "lexicographical"), p.is(k, "lexicographic"):
		label = p.is(k, "lexicographical") || p.is(k, "lexicographic")
		k++
	case p.is(k, "alphabetical"), p.is(k, "alphabetic"):
		label, k = true, k+1
	case p.is(k, "reverse", "alphabetical"):
		label, desc, k = true, true, k+2
	case p.is(k, "highest", "to", "lowest"), p.is(k, "largest", "to", "smallest"), p.is(k, "high", "to", "low"), p.is(k, "most", "to", "least"):
		return k + 3 - i, true, false
	case p.is(k, "lowest", "to", "highest"), p.is(k, "smallest", "to", "largest"), p.is(k, "low", "to", "high"), p.is(k, "least", "to", "most"):
		return k + 3 - i, false, false
	default:
		return 0, false, false
	}
	if p.is(k, "alphabetical") || p.is(k, "lexicographical") {
		label, k = true, k+1
	}
	if p.is(k, "order") {
		k++
	}
	return k - i, desc, label
}

// orderKeys reads what to sort by, and a direction behind it.
func (p *parser) orderKeys(s state, desc, dir bool) []state {
	if p.spent() {
		return nil
	}
	var out []state
	for _, r := range p.ranking(s, desc) {
		k := r.at
		d, has := desc, dir
		if n, dd, _ := p.direction(k); n > 0 && !has {
			k, d, has = k+n, dd, true
		}
		r.f.orders[len(r.f.orders)-1].desc = d
		done := state{at: k, f: r.f}
		out = append(out, done)
		if n := p.separator(k); n > 0 && len(r.f.orders) < 4 {
			out = append(out, p.orderKeys(state{at: p.det(k + n), f: r.f}, false, false)...)
		}
	}
	return out
}
