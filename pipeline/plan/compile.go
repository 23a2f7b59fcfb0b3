package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
)

// compile builds the SELECT.
func (c *checker) compile(b *block) *pg_query.Node {
	hoisted := c.compileMetrics(b)
	c.breakTies(b)
	from, exists := c.fromClause(nil)
	var where []*pg_query.Node
	if b.where != nil {
		where = append(where, b.where.tree)
	}
	where = append(append(where, hoisted...), exists...)
	s := &pg_query.SelectStmt{FromClause: []*pg_query.Node{from}, WhereClause: allOf(where)}
	for _, o := range b.items {
		s.TargetList = append(s.TargetList, o.target())
	}
	if c.given.Distinct {
		s.DistinctClause = []*pg_query.Node{{}}
	}
	for _, g := range b.groups {
		s.GroupClause = append(s.GroupClause, g.tree)
	}
	if b.having != nil {
		s.HavingClause = b.having.tree
	}
	s.SortClause = c.sortClause(b)
	if b.limit != nil {
		s.LimitCount = intNode(*b.limit)
	}
	if b.offset != nil && *b.offset > 0 {
		s.LimitOffset = intNode(*b.offset)
	}
	return stmt.SelectNode(s)
}

// target is the output in the select list.
func (o *output) target() *pg_query.Node {
	if o.brought != "" {
		return stmt.Target(castNode(o.tree, o.brought), o.name)
	}
	return stmt.Target(o.tree, o.spelledName())
}

// spelledName is the output's name, empty where a column's own will do.
func (o *output) spelledName() string {
	if o.column != nil && o.column.Name == o.name {
		return ""
	}
	return o.name
}

// canonical is the block with every name resolved and every default said.
func (c *checker) canonical(b *block) *Plan {
	first := c.rels[0]
	p := &Plan{From: Source{As: first.alias}, Limit: b.limit, Offset: b.offset, Distinct: c.given.Distinct}
	if first.query != nil {
		p.From.Plan = first.query.canonical
	} else {
		p.From.Table, p.From.Search = TableName(first.table.Name), first.search.canonical()
	}
	for _, r := range c.rels[1:] {
		if !r.added {
			p.Joins = append(p.Joins, r.canonical())
		}
	}
	if b.where != nil {
		p.Where = &b.where.expr
	}
	for _, o := range b.items {
		p.Select = append(p.Select, Item{Expr: o.expr, As: o.name})
	}
	named := b.extra
	if len(named) == 0 && !b.aggregates() {
		named = b.groups // nothing else says that the block groups
	}
	for _, g := range named {
		p.GroupBy = append(p.GroupBy, g.expr)
	}
	if b.having != nil {
		p.Having = &b.having.expr
	}
	for _, k := range b.order {
		o := Order{Desc: k.desc, Nulls: k.nulls}
		if k.item != nil {
			o.Item = k.item.name
		} else {
			o.Expr = &k.expr
		}
		p.OrderBy = append(p.OrderBy, o)
	}
	return p
}

// hashOf digests the canonical form without what never runs.
func hashOf(p *Plan) (string, error) {
	bare := *p
	bare.Reasoning = ""
	b, err := json.Marshal(&bare)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
