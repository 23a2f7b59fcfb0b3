package planner

import (
	"strconv"

	"github.com/pgask/pgask/pipeline/plan"
)

// period is a span of time: from lo, up to but without hi. Either may be nil.
type period struct {
	lo, hi *plan.Expr
	// year is set for a plain year, which may also be a number in a column.
	year string
	op   string // with year: =, <, <=, >, >=
	text string
	// relative is the same as a plan says it, where it is one that can be the latest one
	// in the data instead; nil for others.
	relative *plan.Period
	// unit and parts are set instead of bounds for what comes again: the months numbered
	// 3, of whichever year; weekdays are numbered from Sunday, 0.
	unit  string
	parts []int
	// not is set for all that lies outside.
	not bool
}

var timeUnits = map[string]string{"day": "day", "days": "day", "daily": "day", "week": "week", "weeks": "week", "weekly": "week",
	"month": "month", "months": "month", "monthly": "month", "quarter": "quarter", "quarters": "quarter", "quarterly": "quarter",
	"year": "year", "years": "year", "yearly": "year", "annually": "year", "annual": "year"}

var adverbUnits = map[string]string{"daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter", "yearly": "year", "annually": "year"}

var months = map[string]int{"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8,
	"september": 9, "october": 10, "november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7,
	"aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12}

// symbolic is the start of a period relative to today, as plans say it.
func symbolic(unit string, offset int) *plan.Expr {
	return &plan.Expr{Date: &plan.Date{Unit: unit, Offset: offset}}
}

func dateLiteral(iso string) *plan.Expr {
	return &plan.Expr{Literal: &plan.Literal{Value: iso, Type: "date"}}
}

// whole is the period that lies offset periods from the one that holds today.
func whole(unit string, offset int) *period {
	p := &period{lo: symbolic(unit, offset), hi: symbolic(unit, offset+1)}
	if unit != "day" && offset <= 0 { // yesterday is no other day
		p.relative = &plan.Period{Unit: unit, Complete: offset == -1}
	}
	return p
}

// excludes tells whether no day is in both periods: 2025 and 2026, this month and the last.
// Where they are counted in other units it isn't known.
func (p *period) excludes(o *period) bool {
	return !p.not && !o.not && (notBehind(p.hi, o.lo) || notBehind(o.hi, p.lo))
}

// notBehind tells whether one bound isn't behind another of its kind.
func notBehind(hi, lo *plan.Expr) bool {
	switch {
	case hi == nil || lo == nil:
	case hi.Date != nil && lo.Date != nil:
		return hi.Date.Unit == lo.Date.Unit && hi.Date.Offset <= lo.Date.Offset
	case hi.Literal != nil && lo.Literal != nil:
		a, isText := hi.Literal.Value.(string)
		b, areTexts := lo.Literal.Value.(string)
		return isText && areTexts && a <= b
	}
	return false
}

// periodAt reads a period that starts at token i. n is 0 where there is none.
func (p *parser) periodAt(i int) (*period, int) {
	if per, n := p.namedPeriod(i); n > 0 {
		return per, n
	}
	if per, n := p.trailing(i); n > 0 {
		return per, n
	}
	if per, n := p.toDate(i); n > 0 {
		return per, n
	}
	return p.calendar(i)
}

// namedPeriod reads today, yesterday, and this, last or next week, month …
func (p *parser) namedPeriod(i int) (*period, int) {
	switch p.low(i) {
	case "today":
		return whole("day", 0), 1
	case "yesterday":
		return whole("day", -1), 1
	case "tomorrow":
		return whole("day", 1), 1
	}
	offset, ok := map[string]int{"this": 0, "current": 0, "last": -1, "previous": -1, "past": -1, "next": 1}[p.low(i)]
	if !ok {
		return nil, 0
	}
	unit := timeUnits[p.low(i+1)]
	if unit == "" || unit == "day" || adverbUnits[p.low(i+1)] != "" || p.low(i+1) != unit {
		return nil, 0
	}
	return whole(unit, offset), 2
}

// trailing reads last 30 days, past 3 months. Days and weeks are so many days, of which
// today is the last, as in plans; longer ones are the whole periods before the current one.
func (p *parser) trailing(i int) (*period, int) {
	if w := p.low(i); w != "last" && w != "past" && w != "previous" || p.kind(i+1) != number {
		return nil, 0
	}
	unit := timeUnits[p.low(i+2)]
	count, err := strconv.Atoi(p.toks[i+1].num)
	if unit == "" || adverbUnits[p.low(i+2)] != "" || err != nil || count < 1 || count > 10000 {
		return nil, 0
	}
	if unit == "week" {
		unit, count = "day", 7*count
	}
	if unit == "day" {
		return &period{lo: symbolic(unit, 1-count), hi: symbolic(unit, 1), relative: &plan.Period{Unit: unit, Last: count}}, 3
	}
	return &period{lo: symbolic(unit, -count), hi: symbolic(unit, 0), relative: &plan.Period{Unit: unit, Last: count, Complete: true}}, 3
}

// span is a number of months from the first day of one.
func span(year string, month, count int) *period {
	y, _ := strconv.Atoi(year)
	endYear, endMonth := y+(month-1+count)/12, (month-1+count)%12+1
	return &period{lo: dateLiteral(isoDay(y, month)), hi: dateLiteral(isoDay(endYear, endMonth))}
}

func isoDay(year, month int) string {
	return pad(year, 4) + "-" + pad(month, 2) + "-01"
}

func pad(n, width int) string {
	s := strconv.Itoa(n)
	for len(s) < width {
		s = "0" + s
	}
	return s
}

// bounded turns before, after, since and until a period into an open one.
func bounded(per *period, op string) *period {
	out := &period{year: per.year, op: op}
	switch op {
	case "<":
		out.hi = per.lo
	case "<=":
		out.hi = per.hi
	case ">":
		out.lo = per.hi
	case ">=":
		out.lo = per.lo
	}
	return out
}
