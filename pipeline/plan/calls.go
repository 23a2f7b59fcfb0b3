package plan

import (
	"encoding/json"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// settleAll types open arguments by themselves.
func (c *checker) settleAll(args []*typed) bool {
	for i, a := range args {
		done := c.settle(a)
		if done == nil {
			return false
		}
		*args[i] = *done
	}
	return true
}

// numbers settles arguments and refuses what is no number.
func (c *checker) numbers(args []*typed, what string) bool {
	for i, a := range args {
		done := a
		if a.typ.fam == famLiteral {
			done = c.coerce(a, typeNumeric)
		}
		if done == nil {
			return false
		}
		if !done.typ.number() {
			c.faultf(stageNames, CodeType, a.at, "%s takes a number, not %s", what, done.typ)
			return false
		}
		*args[i] = *done
	}
	return true
}

func trees(args []*typed) []*pg_query.Node {
	var out []*pg_query.Node
	for _, a := range args {
		out = append(out, a.tree)
	}
	return out
}

func text(name string, result typ) func(*checker, *Call, []*typed, string) *typed {
	return func(c *checker, call *Call, args []*typed, _ string) *typed {
		if !c.texts(args, strings.ToLower(call.Func)) {
			return nil
		}
		return &typed{typ: result, tree: callNode(name, trees(args)...)}
	}
}

func numeric(name string) func(*checker, *Call, []*typed, string) *typed {
	return func(c *checker, call *Call, args []*typed, _ string) *typed {
		if !c.numbers(args, name) {
			return nil
		}
		return &typed{typ: args[0].typ.plain(), tree: callNode(name, args[0].tree)}
	}
}

// whole leaves integers as they are; Postgres would make them floats.
func whole(name string) func(*checker, *Call, []*typed, string) *typed {
	return func(c *checker, call *Call, args []*typed, _ string) *typed {
		if !c.numbers(args, name) {
			return nil
		}
		if args[0].typ.fam == famInt {
			return &typed{typ: args[0].typ, tree: args[0].tree}
		}
		return &typed{typ: args[0].typ.plain(), tree: callNode(name, args[0].tree)}
	}
}

func coalesce(c *checker, _ *Call, args []*typed, at string) *typed {
	shared, ok := c.align(args, at, "coalesce")
	if !ok {
		return nil
	}
	return &typed{typ: shared, tree: coalesceNode(trees(args)...)}
}

func minMax(op pg_query.MinMaxOp) func(*checker, *Call, []*typed, string) *typed {
	return func(c *checker, call *Call, args []*typed, at string) *typed {
		shared, ok := c.align(args, at, strings.ToLower(call.Func))
		if !ok {
			return nil
		}
		return &typed{typ: shared, tree: minMaxNode(op, trees(args)...)}
	}
}

func nullIf(c *checker, _ *Call, args []*typed, at string) *typed {
	if !c.compared("", args, at) {
		return nil
	}
	return &typed{typ: args[0].typ, tree: nullIfNode(args[0].tree, args[1].tree)}
}

func concat(c *checker, _ *Call, args []*typed, _ string) *typed {
	if !c.settleAll(args) {
		return nil
	}
	return &typed{typ: typeText, tree: callNode("concat", trees(args)...)}
}

func toText(c *checker, _ *Call, args []*typed, _ string) *typed {
	if !c.settleAll(args) {
		return nil
	}
	return &typed{typ: typeText, tree: castNode(args[0].tree, "text")}
}

// toNumeric takes no floats: an infinite one has no numeric before Postgres 14.
func toNumeric(c *checker, _ *Call, args []*typed, at string) *typed {
	if !c.numbers(args, "numeric") {
		return nil
	}
	return &typed{typ: typeNumeric, tree: castNode(args[0].tree, "numeric")}
}

func mod(c *checker, _ *Call, args []*typed, at string) *typed {
	return c.arithmetic("%", args, at)
}

// digits reads a literal whole number of an argument; what says its bounds.
func (c *checker) digits(t *typed, low, high int64, what string) (int64, bool) {
	if l := t.expr.Literal; l != nil {
		if n, ok := l.Value.(json.Number); ok {
			if i, err := n.Int64(); err == nil && i >= low && i <= high {
				done := c.coerce(t, typeInt)
				*t = *done
				return i, true
			}
		}
	}
	c.faultf(stageNames, CodeLiteral, t.at, "%s is a literal whole number from %d to %d", what, low, high)
	return 0, false
}

func round(c *checker, _ *Call, args []*typed, _ string) *typed {
	if !c.numbers(args[:1], "round") {
		return nil
	}
	arg := args[0].tree
	if args[0].typ.fam != famNumeric {
		arg = castNode(arg, "numeric")
	}
	if len(args) == 1 {
		return &typed{typ: typeNumeric, tree: callNode("round", arg)}
	}
	if _, ok := c.digits(args[1], -20, 20, "the number of digits"); !ok {
		return nil
	}
	return &typed{typ: typeNumeric, tree: callNode("round", arg, args[1].tree)}
}

func power(c *checker, _ *Call, args []*typed, _ string) *typed {
	if !c.numbers(args[:1], "power") {
		return nil
	}
	if _, ok := c.digits(args[1], 0, 9, "the exponent"); !ok {
		return nil
	}
	return &typed{typ: typeNumeric, tree: callNode("power",
		castNode(args[0].tree, "numeric"), castNode(args[1].tree, "numeric"))}
}

func signOf(c *checker, _ *Call, args []*typed, _ string) *typed {
	if !c.numbers(args, "sign") {
		return nil
	}
	return &typed{typ: typeNumeric, tree: callNode("sign", castNode(args[0].tree, "numeric"))}
}

// sqrt is null where the root isn't real.
func sqrt(c *checker, _ *Call, args []*typed, _ string) *typed {
	if !c.numbers(args, "sqrt") {
		return nil
	}
	arg, result := args[0].tree, typeFloat
	if args[0].typ.fam != famFloat {
		arg, result = castNode(arg, "numeric"), typeNumeric
	}
	when := &pg_query.Node{Node: &pg_query.Node_CaseWhen{CaseWhen: &pg_query.CaseWhen{
		Expr: opNode(">=", arg, intNode(0)), Result: callNode("sqrt", arg)}}}
	return &typed{typ: result, tree: &pg_query.Node{Node: &pg_query.Node_CaseExpr{
		CaseExpr: &pg_query.CaseExpr{Args: []*pg_query.Node{when}}}}}
}

func substring(c *checker, _ *Call, args []*typed, _ string) *typed {
	if !c.texts(args[:1], "substring") {
		return nil
	}
	for i, what := range []string{"the first character's place", "the number of characters"}[:len(args)-1] {
		if _, ok := c.digits(args[i+1], 0, 1<<20, what); !ok {
			return nil
		}
	}
	return &typed{typ: typeText, tree: callNode("substr", trees(args)...)}
}

func toDate(c *checker, _ *Call, args []*typed, at string) *typed {
	if !c.moments(args, "date") {
		return nil
	}
	return &typed{typ: typeDate, tree: castNode(args[0].tree, "date")}
}

// moments settles an argument as a date or time.
func (c *checker) moments(args []*typed, what string) bool {
	done := args[0]
	if done.typ.fam == famLiteral || done.typ.fam == famSymbol {
		done = c.coerce(done, typeDate)
	}
	if done == nil {
		return false
	}
	if !done.typ.moment() {
		c.faultf(stageNames, CodeType, args[0].at, "%s takes a date or time, not %s", what, done.typ)
		return false
	}
	*args[0] = *done
	return true
}

func (c *checker) unit(call *Call, at string, units ...string) *pg_query.Node {
	if !slices.Contains(units, call.Unit) {
		f := c.faultf(stageStructure, CodeChoice, at+"/unit", "the unit of %s is one of %s", call.Func, strings.Join(units, ", "))
		f.Nearest = nearest(call.Unit, units)
		return nil
	}
	return textNode(call.Unit, "text")
}

// datePart gives whole numbers; Postgres's own gives floats.
func datePart(c *checker, call *Call, args []*typed, at string) *typed {
	unit := c.unit(call, at, "year", "quarter", "month", "week", "day", "dow", "hour")
	if !c.moments(args, "date_part") || unit == nil {
		return nil
	}
	return &typed{typ: typeInt, tree: castNode(callNode("date_part", unit, args[0].tree), "int4")}
}

// dateTrunc of a date is a date; Postgres's own would be a moment.
func dateTrunc(c *checker, call *Call, args []*typed, at string) *typed {
	unit := c.unit(call, at, "year", "quarter", "month", "week", "day", "hour")
	if !c.moments(args, "date_trunc") || unit == nil {
		return nil
	}
	n := callNode("date_trunc", unit, args[0].tree)
	if args[0].typ.fam == famDate {
		return &typed{typ: typeDate, tree: castNode(n, "date")}
	}
	return &typed{typ: args[0].typ.plain(), tree: n}
}
