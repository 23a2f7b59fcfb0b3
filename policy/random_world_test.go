package policy_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/pgask/pgask/configs"
)

// dice decide everything that is random; equal seeds throw equally.
type dice struct{ *rand.Rand }

func newDice(seed, stream uint64) dice { return dice{rand.New(rand.NewPCG(seed, stream))} }

func (d dice) one(in int) bool          { return d.IntN(in) == 0 }
func (d dice) pick(of ...string) string { return of[d.IntN(len(of))] }
func oneOf[T any](d dice, of []T) T     { return of[d.IntN(len(of))] }
func (d dice) upTo(low, high int) int   { return low + d.IntN(high-low+1) }
func shuffled[T any](d dice, of []T) []T {
	out := slices.Clone(of)
	d.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out
}
func (d dice) weighted(weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := d.IntN(sum)
	for i, w := range weights {
		if n -= w; n < 0 {
			return i
		}
	}
	return 0
}

// kind is what an expression or column is, as far as the generator tells
// values apart.
type kind byte

const (
	integer  kind = 'I'
	decimal  kind = 'N'
	word     kind = 'T'
	truth    kind = 'B'
	day      kind = 'D'
	moment   kind = 'S'
	mood     kind = 'E' // the world's enum
	integers kind = 'A'
	words    kind = 'X'
	document kind = 'J'
	wholeRow kind = 'R' // the row of a FROM item: can be shown, not computed with
	rawJSON  kind = 'W' // json, which has no order
)

// randomColumn is a column of a relation.
type randomColumn struct {
	name string
	kind kind
	sql  string // its type as DDL spells it
	fill string // its value in row i
	// hidden columns are denied, mask replaces the value; the policy spells it.
	hidden bool
	mask   string
	// poison columns hold, in all rows that may not be seen, a value that
	// operations fail on: an operation that meets one makes itself heard.
	poison bool
}

// randomTable is a relation of any kind.
type randomTable struct {
	schema, name string
	cols         []randomColumn
	key          []string
	kind         string // table, partitioned, inherited, part, child, view, materialized
	parent       *randomTable
	ddl          []string

	// readable, and then the rows for which predicate holds; empty is all.
	readable  bool
	predicate string
	// standIn: in the oracle's database a security-barrier view has the
	// relation's name, since masks and rules for views can't be granted.
	standIn bool
}

func (t *randomTable) sql() string { return quoteName(t.schema) + "." + quoteName(t.name) }

func (t *randomTable) column(name string) *randomColumn {
	for i := range t.cols {
		if t.cols[i].name == name {
			return &t.cols[i]
		}
	}
	return nil
}

func (t *randomTable) visible() []randomColumn {
	return slices.DeleteFunc(slices.Clone(t.cols), func(c randomColumn) bool { return c.hidden })
}

func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// randomWorld is a schema with a policy, and the same policy in Postgres's own
// means.
type randomWorld struct {
	dice
	schemas    []string
	enum       string // schema-qualified
	enumName   string // unqualified
	enumSchema string
	labels     []string
	tables     []*randomTable
	roles      []*randomRole
	attributes map[string]any
	path       []string
	ddl        []string
}

// randomRole is one role of the governed user.
type randomRole struct {
	name   string
	config *configs.Role
	allows map[*randomTable]bool
	denies map[*randomTable]bool
	scopes map[*randomTable][]randomScope
}

// randomScope is one scope as the policy and as SQL spell it; lacking means
// that the attribute isn't there.
type randomScope struct {
	where   string
	parent  *randomTable
	on      map[string]string
	sql     string
	lacking bool
}

func newRandomWorld(seed uint64) *randomWorld {
	for try := uint64(0); ; try++ {
		// The enum may be named only where a column of it can be read.
		if w := drawWorld(newDice(seed, 1<<32+try)); w.reads(mood) && w.distinct() {
			return w
		}
	}
}

// distinct tells that no two relations have the same name.
func (w *randomWorld) distinct() bool {
	seen := map[string]bool{}
	for _, t := range w.tables {
		seen[t.sql()] = true
	}
	return len(seen) == len(w.tables)
}

func (w *randomWorld) reads(k kind) bool {
	return slices.ContainsFunc(w.tables, func(t *randomTable) bool {
		return t.readable && slices.ContainsFunc(t.cols, func(c randomColumn) bool { return c.kind == k && !c.hidden })
	})
}

