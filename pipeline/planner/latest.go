package planner

import (
	"time"

	"github.com/pgask/pgask/pipeline/plan"
)

// latest is a condition on a period that begins behind all dates that are known of the
// column: "this year" means the latest year in the data there, which the plan looks up
// anew whenever it runs. Where a question compares periods none is moved.
func (b *builder) latest(m meaning, col plan.Expr, per *period) (plan.Expr, bool) {
	if col.Column == "" || per.relative == nil || !temporal(m.column) || len(b.f.periods()) != 1 || !b.behind(m.column.Max, per.lo.Date) {
		return plan.Expr{}, false
	}
	p := *per.relative
	p.Column, p.Latest = col.Column, true
	return plan.Expr{Period: &p}, true
}

// behind tells whether a symbolic date lies behind the last one of a column.
func (b *builder) behind(last string, d *plan.Date) bool {
	today, err := time.Parse(time.DateOnly, b.today)
	if err != nil || len(last) < len(time.DateOnly) {
		return false
	}
	end, err := time.Parse(time.DateOnly, last[:len(time.DateOnly)])
	return err == nil && d.On(today).After(end)
}

// periods are those that the conditions of a frame state.
func (f *frame) periods() []*period {
	var out []*period
	var take func(conds []cond)
	take = func(conds []cond) {
		for _, c := range conds {
			if c.period != nil {
				out = append(out, c.period)
			}
			take(c.any)
		}
	}
	take(f.conds)
	for _, l := range f.linked {
		take(l.conds)
	}
	return out
}
