package policy_test

import (
	"fmt"
	"slices"
	"strings"
)

// from is a FROM clause, at times none.
func (g *randomQuery) from(depth int) (string, *frame) {
	if g.one(40) {
		return "", g.frameOf()
	}
	total := &frame{bare: map[string]int{}}
	var chains []string
	for range 1 + g.weighted(8, 1) {
		text, f := g.chain(depth, total)
		chains = append(chains, text)
		total.sources = append(total.sources, f.sources...)
		total.alone = append(total.alone, f.alone...)
		total.order = append(total.order, f.order...)
		for n, k := range f.bare {
			total.bare[n] += k
		}
	}
	return " FROM " + strings.Join(chains, ", "), total
}

// chain is an item with joins on its right; before are the items that stand
// before it.
func (g *randomQuery) chain(depth int, before *frame) (string, *frame) {
	text, s := g.item(depth, before, before)
	f := g.frameOf(s)
	joins := 0
	for range g.weighted(4, 4, 2, 1) {
		if g.size > 16 {
			break
		}
		joins++
		if depth > 0 && g.one(9) {
			text = g.nestedJoin(text, f, before, depth)
			continue
		}
		how := g.pick("JOIN", "JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", "NATURAL JOIN", "NATURAL LEFT JOIN", "NATURAL RIGHT JOIN", "NATURAL FULL JOIN", "LEFT OUTER JOIN", "INNER JOIN")
		lateral := before
		if !strings.Contains(how, "RIGHT") && !strings.Contains(how, "FULL") {
			lateral = merge(before, f)
		}
		right, s := g.item(depth-1, lateral, merge(before, f))
		switch {
		case strings.HasPrefix(how, "NATURAL"):
			if !g.natural(f, s) {
				how = strings.TrimPrefix(how, "NATURAL ")
				text = g.joined(text, how, right, f, s, depth)
				continue
			}
			text = text + " " + how + " " + right
		default:
			text = g.joined(text, how, right, f, s, depth)
		}
	}
	if g.one(14) && joins > 0 {
		return g.aliasedJoin(text, f)
	}
	return text, f
}

// merge is the frame of both, for LATERAL.
func merge(a, b *frame) *frame {
	out := &frame{bare: map[string]int{}}
	for _, f := range []*frame{a, b} {
		out.sources = append(out.sources, f.sources...)
		out.alone = append(out.alone, f.alone...)
		for n, k := range f.bare {
			out.bare[n] += k
		}
	}
	return out
}

// joined adds a join with ON or USING.
func (g *randomQuery) joined(left, how, right string, f *frame, s *source, depth int) string {
	if how == "CROSS JOIN" {
		f.add(s)
		return left + " CROSS JOIN " + right
	}
	if g.one(4) {
		if name, k, ok := g.common(f, s); ok {
			alias := ""
			f.add(s)
			f.mergeColumns(output{name: name, kind: k})
			if g.one(4) {
				g.n++
				x := &source{name: fmt.Sprintf("%s%d", g.pick("j", "J x", "using"), g.n), cols: []output{{name: name, kind: k}}, merged: true}
				f.sources = append(f.sources, x)
				alias = " AS " + quoteName(x.name)
			}
			return fmt.Sprintf("%s %s %s USING (%s)%s", left, how, right, quoteName(name), alias)
		}
	}
	a := &frame{sources: f.sources, alone: f.alone}
	f.add(s)
	b := &frame{sources: []*source{s}, bare: f.bare} // what both sides have is not meant by its name alone
	a.bare = f.bare
	on := ""
	k := oneOf(g.dice, []kind{integer, integer, integer, word, mood, day})
	l, _, ok := g.columnIn(k, a)
	r, _, ok2 := g.columnIn(k, b)
	if !ok || !ok2 {
		k = integer
		l, _, ok = g.columnIn(k, a)
		r, _, ok2 = g.columnIn(k, b)
	}
	if !ok || !ok2 {
		if how == "FULL JOIN" {
			return left + " FULL JOIN " + right + " ON true"
		}
		return left + " " + how + " " + right + " ON true"
	}
	on = l + " = " + r
	if how != "FULL JOIN" && g.one(3) {
		g.frames = append(g.frames, f)
		on += g.pick(" AND ", " AND ", " OR ") + g.condition(min(depth, 1))
		g.frames = g.frames[:len(g.frames)-1]
	}
	if how != "FULL JOIN" && g.one(9) {
		g.frames = append(g.frames, f)
		on = g.condition(min(depth, 1))
		g.frames = g.frames[:len(g.frames)-1]
	}
	return fmt.Sprintf("%s %s %s ON %s", left, how, right, on)
}

