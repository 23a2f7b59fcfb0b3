package plan

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
)

// castTypes are the types that a cast names.
var castTypes = map[string]typ{"text": typeText, "integer": typeInt, "bigint": typeBigint, "numeric": typeNumeric,
	"double precision": typeFloat, "boolean": typeBool, "date": typeDate, "timestamp": typeTimestamp}

// The texts that are values of a type, as far as casts read them. A date is one
// of the calendar: a text like 2023-02-29 has no date, and Postgres would end
// the whole query over it.
const (
	integerText = `^ *[-+]?[0-9]{1,18} *$`
	numberText  = `^ *[-+]?([0-9]{1,100}(\.[0-9]{0,100})?|\.[0-9]{1,100})([eE][-+]?[0-9]{1,2})? *$`
	dayText     = `^(?!0000)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))` +
		`|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)`
	timeText = `([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?)?$`
)

// cast checks a cast. What can't be a value of the type gives null, so that one
// odd row doesn't lose the whole answer.
func (c *checker) cast(e *Expr, at string, env env) *typed {
	at += "/cast"
	to, ok := castTypes[strings.ToLower(e.Cast.To)]
	if !ok {
		f := c.faultf(stageStructure, CodeChoice, at+"/to", "there is no cast to %s", e.Cast.To)
		names := []string{"text", "integer", "bigint", "numeric", "double precision", "boolean", "date", "timestamp"}
		if f.Nearest = nearest(e.Cast.To, names); len(f.Nearest) == 0 {
			f.Nearest = names
		}
	}
	arg := c.expr(&e.Cast.Arg, at+"/arg", env)
	if arg == nil || !ok {
		return nil
	}
	given := arg.expr
	if arg = c.castable(arg, to); arg == nil {
		return nil
	}
	tree := castTree(arg, to)
	if tree == nil {
		c.faultf(stageNames, CodeType, at, "there is no cast from %s to %s", arg.typ, to)
		return nil
	}
	return &typed{expr: Expr{Cast: &Cast{Arg: given, To: strings.ToLower(e.Cast.To)}}, typ: to, tree: tree, parts: []*typed{arg}}
}

// castable types an open argument: as what it is cast to where its value is
// one, else by itself.
func (c *checker) castable(arg *typed, to typ) *typed {
	switch {
	case arg.typ.fam == famSymbol, arg.typ.fam == famLiteral && to.fam == famText:
		return c.settle(arg)
	}
	return c.coerce(arg, to)
}

// castTree is the cast; nil where there is none.
func castTree(arg *typed, to typ) *pg_query.Node {
	from := arg.typ
	if from.sql == to.sql {
		return arg.tree
	}
	switch {
	case to.fam == famText && from.fam != famOther:
		return textOf(arg)
	case to.fam == famInt:
		return castToInt(arg, to)
	case to.fam == famNumeric || to.fam == famFloat:
		return castToNumber(arg, to)
	case to.fam == famBool:
		return castToBool(arg)
	case to.moment() && from.moment():
		return castNode(arg.tree, to.internal())
	case to.fam == famDate && from.fam == famText:
		return whenNode(matches(arg.tree, dayText+timeText), castNode(callNode("left", arg.tree, intNode(10)), "date"))
	case to.fam == famTimestamp && from.fam == famText:
		return whenNode(matches(arg.tree, dayText+timeText), castNode(arg.tree, "timestamp"))
	}
	return nil
}

// textOf is a value as text.
func textOf(arg *typed) *pg_query.Node {
	if arg.typ.fam == famBool {
		return whether(arg.tree, textNode("true", "text"), textNode("false", "text"))
	}
	return castNode(arg.tree, "text")
}

// whether tells true from false; null stays. A condition isn't cast, since the
// printer leaves out the parentheses that some need.
func whether(cond, yes, no *pg_query.Node) *pg_query.Node {
	return caseNode(nil, cond, yes, stmt.Not(cond), no)
}

func within(n *pg_query.Node, internal, low, high string) *pg_query.Node {
	return exprNode(pg_query.A_Expr_Kind_AEXPR_BETWEEN, "BETWEEN", n,
		listNode([]*pg_query.Node{textNode(low, internal), textNode(high, internal)}))
}

func (t typ) internal() string {
	return map[string]string{"integer": "int4", "bigint": "int8", "numeric": "numeric", "double precision": "float8",
		"date": "date", "timestamp without time zone": "timestamp"}[t.sql]
}

func castToInt(arg *typed, to typ) *pg_query.Node {
	low, high := "-2147483648", "2147483647"
	lowFloat, highFloat := "-2147483648.5", "2147483647.4999"
	if to.rank() == 3 {
		low, high = "-9223372036854775808", "9223372036854775807"
		lowFloat, highFloat = low, "9223372036854774784" // the last float before the end
	}
	switch {
	case arg.typ.fam == famInt && arg.typ.rank() <= to.rank():
		return castNode(arg.tree, to.internal())
	case arg.typ.fam == famFloat:
		return whenNode(within(arg.tree, "float8", lowFloat, highFloat), castNode(arg.tree, to.internal()))
	case arg.typ.number():
		value := callNode("round", castNode(arg.tree, "numeric"))
		return whenNode(within(value, "numeric", low, high), castNode(value, to.internal()))
	case arg.typ.fam == famBool:
		return whether(arg.tree, textNode("1", to.internal()), textNode("0", to.internal()))
	case arg.typ.fam == famText && to.rank() == 3:
		return whenNode(matches(arg.tree, integerText), castNode(arg.tree, "int8"))
	case arg.typ.fam == famText:
		value := whenNode(matches(arg.tree, integerText), castNode(arg.tree, "int8"))
		return whenNode(within(value, "int8", low, high), castNode(value, "int4"))
	}
	return nil
}

// castToNumber: an infinite float has no numeric before Postgres 14, and a huge
// numeric no float.
func castToNumber(arg *typed, to typ) *pg_query.Node {
	switch {
	case arg.typ.fam == famText:
		return whenNode(matches(arg.tree, numberText), castNode(arg.tree, to.internal()))
	case arg.typ.fam == famFloat && to.fam == famNumeric:
		return castNode(finite(arg.tree), "numeric")
	case arg.typ.fam == famNumeric && to.fam == famFloat:
		return whenNode(within(arg.tree, "numeric", "-1e308", "1e308"), castNode(arg.tree, "float8"))
	case arg.typ.number():
		return castNode(arg.tree, to.internal())
	}
	return nil
}

// finite is a float, or null where it is infinite or no number.
func finite(n *pg_query.Node) *pg_query.Node {
	bound := func(op, value string) *pg_query.Node { return opNode(op, n, textNode(value, "float8")) }
	return whenNode(stmt.And(bound(">", "-Infinity"), bound("<", "Infinity")), n)
}

func castToBool(arg *typed) *pg_query.Node {
	switch {
	case arg.typ.number():
		return opNode("<>", arg.tree, intNode(0))
	case arg.typ.fam != famText:
		return nil
	}
	word := callNode("lower", callNode("btrim", arg.tree))
	in := func(words ...string) *pg_query.Node {
		var items []*pg_query.Node
		for _, w := range words {
			items = append(items, textNode(w, "text"))
		}
		return exprNode(pg_query.A_Expr_Kind_AEXPR_IN, "=", word, listNode(items))
	}
	return caseNode(nil, in("true", "t", "yes", "y", "on", "1"), stmt.BoolConst(true), in("false", "f", "no", "n", "off", "0"), stmt.BoolConst(false))
}

func matches(n *pg_query.Node, pattern string) *pg_query.Node {
	return opNode("~", n, textNode(pattern, "text"))
}
