package planner

import "slices"

// entity reads a table's name with the values in front of it: "completed
// orders". It becomes the subject where there is none, and the last of also.
func (p *parser) entity(s state) []state {
	if p.spent() {
		return nil
	}
	var out []state
	s.at = p.det(s.at)
	for _, h := range p.find(s.at, isTable) {
		for _, m := range h.meanings {
			n := s.about(m, s.at+h.n)
			out = append(out, n)
			out = append(out, p.compound(s, n)...)
		}
	}
	for _, n := range p.opposed(s) { // completed vs cancelled orders
		out = append(out, p.entity(n)...)
	}
	for _, h := range p.find(s.at, isValue) {
		if p.kind(s.at) == quoted {
			continue
		}
		n := state{at: s.at + h.n, f: s.f}
		n.f.conds = add(n.f.conds, cond{col: &mention{at: s.at, n: h.n, meanings: h.meanings}, op: "=", spoken: s.at})
		for _, e := range p.entity(n) {
			e.f.conds = slices.Clone(e.f.conds)
			c := &e.f.conds[len(s.f.conds)]
			col := *c.col
			col.near, c.col = last(e.f.also), &col
			out = append(out, e)
		}
	}
	return out
}

// about is s after words up to end that name a table.
func (s state) about(m meaning, end int) state {
	n := state{at: end, f: s.f}
	n.f.also = add(n.f.also, m.table)
	n.f.near = m.table
	n.f.cost += 1 - m.weight
	if n.f.subject == nil {
		n.f.subject = m.table
	}
	return n.names(m)
}

// compound reads the rest of a name made of two tables' names: movie ratings
// are ratings, and every rating is of a movie.
func (p *parser) compound(s, n state) []state {
	var out []state
	for _, h := range p.find(n.at, isTable) {
		for _, m := range h.meanings {
			if !p.x.graph.adjacent(m.table, n.f.near) {
				continue
			}
			out = append(out, s.about(m, n.at+h.n))
		}
	}
	return out
}
