package plan

import (
	"encoding/json"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// arithmetic checks + - * / and %. Division is true division, and dividing by
// zero gives null instead of an error that loses the whole answer.
func (c *checker) arithmetic(name string, args []*typed, at string) *typed {
	a, b := args[0], args[1]
	if name == "+" || name == "-" {
		if t := c.momentMath(name, args, at); t != nil || c.isMoment(a) || c.isMoment(b) {
			return t
		}
	}
	shared, ok := c.align(args, at, "arithmetic")
	if !ok {
		return nil
	}
	switch {
	case shared.fam == famInterval && (name == "+" || name == "-"):
		return &typed{typ: typeInterval, tree: opNode(name, a.tree, b.tree)}
	case !shared.number():
		c.faultf(stageNames, CodeType, at, "%s takes numbers, not %s", name, shared)
		return nil
	case name == "/":
		return divide(a, b, shared)
	case name == "%":
		if shared.fam == famFloat {
			c.faultf(stageNames, CodeType, at, "%% takes integers or numeric, not %s", shared)
			return nil
		}
		return &typed{typ: shared.plain(), tree: opNode("%", a.tree, guarded(b))}
	}
	return &typed{typ: shared.plain(), tree: opNode(name, a.tree, b.tree)}
}

func divide(a, b *typed, shared typ) *typed {
	left := a.tree
	if shared.fam == famInt {
		left, shared = castNode(left, "numeric"), typeNumeric
	}
	return &typed{typ: shared.plain(), tree: opNode("/", left, guarded(b))}
}

// guarded is a divisor that is never zero.
func guarded(b *typed) *pg_query.Node {
	if l := b.expr.Literal; l != nil {
		if n, ok := l.Value.(json.Number); ok && !zero(n) {
			return b.tree
		}
	}
	return nullIfNode(b.tree, intNode(0))
}

// zero tells whether a number is, or may be to Postgres.
func zero(n json.Number) bool {
	f, err := n.Float64()
	return err != nil || f == 0
}

func (c *checker) isMoment(t *typed) bool { return t.typ.moment() || t.typ.fam == famSymbol }

// momentMath is + and - where a date or time is among the operands; nil where
// none is, or after a fault.
func (c *checker) momentMath(name string, args []*typed, at string) *typed {
	if !c.isMoment(args[0]) && !c.isMoment(args[1]) {
		return nil
	}
	for i, other := range []typ{args[1].typ, args[0].typ} {
		want := typeInt // a literal beside a date is a number of days
		switch {
		case args[i].typ.fam == famSymbol && other.moment():
			want = other
		case args[i].typ.fam == famSymbol:
			want = typeDate
		case args[i].typ.fam == famLiteral && isString(args[i]) && name == "-":
			want = other.plain()
		}
		done := c.coerce(args[i], want)
		if done == nil {
			return nil
		}
		*args[i] = *done
	}
	a, b := args[0], args[1]
	result, ok := momentResult(name, a.typ, b.typ)
	if !ok {
		c.faultf(stageNames, CodeType, at, "there is no %s between %s and %s", name, a.typ, b.typ)
		return nil
	}
	return &typed{typ: result, tree: opNode(name, a.tree, b.tree)}
}

func isString(t *typed) bool {
	_, ok := t.expr.Literal.Value.(string)
	return ok
}

// momentResult is Postgres's table of date arithmetic, as far as the language
// goes: whole days, differences and intervals.
func momentResult(name string, a, b typ) (typ, bool) {
	days := func(t typ) bool { return t.fam == famInt && t.rank() <= 2 }
	switch {
	case a.fam == famDate && days(b):
		return typeDate, true
	case days(a) && b.fam == famDate && name == "+":
		return typeDate, true
	case name == "-" && a.fam == famDate && b.fam == famDate:
		return typeInt, true
	case name == "-" && a.moment() && b.moment():
		return typeInterval, true
	case a.moment() && a.fam != famDate && b.fam == famInterval:
		return a.plain(), true
	case a.fam == famInterval && b.moment() && b.fam != famDate && name == "+":
		return b.plain(), true
	}
	return typ{}, false
}
