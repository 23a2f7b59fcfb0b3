package plan

import (
	"fmt"
	"math"
	"slices"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// maxOffset bounds symbolic dates to what every date type holds.
const maxOffset = 40000

// date checks a symbolic date. It stays open, like a literal, until what it is
// compared with says whether it is a date or the moment at which it starts.
func (c *checker) date(e *Expr, at string) *typed {
	d := *e.Date
	if !slices.Contains(dateUnits, d.Unit) {
		f := c.faultf(stageStructure, CodeChoice, at+"/date/unit", "a date's unit is year, quarter, month, week or day, not %q", d.Unit)
		f.Nearest = nearest(d.Unit, dateUnits)
		return nil
	}
	if d.Fiscal && !c.fiscal(d.Unit, at+"/date/fiscal") {
		return nil
	}
	if abs(d.Offset) > farthest(d.Unit) || abs(d.Days) > maxOffset {
		c.faultf(stageStructure, CodeWrongShape, at+"/date", "the date is too far away")
		return nil
	}
	return &typed{expr: Expr{Date: &d}, typ: typ{fam: famSymbol}, at: at}
}

// farthest is how many of a unit a symbolic date may be away.
func farthest(unit string) int {
	if unit == "year" || unit == "quarter" {
		return 1000
	}
	return maxOffset
}

// abs of the least int, which has no opposite, is the greatest.
func abs(i int) int { return max(i, -max(i, -math.MaxInt)) }

// coerceDate compiles a symbolic date beside a value of type to. A date
// becomes a moment at midnight of the session's time zone.
func (c *checker) coerceDate(t *typed, to typ) *typed {
	done := *t
	done.typ = typeDate
	day, err := c.day(*t.expr.Date)
	if t.back != nil && t.back.back > 0 {
		day, err = c.movedBack(t.back)
	}
	if t.back != nil && t.back.latest != nil && err == nil {
		day, err = c.orLatest(day, t.back.latest)
	}
	if err != nil {
		c.faultf(stageNames, CodeLiteral, t.at+"/date", "%v", err)
		return nil
	}
	done.tree = day
	switch to.fam {
	case famTimestamp:
		done.tree, done.typ = castNode(day, "timestamp"), typeTimestamp
	case famTimestamptz:
		done.tree, done.typ = castNode(day, "timestamptz"), typeTimestamptz
	case famDate:
	default:
		c.faultf(stageNames, CodeType, t.at+"/date", "a date is compared with %s", to)
		return nil
	}
	return &done
}

// isoLayout is how the text column among the operands writes its dates, for
// to_char; "" where there is none. A text column has a range only where all its
// sampled values are ISO dates, which sort as text the way they do as dates.
func isoLayout(ts []*typed) string {
	for _, t := range ts {
		if t.column == nil || t.typ.fam != famText {
			continue
		}
		switch len(t.column.Min) {
		case len("2006-01-02"):
			return "YYYY-MM-DD"
		case len("2006-01"):
			return "YYYY-MM"
		}
	}
	return ""
}

// dateText compiles a symbolic date beside a text column that holds ISO dates.
func (c *checker) dateText(t *typed, layout string) *typed {
	done := c.coerceDate(t, typeDate)
	if done == nil {
		return nil
	}
	done.tree = callNode("to_char", castNode(done.tree, "timestamp"), textNode(layout, "text"))
	done.typ = typeText
	return done
}

// day is the date as a tree: over CURRENT_DATE, so that it holds at every
// execution, or a constant where today is given.
func (c *checker) day(d Date) (*pg_query.Node, error) {
	if c.Today != "" {
		today, err := time.Parse(time.DateOnly, c.Today)
		if err != nil {
			return nil, fmt.Errorf("today: %w", err)
		}
		if d.Fiscal {
			shift := c.fiscalShift()
			start := Date{Unit: d.Unit, Offset: d.Offset}.On(midnight(today.Year(), today.Month()-time.Month(shift), 1))
			return textNode(start.AddDate(0, shift, d.Days).Format(time.DateOnly), "date"), nil
		}
		return textNode(d.On(today).Format(time.DateOnly), "date"), nil
	}
	return c.dayFrom(currentDateNode(), d), nil
}

// dayFrom is the day that the date means when n is today.
func (c *checker) dayFrom(n *pg_query.Node, d Date) *pg_query.Node {
	if d.Fiscal {
		n = months("-", n, c.fiscalShift())
	}
	days := d.Days
	switch d.Unit {
	case "day":
		days += d.Offset
	default:
		n = callNode("date_trunc", textNode(d.Unit, "text"), n)
		if d.Offset != 0 {
			step := fmt.Sprintf("%d %ss", abs(d.Offset)*steps(d.Unit), stepUnit(d.Unit))
			n = opNode(sign(d.Offset), n, textNode(step, "interval"))
		}
		if d.Fiscal {
			n = months("+", n, c.fiscalShift())
		}
		n = castNode(n, "date")
	}
	if days != 0 {
		n = opNode(sign(days), n, intNode(int64(abs(days))))
	}
	return n
}

// steps and stepUnit: an interval knows no quarters.
func steps(unit string) int {
	if unit == "quarter" {
		return 3
	}
	return 1
}

func stepUnit(unit string) string {
	if unit == "quarter" {
		return "month"
	}
	return unit
}

func sign(i int) string {
	if i < 0 {
		return "-"
	}
	return "+"
}

// On is the day that the date means when today is the given one. Weeks start
// on Monday, as in ISO 8601.
func (d Date) On(today time.Time) time.Time {
	y, m, day := today.Date()
	var start time.Time
	switch d.Unit {
	case "year":
		start = midnight(y+d.Offset, 1, 1)
	case "quarter":
		start = midnight(y, (m-1)/3*3+1+time.Month(3*d.Offset), 1)
	case "month":
		start = midnight(y, m+time.Month(d.Offset), 1)
	case "week":
		start = midnight(y, m, day-(int(today.Weekday())+6)%7+7*d.Offset)
	default:
		start = midnight(y, m, day+d.Offset)
	}
	return start.AddDate(0, 0, d.Days)
}

func midnight(y int, m time.Month, d int) time.Time {
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