// common finds a column for USING: of one kind on both sides, and meant by its
// name alone on the left.
func (g *randomQuery) common(f *frame, s *source) (string, kind, bool) {
	for _, c := range shuffled(g.dice, s.cols) {
		if c.name == "" || c.unlisted || f.bare[c.name] != 1 || c.kind == rawJSON || c.kind == wholeRow || count(s.cols, c.name) != 1 {
			continue
		}
		for _, l := range f.sources {
			for _, lc := range l.cols {
				if lc.name == c.name && lc.kind == c.kind && !lc.unlisted {
					return c.name, c.kind, true
				}
			}
		}
	}
	return "", 0, false
}

func count(cols []output, name string) int {
	n := 0
	for _, c := range cols {
		if c.name == name {
			n++
		}
	}
	return n
}

// mergeColumns puts the merged columns first, in the place of both sides'.
func (f *frame) mergeColumns(cols ...output) {
	var order []placed
	for _, c := range cols {
		f.bare[c.name]--
		f.alone = append(f.alone, c)
		order = append(order, placed{nil, c})
	}
	for _, p := range f.order {
		if p.output.name == "" || count(cols, p.output.name) == 0 {
			order = append(order, p)
		}
	}
	f.order = order
}

// natural merges what both sides have, unless the kinds don't fit or a name
// isn't known, which may be one that both have. Denied columns that both have are
// for loose statements, since they are refused.
func (g *randomQuery) natural(f *frame, s *source) bool {
	var left, merged []output
	for _, p := range f.order {
		left = append(left, p.output)
	}
	if count(left, "") > 0 || count(s.cols, "") > 0 {
		return false
	}
	for _, a := range left {
		for _, b := range s.cols {
			if a.name != b.name {
				continue
			}
			if a.kind != b.kind || a.unlisted || b.unlisted || a.kind == rawJSON || a.kind == wholeRow || count(left, a.name) != 1 || count(s.cols, a.name) != 1 {
				return false
			}
			merged = append(merged, output{name: a.name, kind: a.kind})
		}
	}
	for _, n := range s.extra {
		if f.bare[n] > 0 && !g.loose {
			return false
		}
	}
	for _, l := range f.sources {
		if slices.ContainsFunc(l.extra, func(n string) bool { return count(s.cols, n) > 0 }) && !g.loose {
			return false
		}
	}
	f.add(s)
	f.mergeColumns(merged...)
	return true
}

// aliasedJoin gives a join one name, which hides those inside.
func (g *randomQuery) aliasedJoin(text string, f *frame) (string, *frame) {
	s := &source{name: g.fresh()}
	for _, in := range f.sources {
		s.extra = append(s.extra, in.extra...)
	}
	for _, p := range f.order {
		s.cols = append(s.cols, p.output)
	}
	s.cols = named(s.cols)
	list := ""
	if len(s.extra) == 0 && g.one(3) {
		list = g.rename(s)
	}
	return "(" + text + ") AS " + g.identifier(s.name) + list, g.frameOf(s)
}

