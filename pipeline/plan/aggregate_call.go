package plan

import (
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
)

// aggregateExtras checks the settings that only some aggregates take, and spells
// out their defaults.
func (c *checker) aggregateExtras(a, canonical *Aggregate, name, at string) bool {
	before := len(c.faults)
	percentile := strings.HasPrefix(name, "percentile_")
	switch {
	case percentile && a.Fraction == nil:
		c.faultf(stageStructure, CodeMissing, at, "%s has a fraction, 0.9 for the ninetieth percentile", name)
	case percentile && (*a.Fraction < 0 || *a.Fraction > 1):
		c.faultf(stageStructure, CodeWrongShape, at+"/fraction", "a fraction is from 0 to 1")
	case percentile:
		canonical.Fraction = a.Fraction
	case a.Fraction != nil:
		c.faultf(stageStructure, CodeUnsupported, at+"/fraction", "%s takes no fraction", name)
	}
	if (percentile || name == "median") && a.Distinct {
		c.faultf(stageStructure, CodeUnsupported, at+"/distinct", "%s is of all values, not of distinct ones", name)
	}
	if name == "string_agg" {
		separator := ", "
		if a.Separator != nil {
			separator = *a.Separator
		}
		if strings.ContainsRune(separator, 0) {
			c.faultf(stageStructure, CodeWrongShape, at+"/separator", "a text may not hold the character NUL")
		}
		canonical.Separator = &separator
		return len(c.faults) == before
	}
	if a.Separator != nil || len(a.OrderBy) > 0 {
		c.faultf(stageStructure, CodeUnsupported, at, "%s takes no separator and no order", name)
	}
	return len(c.faults) == before
}

// aggregateOrder checks the order of string_agg.
func (c *checker) aggregateOrder(a *Aggregate, at string, env env) (order []*sortKey, ok bool) {
	ok = true
	for i := range a.OrderBy {
		given, place := &a.OrderBy[i], at+position(i, "order_by")
		key := c.plainKey(given, place, env)
		if key == nil {
			ok = false
			continue
		}
		order = append(order, key)
	}
	if a.Distinct && len(order) > 0 {
		c.faultf(stageStructure, CodeUnsupported, at+"/order_by", "distinct texts are joined in their own order; leave order_by out")
		ok = false
	}
	return order, ok
}

// plainKey checks a sort key that is an expression: those of windows and of string_agg.
func (c *checker) plainKey(given *Order, at string, env env) *sortKey {
	if given.Expr == nil || given.Item != "" {
		c.faultf(stageStructure, CodeOneOf, at, "a sort key is an expr here")
		return nil
	}
	t := c.expr(given.Expr, at+"/expr", env)
	if t != nil {
		t = c.settle(t)
	}
	if t == nil {
		return nil
	}
	key := &sortKey{typed: t, desc: given.Desc}
	if !c.keyNulls(key, given, at) {
		return nil
	}
	return key
}

// aggregateCall builds the call. Texts are joined in an order of their own, so that
// equal rows give equal texts.
func (c *checker) aggregateCall(u *measureUse, a *Aggregate, order []*sortKey) *pg_query.FuncCall {
	call := &pg_query.FuncCall{Funcname: stmt.Names(u.name), Funcformat: pg_query.CoercionForm_COERCE_EXPLICIT_CALL,
		AggDistinct: u.distinct, AggStar: u.arg == nil}
	if u.arg == nil {
		return call
	}
	arg := u.arg.tree
	switch u.name {
	case "median", "percentile_cont", "percentile_disc":
		fraction := 0.5
		if a.Fraction != nil {
			fraction = *a.Fraction
		}
		call.Funcname, call.AggWithinGroup = stmt.Names("percentile_cont"), true
		if u.name == "percentile_disc" {
			call.Funcname = stmt.Names(u.name)
		} else if u.arg.typ.number() && u.arg.typ.sql != typeFloat.sql {
			arg = castNode(arg, "float8")
		}
		call.Args = []*pg_query.Node{textNode(strconv.FormatFloat(fraction, 'f', -1, 64), "float8")}
		call.AggOrder = []*pg_query.Node{sortByNode(arg, false, pg_query.SortByNulls_SORTBY_NULLS_DEFAULT)}
	case "string_agg":
		if u.arg.typ.sql != typeText.sql {
			arg = castNode(arg, "text")
		}
		call.Args = []*pg_query.Node{arg, textNode(*a.Separator, "text")}
		for _, k := range order {
			call.AggOrder = append(call.AggOrder, sortByNode(k.tree, k.desc, k.nullsNode()))
		}
		call.AggOrder = append(call.AggOrder, sortByNode(arg, false, pg_query.SortByNulls_SORTBY_NULLS_DEFAULT))
	default:
		call.Args = []*pg_query.Node{arg}
	}
	return call
}
