package plan

import (
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

func toDate(c *checker, _ *Call, args []*typed, at string) *typed {
	if !c.moments(args, "date") {
		return nil
	}
	return &typed{typ: typeDate, tree: castNode(args[0].tree, "date")}
}

// moments settles arguments as dates or times.
func (c *checker) moments(args []*typed, what string) bool {
	for i, arg := range args {
		done := arg
		if done.typ.fam == famLiteral || done.typ.fam == famSymbol {
			done = c.coerce(done, typeDate)
		}
		if done == nil {
			return false
		}
		if !done.typ.moment() {
			c.faultf(stageNames, CodeType, arg.at, "%s takes a date or time, not %s", what, done.typ)
			return false
		}
		*args[i] = *done
	}
	return true
}

// dateUnits are the units of every function and symbol over dates.
var dateUnits = []string{"year", "quarter", "month", "week", "day"}

// unit checks a call's unit. What a finer one would give has a function of its own.
func (c *checker) unit(call *Call, at string) *pg_query.Node {
	unit := strings.ToLower(call.Unit)
	if slices.Contains(dateUnits, unit) {
		call.Unit = unit
		return textNode(unit, "text")
	}
	name := strings.ToLower(call.Func)
	f := c.faultf(stageStructure, CodeChoice, at+"/unit", "the unit of %s is one of %s", name, strings.Join(dateUnits, ", "))
	f.Nearest = nearest(call.Unit, dateUnits)
	instead := map[string]string{"date_part dow": "dow", "date_part hour": "hour", "date_trunc hour": "hour_start"}[name+" "+unit]
	if instead != "" {
		f.Message += "; call " + instead + " instead"
		f.Repair = Repair{{"replace", at, Call{Func: instead, Args: call.Args}}}
		f.Safe = true
	}
	return nil
}

func unitPart(unit string, n *pg_query.Node) *pg_query.Node {
	return castNode(callNode("date_part", textNode(unit, "text"), n), "int4")
}

// datePart gives whole numbers; Postgres's own gives floats.
func datePart(c *checker, call *Call, args []*typed, at string) *typed {
	unit := c.unit(call, at)
	if !c.moments(args, "date_part") || unit == nil {
		return nil
	}
	return &typed{typ: typeInt, tree: unitPart(call.Unit, args[0].tree)}
}

func partOf(name string) func(*checker, *Call, []*typed, string) *typed {
	return func(c *checker, _ *Call, args []*typed, _ string) *typed {
		if !c.moments(args, name) {
			return nil
		}
		return &typed{typ: typeInt, tree: unitPart(name, args[0].tree)}
	}
}

// dateTrunc of a date is a date; Postgres's own would be a moment.
func dateTrunc(c *checker, call *Call, args []*typed, at string) *typed {
	unit := c.unit(call, at)
	if !c.moments(args, "date_trunc") || unit == nil {
		return nil
	}
	return truncated(args[0], unit)
}

func hourStart(c *checker, _ *Call, args []*typed, _ string) *typed {
	if !c.moments(args, "hour_start") {
		return nil
	}
	return truncated(args[0], textNode("hour", "text"))
}

func truncated(arg *typed, unit *pg_query.Node) *typed {
	return momentLike(arg, callNode("date_trunc", unit, arg.tree))
}

// momentLike is a moment made of arg: a date where that was one.
func momentLike(arg *typed, n *pg_query.Node) *typed {
	if arg.typ.fam == famDate {
		return &typed{typ: typeDate, tree: castNode(n, "date")}
	}
	return &typed{typ: arg.typ.plain(), tree: n}
}

// dateAdd moves a date by whole units.
func dateAdd(c *checker, call *Call, args []*typed, at string) *typed {
	unit := c.unit(call, at)
	if !c.moments(args[:1], "date_add") || unit == nil {
		return nil
	}
	if done := c.coerce(args[1], typeInt); done == nil {
		return nil
	} else if *args[1] = *done; done.typ.fam != famInt || done.typ.rank() > 2 {
		c.faultf(stageNames, CodeType, args[1].at, "date_add takes a whole number of %ss, not %s", call.Unit, done.typ)
		return nil
	}
	step := textNode(fmt.Sprintf("%d %s", steps(call.Unit), stepUnit(call.Unit)), "interval")
	return momentLike(args[0], opNode("+", args[0].tree, opNode("*", args[1].tree, step)))
}

// dateDiff counts the starts of a unit from the first date to the second: from
// 31 January to 1 February it is one month.
func dateDiff(c *checker, call *Call, args []*typed, at string) *typed {
	unit := c.unit(call, at)
	if !c.moments(args, "date_diff") || unit == nil {
		return nil
	}
	day := func(t *typed) *pg_query.Node {
		if t.typ.fam == famDate {
			return t.tree
		}
		return castNode(t.tree, "date")
	}
	from, to := day(args[0]), day(args[1])
	between := func(name string) *pg_query.Node { return opNode("-", unitPart(name, to), unitPart(name, from)) }
	var tree *pg_query.Node
	switch call.Unit {
	case "year":
		tree = between("year")
	case "quarter":
		tree = opNode("+", opNode("*", between("year"), intNode(4)), between("quarter"))
	case "month":
		tree = opNode("+", opNode("*", between("year"), intNode(12)), between("month"))
	case "week":
		monday := func(n *pg_query.Node) *pg_query.Node { return castNode(callNode("date_trunc", unit, n), "date") }
		tree = opNode("/", opNode("-", monday(to), monday(from)), intNode(7))
	default:
		tree = opNode("-", to, from)
	}
	return &typed{typ: typeInt, tree: tree}
}
