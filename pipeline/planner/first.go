package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
)

// ofFirst restricts the rows to those of the rows of a table that come first, of which
// several share one: the cities of the county with the most people.
func (b *builder) ofFirst(m meaning, desc bool) error {
	if b.f.limit != 1 || len(b.f.orders) != 1 {
		return unfit("several rows share the one of %s that comes first", m.table.Name.Table)
	}
	var to *step
	for i, s := range b.tree.steps {
		if s.to == m.table {
			to = &b.tree.steps[i]
		}
	}
	if to == nil || !to.up || len(to.rel.ToColumns) != 1 || to.rel.From != to.from.Name || b.restricted(m.table) {
		return unfit("several rows share the one of %s that comes first", m.table.Name.Table)
	}
	as := alias(m.table) + "_all"
	by := columnAs(as, m.table, m.column)
	fn := "min"
	if desc {
		fn = "max"
	}
	first := plan.Plan{From: plan.Source{Table: plan.TableName(m.table.Name), As: plan.Ident(as)},
		Select: []plan.Item{{Expr: plan.Expr{Aggregate: &plan.Aggregate{Func: fn, Arg: &by}}}}}
	b.plan.Where = conjoin(b.plan.Where, plan.Expr{Op: &plan.Op{Op: "=", Args: []plan.Expr{column(m.table, m.column), {Plan: &first}}}})
	b.f.limit = 0
	return nil
}

// restricted tells whether a condition speaks of a table's rows.
func (b *builder) restricted(t *catalog.Table) bool {
	return slices.ContainsFunc(b.f.conds, func(c cond) bool { return c.any != nil || b.dateOf(c).table == t })
}
