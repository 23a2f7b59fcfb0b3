package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// subselect is what stands in a relation's place: its permitted columns in
// table order, masks and row rule applied. Where the statement holds operations
// that can raise errors, OFFSET 0 keeps Postgres from evaluating them before a
// row rule that isn't surely first. It may be changed.
func (v *View) subselect(g *grant, inh bool, sample *pg_query.RangeTableSample, r risk) *pg_query.Node {
	return v.written(g, inh, sample, r, stmt.Clone)
}

// written is the same with masks and row rule taken as they are, or copied. What
// isn't copied is the view's: it may be looked at only.
func (v *View) written(g *grant, inh bool, sample *pg_query.RangeTableSample, r risk, taken func(*pg_query.Node) *pg_query.Node) *pg_query.Node {
	table := stmt.Table(g.table.Name.Schema, g.table.Name.Table, "")
	table.GetRangeVar().Inh = inh
	if sample != nil {
		table = &pg_query.Node{Node: &pg_query.Node_RangeTableSample{RangeTableSample: &pg_query.RangeTableSample{
			Relation: table, Method: sample.Method, Args: sample.Args, Repeatable: sample.Repeatable}}}
	}
	s := &pg_query.SelectStmt{FromClause: []*pg_query.Node{table}, TargetList: make([]*pg_query.Node, 0, len(g.columns))}
	for _, c := range g.columns {
		if c.mask != nil {
			s.TargetList = append(s.TargetList, stmt.Target(taken(c.mask), c.column.Name))
			continue
		}
		s.TargetList = append(s.TargetList, stmt.Target(stmt.Column(c.column.Name), ""))
	}
	if g.scope != nil {
		s.WhereClause = taken(g.scope)
	}
	if l := r.on(g.hazards); g.fenced || g.scope != nil && (l == riskCheap || l == riskPartial && !g.simple) {
		s.LimitOffset = stmt.IntConst(0)
		s.LimitOption = pg_query.LimitOption_LIMIT_OPTION_COUNT
	}
	return stmt.SelectNode(s)
}

// asItIs takes a part of the view to look at.
func asItIs(n *pg_query.Node) *pg_query.Node { return n }
