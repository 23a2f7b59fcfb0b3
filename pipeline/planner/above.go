package planner

// measuredAbove reads "with arr above 50000", "with arr of at least 50000": rows of which a registered measure is more than a
// number. Those that have less of it may have none, and be in no row of it.
func (p *parser) measuredAbove(s state, i int) []state {
	if s.f.subject == nil {
		return nil
	}
	var out []state
	for _, h := range p.find(p.det(i), isMetric) {
		at := p.det(i) + h.n
		at += p.oneOf(at, [][]string{{"of"}})
		op, k := p.comparison(at)
		if op != ">" && op != ">=" || p.kind(at+k) != number {
			continue
		}
		for _, m := range h.meanings {
			if drilled(m.metric) || m.table == s.f.subject {
				continue
			}
			n := state{at: at + k + 1, f: s.f}
			n.f.linked = add(n.f.linked, linked{table: m.table, kind: "having", metric: m.metric, op: op, count: p.toks[at+k].num, at: i})
			n.f.cost += p.cutsMetric(p.det(i), h.n)
			out = append(out, n.names(m))
		}
	}
	return out
}
