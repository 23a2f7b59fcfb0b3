package policy_test

import (
	"fmt"
	"slices"
	"strings"
)

// with writes one or two WITH queries and puts their names in sight.
func (g *randomQuery) with(depth int) string {
	if g.one(4) {
		return g.recursive()
	}
	var all []string
	for range g.upTo(1, 2) {
		g.n++
		name := fmt.Sprintf("c%d", g.n)
		if g.one(3) {
			name = oneOf(g.dice, g.w.tables).name // hides a table
		}
		if slices.ContainsFunc(all, func(s string) bool { return strings.HasPrefix(s, quoteName(name)) }) {
			continue
		}
		text, out := g.query(depth-1, nil)
		list := ""
		if len(out) > 0 && g.one(3) {
			n := g.upTo(1, len(out))
			var renamed []string
			for i := range n {
				out[i].name = fmt.Sprintf("k%d_%d", g.n, i)
				renamed = append(renamed, out[i].name)
			}
			list = " (" + strings.Join(renamed, ", ") + ")"
		}
		all = append(all, quoteName(name)+list+" AS "+g.pick("", "", "MATERIALIZED ", "NOT MATERIALIZED ")+"("+text+")")
		g.ctes = append(g.ctes, source{name: name, cols: named(out)})
	}
	return "WITH " + strings.Join(all, ", ") + " "
}

// named leaves the names that only one column has.
func named(out []output) []output {
	count := map[string]int{}
	for _, c := range out {
		count[c.name]++
	}
	out = slices.Clone(out)
	for i := range out {
		if count[out[i].name] > 1 {
			out[i].name = ""
		}
	}
	return out
}

// recursive walks from rows to rows, at most twice.
func (g *randomQuery) recursive() string {
	g.n++
	name := fmt.Sprintf("r%d", g.n)
	t := g.relation()
	base := &source{name: "b", cols: columnsOf(t), extra: hiddenOf(t), rel: t, own: true}
	start := func(where string) string {
		g.frames = append(g.frames, g.frameOf(base))
		defer func() { g.frames = g.frames[:len(g.frames)-1] }()
		a, b := g.expr(integer, 1), g.expr(word, 1)
		return fmt.Sprintf("SELECT %s, %s, 1 FROM %s b WHERE %s", a, b, t.sql(), where)
	}
	first := start("true LIMIT 4")
	if by := t.key; len(by) > 0 && !slices.ContainsFunc(by, func(n string) bool { c := t.column(n); return c.hidden || c.mask != "" }) {
		first = "(" + strings.Replace(first, "LIMIT 4", "ORDER BY "+names(by)+" LIMIT 4", 1) + ")"
	} else {
		first = strings.Replace(first, "true LIMIT 4", "true", 1)
	}
	g.frames = append(g.frames, g.frameOf(base))
	next := fmt.Sprintf("SELECT %s, %s, n + 1 FROM %s b JOIN %s r ON %s = r.v WHERE n < 3", g.expr(integer, 0), g.expr(word, 0), t.sql(), name, g.expr(integer, 0))
	g.frames = g.frames[:len(g.frames)-1]
	union, extra, tail := "UNION", []output(nil), ""
	if g.one(3) {
		union = "UNION ALL"
		switch g.IntN(3) {
		case 0:
			tail, extra = " SEARCH "+g.pick("DEPTH", "BREADTH")+" FIRST BY v, w SET seq", []output{{name: "seq", kind: wholeRow}}
		case 1:
			tail, extra = " CYCLE v SET again USING path", []output{{name: "again", kind: truth}, {name: "path", kind: wholeRow}}
		}
	}
	text := fmt.Sprintf("WITH RECURSIVE %s (v, w, n) AS (%s %s %s)%s ", name, first, union, next, tail)
	g.ctes = append(g.ctes, source{name: name, added: len(extra), level: g.level, cols: append([]output{{name: "v", kind: integer}, {name: "w", kind: word}, {name: "n", kind: integer}}, extra...)})
	return text
}
