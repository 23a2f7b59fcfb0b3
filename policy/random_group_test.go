package policy_test

import (
	"fmt"
	"strings"
)

// grouped is a SELECT with aggregates.
func (g *randomQuery) grouped(depth int, want []kind) (string, []output) {
	from, f := g.from(depth)
	g.frames = append(g.frames, f)
	defer func() { g.frames = g.frames[:len(g.frames)-1] }()
	where := ""
	if g.one(2) {
		where = " WHERE " + g.condition(depth)
	}
	if want == nil && g.one(4) && len(f.sources) > 0 {
		if text, out, ok := g.byKey(f, from, where, depth); ok {
			return text, out
		}
	}
	free := want == nil
	if free {
		want = g.kinds()
	}
	var keys []string
	keyKind := map[string]kind{}
	for range g.IntN(3) {
		k := oneOf(g.dice, []kind{integer, word, truth, day, mood, integer})
		text, c, ok := g.column(k, false)
		_ = c
		if ok && keyKind[text] == 0 {
			keys, keyKind[text] = append(keys, text), k
		}
	}
	var texts []string
	var out []output
	var ordinals []string
	for i, k := range want {
		text := ""
		for _, key := range keys {
			if keyKind[key] == k && g.one(2) {
				text = key
			}
		}
		isKey := text != ""
		if !isKey {
			text = g.aggregate(k, depth)
		}
		if !free {
			text = g.typed(k, text)
		} else if isKey {
			ordinals = append(ordinals, fmt.Sprint(i+1))
		}
		name := fmt.Sprintf("g%d", i)
		texts, out = append(texts, text+" AS "+name), append(out, output{name: name, kind: k})
	}
	by := ""
	if len(keys) > 0 {
		list := strings.Join(keys, ", ")
		switch g.weighted(6, 1, 1, 1, 1, 1) {
		case 5:
			list = g.regrouped(keys)
		case 1:
			list = "ROLLUP (" + list + ")"
		case 2:
			list = "CUBE (" + list + ")"
		case 3:
			list = "GROUPING SETS ((" + list + "), (), (" + keys[0] + "))"
		case 4:
			if free && len(ordinals) == len(keys) {
				list = strings.Join(ordinals, ", ")
			}
		}
		by = " GROUP BY " + list
		if free && strings.HasPrefix(list, "ROLLUP") {
			texts, out = append(texts, "grouping("+keys[0]+") AS level"), append(out, output{name: "level", kind: integer})
		}
	}
	having := ""
	if g.one(4) {
		having = " HAVING " + g.pick("count(*) > 1", "max("+g.expr(integer, 1)+") > 2", "bool_or("+g.condition(0)+")", "count(DISTINCT "+g.expr(word, 1)+") < 4")
	}
	return "SELECT " + strings.Join(texts, ", ") + from + where + by + having, out
}

// byKey groups by a relation's primary key and uses its other columns.
func (g *randomQuery) byKey(f *frame, from, where string, depth int) (string, []output, bool) {
	s := oneOf(g.dice, f.sources)
	if s.rel == nil || !s.own || s.rel.standIn || s.name == "" {
		return "", nil, false
	}
	by, ok := g.uniqueOrder(s)
	if !ok {
		return "", nil, false
	}
	var texts []string
	var out []output
	for i, c := range s.cols {
		if len(texts) < 3 && groupableKind(c.kind) && g.one(2) {
			name := fmt.Sprintf("f%d", i)
			text := g.identifier(s.name) + "." + g.identifier(c.name)
			if c.kind == word && g.one(3) {
				text = "lower(" + text + ")"
			}
			texts, out = append(texts, text+" AS "+name), append(out, output{name: name, kind: c.kind})
		}
	}
	texts, out = append(texts, g.aggregate(integer, depth)+" AS n"), append(out, output{name: "n", kind: integer})
	return "SELECT " + strings.Join(texts, ", ") + from + where + " GROUP BY " + by, out, true
}

func groupableKind(k kind) bool { return k != rawJSON && k != wholeRow }

// aggregate is an aggregate of the kind.
func (g *randomQuery) aggregate(k kind, depth int) string {
	filter := ""
	if g.one(5) {
		filter = " FILTER (WHERE " + g.condition(0) + ")"
	}
	e := func(k kind) string { return g.expr(k, 1) }
	sorted := func(k kind) string { x := e(k); return x + " ORDER BY " + x }
	switch k {
	case integer:
		return g.pick("count(*)", "count("+e(word)+")", "count(DISTINCT "+e(integer)+")", "sum("+e(integer)+")", "max("+e(integer)+")", "min("+e(integer)+")",
			"count("+e(truth)+")") + filter
	case decimal:
		return g.pick("max", "min") + "(" + e(decimal) + ")" + filter
	case word:
		if g.one(8) {
			return "percentile_disc(0.5) WITHIN GROUP (ORDER BY " + e(word) + ")" + filter
		}
		return g.pick("max("+e(word)+")", "min("+e(word)+")", g.stringAgg()) + filter
	case truth:
		return g.pick("bool_or", "bool_and", "every") + "(" + g.condition(0) + ")" + filter
	case day, moment, mood:
		return g.pick("max", "min") + "(" + e(k) + ")" + filter
	case integers:
		return g.pick("array_agg("+sorted(integer)+")", "array_agg(DISTINCT "+e(integer)+")") + filter
	case words:
		return "array_agg(" + sorted(word) + ")" + filter
	}
	return "jsonb_agg(" + sorted(integer) + ")" + filter
}

func (g *randomQuery) stringAgg() string {
	x := g.expr(word, 1)
	return "string_agg(" + x + ", '|' ORDER BY " + x + ")"
}
