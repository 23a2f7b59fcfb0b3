package planner

// bestWords ask for the period with the most or the least of a number, true for the most.
var bestWords = map[string]bool{"best": true, "strongest": true, "worst": false, "weakest": false, "top": true, "bottom": false}

// bestPeriod reads "which month had the highest revenue", "the best month by revenue", "top 3 weeks
// by orders": periods that are ranked by a number.
func (p *parser) bestPeriod(s state) []state {
	i := s.at + p.oneOf(s.at, [][]string{{"in", "which"}, {"in", "what"}, {"on", "which"}})
	desc, best := bestWords[p.low(i)]
	limit := int64(1)
	if best {
		i++
		if p.kind(i) == number {
			limit, i = atoi(p.toks[i].num), i+1
		}
	}
	unit := timeUnits[p.low(i)]
	if unit == "" || adverbUnits[p.low(i)] != "" || limit < 1 || (p.low(i) == unit) != (limit == 1) {
		return nil
	}
	if len(p.find(i, isColumn)) > 0 {
		s.f.cost += ownName // the table's own month column is meant where it has one
	}
	k := i + 1
	if best {
		n := p.oneOf(k, [][]string{{"by"}, {"for"}, {"in", "terms", "of"}, {"based", "on"}})
		if n == 0 {
			return nil
		}
		return p.rankedPeriods(state{at: p.det(k + n), f: s.f}, unit, desc, limit)
	}
	n := p.oneOf(k, [][]string{{"had"}, {"has"}, {"with"}, {"saw"}, {"was"}, {"did", "we", "have"}, {"do", "we", "have"}})
	if n == 0 {
		return nil
	}
	k = p.det(k + n)
	desc, ok := map[string]bool{"most": true, "highest": true, "largest": true, "biggest": true, "greatest": true, "fewest": false, "lowest": false, "least": false, "smallest": false}[p.low(k)]
	if !ok {
		return nil
	}
	return p.rankedPeriods(state{at: k + 1 + p.countIntro(k+1), f: s.f}, unit, desc, 1)
}

// rankedPeriods reads the number that periods are ranked by.
func (p *parser) rankedPeriods(s state, unit string, desc bool, limit int64) []state {
	var out []state
	for _, n := range p.number(s) {
		o := last(n.f.outs)
		by := order{metric: o.metric, desc: desc}
		switch {
		case o.fn == "count":
			by.out = len(n.f.outs)
		case o.metric == nil:
			by.fn, by.col = o.fn, o.col
		}
		n.f.groups = add(n.f.groups, group{unit: unit})
		n.f.orders, n.f.limit = add(n.f.orders, by), limit
		out = append(out, n)
	}
	return out
}
