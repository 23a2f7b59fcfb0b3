package plan

import (
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// The limits of one plan. They keep every later step, Postgres's parser
// included, far from its own.
const (
	maxNodes = 2000
	maxDepth = 40
	maxItems = 100
	maxJoins = 16
)

// expr checks one expression. It returns nil where it added a fault.
func (c *checker) expr(e *Expr, at string, env env) *typed {
	c.nodes++
	if c.nodes > maxNodes || strings.Count(at, "/") > 3*maxDepth {
		if c.nodes <= maxNodes || c.nodes == maxNodes+1 {
			c.faultf(stageStructure, CodeTooLarge, at, "the plan is too large: at most %d expressions, %d deep", maxNodes, maxDepth)
		}
		return nil
	}
	forms := e.forms()
	if len(forms) != 1 {
		what := "none"
		if len(forms) > 1 {
			what = strings.Join(forms, " and ")
		}
		c.faultf(stageStructure, CodeOneOf, at,
			"an expression is exactly one of column, literal, metric, dimension, aggregate, call, op, case, date, period, cast, window and plan; this has %s", what)
		return nil
	}
	var t *typed
	switch forms[0] {
	case "column":
		t = c.column(e, at, env)
	case "literal":
		t = c.literal(e, at)
	case "metric":
		t = c.metric(e, at, env)
	case "dimension":
		t = c.dimension(e, at, env)
	case "aggregate":
		t = c.aggregate(e, at, env)
	case "call":
		t = c.call(e, at, env)
	case "op":
		t = c.op(e, at, env)
	case "case":
		t = c.caseOf(e, at, env)
	case "date":
		t = c.date(e, at)
	case "cast":
		t = c.cast(e, at, env)
	case "window":
		t = c.window(e, at, env)
	case "plan":
		t = c.scalar(e, at, env)
	default:
		t = c.period(e, at, env)
	}
	if t != nil {
		t.at = at
	}
	if t != nil && (e.Cast != nil || e.Call != nil) && !c.fitsTree(t.tree, maxExprTree, at) {
		return nil
	}
	return t
}

// forms names the fields that are set.
func (e *Expr) forms() []string {
	var out []string
	for name, set := range map[string]bool{"column": e.Column != "", "literal": e.Literal != nil,
		"metric": e.Metric != "", "dimension": e.Dimension != "", "aggregate": e.Aggregate != nil, "call": e.Call != nil,
		"op": e.Op != nil, "case": e.Case != nil, "date": e.Date != nil, "period": e.Period != nil,
		"cast": e.Cast != nil, "window": e.Window != nil, "plan": e.Plan != nil} {
		if set {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// exprs checks a list of operands; ok is false where one is faulty.
func (c *checker) exprs(list []Expr, at string, env env) (ts []*typed, ok bool) {
	ok = true
	for i := range list {
		t := c.expr(&list[i], fmt.Sprintf("%s/%d", at, i), env)
		if t == nil {
			ok = false
			continue
		}
		ts = append(ts, t)
	}
	return ts, ok
}

// condition checks an expression that must be true or false.
func (c *checker) condition(e *Expr, at string, env env) *typed {
	t := c.expr(e, at, env)
	if t == nil {
		return nil
	}
	return c.boolean(t)
}

func (c *checker) boolean(t *typed) *typed {
	if t = c.coerce(t, typeBool); t == nil {
		return nil
	}
	if t.typ.fam != famBool {
		c.faultf(stageNames, CodeType, t.at, "a condition is true or false, this is %s", t.typ)
		return nil
	}
	return t
}

// caseOf checks CASE WHEN.
func (c *checker) caseOf(e *Expr, at string, env env) *typed {
	at += "/case"
	if len(e.Case.When) == 0 {
		c.faultf(stageStructure, CodeMissing, at+"/when", "a case has at least one branch")
		return nil
	}
	var conds, values []*typed
	ok := true
	for i := range e.Case.When {
		w := &e.Case.When[i]
		cond := c.condition(&w.If, fmt.Sprintf("%s/when/%d/if", at, i), env)
		value := c.expr(&w.Then, fmt.Sprintf("%s/when/%d/then", at, i), env)
		ok = ok && cond != nil && value != nil
		conds, values = append(conds, cond), append(values, value)
	}
	if e.Case.Else != nil {
		value := c.expr(e.Case.Else, at+"/else", env)
		ok = ok && value != nil
		values = append(values, value)
	}
	if !ok {
		return nil
	}
	shared, ok := c.align(values, at, "a case gives values")
	if !ok {
		return nil
	}
	if e.Case.Else == nil {
		shared = shared.unsized() // the missing branch is a null without length
	}
	return caseTyped(conds, values, shared)
}

func caseTyped(conds, values []*typed, shared typ) *typed {
	var otherwise *pg_query.Node
	var pairs []*pg_query.Node
	canonical := &Case{}
	for i, cond := range conds {
		pairs = append(pairs, cond.tree, values[i].tree)
		canonical.When = append(canonical.When, When{If: cond.expr, Then: values[i].expr})
	}
	if len(values) > len(conds) {
		last := values[len(values)-1]
		otherwise, canonical.Else = last.tree, &last.expr
	}
	return &typed{expr: Expr{Case: canonical}, typ: shared, parts: append(conds, values...), tree: caseNode(otherwise, pairs...)}
}
