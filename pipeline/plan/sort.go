package plan

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// sorting is a block's ORDER BY being put together.
type sorting struct {
	c     *checker
	b     *block
	nodes []*pg_query.Node
	// outputs are the names of the output columns that the keys are, empty for others.
	outputs []string
}

// sortClause is the plan's order and, where a limit cuts, the rows' key and the remaining
// output columns behind it: equal sort keys then still give the same rows every time.
func (c *checker) sortClause(b *block) []*pg_query.Node {
	s := &sorting{c: c, b: b}
	for _, k := range b.order {
		s.add(sortByNode(c.sortNode(k), k.desc, k.nullsNode()), k.item)
	}
	cuts := b.limit != nil || b.offset != nil && *b.offset > 0
	if !cuts || b.grouped && len(b.groups) == 0 {
		return s.nodes
	}
	if b.bounded() {
		c.qualify("the limit cuts rows that no order chose")
	}
	if c.tellsApart(b) {
		s.byOutputs()
		return s.nodes
	}
	asked := len(s.nodes)
	if b.grouped {
		s.byOutputs()
		s.byKeys()
	} else {
		s.byKeys()
		s.byOutputs()
	}
	c.cuts(b.limit, asked, s.outputs)
	return s.nodes
}

func (s *sorting) add(n *pg_query.Node, o *output) {
	name := ""
	if o != nil {
		name = o.name
	}
	s.nodes, s.outputs = append(s.nodes, n), append(s.outputs, name)
}

// byOutputs adds the output columns that aren't sort keys yet.
func (s *sorting) byOutputs() {
	for _, o := range s.b.items {
		if o.typ.orderable() && !o.constant() && !slices.Contains(s.outputs, o.name) {
			s.add(sortByNode(s.c.sortNode(&sortKey{typed: o.typed, item: o}), false, pg_query.SortByNulls_SORTBY_NULLS_DEFAULT), o)
		}
	}
}

// byKeys adds what tells the rows apart and isn't a sort key yet.
func (s *sorting) byKeys() {
	for _, key := range s.c.tieKeys(s.b) {
		if !slices.ContainsFunc(s.nodes, func(n *pg_query.Node) bool { return stmt.Equal(n.GetSortBy().GetNode(), key) }) {
			s.add(sortByNode(key, false, pg_query.SortByNulls_SORTBY_NULLS_DEFAULT), s.b.showing(key))
		}
	}
}

// sortNode is what stands in ORDER BY: the output's name where that can mean
// nothing else, the expression otherwise.
func (c *checker) sortNode(k *sortKey) *pg_query.Node {
	if k.item != nil && k.item.brought != "" {
		return stmt.Column(k.item.name)
	}
	if k.item == nil || k.column != nil {
		return k.tree
	}
	for _, r := range c.rels {
		if r.alias == k.item.name || r.table.Column(k.item.name) != nil {
			return k.tree
		}
	}
	return stmt.Column(k.item.name)
}

// nullsNode puts nulls last unless the plan says otherwise: who asks for the
// top five doesn't mean the unknown ones. Postgres puts them first going down.
func (k *sortKey) nullsNode() pg_query.SortByNulls { return nullsOf(k.nulls, k.desc, k.neverNull()) }

func nullsOf(nulls string, desc, neverNull bool) pg_query.SortByNulls {
	switch {
	case nulls == "first":
		return pg_query.SortByNulls_SORTBY_NULLS_FIRST
	case desc && !neverNull:
		return pg_query.SortByNulls_SORTBY_NULLS_LAST
	}
	return pg_query.SortByNulls_SORTBY_NULLS_DEFAULT
}
