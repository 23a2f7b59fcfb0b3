package plan

import "strings"

// aggregateArg types an aggregate over arg and settles arg; an empty type means
// a fault was added.
func (c *checker) aggregateArg(name string, arg *typed, distinct bool) typ {
	done := arg
	switch name {
	case "sum", "avg", "stddev", "variance", "median", "percentile_cont":
		if arg.typ.fam == famLiteral {
			done = c.coerce(arg, typeNumeric)
		}
	case "bool_and", "bool_or":
		done = c.coerce(arg, typeBool)
	default:
		done = c.settle(arg)
	}
	if done == nil {
		return typ{}
	}
	*arg = *done
	t := arg.typ
	summable := t.number() || t.fam == famInterval
	fits := map[string]bool{"count": !distinct || t.comparable(),
		"sum": summable, "avg": summable, "median": summable, "percentile_cont": summable,
		"stddev": t.number(), "variance": t.number(), "string_agg": t.fam == famText, "percentile_disc": t.orderable(),
		"bool_and": t.fam == famBool, "bool_or": t.fam == famBool,
		"min": t.orderable() && t.fam != famBool && t.fam != famUUID,
		"max": t.orderable() && t.fam != famBool && t.fam != famUUID}[name]
	if !fits {
		c.faultf(stageNames, CodeType, arg.at, "%s doesn't take %s", name, t)
		return typ{}
	}
	return aggregateType(name, t)
}

// aggregateType is the type that Postgres gives an aggregate.
func aggregateType(name string, t typ) typ {
	switch name {
	case "count":
		return typeBigint
	case "sum":
		switch {
		case t.fam == famInt && t.rank() < 3:
			return typeBigint
		case t.fam == famInt:
			return typeNumeric
		case t.sql == "real":
			return t
		}
	case "avg", "stddev", "variance":
		if t.fam == famInt {
			return typeNumeric
		}
	case "median", "percentile_cont":
		if t.number() {
			return typeFloat
		}
	case "percentile_disc":
		return t.unsized()
	case "string_agg":
		return typeText
	default:
		if t.fam == famText && t.sql != "citext" {
			return textResult(t)
		}
		if t.sql == "real" {
			return t
		}
	}
	return t.plain()
}

// textResult: min and max keep character(n) apart from text, but not its length.
func textResult(t typ) typ {
	if strings.HasPrefix(t.sql, "character(") {
		return t.unsized()
	}
	return typeText
}
