package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// from judges one item of FROM and puts the scoped subselect in the place of a
// real relation. left are the items before it, which LATERAL may use.
func (j *judge) from(n *pg_query.Node, l *level, left []*item) ([]*item, error) {
	j.mark(n)
	switch x := n.GetNode().(type) {
	case *pg_query.Node_RangeVar:
		return j.rangeVar(n, x.RangeVar, nil, l)
	case *pg_query.Node_RangeTableSample:
		return j.sample(n, x.RangeTableSample, l)
	case *pg_query.Node_RangeSubselect:
		return j.rangeSubselect(x.RangeSubselect, l, left)
	case *pg_query.Node_RangeFunction:
		return j.rangeFunction(x.RangeFunction, l, left)
	case *pg_query.Node_JoinExpr:
		return j.join(x.JoinExpr, l, left)
	}
	return nil, unsupported("this item in FROM", "Use tables, sub-selects and functions.")
}

// rangeVar is a WITH name or a real relation.
func (j *judge) rangeVar(n *pg_query.Node, r *pg_query.RangeVar, sample *pg_query.RangeTableSample, l *level) ([]*item, error) {
	if r.Schemaname == "" && r.Catalogname == "" {
		if c := l.ctes.find(r.Relname); c != nil {
			if sample != nil {
				return nil, unsupported("TABLESAMPLE of a WITH name", "Sample a table.")
			}
			return j.withName(r, c, l)
		}
	}
	if j.verify {
		return nil, deny(stateDenied, "permission denied for relation %q", r.Relname)
	}
	g, d := j.view.resolve(r)
	if d != nil {
		return nil, located(d, r.Location)
	}
	if r.Relpersistence != "p" && r.Relpersistence != "" {
		return nil, unsupported("this relation", "Name a table.")
	}
	if err := j.spread(len(g.columns)); err != nil {
		return nil, err
	}
	if g.system {
		if err := j.charge(j.view.names().oidBytes); err != nil {
			return nil, err
		}
	}
	it := relationItem(g, r.Alias)
	if err := renameColumns(it, r.Alias); err != nil {
		return nil, err
	}
	j.use(g)
	alias := r.Alias
	if alias == nil {
		alias = stmt.AliasOf(r.Relname)
	}
	n.Node = &pg_query.Node_RangeSubselect{RangeSubselect: &pg_query.RangeSubselect{
		Subquery: j.view.subselect(g, r.Inh, sample, j.risk), Alias: alias}}
	return []*item{it}, nil
}

// use notes that the statement reads a relation. System relations are kept
// apart: they are no part of what is said about a statement.
func (j *judge) use(g *grant) {
	if g.system {
		j.systems[g.table.Name] = g
		return
	}
	j.used[g.table.Name] = true
}

// relationItem is what a real relation adds to the names in sight.
func relationItem(g *grant, alias *pg_query.Alias) *item {
	it := &item{name: g.table.Name.Table, grant: g, denied: g.denied, byName: true, byColumn: true, table: g.table.Name}
	if alias != nil {
		it.name, it.table = alias.Aliasname, catalog.Name{}
	}
	it.columns = make([]column, 0, len(g.columns))
	for _, c := range g.columns {
		it.columns = append(it.columns, column{name: c.column.Name, src: it, base: c.column.Name})
	}
	return it
}

// renameColumns applies an alias's column list, which goes by position: not
// over columns that the list's writer may believe to be others.
func renameColumns(it *item, alias *pg_query.Alias) error {
	if alias == nil || len(alias.Colnames) == 0 {
		return nil
	}
	if len(it.denied) > 0 {
		return unsupported("a list of column aliases here", "Rename columns in a sub-select: (SELECT a AS x FROM t) AS t.")
	}
	if it.open {
		// What isn't known may stand before what is: the list says nothing about
		// what a column is then.
		it.columns = plainColumns(columnNames(it.columns))
	} else if len(alias.Colnames) > len(it.columns) {
		return deny("42P10", "table %q has %d columns available but %d columns specified", it.name, len(it.columns), len(alias.Colnames))
	}
	for i, n := range alias.Colnames {
		name := n.GetString_().GetSval()
		if i < len(it.columns) {
			it.columns[i].name = name
		} else {
			it.columns = append(it.columns, column{name: name})
		}
	}
	return nil
}

