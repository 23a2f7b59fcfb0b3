package policy_test

import (
	"fmt"
	"slices"
	"strings"
)

// randomQuery writes statements over a randomWorld that Postgres answers, as a
// rule. What a client would write and what the oracle needs in its place differ
// only where * stands for columns some of which are denied; both texts are kept
// in one, see both.
type randomQuery struct {
	dice
	w      *randomWorld
	n      int
	frames []*frame
	ctes   []source
	// fragile statements have operations that fail on poison.
	fragile bool
	// loose statements may name what is ambiguous, hidden or forbidden.
	loose bool
	size  int
	// level is how deep the query being written is nested.
	level int
}

// frame is what one SELECT's FROM puts in sight.
type frame struct {
	sources []*source
	// bare counts by how many columns a name alone could be meant.
	bare map[string]int
	// alone are columns that only their bare name means: those that USING
	// merged.
	alone []output
	// order are the columns of *.
	order []placed
	// used counts how often a column was named.
	used int
}

// placed is a column of *; a merged one is of no source.
type placed struct {
	*source
	output
}

// source is one thing in FROM.
type source struct {
	name  string // what qualifies its columns, unquoted
	full  string // its schema-qualified SQL, if that does as well
	cols  []output
	extra []string // names of denied columns
	rel   *randomTable
	own   bool // the relation's columns have their own names
	// merged: it is the alias of USING.
	merged bool
	// added is how many of its columns SEARCH or CYCLE added to a WITH query, and
	// level that of the query with the WITH.
	added, level int
}

// output is a column of a query; without a name nothing can refer to it.
type output struct {
	name   string
	kind   kind
	poison bool
	// unlisted: * leaves it out.
	unlisted bool
}

// listed are the columns that * stands for.
func listed(cols []output) []output {
	return slices.DeleteFunc(slices.Clone(cols), func(c output) bool { return c.unlisted })
}

// closed begins a query in brackets, which takes no ORDER BY of its own.
const closed = "\x04"

// both holds two texts: what the client writes, and what the oracle gets.
func both(client, oracle string) string { return "\x01" + client + "\x02" + oracle + "\x03" }

// side takes one of the texts out.
func side(text string, oracle bool) string {
	var b strings.Builder
	text = strings.ReplaceAll(text, closed, "")
	for {
		before, rest, ok := strings.Cut(text, "\x01")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		pair, after, _ := strings.Cut(rest, "\x03")
		client, other, _ := strings.Cut(pair, "\x02")
		if oracle {
			b.WriteString(other)
		} else {
			b.WriteString(client)
		}
		text = after
	}
}

