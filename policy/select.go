package policy

import (
	"fmt"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// outputs are the columns of a query. With open there may be more or others.
type outputs struct {
	names []string
	open  bool
	// rows are the fields of those that are rows of a known function, by place.
	rows map[int][]string
	// regs are the reg types of those that are texts for one, by place.
	regs map[int]string
}

// columns are the outputs as columns of a FROM item.
func (o outputs) columns() []column {
	out := plainColumns(o.names)
	for i, fields := range o.rows {
		out[i].fields = fields
	}
	for i, kind := range o.regs {
		out[i].reg = kind
	}
	return out
}

// query judges a sub-query, wherever it stands. self is set for a recursive
// WITH query, which learns its columns from its first arm.
func (j *judge) query(n *pg_query.Node, outer *level, self *cte) (outputs, error) {
	s := n.GetSelectStmt()
	if s == nil {
		return outputs{}, writes("a data-modifying statement in WITH")
	}
	j.mark(n)
	if !j.verify && s.Larg != nil {
		j.uniteArms(s, outer.ctes)
	}
	return j.selectStmt(s, outer, self)
}

func (j *judge) selectStmt(s *pg_query.SelectStmt, outer *level, self *cte) (outputs, error) {
	j.mark(s)
	if s.IntoClause != nil {
		return outputs{}, writes("SELECT INTO")
	}
	if len(s.LockingClause) > 0 {
		return outputs{}, writes("SELECT with a locking clause")
	}
	l := &level{parent: outer, ctes: outer.ctes}
	if err := j.with(s.WithClause, l); err != nil {
		return outputs{}, err
	}
	switch {
	case s.Op != pg_query.SetOperation_SETOP_NONE && s.Op != pg_query.SetOperation_SET_OPERATION_UNDEFINED:
		return j.setOperation(s, l, self)
	case len(s.ValuesLists) > 0:
		return j.values(s, l)
	}
	return j.plainSelect(s, l)
}

func writes(what string) *Denied {
	return deny(stateReadOnly, "%s is not allowed: this role only reads", what)
}

// setOperation judges both arms. ORDER BY may name only the result's columns.
func (j *judge) setOperation(s *pg_query.SelectStmt, l *level, self *cte) (outputs, error) {
	out, err := j.selectStmt(s.Larg, l, nil)
	if err != nil {
		return out, err
	}
	if self != nil {
		self.learn(out)
	}
	if _, err := j.selectStmt(s.Rarg, l, nil); err != nil {
		return out, err
	}
	l.items = []*item{{columns: plainColumns(out.names), open: out.open, byColumn: true}}
	return out, j.tail(s, l, out)
}

// values judges VALUES lists; their columns are column1, column2 …
func (j *judge) values(s *pg_query.SelectStmt, l *level) (outputs, error) {
	out := outputs{}
	j.uniteRows(s.ValuesLists, l)
	for i, row := range s.ValuesLists {
		items := row.GetList().GetItems()
		if err := j.walk(row, l); err != nil {
			return out, err
		}
		for k, item := range items {
			out.open = out.open || isStar(item)
			if i == 0 {
				out.names = append(out.names, fmt.Sprintf("column%d", k+1))
			}
		}
	}
	l.items = []*item{{columns: plainColumns(out.names), open: out.open, byColumn: true}}
	return out, j.tail(s, l, out)
}

// plainSelect judges FROM first, since everything else names its columns.
func (j *judge) plainSelect(s *pg_query.SelectStmt, l *level) (outputs, error) {
	for _, n := range s.FromClause {
		items, err := j.from(n, l, l.items)
		if err != nil {
			return outputs{}, err
		}
		l.items = append(l.items, items...)
	}
	j.nameWindows(s, l)
	out, err := j.targets(s.TargetList, l)
	if err != nil {
		return out, err
	}
	if err := j.optional(s.WhereClause, l); err != nil {
		return out, err
	}
	if err := j.grouping(s.GroupClause, l, out); err != nil {
		return out, err
	}
	if err := j.optional(s.HavingClause, l); err != nil {
		return out, err
	}
	if err := j.all(s.WindowClause, l); err != nil {
		return out, err
	}
	for _, n := range s.DistinctClause {
		if n.GetNode() == nil {
			continue // plain DISTINCT
		}
		if err := j.ordered(n, n, l, out); err != nil {
			return out, err
		}
	}
	if err := j.tail(s, l, out); err != nil {
		return out, err
	}
	j.expandGroupBy(s, l)
	return out, nil
}

// tail judges ORDER BY, LIMIT and OFFSET.
func (j *judge) tail(s *pg_query.SelectStmt, l *level, out outputs) error {
	for _, n := range s.SortClause {
		if err := j.ordered(n, n.GetSortBy().GetNode(), l, out); err != nil {
			return err
		}
	}
	if err := j.optional(s.LimitCount, l); err != nil {
		return err
	}
	return j.optional(s.LimitOffset, l)
}

// ordered judges one item of ORDER BY or DISTINCT ON: a name alone means an
// output first.
func (j *judge) ordered(n, value *pg_query.Node, l *level, out outputs) error {
	name, ok := bareName(value)
	if !ok || !contains(out.names, name) {
		return j.walk(n, l)
	}
	j.mark(n)
	j.mark(value)
	j.mark(value.GetColumnRef())
	if by := n.GetSortBy(); by != nil {
		j.mark(by)
		if err := j.operator(by.UseOp); err != nil {
			return err
		}
	}
	return nil
}

// grouping judges GROUP BY: a name alone means a column of FROM first, then an
// output.
func (j *judge) grouping(list []*pg_query.Node, l *level, out outputs) error {
	for _, n := range list {
		if g := n.GetGroupingSet(); g != nil {
			j.mark(n)
			j.mark(g)
			if err := j.grouping(g.Content, l, out); err != nil {
				return err
			}
			continue
		}
		name, ok := bareName(n)
		if ok && contains(out.names, name) {
			if col, denied, _ := l.local(name); col == nil && !denied {
				j.mark(n)
				j.mark(n.GetColumnRef())
				continue
			}
		}
		if err := j.walk(n, l); err != nil {
			return err
		}
	}
	return nil
}
