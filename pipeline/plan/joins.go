package plan

import (
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

// edge is one way to join a table to a relation of the plan.
type edge struct {
	to      *rel
	key     *semantic.Relationship
	forward bool // to is the key's From side
}

// from declares the first table.
func (c *checker) from() {
	if t := c.table(c.given.From.Table, "/from/table"); t != nil {
		c.declare(&rel{table: t, at: "/from"}, c.given.From.As)
		return
	}
	c.breakAlias(c.given.From.Table, c.given.From.As)
}

// join declares the i-th joined table along a relationship. Joining by
// anything else, or a whole key by a part of it, can't be said.
func (c *checker) join(i int) {
	j := &c.given.Joins[i]
	at := fmt.Sprintf("/joins/%d", i)
	kind := j.Kind
	if kind == "" {
		kind = "inner"
	}
	if !slices.Contains([]string{"inner", "left", "semi", "anti"}, kind) {
		f := c.faultf(stageStructure, CodeChoice, at+"/kind", "a join is inner, left, semi or anti, not %s", j.Kind)
		f.Nearest = nearest(j.Kind, []string{"inner", "left", "semi", "anti"})
		return
	}
	if j.Plan != nil || j.On != nil {
		c.faultf(stageStructure, CodeUnsupported, at, "derived blocks can't be joined yet")
		return
	}
	t := c.table(j.Table, at+"/table")
	if t == nil {
		return
	}
	e := c.edge(j, t, at)
	if e == nil {
		return
	}
	r := &rel{table: t, at: at, kind: kind, parent: e.to, key: e.key, forward: e.forward}
	r.toOne, r.fromOne = e.forward || e.key.OneToOne, !e.forward || e.key.OneToOne
	r.host = e.to.host
	if r.exists() {
		r.host = r
	}
	r.nullable = kind == "left" || e.to.nullable && r.host == e.to.host
	if kind == "left" && r.host != nil {
		c.faultf(stageStructure, CodeUnsupported, at+"/kind", "a left join inside a semi or anti join changes nothing; leave it out")
	}
	c.declare(r, j.As)
	parent, own := r.pairs()
	c.use(r.parent, parent)
	c.use(r, own)
	if j.Where != nil {
		r.where = c.condition(j.Where, at+"/where", env{host: r.host})
	}
}

// edge picks the one relationship that connects table t to the plan.
func (c *checker) edge(j *Join, t *catalog.Table, at string) *edge {
	targets := c.targets(j, at)
	if targets == nil {
		return nil
	}
	var found []edge
	for _, r := range targets {
		found = append(found, c.edges(r, t, j)...)
	}
	switch len(found) {
	case 1:
		return &found[0]
	case 0:
		if len(c.broken) > 0 && j.To == "" {
			return nil // it may have meant the table that isn't there
		}
		c.notDeclared(j, t, targets, at)
	default:
		f := c.faultf(stageJoins, CodeJoinAmbiguous, at, "%s can be joined in several ways; name one by to and key", TableName(t.Name))
		for _, e := range found {
			f.Nearest = append(f.Nearest, fmt.Sprintf("to %s, key %s", e.to.alias, e.key.Name))
		}
	}
	return nil
}

// targets are the relations a join may mean by to.
func (c *checker) targets(j *Join, at string) []*rel {
	if j.To != "" {
		if parts, ok := splitName(j.To); ok && len(parts) == 1 {
			for _, r := range c.rels {
				if parts[0].is(r.alias) {
					return []*rel{r}
				}
			}
		}
		if c.broken[j.To] {
			return nil
		}
		f := c.faultf(stageNames, CodeAlias, at+"/to", "no table before this one is called %s", j.To)
		for _, r := range c.rels {
			f.Nearest = append(f.Nearest, r.alias)
		}
		return nil
	}
	var outer []*rel
	for _, r := range c.rels {
		if r.host == nil {
			outer = append(outer, r)
		}
	}
	return outer
}

// edges are the relationships between r and t that the join allows.
func (c *checker) edges(r *rel, t *catalog.Table, j *Join) []edge {
	var out []edge
	for _, k := range c.Semantic.Relationships {
		if j.Key != "" && j.Key != k.Name {
			continue
		}
		forward := k.From == r.table.Name && k.To == t.Name
		backward := k.To == r.table.Name && k.From == t.Name
		if forward && backward { // a table with itself
			forward, backward = !j.Reverse, j.Reverse
		}
		if forward || backward {
			out = append(out, edge{to: r, key: k, forward: forward})
		}
	}
	return out
}

// notDeclared says which relationships the table has.
func (c *checker) notDeclared(j *Join, t *catalog.Table, targets []*rel, at string) {
	what := "no declared relationship connects it to " + aliasList(targets)
	if j.Key != "" {
		what = fmt.Sprintf("no relationship %s connects it to %s", j.Key, aliasList(targets))
	}
	f := c.faultf(stageJoins, CodeJoin, at, "%s can't be joined: %s", TableName(t.Name), what)
	for _, k := range c.Semantic.Relationships {
		if k.From == t.Name || k.To == t.Name {
			f.Nearest = append(f.Nearest, fmt.Sprintf("%s: %s → %s", k.Name, TableName(k.From), TableName(k.To)))
		}
	}
	if len(f.Nearest) > 8 {
		f.Nearest = f.Nearest[:8]
	}
}

func aliasList(rels []*rel) string {
	var names []string
	for _, r := range rels {
		names = append(names, r.alias)
	}
	return strings.Join(names, ", ")
}

// pairs are the key's columns, parent's side first. A composite key is whole.
func (r *rel) pairs() (parent, own []string) {
	if r.forward {
		return r.key.FromColumns, r.key.ToColumns
	}
	return r.key.ToColumns, r.key.FromColumns
}

// on is the join condition without the join's own where.
func (r *rel) on() []*pg_query.Node {
	parent, own := r.pairs()
	var conds []*pg_query.Node
	for i := range parent {
		conds = append(conds, opNode("=", columnNode(r.parent.alias, parent[i]), columnNode(r.alias, own[i])))
	}
	return conds
}

// conditions is on, and the join's where.
func (r *rel) conditions() []*pg_query.Node {
	conds := r.on()
	if r.where != nil {
		conds = append(conds, r.where.tree)
	}
	return conds
}

// canonical is the join with everything spelled out.
func (r *rel) canonical() Join {
	j := Join{Table: TableName(r.table.Name), As: r.alias, Kind: r.kind, To: r.parent.alias, Key: r.key.Name}
	j.Reverse = r.key.From == r.key.To && !r.forward
	if r.where != nil {
		j.Where = &r.where.expr
	}
	return j
}

// fromClause is FROM of the outer block (host nil) or of an EXISTS. Every
// table is joined to one before it, so there is no cartesian product.
func (c *checker) fromClause(host *rel) (*pg_query.Node, []*pg_query.Node) {
	var from *pg_query.Node
	var where []*pg_query.Node
	for _, r := range c.rels {
		switch {
		case r.host == host && (r == host || r.parent == nil):
			from = rangeNode(r.table.Name, r.alias)
		case r.host == host:
			kind := pg_query.JoinType_JOIN_INNER
			if r.kind == "left" {
				kind = pg_query.JoinType_JOIN_LEFT
			}
			from = stmt.Join(kind, from, rangeNode(r.table.Name, r.alias), allOf(r.conditions()))
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
