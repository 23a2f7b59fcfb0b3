package plan

import (
	"fmt"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
)

// setOperation is a checked union, intersect or except.
type setOperation struct {
	op      string
	all     bool
	members []*query
	order   []*setKey
}

// setKey is one sort key: an output column by name.
type setKey struct {
	column *outColumn
	desc   bool
	nulls  string
}

var setOps = []string{"union", "intersect", "except"}

// setOf checks a set operation.
func (c *checker) setOf(q *query) *setOperation {
	given := c.given.Set
	s := &setOperation{op: given.Op, all: given.All}
	p := c.given
	if !p.From.isZero() || len(p.Joins)+len(p.Select)+len(p.GroupBy) > 0 || p.Where != nil || p.Having != nil || p.Distinct {
		c.faultf(stageStructure, CodeOneOf, c.base+"/set", "a set operation has plans, order_by, limit and offset; all else is in its plans")
	}
	if !slices.Contains(setOps, s.op) {
		f := c.faultf(stageStructure, CodeChoice, c.base+"/set/op", "a set operation is union, intersect or except, not %s", given.Op)
		f.Nearest = nearest(given.Op, setOps)
	}
	if len(given.Plans) < 2 {
		c.faultf(stageStructure, CodeArity, c.base+"/set/plans", "a set operation has two plans or more, not %d", len(given.Plans))
	}
	c.bounds()
	for i := range given.Plans {
		if m := c.run.query(&given.Plans[i], c.memberAt(i), c.outer, c.outerEnv); m != nil {
			s.members = append(s.members, m)
			c.correlated = append(c.correlated, m.c.correlated...)
		}
	}
	if len(s.members) < max(len(given.Plans), 1) || !c.unite(q, s) {
		return nil
	}
	c.setOrder(q, s)
	return s
}

func (c *checker) memberAt(i int) string { return fmt.Sprintf("%s/set/plans/%d", c.base, i) }

func (s *Source) isZero() bool {
	return s.Table == "" && s.Plan == nil && s.As == "" && s.Search == nil
}

// unite matches the members' columns by position. Names are the first
// member's, types what all have in common.
func (c *checker) unite(q *query, s *setOperation) bool {
	ok := true
	for i, m := range s.members[1:] {
		if n := len(m.columns); n != len(s.members[0].columns) {
			c.faultf(stageNames, CodeType, c.memberAt(i+1), "the plans of a set operation have the same columns: this has %d, the first %d", n, len(s.members[0].columns))
			ok = false
		}
	}
	if !ok {
		return false
	}
	for n, first := range s.members[0].columns {
		col := &outColumn{name: first.name, typ: first.typ, source: first.source, notNull: first.notNull, traces: first.traces, lack: first.lack, stock: s.united(n)}
		for i, m := range s.members[1:] {
			other := m.columns[n]
			shared, fits := common(col.typ, other.typ)
			if !fits && col.typ.sql == other.typ.sql && s.op == "union" && s.all {
				shared, fits = col.typ, true
			}
			if !fits {
				c.faultf(stageNames, CodeType, c.memberAt(i+1), "column %d of the set operation is %s and %s", n+1, col.typ, other.typ)
				return false
			}
			col.typ = shared
			col.lack = col.lack.beside(other.lack)
			if s.op == "union" {
				col.notNull = col.notNull && other.notNull
				col.traces = slices.DeleteFunc(slices.Clone(col.traces), func(t string) bool { return !slices.Contains(other.traces, t) })
			}
		}
		if col.typ.sql != first.typ.sql {
			col.source = nil
		}
		if !s.all || s.op != "union" {
			if !col.typ.comparable() {
				c.faultf(stageNames, CodeType, c.base+"/set", "values of type %s can't be told apart; only union with all takes them", col.typ)
				return false
			}
		}
		for _, m := range s.members {
			m.bring(n, col.typ)
		}
		q.columns = append(q.columns, col)
	}
	if !s.all {
		for _, col := range q.columns {
			q.key = append(q.key, col.name)
		}
	}
	q.single = c.given.Limit != nil && *c.given.Limit <= 1
	return true
}

// bring casts a column to the type that it has in the set operation, so that
// Postgres needn't choose one.
func (q *query) bring(n int, to typ) {
	if q.set != nil {
		for _, m := range q.set.members {
			m.bring(n, to)
		}
		return
	}
	if o := q.b.items[n]; o.typ.plain().sql != to.plain().sql {
		if internal, ok := castNames[to.plain().sql]; ok {
			o.brought = internal
		}
	}
}

