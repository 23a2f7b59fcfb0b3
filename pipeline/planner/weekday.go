package planner

import "github.com/pgask/pgask/pipeline/plan"

// weekday is the unit of groups by the days of the week.
const weekday = "weekday"

var dayNames = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}

// weekdays are the numbers of what is said in the plural: Mondays, weekends.
func weekdays(w string) []int {
	switch w {
	case "weekends":
		return []int{0, 6}
	case "weekdays":
		return []int{1, 2, 3, 4, 5}
	}
	for i, d := range dayNames {
		if w == fold(d)+"s" {
			return []int{i}
		}
	}
	return nil
}

// pieceOf is the period or the day of the week that a date is in.
func pieceOf(date plan.Expr, unit string) plan.Expr {
	if unit != weekday {
		return plan.Expr{Call: &plan.Call{Func: "date_trunc", Unit: unit, Args: []plan.Expr{date}}}
	}
	var when []plan.When
	for i, name := range dayNames {
		when = append(when, plan.When{If: plan.Expr{Op: &plan.Op{Op: "=", Args: []plan.Expr{dayNumber(date), integer(i)}}}, Then: text(name)})
	}
	return plan.Expr{Case: &plan.Case{When: when}}
}

// dayNumber is the number of a date's day in its week; Sunday is 0.
func dayNumber(date plan.Expr) plan.Expr {
	return plan.Expr{Call: &plan.Call{Func: "dow", Args: []plan.Expr{date}}}
}

// recurring is a condition on a part of a date.
func recurring(col plan.Expr, per *period) plan.Expr {
	part := plan.Expr{Call: &plan.Call{Func: "date_part", Unit: per.unit, Args: []plan.Expr{col}}}
	if per.unit == weekday {
		part = dayNumber(col)
	}
	args := []plan.Expr{part}
	for _, n := range per.parts {
		args = append(args, integer(n))
	}
	op := "="
	if len(per.parts) > 1 {
		op = "in"
	}
	if per.not {
		op = map[string]string{"=": "<>", "in": "not_in"}[op]
	}
	return plan.Expr{Op: &plan.Op{Op: op, Args: args}}
}
