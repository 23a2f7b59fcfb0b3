package planner

import "github.com/pgask/pgask/pipeline/plan"

// bothSides reads "mountains higher than 5600 and mountains lower than 5200"
// behind "both": two kinds of rows that what is asked for must have.
func (p *parser) bothSides(s state) []state {
	if s.f.both[0] != nil || len(s.f.outs) == 0 {
		return nil
	}
	var out []state
	for _, left := range p.side(s, nil) {
		k := left.at
		if p.kind(k) == comma {
			k++
		}
		n := p.oneOf(k, [][]string{{"and"}, {"and", "also"}, {"but", "also"}, {"as", "well", "as"}})
		if n == 0 {
			continue
		}
		one := left.f.conds[len(s.f.conds):]
		from := s.f
		from.near = left.f.near
		for _, right := range p.side(state{at: k + n, f: from}, one) {
			r := right
			if len(right.f.also) == len(s.f.also) {
				r.f.outs, r.f.subject, r.f.also = left.f.outs, left.f.subject, left.f.also
			}
			r.f.both = [2][]cond{one, right.f.conds[len(s.f.conds):]}
			r.f.conds = s.f.conds
			r.f.cost += left.f.cost - s.f.cost
			for _, t := range left.f.also[len(s.f.also):] {
				if !contains(r.f.also, t) {
					r.f.also = add(r.f.also, t)
				}
			}
			out = append(out, r)
		}
	}
	return out
}

// side reads one of two kinds of rows: a table's name with conditions, or
// conditions alone. A value alone is one of the column that the first side spoke of.
func (p *parser) side(s state, first []cond) []state {
	var out []state
	have := len(s.f.conds)
	take := func(from state) {
		for _, c := range p.said(from, have, 2) {
			if len(c.f.conds) > have {
				out = append(out, c)
			}
		}
	}
	take(s)
	for _, e := range p.entity(state{at: p.anyWord(s.at), f: s.f}) {
		e.f.own(last(e.f.also))
		take(e)
	}
	if len(first) == 1 && first[0].col != nil {
		out = append(out, p.compared(s, first[0].col, false)...)
	}
	return out
}

// split makes a set operation of two plans of the frame: with the conditions of
// either side, or with and without those that no row may have.
func (b *builder) split(cost float64) ([]reading, error) {
	for _, o := range b.f.outs {
		if o.fn != "" || o.metric != nil {
			return nil, unfit("numbers over rows that must have both")
		}
	}
	if len(b.f.orders) > 0 || b.f.limit > 0 || len(b.f.groups) > 0 {
		return nil, unfit("an order of rows that must have both")
	}
	op, sides := "intersect", b.f.both
	if b.f.except != nil {
		op, sides = "except", [2][]cond{nil, b.f.except}
	}
	var plans []plan.Plan
	for _, conds := range sides {
		c := *b
		c.f.conds = add(b.f.conds, conds...)
		c.f.both, c.f.except = [2][]cond{}, nil
		rs, err := c.plans(cost)
		if err != nil {
			return nil, err
		}
		if len(rs) != 1 {
			return nil, unfit("%d ways to join what must have both", len(rs))
		}
		p := *rs[0].plan
		p.Version, p.Distinct = 0, false
		plans = append(plans, p)
	}
	p := &plan.Plan{Version: plan.Version, Set: &plan.Set{Op: op, Plans: plans}}
	key, err := planJSON(p)
	if err != nil {
		return nil, err
	}
	return []reading{{plan: p, key: key, cost: cost, f: b.f}}, nil
}
