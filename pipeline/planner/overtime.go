package planner

import (
	"errors"
	"slices"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// overTime reads "over all months", "across all the years": what is asked for is to be added
// up over time.
func (p *parser) overTime(s state) []state {
	if p.low(s.at) != "over" && p.low(s.at) != "across" {
		return nil
	}
	i := s.at + 1
	if p.low(i) != "all" {
		return nil
	}
	if i++; p.is(i, "of") {
		i++
	}
	i = p.det(i)
	if timeUnits[p.low(i)] == "" && timeUnits[p.toks[min(i, len(p.toks)-1)].stem] == "" && !p.is(i, "time") {
		return nil
	}
	s.f.overTime = true
	return []state{{at: i + 1, f: s.f}}
}

// addedUp is the plan that adds up over time what is a stock at each of its times. The
// validator has the last word on it, which is no: so the asker hears why, and what to ask.
func (b *builder) addedUp() {
	for i, it := range b.plan.Select {
		if it.Expr.Metric == "" {
			continue
		}
		m := b.semantic.Metric(it.Expr.Metric)
		if m == nil || m.Additivity.Kind != "semi" {
			continue
		}
		inner := *b.plan
		inner.Version, inner.OrderBy = 0, nil
		inner.Select = slices.Clone(b.plan.Select)
		t := metricTable(b.catalog, m)
		for _, over := range m.Additivity.NotOver {
			if c := t.Column(over); c != nil && !hasItem(inner.Select, column(t, c)) {
				inner.Select = append(inner.Select, plan.Item{Expr: column(t, c)})
			}
		}
		outer := &plan.Plan{Version: plan.Version, From: plan.Source{Plan: &inner, As: "each"}}
		for j, shown := range b.plan.Select {
			name := outputName(shown)
			e := plan.Expr{Column: plan.ColumnName("each", name)}
			if j == i {
				arg := e
				e = plan.Expr{Aggregate: &plan.Aggregate{Func: "sum", Arg: &arg}}
			}
			outer.Select = append(outer.Select, plan.Item{Expr: e, As: name})
		}
		b.plan = outer
		return
	}
}

// perTime puts beside a refused sum over time the question for its value at each time.
func (q *question) perTime(err error, f frame) error {
	var r *plan.Rejections
	if !errors.As(err, &r) || r.SQLState() != "PA006" || !f.overTime {
		return err
	}
	for _, o := range f.outs {
		if ask := q.atEachTime(o.metric); ask != "" {
			return &advised{Rejections: r, ask: ask}
		}
	}
	return err
}

// atEachTime is the question for a stock's value at each time; "" for what is none, or can't be asked so.
func (q *question) atEachTime(m *semantic.Metric) string {
	if m == nil || len(m.Additivity.NotOver) == 0 {
		return ""
	}
	return q.answerable(spokenName(m.Name) + " by " + spokenName(m.Additivity.NotOver[0]))
}
