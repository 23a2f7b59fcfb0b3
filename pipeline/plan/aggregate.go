package plan

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

// aggregateNames are the language's aggregates.
var aggregateNames = []string{"count", "sum", "avg", "min", "max"}

// measureUse is one place at which the plan aggregates. Whether it may is
// judged once the whole block is known.
type measureUse struct {
	at   string
	expr Expr
	// metric and rel are set for a metric: its definition and the relation
	// at whose grain it is.
	metric *semantic.Metric
	rel    *rel
	// name, arg and distinct are set for a plain aggregate.
	name     string
	arg      *typed
	filter   *typed
	distinct bool
	// tree is filled in when the block is compiled.
	tree *pg_query.Node
	// conds are the metric's own conditions.
	conds []*pg_query.Node
}

// aggregate checks a plain aggregate.
func (c *checker) aggregate(e *Expr, at string, env env) *typed {
	at += "/aggregate"
	a := e.Aggregate
	if !c.mayMeasure(at, env) {
		return nil
	}
	name := strings.ToLower(a.Func)
	if !slices.Contains(aggregateNames, name) {
		f := c.faultf(stageStructure, CodeChoice, at+"/func", "an aggregate is count, sum, avg, min or max, not %s", a.Func)
		f.Nearest = nearest(name, aggregateNames)
		return nil
	}
	if a.Fraction != nil || a.Separator != nil || a.OrderBy != nil {
		c.faultf(stageStructure, CodeUnsupported, at, "%s takes no fraction, separator or order", name)
		return nil
	}
	env.inside = true
	u := &measureUse{at: at, name: name, distinct: a.Distinct}
	canonical := &Aggregate{Func: name, Distinct: a.Distinct}
	result := typeBigint
	t := &typed{measure: u}
	if a.Arg != nil {
		arg := c.expr(a.Arg, at+"/arg", env)
		if arg == nil {
			return nil
		}
		if result = c.aggregateArg(name, arg, a.Distinct); result.sql == "" {
			return nil
		}
		u.arg, canonical.Arg = arg, &arg.expr
		t.parts = append(t.parts, arg)
	} else if name != "count" || a.Distinct {
		c.faultf(stageStructure, CodeMissing, at+"/arg", "only a plain count does without an argument")
		return nil
	}
	call := &pg_query.FuncCall{Funcname: stmt.Names(name), Funcformat: pg_query.CoercionForm_COERCE_EXPLICIT_CALL,
		AggDistinct: a.Distinct, AggStar: u.arg == nil}
	if u.arg != nil {
		call.Args = []*pg_query.Node{u.arg.tree}
	}
	if a.Filter != nil {
		filter := c.condition(a.Filter, at+"/filter", env)
		if filter == nil {
			return nil
		}
		call.AggFilter, canonical.Filter = filter.tree, &filter.expr
		t.parts = append(t.parts, filter)
		u.filter = filter
	}
	t.expr, t.typ = Expr{Aggregate: canonical}, result
	t.tree = &pg_query.Node{Node: &pg_query.Node_FuncCall{FuncCall: call}}
	u.expr, u.tree = t.expr, t.tree
	c.sums = append(c.sums, u)
	return t
}

// mayMeasure refuses aggregates where SQL has none.
func (c *checker) mayMeasure(at string, env env) bool {
	switch {
	case env.inside:
		c.faultf(stageNames, CodeNested, at, "an aggregate can't be inside another one")
	case !env.measures:
		c.faultf(stageNames, CodeAggregate, at, "aggregates and metrics stand in select, having and order_by only")
	default:
		return true
	}
	return false
}

// aggregateArg types an aggregate over arg and settles arg; an empty type means
// a fault was added.
func (c *checker) aggregateArg(name string, arg *typed, distinct bool) typ {
	done := arg
	if name == "sum" || name == "avg" {
		if arg.typ.fam == famLiteral {
			done = c.coerce(arg, typeNumeric)
		}
	} else {
		done = c.settle(arg)
	}
	if done == nil {
		return typ{}
	}
	*arg = *done
	t := arg.typ
	fits := map[string]bool{"count": !distinct || t.comparable(),
		"sum": t.number() || t.fam == famInterval, "avg": t.number() || t.fam == famInterval,
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
	case "avg":
		if t.fam == famInt {
			return typeNumeric
		}
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
