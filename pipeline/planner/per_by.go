package planner

import (
	"slices"
)

// rated is the other reading of "revenue per customer by region", where a customer has one region:
// not each customer's revenue beside its region, but the rate for each region.
func (q *question) rated(f frame) (frame, bool) {
	if len(f.groups) != 2 || f.figure != nil || !f.figures() || !q.parser.aggregates(f) {
		return f, false
	}
	per, by := f.groups[0], f.groups[1]
	if per.table == nil || by.col == nil || !q.parser.behind(per.at, "per") || !q.parser.behind(by.at, "by") {
		return f, false
	}
	above := q.x.graph.above(per.table)
	if !slices.ContainsFunc(by.col.meanings, func(m meaning) bool { _, ok := above[m.table]; return ok }) {
		return f, false
	}
	f.groups = []group{by}
	f.figure = &figure{kind: "mean", at: per.at, word: "average", per: &per}
	return f, true
}

// behind tells whether a word stands before i, an article aside.
func (p *parser) behind(i int, w string) bool { return p.is(i-1, w) || p.is(i-2, w) && p.det(i-1) == i }
