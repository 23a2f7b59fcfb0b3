package plan

import (
	"fmt"
	"slices"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
)

// period checks a symbolic period. It is from the start of its first unit, up to
// but without the start of the one behind its last, so that times of its last day
// are in it.
func (c *checker) period(e *Expr, at string, env env) *typed {
	at += "/period"
	p := *e.Period
	ok := c.periodFits(&p, at)
	column := c.dated(p.Column, at, env)
	if column == nil || !ok {
		return nil
	}
	column.at = at + "/column"
	if !column.typ.moment() && isoLayout([]*typed{column}) == "" {
		c.faultf(stageNames, CodeType, column.at, "a period is of dates or times, not of %s", column.typ)
		return nil
	}
	start, end := c.ends(&p)
	if p.Latest && !c.latest(&p, column, start, end, at+"/latest") {
		return nil
	}
	from := c.compare(">=", []*typed{column, start.at(at)}, at)
	to := c.compare("<", []*typed{column, end.at(at)}, at)
	if from == nil || to == nil {
		return nil
	}
	p.Column = column.expr.Column + column.expr.Dimension
	return &typed{expr: Expr{Period: &p}, typ: typeBool, tree: stmt.And(from.tree, to.tree), parts: []*typed{column}}
}

// periodFits checks a period's numbers and spells out its default.
func (c *checker) periodFits(p *Period, at string) bool {
	if p.Last == 0 {
		p.Last = 1
	}
	if !slices.Contains(dateUnits, p.Unit) {
		f := c.faultf(stageStructure, CodeChoice, at+"/unit", "a period's unit is year, quarter, month, week or day, not %q", p.Unit)
		f.Nearest = nearest(p.Unit, dateUnits)
		return false
	}
	limit := farthest(p.Unit)
	switch {
	case p.Last < 0 || p.Back < 0:
		c.faultf(stageStructure, CodeWrongShape, at, "last and back count periods into the past: they are not negative")
	case p.Last > limit || p.Back > limit:
		c.faultf(stageStructure, CodeWrongShape, at, "the period is too far away")
	case p.Complete && p.ToDate:
		c.faultf(stageStructure, CodeOneOf, at, "a period is complete or to_date, not both")
	case p.Latest && p.Back > 0:
		c.faultf(stageStructure, CodeOneOf, at, "a period that lies back isn't the latest one")
	default:
		return !p.Fiscal || c.fiscal(p.Unit, at+"/fiscal")
	}
	return false
}

// ends are the first day of the period, and the first one behind it.
func (c *checker) ends(p *Period) (start, end *symbol) {
	last := 0 // the period that it ends with, counted from the one that holds today
	if p.Complete {
		last = -1
	}
	last -= p.Back
	start = &symbol{Date: Date{Unit: p.Unit, Offset: last - p.Last + 1, Fiscal: p.Fiscal}}
	end = &symbol{Date: Date{Unit: p.Unit, Offset: last + 1, Fiscal: p.Fiscal}}
	if p.ToDate {
		end = &symbol{Date: Date{Unit: "day", Offset: 1}, back: p.Back, unit: p.Unit}
	}
	return start, end
}

// symbol is a symbolic date as an open expression, moved back by so many units:
// what today was a year ago.
type symbol struct {
	Date
	back int
	unit string
	// latest is what stands in its place where the period begins behind the data.
	latest *latestEnd
}

func (s *symbol) at(at string) *typed {
	return &typed{expr: Expr{Date: &s.Date}, typ: typ{fam: famSymbol}, at: at, back: s}
}

// movedBack is the day of a symbol: today's day in an earlier month, or the last of
// that month where it is shorter, and the day behind it.
func (c *checker) movedBack(s *symbol) (*pg_query.Node, error) {
	count, unit := s.back*steps(s.unit), stepUnit(s.unit)
	if c.Today == "" {
		moved := opNode("-", currentDateNode(), textNode(fmt.Sprintf("%d %ss", count, unit), "interval"))
		return opNode("+", castNode(moved, "date"), intNode(int64(s.Offset))), nil
	}
	today, err := time.Parse(time.DateOnly, c.Today)
	if err != nil {
		return nil, fmt.Errorf("today: %w", err)
	}
	switch unit {
	case "day", "week":
		today = today.AddDate(0, 0, -count*map[string]int{"day": 1, "week": 7}[unit])
	default:
		if unit == "year" {
			count *= 12
		}
		y, m, d := today.Date()
		end := midnight(y, m-time.Month(count)+1, 0)
		today = midnight(end.Year(), end.Month(), min(d, end.Day()))
	}
	return textNode(today.AddDate(0, 0, s.Offset).Format(time.DateOnly), "date"), nil
}
