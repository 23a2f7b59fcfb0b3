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