func drawWorld(d dice) *randomWorld {
	w := &randomWorld{dice: d, attributes: map[string]any{"tenant": int64(1), "tenants": []any{int64(1), int64(3)},
		"region": "eu", "regions": []any{"eu", "it's"}, "least": int64(4), "nobody": nil}}
	w.schemas = append([]string{"public"}, shuffled(w.dice, []string{"Odd Schema", "select", "üñí", "a.b", `q"s`, "x"})[:w.upTo(1, 3)]...)
	for _, s := range w.schemas[1:] {
		w.ddl = append(w.ddl, "CREATE SCHEMA "+quoteName(s))
	}
	w.path = shuffled(w.dice, w.schemas)[:w.upTo(1, len(w.schemas))]
	w.enumSchema, w.enumName = oneOf(w.dice, w.schemas), w.pick("mood", "Status", "état", "mood of it")
	w.enum = quoteName(w.enumSchema) + "." + quoteName(w.enumName)
	w.labels = []string{"low", "B c", "é", "it's"}
	w.ddl = append(w.ddl, fmt.Sprintf("CREATE TYPE %s AS ENUM ('low', 'B c', 'é', 'it''s')", w.enum),
		fmt.Sprintf("CREATE DOMAIN %s.whole AS int", quoteName(w.schemas[0])), fmt.Sprintf(`CREATE DOMAIN %s."Lab el" AS text`, quoteName(w.schemas[0])))
	w.makeTables()
	w.makePolicy()
	return w
}

func (w *randomWorld) makeTables() {
	names := shuffled(w.dice, []string{"accounts", "user", "order", "Mixed Case", "données", `qu"ote`, "items", "t", "group", "a.b", "SELECT", "events", "table", "x y", "Accounts"})
	for i := range w.upTo(4, 7) {
		t := &randomTable{schema: oneOf(w.dice, w.schemas), name: names[i], kind: "table"}
		if first := names[0]; i > 0 && w.one(5) && !slices.ContainsFunc(w.tables, func(o *randomTable) bool { return o.schema == t.schema && o.name == first }) {
			t.name = first // the same name in another schema
		}
		w.addColumns(t)
		w.tables = append(w.tables, t)
		switch w.weighted(6, 2, 1, 1) {
		case 1:
			w.partitions(t)
		case 2:
			w.inherit(t)
		default:
			t.ddl = []string{fmt.Sprintf("CREATE TABLE %s (%s)", t.sql(), w.definitions(t)), w.insert(t, 1)}
		}
	}
	for _, base := range w.tables {
		if base.parent == nil && w.one(4) {
			w.viewOf(base)
		}
	}
	for _, t := range w.tables {
		w.ddl = append(w.ddl, t.ddl...)
	}
}

// addColumns gives columns that tables have in common, so that NATURAL and
// USING have something to find.
func (w *randomWorld) addColumns(t *randomTable) {
	number := func(name string, modulus int) randomColumn {
		return randomColumn{name: name, kind: integer, sql: "int", fill: w.sometimesNull(fmt.Sprintf("(i * %d + %d) %% %d", w.upTo(1, 9), w.IntN(5), modulus))}
	}
	text := func(name, sql string) randomColumn {
		return randomColumn{name: name, kind: word, sql: sql, fill: w.sometimesNull(fmt.Sprintf("(ARRAY['eu','EU','us','it''s','Zoë',''])[1 + (i * %d) %% 6]", w.upTo(1, 5)))}
	}
	t.cols = []randomColumn{{name: w.pick("id", "id", "Id"), kind: integer, sql: "int", fill: "i"}}
	all := []randomColumn{
		number("tenant", 4), number("ref", 17), number("order", 30), number("x y", 12), number("limit", 6), text("region", "text"), text("name", "text"),
		text("select", "varchar(12)"), text("prénom", "text"), text(`a"b`, "varchar"), text("user", `public."Lab el"`),
		{name: "whole", kind: integer, sql: "public.whole", fill: w.sometimesNull("i % 8")},
		{name: w.pick("amount", "Price"), kind: decimal, sql: "numeric(10,2)", fill: w.sometimesNull("i * 1.25")},
		{name: w.pick("day", "end"), kind: day, sql: "date", fill: w.sometimesNull(fmt.Sprintf("date '2024-01-28' + (i * %d) %% 40", w.upTo(1, 7)))},
		{name: "when", kind: moment, sql: "timestamp", fill: w.sometimesNull("timestamp '2024-02-27 10:00' + (i % 9) * interval '7 hours'")},
		{name: w.pick("flag", "true"), kind: truth, sql: "boolean", fill: w.sometimesNull("i % 3 = 1")},
		{name: w.pick("mood", "Status"), kind: mood, sql: w.enum, fill: w.sometimesNull(fmt.Sprintf("(ARRAY['low','B c','é','it''s']::%s[])[1 + i %% 4]", w.enum))},
		{name: w.pick("nums", "array"), kind: integers, sql: "int[]", fill: w.sometimesNull("ARRAY[i % 3, i % 5, i]")},
		{name: "tags", kind: words, sql: "text[]", fill: w.sometimesNull("ARRAY['t' || i % 3, 'all']")},
		{name: w.pick("meta", "JSON"), kind: document, sql: "jsonb", fill: w.sometimesNull("jsonb_build_object('k', i % 4, 'r', (ARRAY['eu','us'])[1 + i % 2], 'a', jsonb_build_array(i, i % 3))")},
		{name: "raw", kind: rawJSON, sql: "json", fill: "json_build_object('k', i % 4)"},
		{name: "danger", kind: integer, sql: "int", fill: "1 + i % 5", poison: true},
		{name: "fuse", kind: word, sql: "text", fill: "(1 + i % 5)::text", poison: true},
		{name: "trap", kind: document, sql: "jsonb", fill: "to_jsonb(i % 2 = 0)", poison: true},
	}
	for _, c := range shuffled(w.dice, all)[:w.upTo(4, 9)] {
		if t.column(c.name) == nil {
			t.cols = append(t.cols, c)
		}
	}
	if fuse := all[slices.IndexFunc(all, func(c randomColumn) bool { return c.name == "danger" })]; t.column(fuse.name) == nil && w.one(3) {
		t.cols = append(t.cols, fuse)
	}
	if w.one(2) {
		t.key = []string{t.cols[0].name}
		if c := t.column("tenant"); c != nil && w.one(2) {
			t.key = shuffled(w.dice, append(t.key, "tenant"))
			c.fill = "i % 4"
		}
	}
	if len(t.key) == 0 && w.one(2) {
		t.cols = shuffled(w.dice, t.cols)
	}
}

