package policy

import (
	"fmt"
	"maps"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// join judges both sides, then the condition, which sees both.
func (j *judge) join(n *pg_query.JoinExpr, l *level, left []*item) ([]*item, error) {
	j.mark(n)
	a, err := j.from(n.Larg, l, left)
	if err != nil {
		return nil, err
	}
	b, err := j.from(n.Rarg, l, append(append([]*item{}, left...), a...))
	if err != nil {
		return nil, err
	}
	both := append(append([]*item{}, a...), b...)
	if err := j.spreadItems(both); err != nil {
		return nil, err
	}
	names, err := j.mergedNames(n, a, b, l)
	if err != nil {
		return nil, err
	}
	merged := mergedColumns(n.Jointype, names, a, b)
	on := &level{parent: l.parent, items: both, ctes: l.ctes, windows: l.windows}
	if err := j.optional(n.Quals, on); err != nil {
		return nil, err
	}
	joined := joinItem(a, b, merged)
	using := j.usingAlias(n, merged)
	if n.Alias != nil {
		joined.name, joined.byName = n.Alias.Aliasname, true
		return []*item{joined}, renameColumns(joined, n.Alias)
	}
	for _, it := range both {
		it.byColumn = false
	}
	return append(append(both, joined), using...), nil
}

// joinItem is the join's own columns: the merged ones first, then the rest of
// either side.
func joinItem(a, b []*item, merged []column) *item {
	it := &item{byColumn: true, denied: deniedIn(append(append([]*item{}, a...), b...))}
	it.columns = slices.Clone(merged)
	isMerged := nameSet(merged)
	for _, side := range [][]*item{a, b} {
		cols, open := bare(side)
		it.open = it.open || open
		for _, c := range cols {
			if !isMerged[c.name] {
				it.columns = append(it.columns, c)
			}
		}
	}
	return it
}

// mergedColumns are the merged columns of a join, in order. One is its side's
// column unchanged where that side has a value in every row (the left one's, but
// for RIGHT and FULL) and both are of one type: the common type of two others
// isn't known here.
func mergedColumns(kind pg_query.JoinType, names []string, a, b []*item) []column {
	left, _ := bare(a)
	right, _ := bare(b)
	out := plainColumns(names)
	for i := range out {
		l, r := columnNamed(left, out[i].name), columnNamed(right, out[i].name)
		if !ofOneType(l, r) {
			continue
		}
		switch kind {
		case pg_query.JoinType_JOIN_INNER, pg_query.JoinType_JOIN_LEFT:
			out[i] = *l
		case pg_query.JoinType_JOIN_RIGHT:
			out[i] = *r
		}
	}
	return out
}

// ofOneType tells whether both are columns of real tables and of one type.
// Columns of catalogs may be shown as another.
func ofOneType(a, b *column) bool {
	for _, c := range []*column{a, b} {
		if c == nil || c.src == nil || c.src.grant == nil || c.src.grant.system {
			return false
		}
	}
	x, y := a.src.grant.column(a.base), b.src.grant.column(b.base)
	return x != nil && y != nil && x.column.Type == y.column.Type
}

// mergedNames are the names in NATURAL and USING. A column that either side
// has but the role may not see would change the join: it is refused.
func (j *judge) mergedNames(n *pg_query.JoinExpr, a, b []*item, l *level) ([]string, error) {
	if len(n.UsingClause) == 0 && !n.IsNatural {
		return nil, nil
	}
	left, leftOpen := bare(a)
	right, rightOpen := bare(b)
	inLeft, inRight := nameSet(left), nameSet(right)
	deniedLeft, deniedRight := deniedIn(a), deniedIn(b)
	var names []string
	for _, u := range n.UsingClause {
		j.mark(u)
		name := u.GetString_().GetSval()
		if deniedLeft[name] || deniedRight[name] {
			return nil, j.view.deniedColumn("", name, l)
		}
		if !inLeft[name] && !leftOpen || !inRight[name] && !rightOpen {
			return nil, j.view.unknownColumn("", name, &level{parent: l.parent, items: append(append([]*item{}, a...), b...)})
		}
		names = append(names, name)
	}
	if !n.IsNatural {
		return names, j.mergeable(names, left, right, l)
	}
	if leftOpen || rightOpen {
		return nil, unsupported("NATURAL JOIN with a function", "Use JOIN … ON.")
	}
	for _, name := range slices.Sorted(maps.Keys(deniedLeft)) {
		if inRight[name] || deniedRight[name] {
			return nil, j.view.deniedNatural(name, l)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(deniedRight)) {
		if inLeft[name] {
			return nil, j.view.deniedNatural(name, l)
		}
	}
	for _, c := range left {
		if inRight[c.name] {
			names = append(names, c.name)
		}
	}
	return names, j.mergeable(names, left, right, l)
}

// mergeable refuses to join by columns that are withheld, and by those that *
// leaves out: whether it leaves out what they are merged to depends on types.
func (j *judge) mergeable(names []string, left, right []column, l *level) error {
	for _, c := range slices.Concat(left, right) {
		if c.unlisted && slices.Contains(names, c.name) {
			return unsupported("a join by a column of SEARCH or CYCLE", "Use JOIN … ON.")
		}
	}
	return j.joinsWithheld(names, left, right, l)
}

func nameSet(cols []column) map[string]bool {
	out := make(map[string]bool, len(cols))
	for _, c := range cols {
		out[c.name] = true
	}
	return out
}

// usingAlias is JOIN … USING (…) AS x: x qualifies the merged columns, unless the
// join itself has an alias, which hides x. The printer doesn't quote that name,
// so an odd one gets another.
func (j *judge) usingAlias(n *pg_query.JoinExpr, merged []column) []*item {
	a := n.JoinUsingAlias
	if a == nil {
		return nil
	}
	it := &item{name: a.Aliasname, columns: slices.Clone(merged), byName: true}
	if !plainIdentifier(a.Aliasname) || reservedWord(a.Aliasname) {
		it.rename = j.freshName("using")
		n.JoinUsingAlias = stmt.AliasOf(it.rename)
	}
	return []*item{it}
}

// freshName makes a name for something that only the query itself sees.
func (j *judge) freshName(kind string) string {
	j.generated++
	return fmt.Sprintf("pgask_%s_%d", kind, j.generated)
}
