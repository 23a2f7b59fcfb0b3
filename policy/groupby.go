package policy

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// expandGroupBy appends the other columns that a SELECT uses of a table whose
// primary key it groups by. Postgres allows those for a table, but a subselect
// has no primary key; since the key decides them, the groups stay the same.
func (j *judge) expandGroupBy(s *pg_query.SelectStmt, l *level) {
	if j.verify || len(s.GroupClause) == 0 {
		return
	}
	grouped := map[*item]map[string]bool{}
	for _, n := range s.GroupClause {
		if n.GetGroupingSet() != nil {
			return
		}
		if c := j.groupedColumn(n, l); c != nil && c.src != nil {
			if grouped[c.src] == nil {
				grouped[c.src] = map[string]bool{}
			}
			grouped[c.src][c.base] = true
		}
	}
	for _, r := range l.refs {
		src := r.column.src
		if r.aggregate || src == nil || !coversKey(src, grouped[src]) || grouped[src][r.column.base] {
			continue
		}
		if !groupable(src.grant.column(r.column.base)) {
			continue
		}
		grouped[src][r.column.base] = true
		if name := l.spelling(r.column); name != nil {
			s.GroupClause = append(s.GroupClause, name)
		}
	}
}

// groupedColumn is the column that an item of GROUP BY means, nil for
// expressions.
func (j *judge) groupedColumn(n *pg_query.Node, l *level) *column {
	if c := n.GetAConst(); c != nil && c.GetIval() != nil {
		if i := int(c.GetIval().Ival); i >= 1 && i <= len(l.targets) && !l.openTargets {
			return l.targets[i-1].column
		}
		return nil
	}
	if c := j.columnOf(n, l); c != nil {
		return c
	}
	if name, ok := bareName(n); ok {
		for _, t := range l.targets {
			if t.name == name {
				return t.column
			}
		}
	}
	return nil
}

func coversKey(it *item, grouped map[string]bool) bool {
	if it.grant == nil || len(it.grant.table.PrimaryKey) == 0 {
		return false
	}
	for _, k := range it.grant.table.PrimaryKey {
		if c := it.grant.column(k); c == nil || c.mask != nil || !grouped[k] {
			return false
		}
	}
	return true
}

// spelling names a column through the FROM item that shows it: an alias of a
// join hides those of its sides. nil where none does.
func (l *level) spelling(c column) *pg_query.Node {
	for _, it := range l.items {
		name := it.name
		if it.rename != "" {
			name = it.rename
		}
		for _, own := range it.columns {
			if it.byName && own.src == c.src && own.base == c.base {
				return stmt.Column(name, own.name)
			}
		}
	}
	return nil
}

// groupable tells whether Postgres can group by the column's type.
func groupable(c *grantColumn) bool {
	return c != nil && !strings.Contains(" json xml point line lseg box path polygon circle ", " "+c.column.Type.Name+" ")
}
