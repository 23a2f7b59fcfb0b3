package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// countedAs is what a follow-up is read with: a number of rows of the last plan's first table,
// or its metric of several tables, whose dates are not that table's; and how people say it.
func (a *amendment) countedAs(root *catalog.Table) (words string, o out) {
	for _, it := range a.plan.Select {
		if m := metricNamed(a.in.Semantic, it.Expr.Metric); drilled(m) {
			return spokenName(m.Name), out{metric: m}
		}
	}
	return "how many " + spoken(root), out{fn: "count", table: root}
}

// overAll tells whether a plan is of all rows of what it measures, whichever table it is over.
func (a *amendment) overAll(p *plan.Plan) bool {
	_, o := a.countedAs(nil)
	if o.metric == nil || len(p.Joins) > 0 {
		return false
	}
	var all []plan.Expr
	for _, it := range p.Select {
		all = append(all, it.Expr)
	}
	if p.Where != nil {
		all = append(all, *p.Where)
	}
	return !slices.ContainsFunc(append(all, p.GroupBy...), func(e plan.Expr) bool {
		return slices.ContainsFunc(columnsIn(e), func(name string) bool { return name != metricTime.column.Name })
	})
}

func metricNamed(m *semantic.Model, name string) *semantic.Metric {
	if m == nil {
		return nil
	}
	return m.Metric(name)
}
