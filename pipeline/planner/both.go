package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
)

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
			r.f.named = add(left.f.named, right.f.named[len(s.f.named):]...)
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
	p := byKeys(plan.Plan{Set: &plan.Set{Op: op, Plans: plans}}, b.entities())
	key, err := planJSON(p)
	if err != nil {
		return nil, err
	}
	return []reading{{plan: p, key: key, cost: cost, f: b.f, said: b.readAs()}}, nil
}

// entities are the tables whose rows are asked for by what they are called, where two may
// be called alike: it's the rows that must have both, not their names.
func (b *builder) entities() []*catalog.Table {
	var out []*catalog.Table
	for _, o := range b.f.outs {
		t := o.table
		if m := b.picks[o.col]; o.col != nil && b.isLabel(m) {
			t = m.table
		}
		if t != nil && !b.f.distinct && !contains(out, t) && !b.x.calledOnce(t) {
			out = append(out, t)
		}
	}
	return out
}

// calledOnce tells whether no two rows of a table can be called alike.
func (x *lexicon) calledOnce(t *catalog.Table) bool {
	return slices.ContainsFunc(append(slices.Clone(t.Unique), t.PrimaryKey), func(key []string) bool {
		return len(key) > 0 && !slices.ContainsFunc(key, func(k string) bool {
			return !slices.ContainsFunc(x.labels[t], func(c *catalog.Column) bool { return c.Name == k })
		})
	})
}

// byKeys has a set operation tell rows apart by the keys of tables, and shows what was
// asked for.
func byKeys(set plan.Plan, of []*catalog.Table) *plan.Plan {
	var names []string
	for _, it := range set.Set.Plans[0].Select {
		names = append(names, outputName(it))
	}
	shown := len(names)
	for _, t := range of {
		for _, k := range t.PrimaryKey {
			e := column(t, t.Column(k))
			if hasItem(set.Set.Plans[0].Select, e) {
				continue
			}
			as := freeName(alias(t)+"_"+k, names)
			names = append(names, as)
			for i := range set.Set.Plans {
				set.Set.Plans[i].Select = add(set.Set.Plans[i].Select, plan.Item{Expr: e, As: as})
			}
		}
	}
	if len(names) == shown {
		set.Version = plan.Version
		return &set
	}
	out := &plan.Plan{Version: plan.Version, From: plan.Source{Plan: &set, As: "found"}}
	for _, n := range names[:shown] {
		out.Select = append(out.Select, plan.Item{Expr: plan.Expr{Column: plan.ColumnName("found", n)}})
	}
	return out
}

// freeName is a name that isn't among those taken.
func freeName(name string, taken []string) string {
	for slices.Contains(taken, name) {
		name += "_"
	}
	return name
}
