package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// with judges a WITH clause and adds its names. Without RECURSIVE a query sees
// the ones before it; with it, all of them and itself.
func (j *judge) with(w *pg_query.WithClause, l *level) error {
	if w == nil {
		return nil
	}
	j.mark(w)
	if w.Recursive {
		return j.recursive(w, l)
	}
	for _, n := range w.Ctes {
		c, expr, err := j.newCTE(n, l)
		if err != nil {
			return err
		}
		if err := j.cteQuery(c, expr, l, nil); err != nil {
			return err
		}
		l.ctes = l.ctes.with(c)
	}
	return nil
}

// recursive puts all names in sight first. A name used before its query was
// judged gets it judged then, so that its columns are known.
func (j *judge) recursive(w *pg_query.WithClause, l *level) error {
	type pending struct {
		cte  *cte
		done bool
	}
	all := make([]*pending, len(w.Ctes))
	for i, n := range w.Ctes {
		c, expr, err := j.newCTE(n, l)
		if err != nil {
			return err
		}
		p := &pending{cte: c}
		c.judge = func() error {
			if p.done {
				return nil
			}
			p.done = true
			return j.cteQuery(c, expr, l, c)
		}
		all[i] = p
		l.ctes = l.ctes.with(c)
	}
	for _, p := range all {
		if err := p.cte.judge(); err != nil {
			return err
		}
	}
	return nil
}

func (j *judge) newCTE(n *pg_query.Node, l *level) (*cte, *pg_query.CommonTableExpr, error) {
	expr := n.GetCommonTableExpr()
	if expr == nil || expr.Ctequery == nil {
		return nil, nil, unsupported("this WITH query", "Use a SELECT.")
	}
	j.mark(n)
	j.mark(expr)
	c := &cte{name: expr.Ctename, at: l}
	for _, a := range expr.Aliascolnames {
		c.aliases = append(c.aliases, a.GetString_().GetSval())
	}
	if s := expr.SearchClause; s != nil {
		c.added = append(c.added, s.SearchSeqColumn)
	}
	if s := expr.CycleClause; s != nil {
		c.added = append(c.added, s.CycleMarkColumn, s.CyclePathColumn)
	}
	return c, expr, nil
}

// cteQuery judges one query. self is set under RECURSIVE.
func (j *judge) cteQuery(c *cte, expr *pg_query.CommonTableExpr, l *level, self *cte) error {
	if err := j.searchAndCycle(c, expr, l); err != nil {
		return err
	}
	// The query doesn't see the SELECT's own FROM, only what is around it.
	around := &level{parent: l.parent, ctes: l.ctes}
	out, err := j.query(expr.Ctequery, around, self)
	if err != nil {
		return err
	}
	c.learn(out)
	return nil
}

// learn sets the columns.
func (c *cte) learn(out outputs) {
	c.columns, c.open, c.known, c.regs = renamed(out.names, c.aliases), out.open, true, out.regs
}

// searchAndCycle judges SEARCH and CYCLE, which name the query's own columns
// and hold two constants.
func (j *judge) searchAndCycle(c *cte, expr *pg_query.CommonTableExpr, l *level) error {
	if s := expr.SearchClause; s != nil {
		j.mark(s)
	}
	s := expr.CycleClause
	if s == nil {
		return nil
	}
	j.mark(s)
	if s.CycleMarkType != 0 || s.CycleMarkCollation != 0 || s.CycleMarkNeop != 0 {
		return unsupported("this CYCLE clause", "Leave TO … DEFAULT … out.")
	}
	if err := j.optional(s.CycleMarkValue, l); err != nil {
		return err
	}
	return j.optional(s.CycleMarkDefault, l)
}
