package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
)

// apart takes a question that measures several tables by the same groups to a frame for
// each ("revenue and support conversations by region"); nil where it isn't one of those.
func (q *question) apart(f *frame) []frame {
	if f.drills() || f.limit > 0 || f.distinct || f.each || f.mostBy || len(f.linked)+len(f.orders) > 0 {
		return nil
	}
	var tables []*catalog.Table
	var out []frame
	lastOut := 0
	for _, o := range f.outs {
		t := o.table
		switch {
		case o.metric != nil:
			t = metricTable(q.in.Catalog, o.metric)
		case o.fn != "count" || t == nil:
			return nil
		}
		lastOut = max(lastOut, o.spoken)
		i := slices.Index(tables, t)
		if i < 0 {
			i = len(tables)
			tables = append(tables, t)
			one := *f
			one.outs, one.subject = nil, t
			out = append(out, one)
		}
		out[i].outs = add(out[i].outs, o)
	}
	if len(out) < 2 || slices.ContainsFunc(f.conds, func(c cond) bool { return c.spoken < lastOut }) {
		return nil // "completed orders and conversations": a condition of one of them
	}
	for i := range out {
		out[i].also = slices.DeleteFunc(slices.Clone(f.also), func(t *catalog.Table) bool { return t != tables[i] && slices.Contains(tables, t) })
	}
	return out
}

// across reads each frame by itself and puts the answers beside each other.
func (q *question) across(f frame, frames []frame) (out []reading, why []error) {
	var sets [][]reading
	for _, one := range frames {
		rs, errs := q.resolve(one)
		rs = slices.DeleteFunc(rs, func(r reading) bool { return restrictsByOthers(r.plan) })
		if len(rs) == 0 {
			return nil, append(errs, unfit("the conditions or groups don't fit all that is measured"))
		}
		sets = append(sets, rs)
	}
	for _, pick := range combinations(sets) {
		p, err := q.beside(pick)
		if err != nil {
			why = append(why, err)
			continue
		}
		key, err := planJSON(unnamed(p))
		if err != nil {
			return out, append(why, err)
		}
		cost := f.cost
		var said []string
		for _, r := range pick {
			cost, said = max(cost, r.cost), union(said, r.said)
		}
		out = append(out, reading{plan: p, key: key, cost: cost, f: f, said: said})
	}
	return out, why
}

// restrictsByOthers tells whether a plan keeps rows by whether others exist: what a
// condition means for the one measure need not be what it means for the other.
func restrictsByOthers(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Joins, func(j plan.Join) bool { return j.Kind != "inner" })
}

// combinations are all ways to take one reading of each set, up to maxChoices.
func combinations(sets [][]reading) [][]reading {
	out := [][]reading{nil}
	for _, set := range sets {
		var next [][]reading
		for _, before := range out {
			for _, r := range set {
				if len(next) < maxChoices {
					next = append(next, add(before, r))
				}
			}
		}
		out = next
	}
	return out
}

// beside is one plan of several that are grouped by the same things.
func (q *question) beside(readings []reading) (*plan.Plan, error) {
	var parts []*plan.Checked
	var groups, hidden int
	for i, r := range readings {
		p := *r.plan
		n := len(p.Select) - len(r.f.outs)
		if i > 0 && (n != groups || len(p.GroupBy) != hidden) {
			return nil, unfit("what is measured isn't grouped by the same")
		}
		groups, hidden = n, len(p.GroupBy)
		var keys []plan.Item
		for _, e := range p.GroupBy {
			keys = append(keys, plan.Item{Expr: e})
		}
		p.Select, p.GroupBy = slices.Concat(p.Select[:n], keys, p.Select[n:]), nil
		if i > 0 && !sameGroups(readings[0].plan, r.plan, n) {
			return nil, unfit("what is measured isn't grouped by the same")
		}
		checked, err := plan.Validate(&p, q.in.Context())
		if err != nil {
			return nil, err
		}
		parts = append(parts, checked)
	}
	whole, ok := plan.Across(parts, groups+hidden)
	if !ok {
		return nil, unfit("what is measured can't stand in one answer")
	}
	for _, it := range whole.Select[groups : groups+hidden] {
		whole.GroupBy = append(whole.GroupBy, it.Expr)
	}
	whole.Select = slices.Delete(whole.Select, groups, groups+hidden)
	for _, o := range readings[0].plan.OrderBy { // that of the groups in time
		if o.Expr != nil {
			o = plan.Order{Item: whole.Select[slices.IndexFunc(readings[0].plan.Select, func(it plan.Item) bool { return named(it.Expr) == named(*o.Expr) })].As}
		}
		whole.OrderBy = append(whole.OrderBy, o)
	}
	return whole, nil
}

// sameGroups tells whether two plans group by the same columns, or by the same periods of
// whatever dates each has.
func sameGroups(a, b *plan.Plan, n int) bool {
	for i := range n {
		x, y := a.Select[i].Expr, b.Select[i].Expr
		if x.Call != nil && y.Call != nil && x.Call.Func == y.Call.Func && x.Call.Unit == y.Call.Unit {
			continue
		}
		if named(x) == "" || named(x) != named(y) {
			return false
		}
	}
	return !slices.ContainsFunc(a.GroupBy, func(e plan.Expr) bool {
		return !slices.ContainsFunc(b.GroupBy, func(o plan.Expr) bool { return named(o) == named(e) })
	})
}
