package policy_test

import (
	"fmt"
	"slices"
	"strings"
)

// nestedJoin joins a chain in brackets, whose items stay in sight.
func (g *randomQuery) nestedJoin(left string, f, before *frame, depth int) string {
	how := g.pick("JOIN", "JOIN", "LEFT JOIN", "CROSS JOIN")
	right, r := g.chain(depth-1, merge(before, f))
	if len(r.sources) > 1 {
		right = "(" + right + ")"
	}
	a, b := &frame{sources: slices.Clone(f.sources), alone: f.alone}, &frame{sources: r.sources, alone: r.alone}
	f.sources = append(f.sources, r.sources...)
	f.alone = append(slices.Clip(f.alone), r.alone...)
	f.order = append(f.order, r.order...)
	for n, k := range r.bare {
		f.bare[n] += k
	}
	a.bare, b.bare = f.bare, f.bare
	text := left + " " + how + " " + right
	if how == "CROSS JOIN" {
		return text
	}
	l, _, ok := g.columnIn(integer, a)
	m, _, ok2 := g.columnIn(integer, b)
	if !ok || !ok2 {
		return text + " ON true"
	}
	return text + " ON " + l + " = " + m
}

// tested is a condition of an operation that fails on poison, at no more cost
// than the operation's own.
func (g *randomQuery) tested() (string, bool) {
	x, ok := g.fragment()
	if !ok {
		return "", false
	}
	switch g.IntN(6) {
	case 0, 1:
		return "(" + x + ") " + g.pick("IS NULL", "IS NOT NULL", "IS DISTINCT FROM NULL"), true
	case 2:
		return "(" + x + ") = (" + x + ")", true
	case 3:
		return "(ARRAY[true, false])[" + x + "]", true
	case 4:
		return "(" + x + ", 1) IS NOT NULL", true
	}
	return "coalesce(" + x + ", 3) IS NOT NULL", true
}

// computed is a sub-select in FROM with a column that fails on poison, tested
// further out.
func (g *randomQuery) computed() (string, bool) {
	t := g.relation()
	var fuses []string
	for _, c := range t.cols {
		if c.poison && c.kind == integer {
			fuses = append(fuses, quoteName(c.name))
		}
	}
	if len(fuses) == 0 || !t.readable {
		return "", false
	}
	n := oneOf(g.dice, fuses)
	g.n++
	x := fmt.Sprintf("z%d", g.n)
	inner := fmt.Sprintf("SELECT 60 / %s AS q, 60 / %s AS r, %s AS n FROM %s", n, n, n, t.sql())
	if g.one(3) {
		inner = "SELECT 1 AS q, 1 AS r, 2 AS n WHERE false UNION ALL " + inner
	}
	list := g.pick("", "", " (u, v)")
	q, r := "q", "r"
	if list != "" {
		q, r = "u", "v"
	}
	where := g.pick(x+"."+q+" IS NOT NULL", q+" = "+r, x+" IS NOT NULL", "(ARRAY[true])["+q+"]", x+" <= "+x, q+" IN ("+r+")")
	return fmt.Sprintf("EXISTS (SELECT FROM (%s) AS %s%s WHERE %s)", inner, x, list, where), true
}

// oddCondition has forms that the others don't.
func (g *randomQuery) oddCondition(e func(kind) string) string {
	switch g.IntN(8) {
	case 0:
		return "(" + e(day) + ", " + e(day) + " + 3) OVERLAPS (date '2024-02-01', interval '9 days')"
	case 1:
		return e(day) + g.pick(" < current_date", " > localtimestamp", " <= now()", " + make_interval(days => 2) < date '2024-02-20'")
	case 2:
		from, f := g.closedFrom()
		g.frames = append(g.frames, f)
		values := "max(" + g.expr(integer, 0) + "), min(" + g.expr(word, 0) + ")"
		g.frames, g.level = g.frames[:len(g.frames)-1], g.level-1
		return "(" + e(integer) + ", " + e(word) + ") " + g.pick("=", "<", "<>") + " (SELECT " + values + from + " LIMIT 1)"
	case 3:
		return "concat_ws('-', VARIADIC " + e(words) + ") LIKE '%e%'"
	case 4:
		return "(" + e(document) + ")['k'] = '1'"
	case 5:
		return "(" + e(integer) + ")::bit(4) = B'0011'"
	case 6:
		return e(decimal) + " > 1.5e1"
	}
	return "NOT (" + e(word) + " IS NFC NORMALIZED)"
}

// closedFrom is a FROM clause of a sub-select in a condition.
func (g *randomQuery) closedFrom() (string, *frame) {
	g.level++
	return g.from(0)
}

// regrouped writes grouping sets in other ways.
func (g *randomQuery) regrouped(keys []string) string {
	list := strings.Join(keys, ", ")
	return g.pick("DISTINCT "+list, "GROUPING SETS (("+list+"), ROLLUP ("+keys[0]+"))", "DISTINCT GROUPING SETS (("+list+"), ("+list+"))", keys[0]+", ("+list+")")
}
