package plan

import (
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// repeats finds the relation that makes rows of r appear more than once in
// the block: the first to-many step on any way from r to another relation.
// Nil means that every row of r appears at most once.
func (c *checker) repeats(r *rel) *rel {
	seen := map[*rel]bool{r: true}
	queue := []*rel{r}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, x := range c.rels {
			if x.host != nil || seen[x] {
				continue
			}
			switch {
			case x.parent == at && !x.toOne, at.parent == x && !at.fromOne:
				return x
			case x.parent == at, at.parent == x:
				seen[x] = true
				queue = append(queue, x)
			}
		}
	}
	return nil
}

// finest are the relations of which the block has one row for each row; none
// where two to-many joins multiply each other.
func (c *checker) finest() []*rel {
	var out []*rel
	for _, r := range c.rels {
		if r.host == nil && !r.added && c.repeats(r) == nil {
			out = append(out, r)
		}
	}
	return out
}

// measures judges every aggregate and metric: whether what it adds up is
// there once, and may be added up at all.
func (c *checker) measures(b *block) {
	for _, u := range c.sums {
		switch {
		case u.metric != nil:
			c.metricGrain(u)
			c.metricConditions(u)
			c.stock(u, b)
		default:
			c.plainGrain(u, b)
			c.stockColumns(u, b)
		}
	}
	for _, u := range c.overWindow {
		if b.grouped { // it is over groups, each of which is there once
			c.groupStocks(u, b)
			continue
		}
		c.plainGrain(u, b)
		c.stockColumns(u, b)
	}
	c.stockProducts(b)
}

func (c *checker) metricGrain(u *measureUse) {
	if u.rel.nullable && presentColumn(u.rel.table) == "" && slices.ContainsFunc(semantic.Aggregates(u.metric.Expr), readsNone) {
		c.faultf(stageMeasures, CodeCountMissing, u.at,
			"metric %s counts rows of %s, which is left joined and has no column that every row has", u.metric.Name, u.rel.alias)
	}
	by := c.repeats(u.rel)
	if by == nil || !sensitive(u.metric.Expr) {
		return
	}
	f := c.faultf(stageMeasures, CodeFanOut, u.at,
		"metric %s is one value for each row of %s, and joining %s (%s) repeats those rows",
		u.metric.Name, TableName(u.metric.Table), by.alias, joinOf(by, u.rel))
	f.Hint = fmt.Sprintf("ask for %s without %s, or for both in two questions", u.metric.Name, by.called())
	c.fanned = append(c.fanned, f)
}

// joinOf names the key that a join uses.
func joinOf(by, measured *rel) string {
	switch {
	case by.key != nil:
		return "key " + by.key.Name
	case measured.key != nil:
		return "key " + measured.key.Name
	}
	return "on " + strings.Join(by.ownColumns, ", ")
}

// called is how a hint names a source: a derived block by its alias.
func (r *rel) called() string {
	if r.query != nil {
		return r.alias
	}
	return TableName(r.table.Name)
}

// sensitive tells whether a repeated row changes the expression's value: all
// aggregates but min, max and counts of distinct values.
func sensitive(n *pg_query.Node) bool {
	found := false
	for _, call := range semantic.Aggregates(n) {
		name := call.Funcname[len(call.Funcname)-1].GetString_().GetSval()
		if name == "min" || name == "max" || name == "count" && call.AggDistinct {
			continue
		}
		found = true
	}
	return found
}

// plainGrain judges count, sum and avg: they are right over a relation whose
// rows the joins don't repeat.
func (c *checker) plainGrain(u *measureUse, b *block) {
	if u.insensitive() {
		return
	}
	finest := c.finest()
	var over []*rel
	if u.arg != nil {
		for _, r := range c.rels {
			if u.arg.relations()[r] {
				over = append(over, r)
			}
		}
	}
	if len(over) == 0 {
		c.countsRows(u, finest, b)
		return
	}
	if slices.ContainsFunc(over, func(r *rel) bool { return slices.Contains(finest, r) }) {
		return
	}
	by := c.repeats(over[0])
	f := c.faultf(stageMeasures, CodeFanOut, u.at, "%s over %s counts rows several times: joining %s repeats them",
		u.name, over[0].alias, by.alias)
	f.Hint = fmt.Sprintf("ask for it without %s, or for both in two questions", by.called())
	if u.name == "count" && !u.window && u.arg.rel != nil && isKey(u.arg.rel.table, u.arg.column.Name) {
		f.Repair = Repair{{"add", u.at + "/distinct", true}}
		f.Hint = ""
	}
	c.fanned = append(c.fanned, f)
}

// insensitive tells whether repeated rows don't change the aggregate.
func (u *measureUse) insensitive() bool {
	switch u.name {
	case "min", "max", "bool_and", "bool_or":
		return true
	case "count", "string_agg":
		return u.distinct
	}
	return false
}

// countsRows judges an aggregate over the block's rows as such.
func (c *checker) countsRows(u *measureUse, finest []*rel, b *block) {
	if len(finest) == 0 {
		c.faultf(stageMeasures, CodeFanOut, u.at, "%s counts combinations: two of the joins multiply each other's rows", u.name)
		return
	}
	for _, r := range finest {
		if !r.nullable || b.rejectsNull(r) || u.filterRejectsNull(r) {
			return
		}
	}
	r := finest[0]
	f := c.faultf(stageMeasures, CodeCountMissing, u.at,
		"%s counts 1 where %s has no row, since it is left joined; count a column of it", u.name, r.alias)
	key := presentColumn(r.table)
	switch {
	case key == "" || u.name != "count":
	case u.window:
		f.Repair = Repair{{"add", u.at + "/args", []Expr{{Column: ColumnName(r.alias, key)}}}}
	default:
		f.Repair = Repair{{"add", u.at + "/arg", Expr{Column: ColumnName(r.alias, key)}}}
	}
}

// presentColumn is a column that every row has; "" where none is declared.
func presentColumn(t *catalog.Table) string {
	if len(t.PrimaryKey) > 0 {
		return t.PrimaryKey[0]
	}
	for _, col := range t.Columns {
		if col.NotNull {
			return col.Name
		}
	}
	return ""
}

func isKey(t *catalog.Table, column string) bool {
	if len(t.PrimaryKey) == 1 && t.PrimaryKey[0] == column {
		return true
	}
	return slices.ContainsFunc(t.Unique, func(k []string) bool { return len(k) == 1 && k[0] == column })
}

// rejectsNull tells whether a condition is certainly not true for the empty
// row of an outer join to r.
func rejectsNull(t *typed, r *rel) bool {
	if t.expr.Period != nil {
		return t.parts[0].rel == r
	}
	if t.expr.Op == nil {
		return false
	}
	switch t.expr.Op.Op {
	case "and":
		return slices.ContainsFunc(t.parts, func(p *typed) bool { return rejectsNull(p, r) })
	case "=", "<>", "<", "<=", ">", ">=", "like", "ilike", "between", "in", "is_not_null":
		return t.parts[0].rel == r || len(t.parts) == 2 && t.parts[1].rel == r
	}
	return false
}

func (b *block) rejectsNull(r *rel) bool { return b.where != nil && rejectsNull(b.where, r) }

func (u *measureUse) filterRejectsNull(r *rel) bool {
	return u.filter != nil && rejectsNull(u.filter, r)
}
