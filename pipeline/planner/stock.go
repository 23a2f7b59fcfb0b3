package planner

import (
	"slices"
	"time"

	"github.com/pgask/pgask/pipeline/plan"
)

// asOf is the period of a stock's value on one day, which is the last one known up to then: what is
// stored for each month isn't nothing on its other days. False for other periods and measures.
func (b *builder) asOf(m meaning, per *period) (*period, bool) {
	if !per.oneDay() || len(b.f.groups) > 0 && slices.ContainsFunc(b.f.groups, func(g group) bool { return g.unit != "" }) {
		return nil, false
	}
	all := b.metrics()
	for _, x := range all {
		a := x.Additivity
		if a.Kind != "semi" || a.Time != "last" || x.Table != m.table.Name || a.NotOver[0] != m.column.Name {
			return nil, false
		}
	}
	return &period{hi: per.hi, text: per.text}, len(all) > 0
}

// oneDay tells whether the period is a single day.
func (p *period) oneDay() bool {
	switch {
	case p == nil || p.lo == nil || p.hi == nil:
		return false
	case p.lo.Date != nil && p.hi.Date != nil:
		lo, hi := p.lo.Date, p.hi.Date
		return lo.Unit == "day" && hi.Unit == "day" && lo.Offset+1 == hi.Offset && lo.Days == 0 && hi.Days == 0
	}
	return dayOf(p.lo) != "" && dayAfter(dayOf(p.lo)) != nil && dayOf(dayAfter(dayOf(p.lo))) == dayOf(p.hi)
}

// dayOf is a date that is a constant; "" for others.
func dayOf(e *plan.Expr) string {
	if e.Literal == nil {
		return ""
	}
	text, ok := e.Literal.Value.(string)
	if _, err := time.Parse(time.DateOnly, text); !ok || err != nil {
		return ""
	}
	return text
}

// asOfSaid says for which periods a stock's last value up to a day is given.
func (b *builder) asOfSaid() (out []string) {
	for _, c := range b.f.conds {
		if m := b.dateOf(c); c.op == "period" && m.column != nil {
			if _, ok := b.asOf(m, c.period); ok {
				out = append(out, `"`+c.period.text+`" was read as the last `+m.column.Name+" that is known up to then")
			}
		}
	}
	return out
}
