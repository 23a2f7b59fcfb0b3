package plan

import (
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/semantic"
)

// aggregateNames are the language's aggregates.
var aggregateNames = []string{"count", "sum", "avg", "min", "max", "stddev", "variance", "median",
	"percentile_cont", "percentile_disc", "string_agg", "bool_and", "bool_or"}

// countDistinct are the names that people give to a count of distinct values.
var countDistinct = []string{"distinct", "count_distinct", "countdistinct", "approx_count_distinct"}

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
	// window tells that it is over a window, partition what that is divided by.
	window    bool
	partition []*typed
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
		c.noAggregate(a, name, at)
		return nil
	}
	env.inside, env.windows = true, false
	u := &measureUse{at: at, name: name, distinct: a.Distinct}
	canonical := &Aggregate{Func: name, Distinct: a.Distinct}
	t := &typed{measure: u}
	ok := c.aggregateExtras(a, canonical, name, at)
	if a.Arg != nil {
		if u.arg = c.expr(a.Arg, at+"/arg", env); u.arg == nil {
			ok = false
		}
	} else if name != "count" || a.Distinct {
		c.faultf(stageStructure, CodeMissing, at+"/arg", "only a plain count does without an argument")
		ok = false
	}
	order, orderOK := c.aggregateOrder(a, at, env)
	if a.Filter != nil {
		if u.filter = c.condition(a.Filter, at+"/filter", env); u.filter == nil {
			ok = false
		}
	}
	if !ok || !orderOK || !c.ownArguments(u, at) {
		return nil
	}
	result := typeBigint
	if u.arg != nil {
		if result = c.aggregateArg(name, u.arg, a.Distinct); result.sql == "" {
			return nil
		}
		canonical.Arg, t.parts = &u.arg.expr, append(t.parts, u.arg)
	}
	call := c.aggregateCall(u, canonical, order)
	if u.filter != nil {
		call.AggFilter, canonical.Filter = u.filter.tree, &u.filter.expr
		t.parts = append(t.parts, u.filter)
	}
	for _, k := range order {
		t.parts = append(t.parts, k.typed)
		canonical.OrderBy = append(canonical.OrderBy, Order{Expr: &k.expr, Desc: k.desc, Nulls: k.nulls})
	}
	t.expr, t.typ = Expr{Aggregate: canonical}, result
	t.tree = &pg_query.Node{Node: &pg_query.Node_FuncCall{FuncCall: call}}
	u.expr, u.tree = t.expr, t.tree
	c.sums = append(c.sums, u)
	return t
}

// ownArguments refuses an aggregate that reads outer columns alone: SQL would
// compute it in the block around.
func (c *checker) ownArguments(u *measureUse, at string) bool {
	own, outer := false, false
	for _, t := range []*typed{u.arg, u.filter} {
		if t != nil {
			t.walk(func(x *typed) { own, outer = own || x.rel != nil, outer || x.outer && x.column == nil })
		}
	}
	if outer && !own {
		c.faultf(stageStructure, CodeUnsupported, at, "%s aggregates columns of the block around the sub-plan alone", u.name)
		return false
	}
	return true
}

// noAggregate refuses an aggregate that the language doesn't have.
func (c *checker) noAggregate(a *Aggregate, name, at string) {
	f := c.faultf(stageStructure, CodeChoice, at+"/func", "there is no aggregate %s", a.Func)
	if slices.Contains(countDistinct, name) {
		f.Message = fmt.Sprintf(`%s is no aggregate: write {"func": "count", "distinct": true}`, a.Func)
		f.Repair = Repair{{"replace", at + "/func", "count"}, {"add", at + "/distinct", true}}
		f.Safe = true
		return
	}
	if f.Nearest = nearest(name, aggregateNames); len(f.Nearest) == 0 {
		f.Nearest = aggregateNames
	}
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
