package plan

import (
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
)

// arity is how many arguments each operator takes; max 0 is no limit.
var arity = map[string]struct{ min, max int }{
	"and": {2, 0}, "or": {2, 0}, "not": {1, 1}, "is_null": {1, 1}, "is_not_null": {1, 1},
	"=": {2, 2}, "<>": {2, 2}, "<": {2, 2}, "<=": {2, 2}, ">": {2, 2}, ">=": {2, 2},
	"+": {2, 2}, "-": {1, 2}, "*": {2, 2}, "/": {2, 2}, "%": {2, 2}, "||": {2, 2},
	"like": {2, 2}, "ilike": {2, 2}, "not_like": {2, 2}, "not_ilike": {2, 2},
	"between": {3, 3}, "not_between": {3, 3}, "in": {2, 0}, "not_in": {2, 0},
	"exists": {1, 1}, "not_exists": {1, 1},
}

// op checks an operator.
func (c *checker) op(e *Expr, at string, env env) *typed {
	at += "/op"
	name := strings.ToLower(e.Op.Op)
	if name == "!=" {
		name = "<>"
	}
	n, known := arity[name]
	if !known {
		f := c.faultf(stageStructure, CodeChoice, at+"/op", "there is no operator %q", e.Op.Op)
		f.Nearest = nearestOp(name)
		return nil
	}
	last := len(e.Op.Args) - 1
	switch {
	case (name == "in" || name == "not_in") && last == 1 && e.Op.Args[1].isPlan():
		return c.member(name, e, at, env)
	case (name == "exists" || name == "not_exists") && last == 0:
		if e.Op.Args[0].isPlan() {
			return c.exists(name, e, at, env)
		}
		c.faultf(stageStructure, CodeUnsupported, at+"/args/0", "%s takes a sub-plan", name)
		return nil
	}
	args, ok := c.exprs(e.Op.Args, at+"/args", env)
	if len(e.Op.Args) < n.min || n.max > 0 && len(e.Op.Args) > n.max {
		c.faultf(stageStructure, CodeArity, at+"/args", "%s takes %s, not %d", name, arguments(n.min, n.max), len(e.Op.Args))
		return nil
	}
	if !ok {
		return nil
	}
	t := c.operate(name, args, at)
	if t == nil {
		return nil
	}
	t.parts = args
	canonical := &Op{Op: name}
	for _, a := range args {
		canonical.Args = append(canonical.Args, a.expr)
	}
	t.expr = Expr{Op: canonical}
	return t
}

// isPlan tells whether the expression is a sub-plan.
func (e *Expr) isPlan() bool { return e.Plan != nil && len(e.forms()) == 1 }

