package gold

import (
	"fmt"
	"slices"

	"github.com/pgask/pgask/pipeline/plan"
)

// weighed is the plan, or the same with its repetitions said. Adding up a
// column whose rows the joins repeat is refused in a plan, as what nobody means.
// A statement that does so anyhow is a block that counts how often each value
// is there, and sums with that weight.
func (b *scope) weighed(p *plan.Plan) *plan.Plan {
	if len(p.GroupBy) > 0 || p.Having != nil || len(p.OrderBy) > 0 || !b.repeats(p.Select) {
		return p
	}
	const alias, weight = "v", "weight"
	times := plan.Expr{Column: plan.ColumnName(alias, weight)}
	block := &plan.Plan{From: p.From, Joins: p.Joins, Where: p.Where}
	outer := &plan.Plan{From: plan.Source{Plan: block, As: alias}}
	columns := map[string]string{}
	for _, i := range p.Select {
		a := i.Expr.Aggregate
		if columns[a.Arg.Column] == "" {
			columns[a.Arg.Column] = fmt.Sprintf("value_%d", len(columns)+1)
			block.Select = append(block.Select, plan.Item{Expr: *a.Arg, As: columns[a.Arg.Column]})
		}
		value := plan.Expr{Column: plan.ColumnName(alias, columns[a.Arg.Column])}
		outer.Select = append(outer.Select, plan.Item{Expr: *aggregateOf(a.Func, value, times), As: i.As})
	}
	block.Select = append(block.Select, plan.Item{Expr: plan.Expr{Aggregate: &plan.Aggregate{Func: "count"}}, As: weight})
	return outer
}

// aggregateOf is an aggregate of values that are there so many times.
func aggregateOf(name string, value, times plan.Expr) *plan.Expr {
	sum := plan.Expr{Aggregate: &plan.Aggregate{Func: "sum", Arg: op("*", value, times)}}
	switch name {
	case "sum":
		return &sum
	case "avg":
		return op("/", sum, plan.Expr{Aggregate: &plan.Aggregate{Func: "sum", Arg: &times, Filter: op("is_not_null", value)}})
	}
	return &plan.Expr{Aggregate: &plan.Aggregate{Func: name, Arg: &value}}
}

// repeats tells whether all items are aggregates of plain columns, and one of
// them adds up what the joins repeat.
func (b *scope) repeats(items []plan.Item) bool {
	found := false
	for _, i := range items {
		a := i.Expr.Aggregate
		if a == nil || a.Distinct || a.Arg == nil || a.Arg.Column == "" || a.Func == "count" {
			return false
		}
		r := b.rels[slices.IndexFunc(b.rels, func(r *rel) bool { return owns(r, a.Arg.Column) })]
		found = found || (a.Func == "sum" || a.Func == "avg") && r.repeated()
	}
	return found
}

func owns(r *rel, column string) bool {
	return slices.ContainsFunc(r.all(), func(i plan.Item) bool { return i.Expr.Column == column })
}
