package policy_test

import (
	"fmt"
	"slices"
	"strings"
)

// selectQuery is a SELECT without grouping.
func (g *randomQuery) selectQuery(depth int, want []kind) (string, []output) {
	from, f := g.from(depth)
	g.frames = append(g.frames, f)
	defer func() { g.frames = g.frames[:len(g.frames)-1] }()
	where := ""
	if g.one(2) {
		where = " WHERE " + g.condition(depth)
	}
	if want == nil && g.one(4) {
		if text, out, ok := g.star(f); ok {
			return "SELECT " + text + from + where, out
		}
	}
	if want == nil && g.one(9) {
		return g.windowed(f, from, where)
	}
	targets, out := g.targets(want, depth, f)
	distinct := ""
	if g.one(7) && !slices.ContainsFunc(out, func(c output) bool { return !sortable(c.kind) }) {
		distinct = "DISTINCT "
		if by, ok := g.orderAll(out); ok && g.one(3) && !strings.Contains(by, "NULLS") {
			return closed + fmt.Sprintf("(SELECT DISTINCT ON (1) %s%s%s%s)", targets, from, where, strings.ReplaceAll(by, " DESC", "")), out
		}
	}
	tail := ""
	if g.one(12) && distinct == "" {
		if by, ok := g.orderAll(out); ok {
			return closed + fmt.Sprintf("(SELECT %s%s%s%s LIMIT %d)", targets, from, where, by, g.upTo(1, 9)), out
		}
	}
	return "SELECT " + distinct + targets + from + where + tail, out
}

// star is * or x.*.
func (g *randomQuery) star(f *frame) (string, []output, bool) {
	if len(f.sources) == 0 {
		return "", nil, false
	}
	list := func(s *source) (string, []output) {
		text := g.identifier(s.name) + ".*"
		if len(s.extra) == 0 || s.rel != nil && s.rel.standIn {
			return text, listed(s.cols)
		}
		var cols []string
		for _, c := range s.cols {
			cols = append(cols, quoteName(s.name)+"."+quoteName(c.name))
		}
		return both(text, strings.Join(cols, ", ")), s.cols
	}
	usable := func(s *source) bool { return s.name != "" && (len(s.extra) == 0 || s.own) }
	if g.one(2) {
		return g.wholeStar(f, usable)
	}
	s := oneOf(g.dice, f.sources)
	if !usable(s) {
		return "", nil, false
	}
	text, out := list(s)
	if g.one(4) && text[0] != '\x01' {
		more, k := g.expr(integer, 1), integer
		return text + ", " + more + " AS more_of_it", append(slices.Clone(out), output{name: "more_of_it", kind: k}), true
	}
	return text, out, true
}

// wholeStar is *. Where it leaves out columns that are denied, the oracle gets the
// others one by one.
func (g *randomQuery) wholeStar(f *frame, usable func(*source) bool) (string, []output, bool) {
	if slices.ContainsFunc(f.sources, func(s *source) bool { return !usable(s) }) {
		return "", nil, false
	}
	var out []output
	var texts []string
	spelled := true
	for _, c := range f.order {
		if c.unlisted {
			continue
		}
		out = append(out, c.output)
		text := quoteName(c.output.name)
		if c.source != nil {
			text = quoteName(c.source.name) + "." + text
		}
		texts = append(texts, text)
		spelled = spelled && c.output.name != "" && (c.source != nil || f.bare[c.output.name] == 1)
	}
	if !slices.ContainsFunc(f.sources, func(s *source) bool { return len(s.extra) > 0 && (s.rel == nil || !s.rel.standIn) }) {
		return "*", named(out), true
	}
	return both("*", strings.Join(texts, ", ")), named(out), spelled
}

// targets is a select list.
func (g *randomQuery) targets(want []kind, depth int, f *frame) (string, []output) {
	free := want == nil
	if free {
		want = g.kinds()
	}
	var texts []string
	var out []output
	for i, k := range want {
		if free && g.one(12) {
			if text, ok := g.row(f); ok {
				name := fmt.Sprintf("row%d", i)
				texts, out = append(texts, text+" AS "+name), append(out, output{name: name, kind: wholeRow})
				continue
			}
		}
		text, poison := g.valued(k, depth)
		switch {
		case !free:
			text = g.typed(k, text)
			name := fmt.Sprintf("o%d", i)
			texts, out = append(texts, text+" AS "+name), append(out, output{name: name, kind: k})
		case g.one(4):
			texts, out = append(texts, text), append(out, output{kind: k})
		default:
			name := g.pick("n", "Name", "value", "select", "é", "id", "tenant", "x y")
			if slices.ContainsFunc(out, func(c output) bool { return c.name == name }) {
				name = fmt.Sprintf("%s%d", name, i)
			}
			as := " AS "
			texts, out = append(texts, text+as+g.identifier(name)), append(out, output{name: name, kind: k, poison: poison})
		}
	}
	return strings.Join(texts, ", "), out
}