func arguments(low, high int) string {
	switch {
	case high == 0:
		return fmt.Sprintf("%d or more arguments", low)
	case low != high:
		return fmt.Sprintf("%d to %d arguments", low, high)
	case low == 1:
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", low)
}

func nearestOp(name string) []string {
	var names []string
	for n := range arity {
		names = append(names, n)
	}
	slices.Sort(names)
	if near := nearest(strings.ReplaceAll(name, " ", "_"), names); len(near) > 0 {
		return near
	}
	return names
}

// operate types and builds one operator; the caller fills in the canonical form.
func (c *checker) operate(name string, args []*typed, at string) *typed {
	switch name {
	case "and", "or", "not":
		return c.logic(name, args)
	case "is_null", "is_not_null":
		return c.nullTest(name, args)
	case "=", "<>", "<", "<=", ">", ">=":
		return c.compare(name, args, at)
	case "between", "not_between":
		return c.between(name, args, at)
	case "in", "not_in":
		return c.in(name, args, at)
	case "like", "ilike", "not_like", "not_ilike":
		return c.like(name, args, at)
	case "||":
		return c.concatenate(args, at)
	}
	if len(args) == 1 {
		return c.negate(args, at)
	}
	return c.arithmetic(name, args, at)
}

func (c *checker) logic(name string, args []*typed) *typed {
	var trees []*pg_query.Node
	for i, a := range args {
		done := c.boolean(a)
		if done == nil {
			return nil
		}
		*args[i] = *done
		trees = append(trees, done.tree)
	}
	switch name {
	case "and":
		return &typed{typ: typeBool, tree: stmt.And(trees...)}
	case "or":
		return &typed{typ: typeBool, tree: stmt.Or(trees...)}
	}
	return &typed{typ: typeBool, tree: stmt.Not(trees[0])}
}

func (c *checker) nullTest(name string, args []*typed) *typed {
	done := c.settle(args[0])
	if done == nil {
		return nil
	}
	*args[0] = *done
	kind := pg_query.NullTestType_IS_NULL
	if name == "is_not_null" {
		kind = pg_query.NullTestType_IS_NOT_NULL
	}
	return &typed{typ: typeBool, tree: nullTestNode(done.tree, kind)}
}

// compared aligns operands for a comparison. A comparison with null is never
// true, so it is refused with the test that was meant.
func (c *checker) compared(name string, args []*typed, at string) bool {
	for i, a := range args {
		if a.expr.Literal == nil || a.expr.Literal.Value != nil {
			continue
		}
		f := c.faultf(stageNames, CodeLiteral, a.at, "comparing with null is never true; use is_null or is_not_null")
		if test := map[string]string{"=": "is_null", "<>": "is_not_null"}[name]; test != "" {
			f.Repair = Repair{{"replace", at, Op{Op: test, Args: []Expr{args[1-i].expr}}}}
			f.Safe = true
		}
		return false
	}
	for _, a := range args {
		if !a.typ.comparable() {
			c.faultf(stageNames, CodeType, a.at, "values of type %s can't be compared in a plan", a.typ)
			return false
		}
	}
	before := len(c.faults)
	_, ok := c.align(args, at, "a comparison")
	if !slices.Contains([]string{"=", "<>", "in", "not_in"}, name) {
		unmended(c.faults[before:])
	}
	return ok
}

// unmended takes back that a number is certainly meant as a text: that holds where they are
// equal or not. Text has another order than numbers, so that "10" comes before "9".
func unmended(faults []*Rejection) {
	for _, f := range faults {
		if f.Code == CodeType && f.Safe {
			f.Repair, f.Safe, f.Hint = nil, false, "compare a cast of the text to a number"
		}
	}
}

func (c *checker) compare(name string, args []*typed, at string) *typed {
	if !c.compared(name, args, at) {
		return nil
	}
	return &typed{typ: typeBool, tree: opNode(name, args[0].tree, args[1].tree)}
}

func (c *checker) between(name string, args []*typed, at string) *typed {
	if !c.compared(name, args, at) {
		return nil
	}
	kind := pg_query.A_Expr_Kind_AEXPR_BETWEEN
	op := "BETWEEN"
	if name == "not_between" {
		kind, op = pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN, "NOT BETWEEN"
	}
	return &typed{typ: typeBool, tree: exprNode(kind, op, args[0].tree,
		listNode([]*pg_query.Node{args[1].tree, args[2].tree}))}
}

func (c *checker) in(name string, args []*typed, at string) *typed {
	if !c.compared(name, args, at) {
		return nil
	}
	var items []*pg_query.Node
	for _, a := range args[1:] {
		if a.expr.Literal == nil && a.expr.Date == nil {
			c.faultf(stageStructure, CodeUnsupported, a.at, "%s takes a list of literals and dates, or one sub-plan", name)
			return nil
		}
		items = append(items, a.tree)
	}
	op := map[string]string{"in": "=", "not_in": "<>"}[name]
	return &typed{typ: typeBool, tree: exprNode(pg_query.A_Expr_Kind_AEXPR_IN, op, args[0].tree, listNode(items))}
}

// texts brings operands to text and refuses what Postgres has no implicit cast for.
func (c *checker) texts(args []*typed, what string) bool {
	for i, a := range args {
		if a.typ.fam == famSymbol {
			a = c.settle(a)
		}
		done := c.coerce(a, typeText)
		if done == nil {
			return false
		}
		if done.typ.fam != famText {
			c.faultf(stageNames, CodeType, a.at, "%s takes text, not %s", what, a.typ)
			return false
		}
		*args[i] = *done
	}
	return true
}

func (c *checker) like(name string, args []*typed, at string) *typed {
	if !c.texts(args, name) {
		return nil
	}
	if l := args[1].expr.Literal; l == nil || l.Value == nil {
		c.faultf(stageStructure, CodeUnsupported, args[1].at, "the pattern of %s is a literal", name)
		return nil
	} else if s := fmt.Sprint(l.Value); (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1 {
		c.faultf(stageNames, CodeLiteral, args[1].at, "the pattern ends in an escape character")
		return nil
	}
	kind, op := pg_query.A_Expr_Kind_AEXPR_LIKE, "~~"
	if strings.HasSuffix(name, "ilike") {
		kind, op = pg_query.A_Expr_Kind_AEXPR_ILIKE, "~~*"
	}
	if strings.HasPrefix(name, "not_") {
		op = "!" + op
	}
	return &typed{typ: typeBool, tree: exprNode(kind, op, args[0].tree, args[1].tree)}
}

func (c *checker) concatenate(args []*typed, at string) *typed {
	if !c.texts(args, "||") {
		return nil
	}
	return &typed{typ: typeText, tree: opNode("||", args[0].tree, args[1].tree)}
}

func (c *checker) negate(args []*typed, at string) *typed {
	done := c.settle(args[0])
	if done == nil {
		return nil
	}
	*args[0] = *done
	if !done.typ.number() && done.typ.fam != famInterval {
		c.faultf(stageNames, CodeType, at, "- takes a number, not %s", done.typ)
		return nil
	}
	return &typed{typ: done.typ.plain(), tree: opNode("-", nil, done.tree)}
}