// withName is a reference to a WITH query. An alias's list doesn't reach the
// columns of SEARCH and CYCLE, which * stands for only beside the WITH.
func (j *judge) withName(r *pg_query.RangeVar, c *cte, l *level) ([]*item, error) {
	j.mark(r)
	if !c.known && c.judge != nil {
		if err := c.judge(); err != nil {
			return nil, err
		}
	}
	if !r.Inh {
		return nil, unsupported("ONLY with a WITH name", "Leave ONLY out.")
	}
	if err := j.spread(len(c.columns)); err != nil {
		return nil, err
	}
	it := &item{name: r.Relname, columns: outputs{names: c.columns, regs: c.regs}.columns(), open: c.open || !c.known, byName: true, byColumn: true}
	if r.Alias != nil {
		it.name = r.Alias.Aliasname
	}
	if err := renameColumns(it, r.Alias); err != nil {
		return nil, err
	}
	for _, name := range c.added {
		it.columns = append(it.columns, column{name: name, unlisted: l != c.at})
	}
	return []*item{it}, nil
}

// sample moves TABLESAMPLE into the subselect. Its arguments may only be
// constants and parameters.
func (j *judge) sample(n *pg_query.Node, s *pg_query.RangeTableSample, l *level) ([]*item, error) {
	r := s.Relation.GetRangeVar()
	if r == nil {
		return nil, unsupported("this TABLESAMPLE", "Sample a table.")
	}
	if err := j.sampleArguments(s); err != nil {
		return nil, err
	}
	return j.rangeVar(n, r, s, l)
}

func (j *judge) sampleArguments(s *pg_query.RangeTableSample) error {
	schema, method, ok := nameParts(s.Method)
	if !ok || schema != "" && schema != builtinSchema || method != "system" && method != "bernoulli" {
		return deny(stateDenied, "permission denied for this sampling method").withHint("Use SYSTEM or BERNOULLI.")
	}
	args := s.Args
	if s.Repeatable != nil {
		args = append(append([]*pg_query.Node{}, args...), s.Repeatable)
	}
	for _, a := range args {
		if a.GetAConst() == nil && a.GetParamRef() == nil {
			return unsupported("an expression in TABLESAMPLE", "Give the percentage as a number.")
		}
		if p := a.GetParamRef(); p != nil {
			if err := j.param(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// rangeSubselect is a sub-select in FROM. When verifying, it is how relations
// come in: exactly as the view would write them.
func (j *judge) rangeSubselect(r *pg_query.RangeSubselect, l *level, left []*item) ([]*item, error) {
	j.mark(r)
	if j.verify && !r.Lateral {
		if g := j.recognise(r); g != nil {
			it := relationItem(g, r.Alias)
			it.denied = nil // names were judged before
			return []*item{it}, renameColumns(it, r.Alias)
		}
	}
	inner := &level{parent: l.parent, ctes: l.ctes}
	if r.Lateral {
		inner.items = left
	}
	out, err := j.query(r.Subquery, inner, nil)
	if err != nil {
		return nil, err
	}
	if err := j.spread(len(out.names)); err != nil {
		return nil, err
	}
	it := &item{columns: out.columns(), open: out.open, byColumn: true}
	if r.Alias != nil {
		it.name, it.byName = r.Alias.Aliasname, true
	}
	return []*item{it}, renameColumns(it, r.Alias)
}

// recognise finds the grant whose subselect this is, nil for any other.
func (j *judge) recognise(r *pg_query.RangeSubselect) *grant {
	s := r.Subquery.GetSelectStmt()
	if s == nil || len(s.FromClause) != 1 {
		return nil
	}
	v := s.FromClause[0].GetRangeVar()
	sample := s.FromClause[0].GetRangeTableSample()
	if sample != nil {
		v = sample.Relation.GetRangeVar()
		if j.sampleArguments(sample) != nil {
			return nil
		}
	}
	if v == nil || v.Schemaname == "" {
		return nil
	}
	n := catalog.Name{Schema: v.Schemaname, Table: v.Relname}
	g := j.view.grants[n]
	if systemSchema(n.Schema) {
		g = j.view.system(n)
	}
	if g == nil || g.broken != nil || !stmt.Equal(r.Subquery, j.view.written(g, v.Inh, sample, j.risk, asItIs)) {
		return nil
	}
	j.use(g)
	j.sealed[r.Subquery] = true
	return g
}