func (w *randomWorld) sometimesNull(fill string) string {
	if w.one(2) {
		return fmt.Sprintf("CASE WHEN i %% %d <> 2 THEN %s END", w.upTo(4, 9), fill)
	}
	return fill
}

func (w *randomWorld) definitions(t *randomTable) string {
	var out []string
	for _, c := range t.cols {
		out = append(out, quoteName(c.name)+" "+c.sql)
	}
	if len(t.key) > 0 {
		// Named by itself: a table that is renamed keeps its key's name.
		out = append(out, "CONSTRAINT "+quoteName("key of "+t.schema+"."+t.name)+" PRIMARY KEY ("+names(t.key)+")")
	}
	return strings.Join(out, ", ")
}

func names(list []string) string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = quoteName(n)
	}
	return strings.Join(out, ", ")
}

func (w *randomWorld) insert(t *randomTable, from int) string {
	var fills []string
	for _, c := range t.cols {
		fills = append(fills, c.fill)
	}
	return fmt.Sprintf("INSERT INTO %s SELECT %s FROM generate_series(%d, %d) i", t.sql(), strings.Join(fills, ", "), from, from+w.upTo(0, 25))
}

// partitions make a table one of parts, of which a role may read one by name.
func (w *randomWorld) partitions(t *randomTable) {
	t.kind, t.key = "partitioned", nil
	by := t.cols[0]
	for _, c := range t.cols {
		if c.kind == integer && !c.poison && c.sql == "int" {
			by = c
		}
	}
	t.ddl = []string{fmt.Sprintf("CREATE TABLE %s (%s) PARTITION BY RANGE (%s)", t.sql(), w.definitions(t), quoteName(by.name))}
	for i, bounds := range []string{"FOR VALUES FROM (MINVALUE) TO (3)", "FOR VALUES FROM (3) TO (9)", "DEFAULT"} {
		part := &randomTable{schema: oneOf(w.dice, w.schemas), name: fmt.Sprintf("%s %d", t.name, i), kind: "part", parent: t, cols: slices.Clone(t.cols)}
		for k := range part.cols {
			part.cols[k].poison = false
		}
		t.ddl = append(t.ddl, fmt.Sprintf("CREATE TABLE %s PARTITION OF %s %s", part.sql(), t.sql(), bounds))
		w.tables = append(w.tables, part)
	}
	t.ddl = append(t.ddl, w.insert(t, 1))
}

// inherit gives a table a child with a column more.
func (w *randomWorld) inherit(t *randomTable) {
	t.kind, t.key = "inherited", nil
	child := &randomTable{schema: oneOf(w.dice, w.schemas), name: t.name + " child", kind: "child", parent: t, cols: slices.Clone(t.cols)}
	for k := range child.cols {
		child.cols[k].poison = false
	}
	more := randomColumn{name: "basis", kind: word, sql: "text", fill: "'basis ' || i % 3"}
	child.cols = append(child.cols, more)
	t.ddl = []string{fmt.Sprintf("CREATE TABLE %s (%s)", t.sql(), w.definitions(t)), fmt.Sprintf("CREATE TABLE %s (basis text) INHERITS (%s)", child.sql(), t.sql()),
		w.insert(t, 1), w.insert(child, 30)}
	w.tables = append(w.tables, child)
}

// viewOf makes a view or a materialized view with some of a table's columns.
func (w *randomWorld) viewOf(base *randomTable) {
	v := &randomTable{schema: oneOf(w.dice, w.schemas), name: w.pick("v ", "View") + base.name, kind: "view"}
	for _, c := range base.cols {
		if !w.one(4) {
			c.poison = false
			v.cols = append(v.cols, c)
		}
	}
	if len(v.cols) == 0 {
		return
	}
	var list []string
	for _, c := range v.cols {
		list = append(list, c.name)
	}
	what := "VIEW"
	if w.one(3) {
		v.kind, what = "materialized", "MATERIALIZED VIEW"
	}
	v.ddl = []string{fmt.Sprintf("CREATE %s %s AS SELECT %s FROM %s", what, v.sql(), names(list), base.sql())}
	w.tables = append(w.tables, v)
}
