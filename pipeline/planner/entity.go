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
			n := state{at: s.at + h.n, f: s.f}
			n.f.also = add(n.f.also, m.table)
			n.f.near = m.table
			n.f.cost += 1 - m.weight
			if n.f.subject == nil {
				n.f.subject = m.table
			}
			out = append(out, n.note(s.at, h.n, "table "+m.table.Name.Table))
			out = append(out, p.compound(s, n)...)
		}
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

// compound reads the rest of a name made of two tables' names: movie ratings
// are ratings, and every rating is of a movie.
func (p *parser) compound(s, n state) []state {
	var out []state
	for _, h := range p.find(n.at, isTable) {
		for _, m := range h.meanings {
			if !p.x.graph.adjacent(m.table, n.f.near) {
				continue
			}
			c := state{at: n.at + h.n, f: s.f}
			c.f.also = add(c.f.also, m.table)
			c.f.near = m.table
			c.f.cost += 1 - m.weight
			if c.f.subject == nil {
				c.f.subject = m.table
			}
			out = append(out, c.note(s.at, c.at-s.at, "table "+m.table.Name.Table))
		}
	}
	return out
}
