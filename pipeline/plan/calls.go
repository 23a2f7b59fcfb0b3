package plan

import (
	"encoding/json"
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
	return &typed{typ: typeText, tree: textOf(args[0])}
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
	return &typed{typ: result, tree: whenNode(opNode(">=", arg, intNode(0)), callNode("sqrt", arg))}
}
