package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// The levels of time. Weeks lie in no one month or year, so nothing is above them.
var (
	calendarLevels = []string{"year", "quarter", "month", "day"}
	weekLevels     = []string{"week", "day"}
	fiscalLevels   = []string{fiscalYear, fiscalQuarter, "month", "day"}
)

const (
	fiscalYear    = "fiscal year"
	fiscalQuarter = "fiscal quarter"
)

// timeAxes are the dates that the plan's groups are periods of.
func (a *amendment) timeAxes() []axis {
	var out []axis
	for _, e := range a.groups() {
		date, unit := a.periods(e)
		if unit == "" {
			continue
		}
		i := slices.IndexFunc(out, func(x axis) bool { return x.date == date })
		if i < 0 {
			i = len(out)
			out = append(out, axis{name: "time", date: date, levels: calendarLevels})
		}
		x := &out[i]
		switch unit {
		case "week":
			x.levels = weekLevels
		case fiscalYear, fiscalQuarter:
			x.levels = fiscalLevels
		}
		x.levels = a.upToColumn(*x)
		if at := slices.Index(x.levels, unit); at >= 0 {
			x.shown = append(x.shown, at)
			slices.Sort(x.shown)
		}
	}
	if len(out) > 1 {
		for i := range out {
			_, c := a.columnOf(out[i].date)
			out[i].name = spokenName(c.Name)
		}
	}
	return out
}

// periods is the date that a group is a period of, and the unit of that period; "" for
// groups that aren't one.
func (a *amendment) periods(e plan.Expr) (date, unit string) {
	if e.Call == nil {
		if t, c := a.columnOf(e.Column); t != nil && temporal(c) && !semantic.OfBirth(c) {
			return e.Column, ownUnit(c.Name)
		}
		return "", ""
	}
	for _, arg := range e.Call.Args {
		if _, c := a.columnOf(arg.Column); c != nil {
			date = arg.Column
		}
	}
	switch e.Call.Func {
	case "date_trunc":
		unit = e.Call.Unit
	case "fiscal_year":
		unit = fiscalYear
	case "fiscal_quarter":
		unit = fiscalQuarter
	}
	if date == "" {
		return "", ""
	}
	return date, unit
}

// ownUnit is the unit of the periods that a column of dates holds by its name: month holds
// months; others hold days.
func ownUnit(column string) string {
	words := splitIdentifier(column)
	if u := timeUnits[words[len(words)-1]]; slices.Contains(calendarLevels, u) || u == "week" {
		return u
	}
	return "day"
}

// upToColumn are an axis's levels without those that are finer than what its column holds.
func (a *amendment) upToColumn(x axis) []string {
	_, c := a.columnOf(x.date)
	if at := slices.Index(x.levels, ownUnit(c.Name)); at >= 0 {
		return x.levels[:at+1]
	}
	return x.levels
}

// cutInto groups by other periods of an axis's date, or by none where unit is empty.
func (a *amendment) cutInto(x axis, unit string) {
	call := func(fn, unit string) plan.Expr {
		return plan.Expr{Call: &plan.Call{Func: fn, Unit: unit, Args: []plan.Expr{{Column: x.date}}}}
	}
	var fresh []plan.Item
	switch unit {
	case "":
	case fiscalQuarter:
		fresh = append(fresh, plan.Item{Expr: call("fiscal_year", ""), As: "fiscal_year"}, plan.Item{Expr: call("fiscal_quarter", ""), As: "fiscal_quarter"})
	case fiscalYear:
		fresh = append(fresh, plan.Item{Expr: call("fiscal_year", ""), As: "fiscal_year"})
	default:
		fresh = append(fresh, plan.Item{Expr: call("date_trunc", unit), As: unit})
	}
	a.regroup(func(e plan.Expr) bool { date, _ := a.periods(e); return date == x.date }, fresh)
}
