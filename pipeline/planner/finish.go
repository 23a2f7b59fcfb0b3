package planner

import (
	"cmp"
	"slices"
)

// finish settles what only the whole question tells: rows listed "per" something are
// counted, by the metric of that name where there is one. Groups without any
// number are no reading.
func (p *parser) finish(f frame) (frame, bool) {
	if p.aggregates(f) && (len(f.groups) > 0 || f.each) {
		for _, o := range f.outs {
			if o.fn == "" && o.col != nil && !slices.ContainsFunc(o.col.meanings, func(m meaning) bool { return !isMeasure(m) }) && !f.groupsBy(o.col) {
				f.cost += ownName // a number beside a number over groups is one of them, too
			}
		}
	}
	if f.listing && p.aggregates(f) {
		return f, false
	}
	if opposed := slices.ContainsFunc(f.groups, func(g group) bool { return g.opposed }); opposed {
		f.groups = slices.Clone(f.groups) // behind those within which they are compared
		slices.SortStableFunc(f.groups, func(a, b group) int { return cmp.Compare(btoi(a.opposed), btoi(b.opposed)) })
	} else if f.comparing && f.figure == nil {
		return f, false
	}
	if at, _ := f.undated(); f.fresh != nil && len(at) == 0 && (f.figure == nil || f.figure.kind != "versus") {
		return f, false // new since when?
	}
	if len(f.groups) > 0 && p.aggregates(f) {
		f.outs = counting(f.outs)
	}
	if f.sortsBy() { // medicines by price, the dearest first
		f.groups = nil
	}
	if f.leads() || len(f.groups) == 0 || f.mostBy || p.aggregates(f) || len(f.orders) > 0 && last(f.orders).ranks() {
		return f, true
	}
	if len(f.outs) != 1 || f.outs[0].table == nil {
		return f, false
	}
	o := f.outs[0]
	o.fn = "count"
	f.outs = []out{o}
	return f, true
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// counting makes counts of the rows that are listed beside measures of groups: "revenue and
// support conversations by region".
func counting(outs []out) []out {
	if slices.ContainsFunc(outs, func(o out) bool { return o.col != nil && o.fn == "" }) {
		return outs
	}
	outs = slices.Clone(outs)
	for i, o := range outs {
		if o.table != nil && o.fn == "" {
			outs[i].fn = "count"
		}
	}
	return outs
}

// sortsBy tells whether what rows are listed by is what they are sorted by.
func (f *frame) sortsBy() bool {
	if len(f.groups) != 1 || f.groups[0].col == nil || len(f.orders) != 1 || f.orders[0].col == nil || len(f.outs) != 1 || f.outs[0].fn != "" || f.mostBy {
		return false
	}
	return slices.ContainsFunc(f.groups[0].col.meanings, func(m meaning) bool {
		return slices.ContainsFunc(f.orders[0].col.meanings, func(o meaning) bool { return o.column == m.column })
	})
}

// groupsBy tells whether a column that is asked for is a grouping.
func (f *frame) groupsBy(col *mention) bool {
	return slices.ContainsFunc(f.groups, func(g group) bool { return g.col == col || g.col != nil && g.col.at == col.at })
}
