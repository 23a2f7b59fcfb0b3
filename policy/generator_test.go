package policy_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// generator makes up queries over the tables of rlsSchema. Every query has two
// integer columns, a and b, so that all of them can be combined.
type generator struct {
	t *rapid.T
	n int
}

func (g *generator) pick(options ...string) string {
	return rapid.SampledFrom(options).Draw(g.t, "pick")
}

func (g *generator) chance(label string, n int) bool {
	return rapid.IntRange(0, n-1).Draw(g.t, label) == 0
}

func (g *generator) alias() string {
	g.n++
	return fmt.Sprintf("t%d", g.n)
}

// statement is a query, at times below WITH, with ORDER BY and LIMIT.
func (g *generator) statement() string {
	with, names := "", []string(nil)
	if g.chance("with", 3) {
		name := g.pick("c", "orders", "accounts")
		with = fmt.Sprintf("WITH %s AS (%s) ", name, g.query(2, nil))
		names = append(names, name)
	}
	sql := with + g.query(3, names)
	if g.chance("limit", 3) {
		sql = fmt.Sprintf("SELECT * FROM (%s) z ORDER BY a, b LIMIT %d OFFSET %d", sql, rapid.IntRange(0, 30).Draw(g.t, "limit"), rapid.IntRange(0, 3).Draw(g.t, "offset"))
	}
	return sql
}

// query has columns a and b. ctes are WITH names, which have the same.
func (g *generator) query(depth int, ctes []string) string {
	if depth > 1 && g.chance("set operation", 5) {
		op := g.pick("UNION", "UNION ALL", "EXCEPT", "INTERSECT", "EXCEPT ALL")
		return fmt.Sprintf("(%s) %s (%s)", g.query(depth-1, ctes), op, g.query(depth-1, ctes))
	}
	from, cols := g.from(depth, ctes)
	where := ""
	if g.chance("where", 2) {
		where = " WHERE " + g.condition(depth, cols, ctes)
	}
	a, b := rapid.SampledFrom(cols).Draw(g.t, "a"), rapid.SampledFrom(cols).Draw(g.t, "b")
	switch rapid.IntRange(0, 4).Draw(g.t, "shape") {
	case 0:
		return fmt.Sprintf("SELECT %s AS a, %s AS b FROM %s%s GROUP BY %s", a, g.pick("count(*)", "sum("+b+")", "max("+b+")", "count(DISTINCT "+b+")"), from, where, a)
	case 1:
		return fmt.Sprintf("SELECT DISTINCT %s AS a, %s AS b FROM %s%s", a, b, from, where)
	case 2:
		return fmt.Sprintf("SELECT %s AS a, count(*) OVER (PARTITION BY %s) AS b FROM %s%s", a, b, from, where)
	}
	return fmt.Sprintf("SELECT %s AS a, %s AS b FROM %s%s", a, b, from, where)
}

// from is one FROM item or a join, with the columns that can be used.
func (g *generator) from(depth int, ctes []string) (string, []string) {
	left, cols := g.item(depth, ctes)
	for i := rapid.IntRange(0, 3).Draw(g.t, "joins")/2 + depth/4; i > 0; i-- {
		right, more := g.item(depth-1, ctes)
		on := rapid.SampledFrom(cols).Draw(g.t, "left") + " = " + rapid.SampledFrom(more).Draw(g.t, "right")
		if g.chance("second condition", 3) {
			on += " AND " + rapid.SampledFrom(more).Draw(g.t, "other") + g.pick(" > 3", " IS NOT NULL", " < 40")
		}
		switch kind := g.pick("JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", ","); kind {
		case ",":
			left = fmt.Sprintf("%s JOIN (SELECT 1 AS one) %s ON true CROSS JOIN %s", left, g.alias(), right)
		case "FULL JOIN":
			on, _, _ = strings.Cut(on, " AND ") // full joins need mergeable conditions
			left = fmt.Sprintf("%s FULL JOIN %s ON %s", left, right, on)
		default:
			left = fmt.Sprintf("%s %s %s ON %s", left, kind, right, on)
		}
		cols = append(cols, more...)
	}
	return left, cols
}

// item is a table, a sub-select or a WITH name under a fresh alias.
func (g *generator) item(depth int, ctes []string) (string, []string) {
	alias := g.alias()
	if depth > 1 && g.chance("sub-select", 4) {
		return fmt.Sprintf("(%s) %s", g.query(depth-1, ctes), alias), qualify(alias, "a", "b")
	}
	if len(ctes) > 0 && g.chance("with name", 3) {
		return ctes[0] + " " + alias, qualify(alias, "a", "b")
	}
	switch rapid.IntRange(0, 3).Draw(g.t, "table") {
	case 0:
		return "public.accounts " + alias, qualify(alias, "id", "tenant_id")
	case 1:
		return "public.orders AS " + alias, qualify(alias, "id", "account_id", "tenant_id", "amount")
	case 2:
		return "items " + alias, qualify(alias, "order_id", "product_id", "qty")
	}
	return "ONLY products " + alias, qualify(alias, "id", "price")
}

func qualify(alias string, cols ...string) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = alias + "." + c
	}
	return out
}

func (g *generator) condition(depth int, cols, ctes []string) string {
	c := rapid.SampledFrom(cols).Draw(g.t, "column")
	simple := []string{" > 10", " < 30", " IS NULL", " IS NOT NULL", " = 1", " <> 2", " IN (1, 2, 3, 20)", " BETWEEN 3 AND 25"}
	if depth > 1 {
		switch rapid.IntRange(0, 5).Draw(g.t, "condition") {
		case 0:
			return fmt.Sprintf("%s %s (SELECT a FROM (%s) %s)", c, g.pick("IN", "NOT IN"), g.query(depth-1, ctes), g.alias())
		case 1:
			s := g.alias()
			return fmt.Sprintf("%s (SELECT 1 FROM (%s) %s WHERE %s.a = %s)", g.pick("EXISTS", "NOT EXISTS"), g.query(depth-1, ctes), s, s, c)
		case 2:
			return fmt.Sprintf("(%s %s %s)", g.condition(1, cols, ctes), g.pick("OR", "AND"), g.condition(depth-1, cols, ctes))
		case 3:
			return fmt.Sprintf("%s > (SELECT count(*) FROM (%s) %s)", c, g.query(depth-1, ctes), g.alias())
		case 4:
			return "NOT (" + g.condition(depth-1, cols, ctes) + ")"
		}
	}
	return c + g.pick(simple...)
}
