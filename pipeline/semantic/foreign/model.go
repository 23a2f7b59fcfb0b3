package foreign

import (
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/configs"
)

// Note says what couldn't be taken over, where it stands, and why.
type Note struct {
	Place
	What, Why string
	times     int
}

// String is the note as compilers print them.
func (n Note) String() string {
	if n.times > 1 {
		return fmt.Sprintf("%s: %s (%d times, here first): %s", n.Place, n.What, n.times, n.Why)
	}
	return fmt.Sprintf("%s: %s: %s", n.Place, n.What, n.Why)
}

// Model is what is made of other tools' files so far.
type Model struct {
	// Schema is that of tables which are named without one.
	Schema  string
	file    file
	queries []Query
	notes   []Note
	rests   map[[2]string]int // file and key, to the place of its note
	tables  map[string]int    // by spelled name, their places in file
	taken   map[string]Place  // names by their kind: metrics and dimensions, entities, queries
	related map[Relationship]bool
	metrics map[string]bool // by their exact names
	pending []*calculation
	// calculations are the pending ones by name.
	calculations map[string]*calculation
}

func newModel(schema string) *Model {
	return &Model{Schema: schema, rests: map[[2]string]int{}, tables: map[string]int{}, taken: map[string]Place{}, related: map[Relationship]bool{}, metrics: map[string]bool{}, calculations: map[string]*calculation{}}
}

// Note says that something isn't taken over.
func (m *Model) Note(at Place, what, format string, args ...any) {
	m.notes = append(m.notes, Note{Place: at, What: what, Why: fmt.Sprintf(format, args...), times: 1})
}

// rest notes a key that nothing reads, once a file.
func (m *Model) rest(at Place, what, why string) {
	key := [2]string{at.File, what}
	if i, seen := m.rests[key]; seen {
		m.notes[i].times++
		return
	}
	m.rests[key] = len(m.notes)
	m.Note(at, what, "%s", why)
}

// Table adds what is known of a table to what is known already.
func (m *Model) Table(t Table) {
	if t.Description == "" && len(t.Synonyms) == 0 && len(t.Columns) == 0 {
		return
	}
	i, there := m.tables[t.Table]
	if !there {
		i = len(m.file.Tables)
		m.tables[t.Table] = i
		m.file.Tables = append(m.file.Tables, Table{Table: t.Table, Description: t.Description, Columns: map[string]Column{}})
	}
	into := &m.file.Tables[i]
	into.Synonyms = union(into.Synonyms, t.Synonyms)
	for name, c := range t.Columns {
		old := into.Columns[name]
		if old.Description == "" {
			old.Description = c.Description
		}
		old.Synonyms = union(old.Synonyms, c.Synonyms)
		into.Columns[name] = old
	}
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// claim takes a name for something of a kind, or notes that there is none or something else has it.
func (m *Model) claim(kind, what, name string, at Place) bool {
	key := kind + " " + Spoken(name)
	if Spoken(name) == "" {
		m.Note(at, what, "it has no name")
		return false
	}
	if by, taken := m.taken[key]; taken {
		m.Note(at, what+" "+name, "the name is that of what stands at %s", by)
		return false
	}
	m.taken[key] = at
	return true
}

// Metric adds a metric, and tells whether its name was free.
func (m *Model) Metric(at Place, x Metric) bool {
	if !m.claim("measured", "metric", x.Name, at) {
		return false
	}
	m.file.Metrics = append(m.file.Metrics, x)
	m.metrics[x.Name] = true
	return true
}

// Dimension adds what is grouped by and isn't a column. No column of its table may be called as it is, of which
// those are known that it is computed of.
func (m *Model) Dimension(at Place, d Dimension, n *pg_query.Node) {
	for _, parts := range References(n) {
		if Spoken(parts[len(parts)-1]) == Spoken(d.Name) {
			m.Note(at, "dimension "+d.Name, "a column of its table is called so too: give one of both another name")
			return
		}
	}
	if m.claim("measured", "dimension", d.Name, at) {
		m.file.Dimensions = append(m.file.Dimensions, d)
	}
}

// Entity adds an entity.
func (m *Model) Entity(at Place, e Entity) {
	if m.claim("entity", "entity", e.Name, at) {
		m.file.Entities = append(m.file.Entities, e)
	}
}

// Relationship adds a relationship; the same one from both of its ends is one.
func (m *Model) Relationship(r Relationship) {
	if !m.related[r] {
		m.related[r] = true
		m.file.Relationships = append(m.file.Relationships, r)
	}
}

// Relate takes over a join of two columns, with the many on either side.
func (m *Model) Relate(at Place, what string, r Relationship) {
	switch r.Cardinality {
	case "many_to_one", "one_to_one":
	case "one_to_many":
		r = Relationship{From: r.To, To: r.From, Cardinality: "many_to_one"}
	default:
		m.Note(at, what, "a join of type %s has no counterpart", r.Cardinality)
		return
	}
	if r.From == r.To {
		m.Note(at, what, "it joins a column with itself")
		return
	}
	m.Relationship(r)
}

// Hierarchy adds a hierarchy.
func (m *Model) Hierarchy(at Place, h Hierarchy) {
	if m.claim("hierarchy", "hierarchy", h.Name, at) {
		m.file.Hierarchies = append(m.file.Hierarchies, h)
	}
}

// Query adds a curated query.
func (m *Model) Query(at Place, q Query) {
	if m.claim("query", "verified query", q.ID, at) {
		m.queries = append(m.queries, q)
	}
}

// Spoken is a name as people say it.
func Spoken(name string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.ToLower(name), "_", " ")), " ")
}

// Names counts how many metrics and dimensions have a name.
type Names map[string]int

// Add counts one.
func (n Names) Add(name string) { n[Spoken(name)]++ }

// Of is the name of one of a table's: with that table's in front where others have it too.
func (n Names) Of(table, name string) string {
	if n[Spoken(name)] > 1 {
		return table + "_" + name
	}
	return name
}

// Words are the words for what is called own, each once and without that name.
func Words(own string, words ...string) []string {
	var out []string
	for _, w := range words {
		if w = strings.TrimSpace(w); w != "" && w != own && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// TableName spells a table's name.
func TableName(schema, table string) string {
	return configs.Spell(schema) + "." + configs.Spell(table)
}