// row is a whole row, or something made of one.
func (g *randomQuery) row(f *frame) (string, bool) {
	if len(f.sources) == 0 {
		return "", false
	}
	s := oneOf(g.dice, f.sources)
	if s.name == "" || len(s.extra) > 0 || len(s.cols) < 2 && !s.merged || slices.ContainsFunc(s.cols, func(c output) bool { return c.name == "" || c.kind == rawJSON }) {
		return "", false
	}
	for _, f := range g.frames {
		if f.bare[s.name] > 0 {
			return "", false
		}
	}
	n := g.identifier(s.name)
	return g.pick(n, n, n+"::text", "to_jsonb("+n+")", "row_to_json("+n+")::text", "ROW("+n+".*)", n+" IS NOT NULL", n+" IS NULL", "("+n+".*)::text", "md5("+n+"::text)", "to_jsonb("+n+".*)"), true
}

// valued is an expression, at times just a column.
func (g *randomQuery) valued(k kind, depth int) (string, bool) {
	if g.one(3) {
		if text, c, ok := g.column(k, true); ok {
			return text, c.poison
		}
	}
	return g.expr(k, min(depth, 2)+1), false
}

// windowed is a SELECT with window functions whose values don't depend on the
// order of equal rows.
func (g *randomQuery) windowed(f *frame, from, where string) (string, []output) {
	by, ok := "", false
	if len(f.sources) == 1 && f.sources[0].rel != nil && f.sources[0].own {
		by, ok = g.uniqueOrder(f.sources[0])
	}
	var texts []string
	window := ""
	name := g.pick("w", "W x", "order", `w"`)
	part := g.pick("", "PARTITION BY "+g.expr(integer, 1)+" ")
	over := "OVER " + quoteName(name)
	if ok {
		window = fmt.Sprintf(" WINDOW %s AS (%sORDER BY %s)", quoteName(name), part, by)
		for range g.upTo(1, 2) {
			texts = append(texts, g.pick("row_number() "+over, "lag("+g.expr(integer, 1)+") "+over, "ntile(3) "+over, "sum("+g.expr(integer, 1)+") OVER ("+quoteName(name)+" ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
				"first_value("+g.expr(word, 1)+") "+over, "nth_value("+g.expr(integer, 1)+", 2) OVER ("+quoteName(name)+" ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW)",
				"count(*) OVER ("+quoteName(name)+" GROUPS 1 PRECEDING)"))
		}
	} else {
		window = fmt.Sprintf(" WINDOW %s AS (%sORDER BY %s%s)", quoteName(name), part, g.expr(g.pickKind(), 1), g.pick("", " DESC NULLS LAST", " NULLS FIRST"))
		for range g.upTo(1, 2) {
			texts = append(texts, g.pick("rank() "+over, "dense_rank() "+over, "sum("+g.expr(integer, 1)+") "+over, "count(*) FILTER (WHERE "+g.condition(0)+") "+over, "max("+g.expr(word, 1)+") "+over,
				"cume_dist() "+over, "count(*) OVER (PARTITION BY "+g.expr(word, 1)+")", "min("+g.expr(decimal, 1)+") OVER ("+quoteName(name)+" RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"))
		}
	}
	out := make([]output, len(texts)+1)
	for i := range texts {
		texts[i] += fmt.Sprintf(" AS w%d", i)
		out[i] = output{name: fmt.Sprintf("w%d", i), kind: rawJSON}
	}
	value := g.expr(integer, 1)
	texts, out[len(texts)] = append(texts, value+" AS v"), output{name: "v", kind: integer}
	if !strings.Contains(strings.Join(texts, " "), quoteName(name)) {
		window = ""
	}
	return "SELECT " + strings.Join(texts, ", ") + from + where + window, out
}

func (g *randomQuery) pickKind() kind {
	return oneOf(g.dice, []kind{integer, integer, word, decimal, day, mood, truth})
}

// uniqueOrder orders by a relation's key.
func (g *randomQuery) uniqueOrder(s *source) (string, bool) {
	if len(s.rel.key) == 0 {
		return "", false
	}
	var by []string
	for _, n := range s.rel.key {
		if c := s.rel.column(n); c.hidden || c.mask != "" {
			return "", false
		}
		by = append(by, g.identifier(s.name)+"."+g.identifier(n))
	}
	return strings.Join(by, ", "), true
}