// identifier spells a name in one of the ways that mean it.
func (g *randomQuery) identifier(name string) string {
	plain := name != ""
	ascii := true
	for _, r := range name {
		plain = plain && (r >= 'a' && r <= 'z' || r == '_' || r >= '0' && r <= '9')
		ascii = ascii && r < 128
	}
	switch {
	case plain && !slices.Contains([]string{"select", "order", "user", "group", "table", "end", "limit", "array", "when", "true", "from", "all", "whole", "window", "x"}, name) && !(name[0] >= '0' && name[0] <= '9'):
		return g.pick(name, name, name, strings.ToUpper(name), quoteName(name))
	case !ascii && !strings.Contains(name, `"`) && g.one(4):
		var b strings.Builder
		for _, r := range strings.ReplaceAll(name, `\`, `\\`) {
			if r < 128 {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(&b, `\%04X`, r)
			}
		}
		return `U&"` + b.String() + `"`
	}
	return quoteName(name)
}

func (g *randomQuery) fresh() string {
	g.n++
	return fmt.Sprintf("%s%d", g.pick("t", "t", "t", "a", "T x", "sélect", `q"x`, "order"), g.n)
}

// statement is a whole statement. ordered tells that its rows have one order
// only.
func (g *randomQuery) statement() (text string, ordered bool) {
	with := ""
	if g.one(4) {
		with = g.with(2)
	}
	body, out := g.query(g.upTo(1, 3), nil)
	text = with + body
	if strings.HasPrefix(body, closed) {
		return text, false
	}
	switch g.weighted(5, 3, 2) {
	case 1:
		if by, ok := g.orderAll(out); ok {
			return text + by + g.pick("", "", " LIMIT 7", " LIMIT 5 OFFSET 2", " OFFSET 3", " FETCH FIRST 3 ROWS ONLY", " LIMIT ALL", " LIMIT NULL OFFSET 1"), true
		}
	case 2:
		// Postgres up to 15 takes WITH TIES over into its plan for min and max alone.
		if i := g.ordinal(out); i > 0 && !strings.HasPrefix(out[0].name, "g") {
			return text + fmt.Sprintf(" ORDER BY %d FETCH FIRST %d ROWS WITH TIES", i, g.upTo(1, 6)), false
		}
	}
	return text, false
}

// orderAll orders by every output, so that equal rows only can change places.
func (g *randomQuery) orderAll(out []output) (string, bool) {
	var by []string
	for i, c := range out {
		if !sortable(c.kind) {
			return "", false
		}
		by = append(by, fmt.Sprint(i+1)+g.pick("", "", " DESC", " NULLS FIRST", " DESC NULLS LAST"))
	}
	if len(by) == 0 {
		return "", false
	}
	return " ORDER BY " + strings.Join(by, ", "), true
}

func sortable(k kind) bool { return k != rawJSON }

// ordinal is the position of an output that can be ordered by, 0 for none.
func (g *randomQuery) ordinal(out []output) int {
	for i, c := range out {
		if sortable(c.kind) && c.kind != wholeRow {
			return i + 1
		}
	}
	return 0
}

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

func (g *randomQuery) frameOf(sources ...*source) *frame {
	f := &frame{}
	f.add(sources...)
	return f
}

func (f *frame) add(sources ...*source) {
	if f.bare == nil {
		f.bare = map[string]int{}
	}
	f.sources = append(f.sources, sources...)
	for _, s := range sources {
		for _, c := range s.cols {
			f.bare[c.name]++
			f.order = append(f.order, placed{s, c})
		}
		for _, n := range s.extra {
			f.bare[n]++
		}
	}
}

// query is a query with the wanted kinds, or with any columns when want is nil.
func (g *randomQuery) query(depth int, want []kind) (string, []output) {
	g.size++
	g.level++
	defer func() { g.level-- }()
	if depth > 0 && g.size < 14 && g.one(6) {
		return g.setOperation(depth, want)
	}
	switch {
	case want == nil && g.one(40):
		t := g.relation()
		if !slices.ContainsFunc(t.cols, func(c randomColumn) bool { return c.hidden }) {
			return "TABLE " + t.sql(), columnsOf(t)
		}
	case g.one(30):
		return g.valuesQuery(want)
	case depth > 0 && g.one(4):
		return g.grouped(depth, want)
	}
	return g.selectQuery(depth, want)
}

func (g *randomQuery) setOperation(depth int, want []kind) (string, []output) {
	if want == nil {
		want = g.kinds()
	}
	op := g.pick("UNION", "UNION ALL", "UNION ALL", "EXCEPT", "EXCEPT ALL", "INTERSECT", "INTERSECT ALL")
	a, out := g.query(depth-1, want)
	b, _ := g.query(depth-1, want)
	for i := range out {
		out[i].poison = false
	}
	return fmt.Sprintf("(%s) %s (%s)", a, op, b), out
}

func (g *randomQuery) kinds() []kind {
	out := make([]kind, g.upTo(1, 3))
	for i := range out {
		out[i] = oneOf(g.dice, []kind{integer, integer, integer, word, word, decimal, truth, day, mood, integers, words, document})
	}
	return out
}

func (g *randomQuery) valuesQuery(want []kind) (string, []output) {
	if want == nil {
		want = g.kinds()
	}
	var rows []string
	for range g.upTo(1, 3) {
		var cells []string
		for _, k := range want {
			cells = append(cells, g.typed(k, g.expr(k, 1)))
		}
		rows = append(rows, "("+strings.Join(cells, ", ")+")")
	}
	var out []output
	for i, k := range want {
		out = append(out, output{name: fmt.Sprintf("column%d", i+1), kind: k})
	}
	return "VALUES " + strings.Join(rows, ", "), out
}

// typed casts what might be of an unknown type.
func (g *randomQuery) typed(k kind, text string) string { return "(" + text + ")::" + g.typeOf(k) }

func (g *randomQuery) typeOf(k kind) string {
	return map[kind]string{integer: "int", decimal: "numeric(10,2)", word: "text", truth: "bool", day: "date", moment: "timestamp", mood: g.w.enum,
		integers: "int[]", words: "text[]", document: "jsonb"}[k]
}

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

func columnsOf(t *randomTable) []output {
	var out []output
	for _, c := range t.visible() {
		out = append(out, output{name: c.name, kind: c.kind, poison: c.poison})
	}
	return out
}

func hiddenOf(t *randomTable) []string {
	var out []string
	for _, c := range t.cols {
		if c.hidden {
			out = append(out, c.name)
		}
	}
	return out
}

// relation draws one that can be read, seldom one that can't.
func (g *randomQuery) relation() *randomTable {
	for range 50 {
		if t := oneOf(g.dice, g.w.tables); t.readable || g.loose && g.one(6) {
			return t
		}
	}
	return g.w.tables[0]
}
