package planner

import (
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
)

// order adds the sorting.
func (b *builder) order() error {
	for _, o := range b.f.orders {
		var e plan.Expr
		switch {
		case o.label:
			e = b.plan.Select[0].Expr
		case o.out > 0:
			e = b.count(b.f.outs[o.out-1].table).Expr
		case o.metric != nil:
			e = plan.Expr{Metric: o.metric.Name}
			b.show(e)
		case o.count != nil:
			e = b.count(o.count).Expr
		case o.fn == "count":
			e = plan.Expr{Aggregate: &plan.Aggregate{Func: "count"}}
		case o.fn != "":
			m := b.picks[o.col]
			arg := column(m.table, m.column)
			e = plan.Expr{Aggregate: &plan.Aggregate{Func: o.fn, Arg: &arg}}
		default:
			m := b.picks[o.col]
			e = column(m.table, m.column)
			if b.f.limit > 0 && !b.aggregated() && b.shared(m.table) {
				if err := b.ofFirst(m, o.desc); err != nil {
					return err
				}
				continue
			}
			if b.f.limit > 1 && !b.aggregated() && b.f.subject != nil && b.tree.root != b.subject && m.table == b.tree.root {
				return unfit("rows of %s can come first with several of %s", b.subject.Name.Table, m.table.Name.Table)
			}
			if b.aggregated() && !hasItem(b.plan.Select, e) {
				return unfit("the groups can't be sorted by %s", m.column.Name)
			}
			if b.plan.Distinct && !hasItem(b.plan.Select, e) {
				return unfit("different values can't be sorted by %s", m.column.Name)
			}
		}
		key := plan.Order{Expr: &e, Desc: o.desc}
		if o.desc && b.f.limit > 0 {
			key.Nulls = "last"
		}
		b.plan.OrderBy = append(b.plan.OrderBy, key)
	}
	if len(b.f.orders) == 0 && len(b.f.groups) > 0 {
		b.inTime(b.f.groups[0])
	}
	return nil
}

// inTime puts an answer that is grouped by time first into time's order.
func (b *builder) inTime(g group) {
	if g.unit == weekday {
		d := dayNumber(column(b.dates[-1].table, b.dates[-1].column))
		b.plan.GroupBy = append(b.plan.GroupBy, d)
		b.plan.OrderBy = append(b.plan.OrderBy, plan.Order{Expr: &d})
		return
	}
	if g.unit != "" {
		b.plan.OrderBy = append(b.plan.OrderBy, plan.Order{Item: g.unit})
		return
	}
	if m := b.picks[g.col]; g.col != nil && m.column != nil && m.column.Type.Category == 'D' {
		e := column(m.table, m.column)
		b.plan.OrderBy = append(b.plan.OrderBy, plan.Order{Expr: &e})
	}
}

// shared tells whether several rows of the answer can belong to one row of the
// table: then the first of the table isn't the first of the answer.
func (b *builder) shared(t *catalog.Table) bool {
	for t != b.tree.root {
		for _, s := range b.tree.steps {
			if s.to == t {
				if !s.rel.OneToOne {
					return true
				}
				t = s.from
				break
			}
		}
	}
	return false
}

// show adds a measure that ranks the answer to its output.
func (b *builder) show(e plan.Expr) {
	for _, it := range b.plan.Select {
		if it.Expr.Metric == e.Metric {
			return
		}
	}
	b.plan.Select = append(b.plan.Select, plan.Item{Expr: e})
}
