package planner

import (
	"cmp"
	"math"
	"slices"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// signals are what a reading's confidence is worked out from: how loosely its words
// fit, and which of its parts people often mean otherwise.
type signals struct {
	cost float64 // as the reading's
	// joins are those that no metric's definition has anyway.
	joins int
	// exists: rows are listed that must have partners, each of them once.
	exists bool
	// ranked: groups are cut by a number of rows, which may be equal for several.
	ranked bool
	// counted: rows are counted once each where joins repeat them.
	counted bool
	// beside: numbers stand beside what wasn't said to be their grouping.
	beside bool
}

// signals are the signals of a reading.
func (r reading) signals() signals {
	p := cmp.Or(r.basis, r.plan)
	aggregated := len(p.GroupBy) > 0 || slices.ContainsFunc(p.Select, func(i plan.Item) bool { return i.Expr.Aggregate != nil || i.Expr.Metric != "" })
	return signals{
		cost:   r.cost,
		joins:  len(p.Joins) - r.f.defined(p),
		exists: !aggregated && slices.ContainsFunc(p.Joins, func(j plan.Join) bool { return j.Kind == "semi" }),
		ranked: aggregated && p.Limit != nil,
		counted: slices.ContainsFunc(p.Select, func(i plan.Item) bool {
			return i.Expr.Aggregate != nil && i.Expr.Aggregate.Func == "count" && i.Expr.Aggregate.Distinct
		}),
		beside: aggregated && len(r.f.groups) == 0 && len(r.f.outs) > 1,
	}
}

// defined counts the joins of a plan that lead to what its metrics' definitions read.
func (f *frame) defined(p *plan.Plan) (n int) {
	var metrics []*semantic.Metric
	for _, o := range f.outs {
		metrics = append(metrics, o.metric)
	}
	for _, o := range f.orders {
		metrics = append(metrics, o.metric)
	}
	for _, j := range p.Joins {
		if slices.ContainsFunc(metrics, func(m *semantic.Metric) bool {
			return m != nil && slices.ContainsFunc(m.Filters, func(x semantic.Filter) bool { return len(x.Path) > 0 && plan.TableName(x.Table) == j.Table })
		}) {
			n++
		}
	}
	return n
}

// confidence is how likely an answer is the right one: a logistic model whose weights
// are those of a regression over 900 answers to questions on 30 databases, rounded.
// What was asked for other databases was right as often as it says.
func (s signals) confidence() float64 {
	z := 3.5 - 1.5*s.cost - 0.5*float64(min(s.joins, 3))
	for _, doubt := range []struct {
		there  bool
		weight float64
	}{{s.exists, 0.5}, {s.ranked, 0.7}, {s.counted, 0.8}, {s.beside, 0.3}} {
		if doubt.there {
			z -= doubt.weight
		}
	}
	return 1 / (1 + math.Exp(-z))
}