// castNames are pg_catalog's names of the types that set operations may bring
// columns to.
var castNames = map[string]string{"text": "text", "integer": "int4", "bigint": "int8", "numeric": "numeric", "double precision": "float8",
	"date": "date", "timestamp without time zone": "timestamp", "timestamp with time zone": "timestamptz"}

// setOrder resolves sort keys, which are output columns by name.
func (c *checker) setOrder(q *query, s *setOperation) {
	var names []string
	for _, col := range q.columns {
		names = append(names, col.name)
	}
	for i := range c.given.OrderBy {
		given, at := &c.given.OrderBy[i], c.base+position(i, "order_by")
		if given.Expr != nil || given.Item == "" {
			c.faultf(stageStructure, CodeOneOf, at, "a set operation is ordered by item: an output column's name")
			continue
		}
		col := q.column(given.Item)
		switch {
		case col == nil:
			f := c.faultf(stageNames, CodeItem, at+"/item", "there is no output column %s", given.Item)
			f.Nearest = nearest(given.Item, names)
		case given.Nulls != "" && given.Nulls != "first" && given.Nulls != "last":
			c.faultf(stageStructure, CodeChoice, at+"/nulls", "nulls are first or last, not %s", given.Nulls)
		case !col.typ.orderable():
			c.faultf(stageNames, CodeType, at, "values of type %s have no order", col.typ)
		default:
			s.order = append(s.order, &setKey{column: col, desc: given.Desc, nulls: given.Nulls})
		}
	}
}

// compileSet builds the operation, the first two plans innermost.
func (c *checker) compileSet(q *query) *pg_query.Node {
	op := map[string]pg_query.SetOperation{"union": pg_query.SetOperation_SETOP_UNION,
		"intersect": pg_query.SetOperation_SETOP_INTERSECT, "except": pg_query.SetOperation_SETOP_EXCEPT}[q.set.op]
	left := q.set.members[0].member()
	for i, m := range q.set.members[1:] {
		if i > 0 {
			left = stmt.SelectNode(left).GetSelectStmt()
		}
		left = &pg_query.SelectStmt{Op: op, All: q.set.all, Larg: left, Rarg: m.member()}
	}
	limit, offset := c.given.Limit, c.given.Offset
	var sorted []string
	add := func(col *outColumn, desc bool, nulls pg_query.SortByNulls) {
		left.SortClause = append(left.SortClause, sortByNode(stmt.Column(col.name), desc, nulls))
		sorted = append(sorted, col.name)
	}
	for _, k := range q.set.order {
		add(k.column, k.desc, nullsOf(k.nulls, k.desc, k.column.notNull))
	}
	apart := q.key != nil && !slices.ContainsFunc(q.key, func(name string) bool { return !slices.Contains(sorted, name) })
	if limit != nil || offset != nil && *offset > 0 {
		for _, col := range q.columns {
			if !slices.Contains(sorted, col.name) && col.typ.orderable() {
				add(col, false, pg_query.SortByNulls_SORTBY_NULLS_DEFAULT)
			}
		}
	}
	if !apart {
		c.cuts(limit, len(q.set.order), sorted)
	}
	if q.bounded() {
		c.qualify("the limit cuts rows that no order chose")
	}
	if limit != nil {
		left.LimitCount = intNode(*limit)
	}
	if offset != nil && *offset > 0 {
		left.LimitOffset = intNode(*offset)
	}
	return stmt.SelectNode(left)
}

// member is a query as an operand: one that is ordered, cut or combined itself
// stands in FROM, so that no parentheses are needed.
func (q *query) member() *pg_query.SelectStmt {
	s := q.tree.GetSelectStmt()
	if s.Op == pg_query.SetOperation_SETOP_NONE && s.SortClause == nil && s.LimitCount == nil && s.LimitOffset == nil {
		return s
	}
	wrap := &pg_query.SelectStmt{FromClause: []*pg_query.Node{stmt.Subselect(q.tree, "s")}}
	for _, col := range q.columns {
		wrap.TargetList = append(wrap.TargetList, stmt.Target(columnNode("s", col.name), ""))
	}
	return stmt.SelectNode(wrap).GetSelectStmt()
}

// canonicalSet is the set operation with every default said.
func (c *checker) canonicalSet(q *query) *Plan {
	p := &Plan{Set: &Set{Op: q.set.op, All: q.set.all}, Limit: c.given.Limit, Offset: c.given.Offset}
	for _, m := range q.set.members {
		p.Set.Plans = append(p.Set.Plans, *m.canonical)
	}
	for _, k := range q.set.order {
		p.OrderBy = append(p.OrderBy, Order{Item: k.column.name, Desc: k.desc, Nulls: k.nulls})
	}
	return p
}
