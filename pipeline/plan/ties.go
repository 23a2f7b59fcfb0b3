package plan

import (
	"slices"
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"

	"github.com/pgask/pgask/pipeline/stmt"
)

// cut is where a query's limit may part rows that are equal in all that the plan sorts by.
type cut struct {
	limit int64
	// asked is how many of the sort keys are the plan's; those behind them only decide
	// among equals.
	asked int
	// outputs are the output columns that the sort keys are; empty for other expressions.
	outputs []string
}

// Watched is the plan as a SELECT that gives one row more than its limit, where that row
// is equal to the last in all that the plan sorts by, and the limit. Where the limit can't
// part equals it is [Compile]'s, and 0. So whoever reads the rows knows of those that were
// left out for no reason, without another query, and what is sorted is one row more.
//
//	SELECT name FROM (SELECT name, sort_1, sort_2, rank() OVER (ORDER BY sort_1) AS place FROM
//	  (SELECT name, price AS sort_1, id AS sort_2 FROM … ORDER BY price, id LIMIT 4) found) found
//	WHERE place <= 3 ORDER BY sort_1, sort_2
func Watched(c *Checked) (*pg_query.Node, int64) {
	tree := Compile(c)
	if c.cut == nil {
		return tree, 0
	}
	var names []string
	for _, col := range c.columns {
		names = append(names, col.Name)
	}
	shown := names
	free := func(name string) string {
		for slices.Contains(names, name) {
			name += "_"
		}
		names = append(names, name)
		return name
	}
	s := tree.GetSelectStmt()
	var order []*pg_query.Node
	for i, n := range s.SortClause {
		by := n.GetSortBy()
		name := c.cut.outputs[i]
		if name == "" {
			name = free("sort_" + strconv.Itoa(i+1))
			s.TargetList = append(s.TargetList, stmt.Target(stmt.Clone(by.Node), name))
		}
		order = append(order, pg_query.MakeSortByNode(stmt.Column(name), by.SortbyDir, by.SortbyNulls, 0))
	}
	s.LimitCount = intNode(c.cut.limit + 1)
	place := free("place")
	rank := stmt.Call([]string{"pg_catalog", "rank"})
	rank.GetFuncCall().Over = &pg_query.WindowDef{FrameOptions: frameDefault, OrderClause: clones(order[:c.cut.asked])}
	ranked := &pg_query.SelectStmt{FromClause: []*pg_query.Node{stmt.Subselect(tree, "found")}}
	for _, name := range names[:len(names)-1] {
		ranked.TargetList = append(ranked.TargetList, stmt.Target(stmt.Column(name), ""))
	}
	ranked.TargetList = append(ranked.TargetList, stmt.Target(rank, place))
	out := &pg_query.SelectStmt{FromClause: []*pg_query.Node{stmt.Subselect(stmt.SelectNode(ranked), "found")}, SortClause: order,
		WhereClause: stmt.Op("<=", stmt.Column(place), intNode(c.cut.limit))}
	for _, name := range shown {
		out.TargetList = append(out.TargetList, stmt.Target(stmt.Column(name), ""))
	}
	return stmt.SelectNode(out), c.cut.limit
}

// Ties is how many rows the plan gives, where its limit may part equals; 0 where it can't.
func (c *Checked) Ties() int64 {
	if c.cut == nil {
		return 0
	}
	return c.cut.limit
}

func clones(nodes []*pg_query.Node) []*pg_query.Node {
	out := make([]*pg_query.Node, len(nodes))
	for i, n := range nodes {
		out[i] = proto.Clone(n).(*pg_query.Node)
	}
	return out
}

// cuts notes that a query's limit may part equals. Inside of a plan nobody sees whether it
// does, so that the answer says it may.
func (c *checker) cuts(limit *int64, asked int, outputs []string) {
	if limit == nil || *limit == 0 || asked == 0 {
		return
	}
	if c.base == "" {
		c.run.cut = &cut{*limit, asked, outputs}
		return
	}
	c.qualify("where only the first %d count, others that tie with the last of them may be left out", *limit)
}

// tellsApart tells whether rows that are equal in all that a block sorts by are shown alike,
// so that it makes no difference which are cut, or there are none.
func (c *checker) tellsApart(b *block) bool {
	sorted := func(is func(*sortKey) bool) bool { return slices.ContainsFunc(b.order, is) }
	by := func(t *typed) bool { return sorted(func(k *sortKey) bool { return same(k.typed, t) }) }
	switch {
	case !slices.ContainsFunc(b.items, func(o *output) bool { return !by(o.typed) }):
		return true
	case b.grouped:
		return !slices.ContainsFunc(b.groups, func(g *typed) bool { return !by(g) })
	}
	return slices.ContainsFunc(c.finest(), func(r *rel) bool {
		key := r.ownKey()
		return len(key) > 0 && !slices.ContainsFunc(key, func(name string) bool {
			return !sorted(func(k *sortKey) bool { return k.rel == r && k.column.Name == name })
		})
	})
}

// tieKeys tell a block's rows apart where its outputs may not: the key of what it has one
// row for each of, or what it groups by without showing it. Distinct rows have none.
func (c *checker) tieKeys(b *block) []*pg_query.Node {
	var out []*pg_query.Node
	switch {
	case c.given.Distinct:
	case b.grouped:
		for _, g := range b.extra {
			if g.typ.orderable() {
				out = append(out, g.tree)
			}
		}
	default:
		if finest := c.finest(); len(finest) > 0 {
			for _, name := range finest[0].ownKey() {
				out = append(out, columnNode(finest[0].alias, name))
			}
		}
	}
	return out
}

// showing is the output that shows an expression; nil for none.
func (b *block) showing(n *pg_query.Node) *output {
	i := slices.IndexFunc(b.items, func(o *output) bool { return stmt.Equal(o.tree, n) })
	if i < 0 {
		return nil
	}
	return b.items[i]
}