// rename gives an item a list of column aliases.
func (g *randomQuery) rename(s *source) string {
	var list []string
	for i := range g.IntN(len(s.cols) - s.added + 1) {
		g.n++
		s.cols[i].name = fmt.Sprintf("%s%d", g.pick("c", "C x", "é"), g.n)
		list = append(list, quoteName(s.cols[i].name))
	}
	s.own = false
	if len(list) == 0 {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// item is one thing in FROM. lateral is what it may use, taken are the names
// that are used up.
func (g *randomQuery) item(depth int, lateral, taken *frame) (string, *source) {
	switch {
	case depth > 0 && g.one(5):
		return g.subselect(depth, lateral)
	case len(g.ctes) > 0 && g.one(3):
		c := oneOf(g.dice, g.ctes)
		if c.name != "" && g.visibleCTE(c.name) {
			s := &source{name: g.fresh(), cols: slices.Clone(c.cols), added: c.added}
			for i := range c.added {
				s.cols[len(s.cols)-1-i].unlisted = g.level > c.level+1
			}
			return quoteName(c.name) + " AS " + g.identifier(s.name) + g.maybeRename(s), s
		}
	case g.one(8):
		return g.function(lateral)
	case g.one(25):
		text, out := g.valuesQuery(nil)
		s := &source{name: g.fresh(), cols: out}
		return "(" + text + ") AS " + g.identifier(s.name) + g.maybeRename(s), s
	}
	return g.table(taken)
}

func (g *randomQuery) maybeRename(s *source) string {
	if g.one(4) {
		return g.rename(s)
	}
	return ""
}

// visibleCTE tells that the last query of that name is the one in sight.
func (g *randomQuery) visibleCTE(name string) bool {
	n := 0
	for _, c := range g.ctes {
		if c.name == name {
			n++
		}
	}
	return n == 1
}

func (g *randomQuery) subselect(depth int, lateral *frame) (string, *source) {
	prefix := ""
	ctes := len(g.ctes)
	frames := g.frames
	if len(lateral.sources) > 0 && g.one(2) {
		prefix = "LATERAL "
		g.frames = append(slices.Clone(g.frames), lateral)
	}
	with := ""
	if g.one(12) {
		with = g.with(1)
	}
	text, out := g.query(depth-1, nil)
	g.frames, g.ctes = frames, g.ctes[:ctes]
	s := &source{name: g.fresh(), cols: named(out)}
	return prefix + "(" + with + text + ")" + g.pick(" AS ", " ") + g.identifier(s.name) + g.maybeRename(s), s
}

// table is a relation under its own name or another.
func (g *randomQuery) table(taken *frame) (string, *source) {
	t := g.relation()
	s := &source{name: t.name, cols: columnsOf(t), extra: hiddenOf(t), rel: t, own: true}
	text := g.spell(t)
	if g.one(12) && (t.kind == "inherited" || t.kind == "table" || t.kind == "partitioned") && !t.standIn {
		text = g.pick("ONLY "+text, "ONLY ("+text+")")
	}
	sample := ""
	if g.one(20) && !t.standIn && t.kind != "view" {
		sample = g.pick(" TABLESAMPLE SYSTEM (100)", " TABLESAMPLE BERNOULLI (100)", " TABLESAMPLE bernoulli (100) REPEATABLE (4)")
	}
	used := slices.ContainsFunc(taken.sources, func(o *source) bool { return o.name == t.name || o.name == "" })
	if !used && g.one(4) {
		s.full = t.sql()
		return text + sample, s
	}
	s.name = g.fresh()
	list := ""
	if len(s.extra) == 0 && g.one(8) {
		list = g.rename(s)
	}
	return text + g.pick(" AS ", " ") + g.identifier(s.name) + list + sample, s
}

// spell names a relation with its schema or, where the search_path finds it,
// without.
func (g *randomQuery) spell(t *randomTable) string {
	if !g.hides(t.name) && g.one(2) {
		for _, schema := range g.w.path {
			for _, o := range g.w.tables {
				if o.schema == schema && o.name == t.name {
					if o == t {
						return g.identifier(t.name)
					}
					return g.identifier(t.schema) + "." + g.identifier(t.name)
				}
			}
		}
	}
	return g.identifier(t.schema) + "." + g.identifier(t.name)
}

// hides tells that a WITH name stands before the relation's.
func (g *randomQuery) hides(name string) bool {
	return slices.ContainsFunc(g.ctes, func(c source) bool { return c.name == name })
}

// function is a function in FROM, which may use what stands before it.
func (g *randomQuery) function(lateral *frame) (string, *source) {
	frames := g.frames
	g.frames = append(slices.Clone(g.frames), lateral)
	defer func() { g.frames = frames }()
	s := &source{name: g.fresh()}
	as := " AS " + g.identifier(s.name)
	switch g.IntN(8) {
	case 0:
		s.cols = []output{{name: "x", kind: integer}}
		return fmt.Sprintf("generate_series(1, %d)%s (x)", g.upTo(1, 4), as), s
	case 1:
		s.cols = []output{{name: s.name, kind: integer}}
		return "unnest(" + g.expr(integers, 1) + ")" + as, s
	case 2:
		s.cols = []output{{name: "v", kind: word}, {name: "i", kind: integer}}
		return "unnest(" + g.expr(words, 1) + ") WITH ORDINALITY" + as + "(v, i)", s
	case 3:
		s.cols = []output{{name: "key", kind: word}, {name: "value", kind: word}}
		return "jsonb_each_text(" + g.object() + ")" + as, s
	case 4:
		s.cols = []output{{name: "a", kind: integer}, {name: "b", kind: word}}
		return "ROWS FROM (generate_series(1, 2), unnest(" + g.expr(words, 1) + "))" + as + "(a, b)", s
	case 5:
		s.cols = []output{{name: "k", kind: integer}, {name: "r", kind: word}}
		return "jsonb_to_record(" + g.object() + ")" + as + "(k int, r text)", s
	case 6:
		s.cols = []output{{name: "a", kind: integer}, {name: "b", kind: word}, {name: "ordinality", kind: integer}}
		return "unnest(" + g.expr(integers, 0) + ", " + g.expr(words, 0) + ") WITH ORDINALITY" + as + "(a, b)", s
	}
	s.cols = []output{{name: s.name, kind: word}}
	return "string_to_table(" + g.expr(word, 1) + ", 'o')" + as, s
}

// object is a jsonb that is an object or null.
func (g *randomQuery) object() string {
	if text, _, ok := g.column(document, true); ok && !g.one(3) {
		return "CASE WHEN jsonb_typeof(" + text + ") = 'object' THEN " + text + " END"
	}
	return "jsonb_build_object('k', " + g.expr(integer, 1) + ", 'r', " + g.expr(word, 1) + ")"
}
