package plan

import (
	"fmt"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
)

// stock applies a semi-additive metric's rule. Grouped by its time column it
// is a plain sum; else only the last (or first) time within the block's own
// conditions counts, and what is told must say so.
func (c *checker) stock(u *measureUse, b *block) {
	a := u.metric.Additivity
	if a.Kind != "semi" || len(a.NotOver) == 0 {
		return
	}
	for _, over := range a.NotOver[1:] {
		if !b.groupedBy(u.rel, over) && !b.pinned(u.rel, over) {
			f := c.faultf(stageMeasures, CodeAdditivity, u.at, "metric %s can't be added over %s", u.metric.Name, over)
			f.Hint = fmt.Sprintf("group by %s", over)
			f.Repair = c.addGroup(Expr{Column: ColumnName(u.rel.alias, over)})
		}
	}
	over := a.NotOver[0]
	if b.groupedBy(u.rel, over) {
		return
	}
	time := timeOf(u.metric)
	c.qualify("%s is a stock: %s", u.metric.Name, map[string]string{
		"last":  "value at the last " + over + " in the period",
		"first": "value at the first " + over + " in the period",
		"avg":   "average over the " + over + "s in the period"}[time])
	if time == "avg" {
		return
	}
	if cond := c.pickTime(u, b, over, map[string]string{"last": "max", "first": "min"}[time]); cond != nil {
		u.conds = append(u.conds, cond)
	}
}

func (c *checker) addGroup(e Expr) Repair {
	if c.given.GroupBy == nil {
		return Repair{{"add", c.base + "/group_by", []Expr{e}}}
	}
	return Repair{{"add", c.base + "/group_by/-", e}}
}

// pickTime is the condition that only the last (max) or first (min) time
// counts: one for the block, or one for each period that it groups by. The
// sub-select reads the table under the same alias, so that the block's own
// conditions hold in it as they stand.
func (c *checker) pickTime(u *measureUse, b *block, over, pick string) *pg_query.Node {
	conds, ok := c.ownConditions(u, b, over)
	if !ok {
		return nil
	}
	var groups []*pg_query.Node
	for _, g := range b.groups {
		if !c.touches(g, u.rel, []string{over}) {
			continue
		}
		if !onlyColumn(g, u.rel, over) {
			c.faultf(stageMeasures, CodeGrain, g.at, "metric %s needs periods of %s alone", u.metric.Name, over)
			return nil
		}
		groups = append(groups, stmt.Clone(g.tree))
	}
	if !c.fitsTree(allOf(conds), maxExprTree, u.at) {
		return nil
	}
	column := columnNode(u.rel.alias, over)
	sub := stmt.SelectNode(&pg_query.SelectStmt{
		TargetList:  []*pg_query.Node{stmt.Target(callNode(pick, column), "")},
		FromClause:  []*pg_query.Node{rangeNode(u.rel.table.Name, u.rel.alias)},
		WhereClause: stmt.Clone(allOf(conds)),
		GroupClause: groups,
	})
	if len(groups) == 0 {
		return opNode("=", column, stmt.Scalar(sub))
	}
	return subLinkNode(pg_query.SubLinkType_ANY_SUBLINK, column, sub)
}

// ownConditions are those of the block and the join on the metric's table
// alone. One that mixes its time with other tables would leave the period open.
func (c *checker) ownConditions(u *measureUse, b *block, over string) ([]*pg_query.Node, bool) {
	var all []*typed
	if b.where != nil {
		all = append(all, conjuncts(b.where)...)
	}
	if u.rel.where != nil {
		all = append(all, conjuncts(u.rel.where)...)
	}
	var own []*pg_query.Node
	for _, t := range all {
		rels := t.relations()
		switch {
		case len(rels) == 1 && rels[u.rel]:
			own = append(own, t.tree)
		case c.touches(t, u.rel, []string{over}):
			c.faultf(stageMeasures, CodeGrain, t.at,
				"metric %s needs a condition on %s that uses no other table", u.metric.Name, ColumnName(u.rel.alias, over))
			return nil, false
		}
	}
	for _, f := range u.metric.Filters {
		if len(f.Path) == 0 {
			own = append(own, qualify(f.Cond, u.rel.alias))
		}
	}
	return own, true
}

// conjuncts are the conditions that all must hold.
func conjuncts(t *typed) []*typed {
	if t.expr.Op == nil || t.expr.Op.Op != "and" {
		return []*typed{t}
	}
	var out []*typed
	for _, p := range t.parts {
		out = append(out, conjuncts(p)...)
	}
	return out
}

// onlyColumn tells whether the expression reads just this one column.
func onlyColumn(t *typed, r *rel, column string) bool {
	only := true
	t.walk(func(x *typed) {
		if x.column != nil && (x.rel != r || x.column.Name != column) {
			only = false
		}
	})
	return only
}

// groupedBy tells whether the column itself is among the groupings.
func (b *block) groupedBy(r *rel, column string) bool {
	return slices.ContainsFunc(b.groups, func(g *typed) bool { return g.rel == r && g.column.Name == column })
}

// pinned tells whether the block's where lets the column have one value only.
func (b *block) pinned(r *rel, column string) bool {
	if b.where == nil {
		return false
	}
	for _, t := range conjuncts(b.where) {
		if t.expr.Op == nil || t.expr.Op.Op != "=" {
			continue
		}
		for i, side := range t.parts {
			other := t.parts[1-i].expr
			if side.rel == r && side.column.Name == column && (other.Literal != nil || other.Date != nil) {
				return true
			}
		}
	}
	return false
}

// averaged divides a stock's sum by how many times there are.
func (c *checker) averaged(u *measureUse, tree *pg_query.Node, hoist bool) *pg_query.Node {
	count := &pg_query.FuncCall{Funcname: stmt.Names("count"), AggDistinct: true,
		Args:       []*pg_query.Node{columnNode(u.rel.alias, u.metric.Additivity.NotOver[0])},
		Funcformat: pg_query.CoercionForm_COERCE_EXPLICIT_CALL}
	if !hoist && len(u.conds) > 0 {
		count.AggFilter = stmt.Clone(allOf(u.conds))
	}
	times := &pg_query.Node{Node: &pg_query.Node_FuncCall{FuncCall: count}}
	return opNode("/", tree, nullIfNode(times, intNode(0)))
}
