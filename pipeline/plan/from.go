package plan

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
)

// conditions are the join's, its where included. A composite key is whole.
func (r *rel) conditions() []*pg_query.Node {
	var conds []*pg_query.Node
	for i, parent := range r.parentColumns {
		conds = append(conds, opNode("=", columnNode(r.parent.alias, parent), columnNode(r.alias, r.ownColumns[i])))
	}
	if r.where != nil {
		conds = append(conds, r.where.tree)
	}
	return conds
}

// canonical is the join with everything spelled out.
func (r *rel) canonical() Join {
	j := Join{As: r.alias, Kind: r.kind, To: r.parent.alias}
	if r.query != nil {
		j.Plan = r.query.canonical
	} else {
		j.Table, j.Search = TableName(r.table.Name), r.search.canonical()
	}
	switch {
	case r.on:
		for i, parent := range r.parentColumns {
			j.On = append(j.On, []string{ColumnName(r.parent.alias, parent), ColumnName(r.alias, r.ownColumns[i])})
		}
	default:
		j.Key = r.key.Name
		j.Reverse = r.key.From == r.key.To && !r.forward
	}
	if r.where != nil {
		j.Where = &r.where.expr
	}
	return j
}

func (r *rel) joinType() pg_query.JoinType {
	switch r.kind {
	case "left":
		return pg_query.JoinType_JOIN_LEFT
	case "right":
		return pg_query.JoinType_JOIN_RIGHT
	case "full":
		return pg_query.JoinType_JOIN_FULL
	}
	return pg_query.JoinType_JOIN_INNER
}

// node is the relation in FROM.
func (r *rel) node() *pg_query.Node {
	switch {
	case r.query != nil:
		return stmt.Subselect(r.query.tree, r.alias)
	case r.search != nil:
		return stmt.Subselect(r.search.tree(r), r.alias)
	}
	return rangeNode(r.table.Name, r.alias)
}

// fromClause is FROM of the outer block (host nil) or of an EXISTS. Every
// table is joined to one before it, so there is no cartesian product.
func (c *checker) fromClause(host *rel) (*pg_query.Node, []*pg_query.Node) {
	var from *pg_query.Node
	var where []*pg_query.Node
	for _, r := range c.rels {
		switch {
		case r.host == host && (r == host || r.parent == nil):
			from = r.node()
		case r.host == host:
			from = stmt.Join(r.joinType(), from, r.node(), allOf(r.conditions()))
		case r.exists() && r.parent.host == host:
			where = append(where, c.existsNode(r))
		}
	}
	return from, where
}

// existsNode is a semi or anti join.
func (c *checker) existsNode(r *rel) *pg_query.Node {
	from, nested := c.fromClause(r)
	sub := stmt.SelectNode(&pg_query.SelectStmt{
		TargetList:  []*pg_query.Node{stmt.Target(intNode(1), "")},
		FromClause:  []*pg_query.Node{from},
		WhereClause: allOf(append(r.conditions(), nested...)),
	})
	exists := stmt.Exists(sub)
	if r.kind == "anti" {
		return stmt.Not(exists)
	}
	return exists
}
