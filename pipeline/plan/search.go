package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
	"google.golang.org/protobuf/proto"
)

// maxMatches bounds what one search takes.
const maxMatches = 10_000

// search is a checked search of a source.
type search struct {
	source *semantic.Source
	query  string
	k      int
	within float64 // 0 for any distance
	// n is its place among the plan's searches.
	n int
}

// searched is a table of which only the rows nearest to a text are taken.
func (c *checker) searched(t *catalog.Table, given *Search, at string) *rel {
	source := c.Semantic.Source(t.Name)
	at += "/search"
	if source == nil || source.Embedding == "" {
		f := c.faultf(stageNames, CodeSearch, at, "%s can't be searched: no source of the semantic file says by which embeddings", TableName(t.Name))
		for _, s := range c.Semantic.Sources {
			if s.Embedding != "" {
				f.Nearest = append(f.Nearest, TableName(s.Table))
			}
		}
		return nil
	}
	s := &search{source: source, query: given.Query, k: given.K, within: source.Within, n: len(c.searches)}
	if s.k == 0 {
		s.k = source.K
	}
	if given.Within != nil {
		s.within = *given.Within
	}
	switch {
	case strings.TrimSpace(s.query) == "" || strings.ContainsRune(s.query, 0):
		c.faultf(stageStructure, CodeMissing, at+"/query", "a search says what it looks for")
		return nil
	case s.k < 1 || s.k > maxMatches:
		c.faultf(stageStructure, CodeLimit, at+"/k", "a search takes from 1 to %d rows", maxMatches)
		return nil
	case s.within < 0:
		c.faultf(stageStructure, CodeLimit, at+"/within", "a distance is not negative")
		return nil
	}
	c.searches = append(c.searches, s)
	shown := *t
	shown.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(col *catalog.Column) bool { return col.Name == source.Embedding })
	shown.Columns = append(shown.Columns, &catalog.Column{Name: semantic.DistanceColumn, NotNull: true,
		Type: catalog.Type{OID: 701, Schema: "pg_catalog", Name: "float8", SQL: "double precision", Category: 'N'}})
	return &rel{table: &shown, at: strings.TrimSuffix(at, "/search"), search: s}
}

// canonical is the search with every default said; nil for none.
func (s *search) canonical() *Search {
	if s == nil {
		return nil
	}
	out := &Search{Query: s.query, K: s.k}
	if s.within > 0 {
		out.Within = &s.within
	}
	return out
}

// tree selects the nearest rows, in an order that an index on the embeddings has, and of those
// the ones that are near enough.
func (s *search) tree(r *rel) *pg_query.Node {
	const alias = "s"
	distance := s.distance(alias)
	inner := &pg_query.SelectStmt{FromClause: []*pg_query.Node{stmt.Table(r.table.Name.Schema, r.table.Name.Table, alias)}, LimitCount: intNode(int64(s.k))}
	outer := &pg_query.SelectStmt{}
	for _, col := range r.table.Columns {
		node, name := columnNode(alias, col.Name), ""
		if col.Name == semantic.DistanceColumn {
			node, name = distance, col.Name
		}
		inner.TargetList = append(inner.TargetList, stmt.Target(node, name))
		outer.TargetList = append(outer.TargetList, stmt.Target(columnNode(alias, col.Name), ""))
	}
	inner.SortClause = []*pg_query.Node{sortByNode(distance, false, pg_query.SortByNulls_SORTBY_NULLS_DEFAULT)}
	for _, key := range r.table.PrimaryKey { // rows that are equally far away
		inner.SortClause = append(inner.SortClause, sortByNode(columnNode(alias, key), false, pg_query.SortByNulls_SORTBY_NULLS_DEFAULT))
	}
	near := allOf([]*pg_query.Node{nullTestNode(columnNode(alias, semantic.DistanceColumn), pg_query.NullTestType_IS_NOT_NULL)})
	if s.within > 0 {
		near = opNode("<=", columnNode(alias, semantic.DistanceColumn), textNode(strconv.FormatFloat(s.within, 'g', -1, 64), "float8"))
	}
	outer.FromClause = []*pg_query.Node{stmt.Subselect(stmt.SelectNode(inner), alias)}
	outer.WhereClause = near
	return stmt.SelectNode(outer)
}

// distance is pgvector's operator between the embeddings and the text's, which is filled in
// by [Checked.WithVectors].
func (s *search) distance(alias string) *pg_query.Node {
	of := stmt.Cast(stmt.StringConst(placeholder(s.n)), &pg_query.TypeName{Typemod: -1, Names: stmt.Names(s.source.TypeSchema, "vector")})
	return &pg_query.Node{Node: &pg_query.Node_AExpr{AExpr: &pg_query.A_Expr{Kind: pg_query.A_Expr_Kind_AEXPR_OP,
		Name: stmt.Names(s.source.TypeSchema, s.source.Operator), Lexpr: columnNode(alias, s.source.Embedding), Rexpr: of}}}
}

// placeholder stands for the n-th search's vector until that is known. Nothing else in
// a plan is cast to a vector.
func placeholder(n int) string { return fmt.Sprintf("search %d", n) }

// Searches are the texts that must be embedded before the plan can be compiled.
func (c *Checked) Searches() []string { return slices.Clone(c.searches) }

// WithVectors is the same plan with the embeddings of its searches, in their order.
func (c *Checked) WithVectors(vectors [][]float32) *Checked {
	d := *c
	d.tree, d.searches = proto.Clone(c.tree).(*pg_query.Node), nil
	tree, err := stmt.Rewrite(d.tree, func(n *pg_query.Node) (*pg_query.Node, error) {
		cast := n.GetTypeCast()
		if names := cast.GetTypeName().GetNames(); len(names) != 2 || names[1].GetString_().GetSval() != "vector" {
			return n, nil
		}
		for i, v := range vectors {
			if cast.Arg.GetAConst().GetSval().GetSval() == placeholder(i) {
				cast.Arg = stmt.StringConst(spelledVector(v))
				break
			}
		}
		return n, nil
	})
	if err != nil {
		panic("plan: vectors: " + err.Error()) // the function above never fails
	}
	d.tree = tree
	return &d
}

// spelledVector is a vector as pgvector reads it.
func spelledVector(v []float32) string {
	parts := make([]string, len(v))
	for i, x := range v {
		parts[i] = strconv.FormatFloat(float64(x), 'g', -1, 32)
	}
	return "[" + strings.Join(parts, ",") + "]"
}
