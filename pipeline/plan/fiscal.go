package plan

import (
	"fmt"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// fiscal tells whether the unit has a fiscal form, and the semantic file a
// fiscal year.
func (c *checker) fiscal(unit, at string) bool {
	switch {
	case unit != "year" && unit != "quarter":
		f := c.faultf(stageStructure, CodeUnsupported, at, "a %s is the same in a fiscal calendar; only years and quarters differ", unit)
		f.Repair = Repair{{"remove", at, nil}}
		f.Safe = true
	case c.Semantic.FiscalYearStart == 0:
		c.faultf(stageStructure, CodeUnsupported, at, "no fiscal year is defined: semantic.yaml has no fiscal_year_start")
	default:
		return true
	}
	return false
}

// fiscalShift is how many months the fiscal year starts after the calendar's.
func (c *checker) fiscalShift() int { return max(c.Semantic.FiscalYearStart-1, 0) }

// months moves a moment by whole months. The month that it comes to is the one
// that is meant, also from a day that this hasn't.
func months(op string, n *pg_query.Node, count int) *pg_query.Node {
	if count == 0 {
		return n
	}
	return opNode(op, n, textNode(fmt.Sprintf("%d months", count), "interval"))
}

// fiscalPart is the fiscal quarter, or the fiscal year, which is called after
// the calendar's year in which it ends.
func fiscalPart(name, unit string) func(*checker, *Call, []*typed, string) *typed {
	return func(c *checker, _ *Call, args []*typed, at string) *typed {
		if !c.moments(args, name) || !c.fiscal(unit, at+"/func") {
			return nil
		}
		tree := unitPart(unit, months("-", args[0].tree, c.fiscalShift()))
		if unit == "year" && c.fiscalShift() > 0 {
			tree = opNode("+", tree, intNode(1))
		}
		return &typed{typ: typeInt, tree: tree}
	}
}
