package plan

import "slices"

// partBuilder turns a block's joins into those of one of its parts.
type partBuilder struct {
	c    *checker
	g    *leaf
	plan *Plan
	// done are the relations that are in the plan, inside the top of the EXISTS that
	// each stands in; nil for those that are joined.
	done map[*rel]*rel
	// last is the join at which everything inside an EXISTS is known, by its top.
	last map[*rel]int
}

// part is the block's rows at the grain of a measure, without outputs: nil
// where the other joins don't only restrict them.
func (c *checker) part(b *block, g *leaf) *Plan {
	p := &partBuilder{c: c, g: g, plan: &Plan{Version: Version}, done: map[*rel]*rel{}, last: map[*rel]int{}}
	root := c.rels[0]
	if !g.keep[root] {
		root = g.at
		if slices.ContainsFunc(c.rels, func(r *rel) bool { return r.kind == "left" && !r.added || r.kind == "right" || r.kind == "full" }) {
			return nil // an outer join is read from its own side only
		}
	}
	p.plan.From = Source{As: root.alias}
	if root.query != nil {
		p.plan.From.Plan = root.query.canonical
	} else {
		p.plan.From.Table, p.plan.From.Search = TableName(root.table.Name), root.search.canonical()
	}
	p.done[root] = nil
	if root.where != nil { // of its own join, which is turned around
		p.plan.Where = and(p.plan.Where, root.where.expr)
	}
	if !p.joins() || !p.conditions(b) {
		return nil
	}
	return p.plan
}

// joins adds every relation next to one that is there already.
func (p *partBuilder) joins() bool {
	for grown := true; grown; {
		grown = false
		for _, x := range p.c.rels {
			if x.parent == nil || x.added {
				continue
			}
			_, hasChild := p.done[x]
			_, hasParent := p.done[x.parent]
			switch {
			case hasParent && !hasChild:
				if !p.join(x.parent, x, x.canonical()) {
					return false
				}
				grown = true
			case hasChild && !hasParent:
				if x.exists() || !p.join(x, x.parent, x.turned()) {
					return false
				}
				grown = true
			}
		}
	}
	return len(p.done) == len(slices.DeleteFunc(slices.Clone(p.c.rels), func(r *rel) bool { return r.added }))
}

// join adds r next to a relation that is there; one that repeats the measured rows goes into
// an EXISTS, or, where an outer join makes its presence no condition, nowhere.
func (p *partBuilder) join(to, r *rel, j Join) bool {
	top, inside := p.done[to], p.done[to] != nil
	switch {
	case to.exists() || r.exists() || to.host != nil: // as it stands
		if inside && r.exists() {
			return false // one EXISTS inside another isn't taken apart
		}
		p.done[r] = nil
		if inside {
			p.done[r] = top
		}
	case inside || !p.g.keep[r]:
		if !p.restricts(&j, top, r) {
			return false
		}
	default:
		p.done[r] = nil
	}
	if p.done[r] == dropped {
		return true
	}
	p.plan.Joins = append(p.plan.Joins, j)
	if top := p.done[r]; top != nil {
		p.last[top] = len(p.plan.Joins) - 1
	}
	return true
}

// dropped stands for the EXISTS of relations that are left out.
var dropped = &rel{}

// restricts puts a relation that repeats the measured rows into the EXISTS of top, or
// into one of its own.
func (p *partBuilder) restricts(j *Join, top, r *rel) bool {
	switch {
	case j.Kind == "left" && (top == nil || top == dropped):
		p.done[r] = dropped
	case j.Kind != "inner" || top == dropped:
		return false
	case top == nil:
		j.Kind = "semi"
		p.done[r] = r
	default:
		p.done[r] = top
	}
	return true
}

// turned is the join seen from the other side: its parent is what is joined.
func (r *rel) turned() Join {
	j := r.canonical()
	j.As, j.To, j.Kind, j.Where, j.Plan, j.Table = r.parent.alias, r.alias, "inner", nil, nil, ""
	j.Search = r.parent.search.canonical()
	if r.parent.query != nil {
		j.Plan = r.parent.query.canonical
	} else {
		j.Table = TableName(r.parent.table.Name)
	}
	j.Reverse = r.key != nil && !r.on && r.key.From == r.key.To && r.forward
	if r.parent.where != nil {
		j.Where = &r.parent.where.expr
	}
	return j
}

// conditions gives each of the block's conditions to what it is about: the rows, or one EXISTS.
func (p *partBuilder) conditions(b *block) bool {
	if b.where == nil {
		return true
	}
	for _, t := range conjuncts(b.where) {
		var top *rel
		for r := range t.relations() {
			at := p.done[r]
			if at == dropped || at != nil && top != nil && at != top {
				return false
			}
			if at != nil {
				top = at
			}
		}
		if top == nil {
			p.plan.Where = and(p.plan.Where, t.expr)
			continue
		}
		j := &p.plan.Joins[p.last[top]]
		j.Where = and(j.Where, t.expr)
	}
	return true
}

// and is both conditions; the first may be nil.
func and(first *Expr, second Expr) *Expr {
	if first == nil {
		return &second
	}
	args := []Expr{*first}
	if first.Op != nil && first.Op.Op == "and" {
		args = slices.Clone(first.Op.Args)
	}
	return &Expr{Op: &Op{Op: "and", Args: append(args, second)}}
}
