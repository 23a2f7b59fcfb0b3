package planner

// topItem reads "top 5 products" and "5 products": the limit, with the
// ranking to come.
func (p *parser) topItem(s state) []state {
	i := s.at
	if p.is(i, "top") || p.is(i, "first") && p.kind(i+1) == number || p.is(i, "bottom") {
		desc := !p.is(i, "bottom")
		if p.is(i, "first") {
			return nil
		}
		limit, k := int64(0), i+1
		if p.kind(k) == number {
			limit, k = atoi(p.toks[k].num), k+1
		} else if !desc {
			return nil
		}
		var out []state
		for _, n := range p.subjects(state{at: k, f: s.f}) {
			for _, g := range append(p.per(n), n) { // top 3 riders in each city by income
				for _, r := range p.rankedBy(g, desc) {
					r.f.limit = limit
					out = append(out, p.first(r, n.at))
				}
			}
		}
		return out
	}
	if p.kind(i) == number {
		var out []state
		for _, n := range p.subjects(state{at: i + 1, f: s.f}) {
			n.f.limit = atoi(p.toks[i].num)
			out = append(out, n)
		}
		return out
	}
	return nil
}

// subjects reads a table or a column that is to be ranked.
func (p *parser) subjects(s state) []state {
	var out []state
	for _, e := range p.entity(s) {
		e.f.outs = add(e.f.outs, out1(e, "", false))
		out = append(out, e)
	}
	for _, h := range p.find(s.at, isColumn) {
		n := state{at: s.at + h.n, f: s.f}
		n.f.outs = add(n.f.outs, outCol("", false, s.at, h))
		out = append(out, n)
	}
	return out
}

// rankedBy reads "by revenue", "with the highest price" and the like behind a
// "top N", with modifiers in between left to later rules.
func (p *parser) rankedBy(s state, desc bool) []state {
	var out []state
	if p.is(s.at, "by") || p.is(s.at, "in", "terms", "of") {
		k := s.at + 1
		if !p.is(s.at, "by") {
			k += 2
		}
		out = append(out, p.ranking(state{at: p.det(k), f: s.f}, desc)...)
	}
	return out
}

// ranking reads what rows are ranked by: a metric, a number of rows, an
// aggregate or a column.
func (p *parser) ranking(s state, desc bool) []state {
	var out []state
	i := s.at
	for _, h := range p.find(i, isMetric) {
		for _, m := range h.meanings {
			n := state{at: i + h.n, f: s.f}
			n.f.orders = add(n.f.orders, order{metric: m.metric, desc: desc})
			n.f.cost += p.cutsMetric(i, h.n)
			out = append(out, n.names(m))
		}
	}
	if n := p.oneOf(i, [][]string{{"count"}, {"number"}, {"counts"}, {"total"}}); n > 0 && p.countIntro(i) == 0 {
		for k, o := range s.f.outs {
			if o.fn == "count" && k == len(s.f.outs)-1 {
				r := state{at: i + n, f: s.f}
				r.f.orders = add(r.f.orders, order{out: k + 1, desc: desc})
				out = append(out, r)
			}
		}
	}
	if k := p.countIntro(i); k > 0 {
		for _, e := range p.entity(state{at: i + k, f: s.f}) {
			e.f.orders = add(e.f.orders, order{count: last(e.f.also), desc: desc})
			out = append(out, e)
		}
		for _, h := range p.find(p.det(i+k), isMeasure) {
			n := state{at: p.det(i+k) + h.n, f: s.f}
			n.f.orders = add(n.f.orders, order{col: &mention{at: i, n: h.n, meanings: h.meanings}, desc: desc})
			out = append(out, n)
		}
	}
	if fn, ok := aggregateWords[p.low(i)]; ok {
		for _, h := range p.find(p.det(i+1), isColumn) {
			n := state{at: p.det(i+1) + h.n, f: s.f}
			n.f.orders = add(n.f.orders, order{fn: fn, col: &mention{at: i + 1, n: h.n, meanings: h.meanings}, desc: desc})
			out = append(out, n)
		}
	}
	for _, h := range p.find(i, isColumn) {
		n := state{at: i + h.n + p.tail(i, h), f: s.f}
		n.f.orders = add(n.f.orders, order{col: &mention{at: i, n: h.n, meanings: h.meanings}, desc: desc})
		out = append(out, n)
	}
	return out
}

func atoi(s string) int64 {
	var n int64
	for _, r := range s {
		if r < '0' || r > '9' || n > 1<<40 {
			return 0
		}
		n = n*10 + int64(r-'0')
	}
	return n
}

// rankedItem reads "the oldest student", "the most common city".
func (p *parser) rankedItem(s state) []state {
	var out []state
	i := s.at
	limit := int64(0)
	if p.kind(i) == number {
		limit, i = atoi(p.toks[i].num), i+1
	}
	if n := p.oneOf(i, [][]string{{"most", "common"}, {"most", "frequent"}, {"least", "common"}, {"most", "popular"}, {"least", "popular"}, {"least", "frequent"}}); n > 0 {
		for _, h := range p.find(i+n, isColumn) {
			r := state{at: i + n + h.n, f: s.f}
			o := outCol("", false, i+n, h)
			r.f.outs = add(r.f.outs, o)
			r.f.groups = add(r.f.groups, group{col: o.col})
			r.f.orders = add(r.f.orders, order{fn: "count", desc: p.is(i, "most")})
			r.f.limit, r.f.mostBy = limit, true
			out = append(out, p.first(r, r.at))
		}
		return out
	}
	for _, a := range p.adjective(i) {
		for _, n := range p.subjects(state{at: i + a.n, f: s.f}) {
			n.f.orders = add(n.f.orders, order{col: a.col, desc: a.desc})
			n.f.limit = limit
			out = append(out, p.first(n, n.at))
		}
	}
	return out
}

// implied is a ranking or comparison that an adjective implies.
type implied struct {
	n    int
	col  *mention
	desc bool
}

// adjective reads oldest, cheapest, most expensive: the columns they can mean.
func (p *parser) adjective(i int) []implied {
	n, w := 1, p.low(i)
	if p.is(i, "most", "expensive") {
		n, w = 2, "priciest"
	}
	if p.is(i, "least", "expensive") {
		n, w = 2, "cheapest"
	}
	if p.is(i, "most", "recent") {
		n, w = 2, "latest"
	}
	a, ok := adjectives[w]
	if !ok {
		return nil
	}
	if col := p.impliedColumn(i, n, a.columns); col != nil {
		return []implied{{n: n, col: col, desc: a.desc}}
	}
	return nil
}

// impliedColumn are the numeric columns whose name holds one of the words.
func (p *parser) impliedColumn(at, n int, words []string) *mention {
	m := &mention{at: at, n: n}
	for _, w := range words {
		ph := p.x.byKey[stem(w)]
		if ph == nil {
			continue
		}
		for _, c := range ph.meanings {
			if isColumn(c) && (numeric(c.column) || temporal(c.column) || yearColumn(c.column)) && !isKey(c.table, c.column) {
				c.weight = max(c.weight, 0.9) // the word isn't the column's name anyhow
				m.meanings = append(m.meanings, c.as(p.toks[at:at+n]))
			}
		}
	}
	if m.meanings == nil {
		return nil
	}
	return m
}
