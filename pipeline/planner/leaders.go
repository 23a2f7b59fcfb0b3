package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/plan"
)

// leads tells whether a frame asks for the first of each group: the top 3 riders by income per
// plan, the cheapest model of each maker.
func (f *frame) leads() bool {
	if f.limit == 0 || len(f.orders) != 1 || len(f.groups) == 0 || f.mostBy || f.each || f.figure != nil || len(f.outs) != 1 || len(f.linked) > 0 || f.both[0] != nil || f.except != nil {
		return false
	}
	o := f.outs[0]
	return o.fn == "" && o.metric == nil && !slices.ContainsFunc(f.groups, func(g group) bool { return g.table != nil && g.table == o.table })
}

// leaders ranks what is listed within each group.
func (q *question) leaders(f frame) (out []reading, why []error) {
	by := f.orders[0]
	list := f
	list.orders, list.limit = nil, 0
	shown := by.metric != nil
	switch {
	case by.metric != nil:
		list.outs = add(f.outs, out1metric(by.metric, f.outs[0].spoken))
	case by.count != nil:
		list.outs = add(f.outs, countOf(by.count, f.outs[0].spoken))
	case by.col != nil && by.fn != "" && by.fn != "count":
		list.outs = add(f.outs, outOf(by.fn, by.col))
	case by.col != nil && by.fn == "" && !slices.ContainsFunc(f.groups, func(g group) bool { return g.col == nil }):
		list.groups, list.outs = nil, nil
		for _, g := range f.groups {
			list.outs = append(list.outs, outOf("", g.col))
		}
		list.outs = append(list.outs, f.outs[0], outOf("", by.col))
	default:
		return nil, []error{unfit("it isn't clear by what each group is ranked")}
	}
	rs, why := q.resolve(list)
	for _, r := range rs {
		p, err := lead(r, len(f.groups), by.desc, shown, f.limit)
		if err != nil {
			why = append(why, err)
			continue
		}
		w, err := worked(p, "the first "+howMany(f.limit)+"in each group of "+describe(r.plan), f, r)
		if err != nil {
			return out, append(why, err)
		}
		out = append(out, w)
	}
	return out, why
}

func outOf(fn string, m *mention) out { return out{fn: fn, col: m, spoken: m.at} }

func howMany(n int64) string {
	if n == 1 {
		return ""
	}
	return pad(int(n), 1) + " "
}

// lead is the plan of the first rows of each group, those that are equal to the last of them
// included.
func lead(r reading, groups int, desc, shown bool, limit int64) (*plan.Plan, error) {
	items := outer(r.plan, "each")
	n := len(items) - 1
	if n <= groups {
		return nil, unfit("it isn't clear what is ranked in each group")
	}
	var within []plan.Expr
	var order []plan.Order
	for _, it := range items[:groups] {
		within = append(within, it.Expr)
		order = append(order, plan.Order{Item: it.As})
	}
	by := items[n].Expr
	first := plan.Order{Expr: &by, Desc: desc, Nulls: "last"}
	ranked := &plan.Plan{From: plan.Source{Plan: nested(r.plan), As: "each"},
		Select: append(slices.Clone(items), plan.Item{As: "place", Expr: plan.Expr{Window: &plan.Window{Func: "rank", PartitionBy: within, OrderBy: []plan.Order{first}}}})}
	p := &plan.Plan{Version: plan.Version, From: plan.Source{Plan: ranked, As: "ranked"}}
	p.Select = outer(ranked, "ranked")
	place := p.Select[n+1].Expr
	if p.Select = p.Select[:n]; shown {
		p.Select = p.Select[:n+1]
	}
	cut := apply("<=", place, integer(int(limit)))
	p.Where = &cut
	p.OrderBy = append(order, plan.Order{Expr: &place})
	return p, nil
}
