package gold

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgask/pgask/pipeline/plan"
)

// sources are FROM clauses over the orchard, with their columns by kind.
var sources = []struct {
	from                  string
	numbers, texts, dates []string
}{
	{"trees t", []string{"t.id", "t.grower_id", "t.mother_id", "t.height"}, []string{"t.kind"}, []string{"t.planted"}},
	{"growers g", []string{"g.id"}, []string{"g.name", "g.region"}, nil},
	{"crops c", []string{"c.tree_id", "c.season", "c.kilos"}, nil, nil},
	{"trees t JOIN growers g ON t.grower_id = g.id", []string{"t.id", "t.height", "g.id"}, []string{"t.kind", "g.name", "g.region"}, []string{"t.planted"}},
	{"crops c JOIN trees t ON t.id = c.tree_id JOIN growers g ON g.id = t.grower_id", []string{"c.kilos", "c.season", "t.height", "g.id"},
		[]string{"t.kind", "g.region"}, []string{"t.planted"}},
	{"trees t JOIN trees m ON t.mother_id = m.id", []string{"t.id", "m.id", "t.height", "m.height"}, []string{"t.kind", "m.kind"}, []string{"m.planted"}},
	{"growers g JOIN trees t ON t.grower_id = g.id", []string{"g.id", "t.id", "t.height"}, []string{"g.region", "t.kind"}, []string{"t.planted"}},
	{"trees m JOIN trees t ON t.mother_id = m.id JOIN crops c ON c.tree_id = m.id", []string{"m.id", "t.height", "c.kilos", "m.mother_id"},
		[]string{"t.kind"}, []string{"m.planted"}},
	{"tools o JOIN growers g ON o.owner = g.name", []string{"o.price", "g.id"}, []string{"o.label", "g.region"}, nil},
}

// writer writes random statements.
type writer struct {
	*rapid.T
	numbers, texts, dates []string
	depth                 int
	sure                  bool // numbers are never null
}

func (w *writer) pick(of ...string) string { return rapid.SampledFrom(of).Draw(w.T, "of") }

func (w *writer) chance(percent int) bool {
	return rapid.IntRange(1, 100).Draw(w.T, "chance") <= percent
}

// selectOf is a SELECT with columns of the kinds, n and t, in order.
func (w *writer) selectOf(kinds string) string {
	x := *w
	x.depth++
	source := rapid.SampledFrom(sources).Draw(w.T, "from")
	for strings.Contains(kinds, "t") && len(source.texts) == 0 {
		source = rapid.SampledFrom(sources[:2]).Draw(w.T, "from")
	}
	x.numbers, x.texts, x.dates = source.numbers, source.texts, source.dates
	if x.sure {
		x.numbers = slices.DeleteFunc(slices.Clone(x.numbers), func(c string) bool { return strings.HasSuffix(c, "mother_id") })
	}
	from := " FROM " + source.from
	if x.chance(70) {
		from += " WHERE " + x.condition()
	}
	if x.depth < 3 && x.chance(30) {
		return x.grouped(kinds, from)
	}
	var items []string
	for _, k := range kinds {
		if k == 'n' {
			items = append(items, x.number())
		} else {
			items = append(items, x.pick(x.texts...))
		}
	}
	distinct := ""
	if x.chance(20) {
		distinct = "DISTINCT "
	}
	return "SELECT " + distinct + strings.Join(items, ", ") + from
}

// grouped has an aggregate for every number.
func (w *writer) grouped(kinds, from string) string {
	var items, groups []string
	for _, k := range kinds {
		if k == 'n' {
			items = append(items, w.aggregate())
		} else {
			items = append(items, w.pick(w.texts...))
			groups = append(groups, items[len(items)-1])
		}
	}
	if len(groups) == 0 {
		groups = append(groups, w.pick(append(w.texts, w.numbers...)...))
	}
	sql := "SELECT " + strings.Join(items, ", ") + from + " GROUP BY " + strings.Join(groups, ", ")
	if w.chance(40) {
		sql += " HAVING " + w.aggregate() + w.pick(" > ", " <= ", " <> ") + w.constant()
	}
	return sql
}

