package plan

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
)

// names tells whether an expression in env may name a source by this alias,
// of the block or of one around it.
func (c *checker) names(p part, env env) bool {
	for ; c != nil; c, env = c.outer, c.outerEnv {
		if c.visible(p, env) != nil || c.broken[p.text] {
			return true
		}
	}
	return false
}

// outerColumn is a column of a block around the sub-plan: here it is a value
// that stays the same, there it is a column that is read.
func (c *checker) outerColumn(e *Expr, parts []part, at string) *typed {
	there := c.outer.column(e, at[:len(at)-len("/column")], c.outerEnv)
	if there == nil {
		return nil
	}
	there.at = at
	c.correlated = append(c.correlated, there)
	return &typed{expr: there.expr, tree: there.tree, typ: there.typ, outer: true, around: there}
}

// subquery checks a sub-plan. What it names of the block are parts of it there.
func (c *checker) subquery(p *Plan, at string, env env) (*query, []*typed) {
	q := c.run.query(p, at, c, env)
	if q == nil {
		return nil, nil
	}
	return q, q.c.correlated
}

// scalar checks a sub-plan that is a value: one column, and one row at most,
// which the plan itself must show.
func (c *checker) scalar(e *Expr, at string, env env) *typed {
	at += "/plan"
	q, correlated := c.subquery(e.Plan, at, env)
	if q == nil || !c.oneColumn(q, at) {
		return nil
	}
	if !q.single {
		f := c.faultf(stageStructure, CodeSubplan, at, "a sub-plan that is a value gives one row: aggregate without grouping, or order and limit 1")
		f.Hint = "test membership in several values with in"
		return nil
	}
	return &typed{expr: Expr{Plan: q.canonical}, typ: q.columns[0].typ, tree: stmt.Scalar(q.tree), parts: correlated, sub: q}
}

func (c *checker) oneColumn(q *query, at string) bool {
	if len(q.columns) == 1 {
		return true
	}
	c.faultf(stageStructure, CodeSubplan, at+"/select", "a sub-plan has one column here, not %d", len(q.columns))
	return false
}

// member checks x in (sub-plan) and x not in (sub-plan). A null among the
// sub-plan's values doesn't count: in SQL it would make not in false of everything.
func (c *checker) member(name string, e *Expr, at string, env env) *typed {
	x := c.expr(&e.Op.Args[0], at+"/args/0", env)
	place := at + "/args/1/plan"
	q, correlated := c.subquery(e.Op.Args[1].Plan, place, env)
	if x == nil || q == nil || !c.oneColumn(q, place) {
		return nil
	}
	column := &typed{typ: q.columns[0].typ, at: place, outer: true}
	args := []*typed{x, column}
	if !c.compared(name, args, at) {
		return nil
	}
	x = args[0]
	tree := q.tree
	if !q.columns[0].notNull {
		value := columnNode("s", q.columns[0].name)
		tree = stmt.SelectNode(&pg_query.SelectStmt{TargetList: []*pg_query.Node{stmt.Target(value, "")},
			FromClause:  []*pg_query.Node{stmt.Subselect(q.tree, "s")},
			WhereClause: nullTestNode(value, pg_query.NullTestType_IS_NOT_NULL)})
	}
	test := subLinkNode(pg_query.SubLinkType_ANY_SUBLINK, x.tree, tree)
	sub := &typed{expr: Expr{Plan: q.canonical}, typ: q.columns[0].typ, at: place, parts: correlated}
	return c.tested(name, test, []*typed{x, sub}, q)
}

// exists checks a test for rows.
func (c *checker) exists(name string, e *Expr, at string, env env) *typed {
	place := at + "/args/0/plan"
	q, correlated := c.subquery(e.Op.Args[0].Plan, place, env)
	if q == nil {
		return nil
	}
	sub := &typed{expr: Expr{Plan: q.canonical}, at: place, parts: correlated}
	return c.tested(name, stmt.Exists(q.tree), []*typed{sub}, q)
}

// tested is a test of a sub-plan, and its opposite for a name that starts with not_.
func (c *checker) tested(name string, test *pg_query.Node, parts []*typed, q *query) *typed {
	canonical := &Op{Op: name}
	for _, p := range parts {
		canonical.Args = append(canonical.Args, p.expr)
	}
	if name == "not_in" || name == "not_exists" {
		test = stmt.Not(test)
	}
	return &typed{expr: Expr{Op: canonical}, typ: typeBool, tree: test, parts: parts, sub: q, test: name}
}
