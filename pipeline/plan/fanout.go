package plan

import (
	"errors"
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/semantic"
)

// repairFanOuts gives the fan-outs of each block the one repair that measures
// everything at its own grain, where that is exact.
func (k *run) repairFanOuts(given *Plan) {
	for _, q := range k.queries {
		if q.b == nil || len(q.c.fanned) == 0 || slices.ContainsFunc(k.drilled, func(d *drilled) bool { return strings.HasPrefix(q.c.base+"/", d.base+"/") }) {
			continue
		}
		block, safe := q.c.unfanned(q.b)
		if block == nil {
			continue
		}
		if q.c.base == "" {
			block.Version, block.Reasoning = Version, given.Reasoning
		}
		repair := Repair{{"replace", q.c.base, block}}
		if !k.holds(repair, given, q.c.base) {
			continue
		}
		for _, f := range q.c.fanned {
			if f.Repair == nil || safe {
				f.Repair, f.Safe, f.Hint = repair, safe, ""
			}
		}
	}
}

// holds tells whether nothing is wrong below a place once the repair is made.
func (k *run) holds(repair Repair, given *Plan, base string) bool {
	mended, err := repair.Apply(given)
	if err != nil {
		return false
	}
	var r *Rejections
	_, err = validate(mended, k.Context, false)
	return err == nil || errors.As(err, &r) && !slices.ContainsFunc(r.All, func(f *Rejection) bool { return strings.HasPrefix(f.Path, base+"/") })
}

// leaf is a measure of a block that is taken apart: the relation at whose grain it
// is, and those that can be joined there without repeating its rows.
type leaf struct {
	key  string
	expr Expr
	at   *rel
	keep map[*rel]bool
}

// unfanned is the block with each measure in a part of its own, where the joins that
// would repeat its rows only ask whether a partner is there. Nil where that would not be
// the same rows; safe tells that nobody can have meant the repeated ones, as with a
// count: it may be the repetitions that somebody wants to know.
func (c *checker) unfanned(b *block) (p *Plan, safe bool) {
	if len(c.overWindow) > 0 || len(c.windows) > 0 || c.outer != nil || len(c.correlated) > 0 || !b.grouped {
		return nil, false
	}
	safe = true
	var leaves []*leaf
	for _, u := range c.sums {
		x := c.leafOf(u)
		if x == nil {
			return nil, false
		}
		safe = safe && (u.name != "count" || u.distinct || c.repeats(x.at) == nil)
		if !slices.ContainsFunc(leaves, func(y *leaf) bool { return y.key == x.key }) {
			leaves = append(leaves, x)
		}
	}
	var grains []*leaf
	for _, x := range leaves {
		if !slices.ContainsFunc(grains, func(y *leaf) bool { return y.at == x.at }) {
			grains = append(grains, x)
		}
	}
	if len(grains) == 1 {
		return c.alone(b, grains[0]), safe
	}
	return c.apart(b, grains, leaves), safe
}

// alone is the block at the grain of all its measures.
func (c *checker) alone(b *block, g *leaf) *Plan {
	p := c.part(b, g)
	if p == nil {
		return nil
	}
	out := c.canonical(b)
	out.From, out.Joins, out.Where = p.From, p.Joins, p.Where
	return out
}

// apart is the block with a part for each grain.
func (c *checker) apart(b *block, grains, leaves []*leaf) *Plan {
	var of []*Checked
	var keys []string // of the columns behind the groupings
	for _, g := range grains {
		part := c.part(b, g)
		if part == nil {
			return nil
		}
		for _, t := range b.groups {
			part.Select = append(part.Select, Item{Expr: t.expr})
		}
		for _, x := range leaves {
			if x.at == g.at {
				part.Select = append(part.Select, Item{Expr: x.expr})
				keys = append(keys, x.key)
			}
		}
		done, err := validate(part, c.Context, false)
		if err != nil {
			return nil
		}
		of = append(of, done)
	}
	whole, ok := Across(of, len(b.groups))
	if !ok {
		return nil
	}
	columns := map[string]Expr{}
	for i, it := range whole.Select {
		if i < len(b.groups) {
			columns[keyOf(b.groups[i])] = it.Expr
			continue
		}
		columns[keys[i-len(b.groups)]] = it.Expr
	}
	return c.outside(b, whole, columns)
}

// outside is the block over its parts: its own outputs, conditions on groups, order and cut.
func (c *checker) outside(b *block, whole *Plan, columns map[string]Expr) *Plan {
	over := func(e Expr) Expr {
		return substituted(e, func(x Expr) *Expr {
			if found, ok := columns[keyOf(&typed{expr: x})]; ok {
				return &found
			}
			m := c.Semantic.Metric(x.Metric)
			if m == nil || !m.Derived() {
				return nil
			}
			e := unfolded(m, func(base *semantic.Metric) Expr {
				found := columns[keyOf(&typed{expr: Expr{Metric: base.Name}})]
				if base.Counts() {
					return found
				}
				return orNone(base, found)
			})
			return &e
		})
	}
	full := c.canonical(b)
	p := &Plan{From: whole.From, Limit: full.Limit, Offset: full.Offset, Distinct: full.Distinct}
	for _, it := range full.Select {
		p.Select = append(p.Select, Item{Expr: over(it.Expr), As: it.As})
	}
	for _, t := range b.extra {
		p.GroupBy = append(p.GroupBy, over(t.expr))
	}
	if full.Having != nil {
		having := over(*full.Having)
		p.Having = &having
	}
	for _, o := range full.OrderBy {
		if o.Expr != nil {
			e := over(*o.Expr)
			o.Expr = &e
		}
		p.OrderBy = append(p.OrderBy, o)
	}
	return p
}

// leafOf finds the relation at whose grain a measure is; nil where there is none.
func (c *checker) leafOf(u *measureUse) *leaf {
	x := &leaf{key: keyOf(&typed{expr: u.expr}), expr: u.expr}
	if u.metric != nil {
		x.at, x.keep = u.rel, c.unrepeated(u.rel)
		return x
	}
	over := map[*rel]bool{}
	for _, t := range []*typed{u.arg, u.filter} {
		if t == nil {
			continue
		}
		for r := range t.relations() {
			over[r] = true
		}
	}
	if u.arg == nil || len(u.arg.relations()) == 0 {
		finest := c.finest()
		if len(finest) == 0 {
			return nil
		}
		over[finest[0]] = true
	}
	for _, r := range c.rels {
		if !over[r] {
			continue
		}
		x.at, x.keep = r, c.unrepeated(r)
		if all := !slices.ContainsFunc(c.rels, func(o *rel) bool { return over[o] && !x.keep[o] }); all {
			return x
		}
	}
	return nil
}

// unrepeated are the relations that can be joined to r without repeating its rows,
// r among them.
func (c *checker) unrepeated(r *rel) map[*rel]bool {
	keep := map[*rel]bool{r: true}
	for grown := true; grown; {
		grown = false
		for _, x := range c.rels {
			if x.host != nil || x.parent == nil || x.added {
				continue
			}
			switch {
			case keep[x.parent] && !keep[x] && x.toOne:
				keep[x], grown = true, true
			case keep[x] && !keep[x.parent] && x.fromOne:
				keep[x.parent], grown = true, true
			}
		}
	}
	return keep
}