func (w *writer) aggregate() string {
	return w.pick("count(*)", "count(DISTINCT "+w.pick(w.numbers...)+")", "count("+w.pick(w.numbers...)+")",
		"min("+w.number()+")", "max("+w.pick(w.numbers...)+")", "sum("+w.number()+")", "avg("+w.pick(w.numbers...)+")")
}

func (w *writer) number() string {
	if w.chance(70) {
		return w.pick(w.numbers...)
	}
	return w.pick(w.numbers...) + w.pick(" + ", " - ", " * ") + w.pick(append(w.numbers, "2", "0.5")...)
}

func (w *writer) constant() string { return w.pick("0", "1", "2", "3", "4.5", "40", "2020") }

func (w *writer) condition() string {
	switch n := rapid.IntRange(0, 13).Draw(w.T, "condition"); {
	case n < 3:
		return w.number() + w.pick(" = ", " <> ", " < ", " >= ") + w.pick(append(w.numbers, w.constant())...)
	case n == 3 && len(w.texts) > 0:
		return w.pick(w.texts...) + w.pick(" = ", " <> ", " > ") + w.pick("'apple'", "'north'", "'Ines'", "'saw'")
	case n == 4 && len(w.texts) > 0:
		return w.pick(w.texts...) + w.pick(" LIKE ", " NOT LIKE ", " ILIKE ") + w.pick("'%e%'", "'p_ar'", "'N%'")
	case n == 5 && len(w.dates) > 0:
		return w.pick(w.dates...) + w.pick(" IS NULL", " IS NOT NULL", " > '2005-01-01'", " BETWEEN '2001-03-01' AND '2010-03-01'")
	case n == 6:
		return w.pick(w.numbers...) + w.pick(" IN ", " NOT IN ") + "(1, 3, 4.5)"
	case n == 7:
		return "NOT (" + w.condition() + ")"
	case n == 8:
		return "(" + w.condition() + " OR " + w.condition() + ")"
	case n == 9:
		return w.condition() + " AND " + w.condition()
	case n == 10 && w.depth < 3:
		return w.pick(w.numbers...) + " IN (" + w.list() + ")"
	case n == 11 && w.depth < 3:
		return w.pick(w.numbers...) + " > (SELECT " + w.pick("avg(height)", "min(id)", "count(*)") + " FROM trees WHERE id > " + w.constant() + ")"
	case n == 12 && w.depth < 3 && strings.Contains(strings.Join(w.numbers, " "), "g.id"):
		return w.pick("", "NOT ") + "EXISTS (SELECT 1 FROM trees x WHERE x.grower_id = g.id AND x.height > " + w.constant() + ")"
	}
	return w.pick(w.numbers...) + w.pick(" IS NULL", " IS NOT NULL", " BETWEEN 1 AND 3")
}

// list is a SELECT of numbers without nulls, which don't count in a plan's list.
func (w *writer) list() string {
	x := *w
	x.sure = true
	return x.selectOf("n")
}

// statement is a whole one.
func (w *writer) statement() string {
	kinds := w.pick("n", "t", "nt", "tn", "nn")
	if w.chance(25) {
		return w.selectOf(kinds) + w.pick(" UNION ", " UNION ALL ", " INTERSECT ", " EXCEPT ") + w.selectOf(kinds)
	}
	sql := w.selectOf(kinds)
	if w.chance(40) {
		sql += " ORDER BY 1" + w.pick("", " DESC", " NULLS FIRST")
		if w.chance(50) {
			sql += " LIMIT 3"
		}
	}
	return sql
}

// TestRandomStatements converts statements that nobody would write. What a plan
// refuses is adding up what joins repeat.
func TestRandomStatements(t *testing.T) {
	s := orchard(t)
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		sql := (&writer{T: t}).statement()
		q := Question{DB: "orchard", SQL: sql}
		var err error
		if q.Rows, err = Rows(ctx, s.Conn.PgConn(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		got, compiled, err := answer(ctx, s, q)
		var rejections *plan.Rejections
		if errors.As(err, &rejections) && rejections.All[0].Code == plan.CodeFanOut {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if q.Same(got) {
			return
		}
		if admitted, err := s.Admits(ctx, q, got); err != nil || !admitted {
			t.Fatalf("%s\n%s\n%d rows, want %d: %v", sql, compiled, len(got), len(q.Rows), err)
		}
	})
}
