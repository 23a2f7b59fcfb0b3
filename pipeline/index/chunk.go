package index

import (
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// Kind is what a chunk is about.
type Kind string

// The kinds of chunk.
const (
	KindTable        Kind = "table"
	KindColumn       Kind = "column"
	KindMetric       Kind = "metric"
	KindDimension    Kind = "dimension"
	KindRelationship Kind = "relationship"
	KindHierarchy    Kind = "hierarchy"
)

// Chunk is one thing that is known of a schema, in a text that an embedder
// makes a vector of. Chunks are the same for everybody who asks, so they hold
// names, comments and what semantic.yaml says, and no value of any row: which
// values somebody may see depends on its scopes, and an [Index] has them.
type Chunk struct {
	Kind Kind
	// Table is the table itself, or the one that the column, metric, dimension or
	// relationship belongs to, or the finest level of the hierarchy.
	Table catalog.Name
	// Name is the column's, metric's, dimension's, relationship's or hierarchy's; empty for a table.
	Name string
	Text string
}

// Chunks are those of a snapshot with its meaning, sorted by table, kind and
// name; m may be nil. What semantic.yaml hides from models is left out, since
// an embedder may be one; so are partitions, as by Build, and pgask's own tables.
func Chunks(s *catalog.Snapshot, m *semantic.Model) []Chunk {
	if m == nil {
		m = &semantic.Model{}
	}
	var out []Chunk
	add := func(kind Kind, table catalog.Name, name string, words ...string) {
		words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
		out = append(out, Chunk{kind, table, name, cut(strings.Join(words, ". "), chunkRunes)})
	}
	for _, t := range relations(s) {
		if t.Name.Schema == ownSchema {
			continue
		}
		meaning := m.Tables[t.Name]
		if meaning == nil {
			meaning = &semantic.Table{}
		}
		name := tableWords(t.Name)
		add(KindTable, t.Name, "", append([]string{name, listed(meaning.Synonyms), meaning.Description, t.Comment}, entities(m, t.Name)...)...)
		for _, c := range t.Columns {
			if known := meaning.Columns[c.Name]; known.LLM != semantic.Hidden {
				add(KindColumn, t.Name, c.Name, spelt(c.Name)+" of "+name, listed(known.Synonyms), known.Description, c.Comment)
			}
		}
	}
	for _, metric := range m.Metrics {
		for _, t := range metric.Tables() {
			if s.Table(t) == nil {
				continue
			}
			add(KindMetric, t, metric.Name, spelt(metric.Name), listed(metric.Synonyms), metric.Description, metric.Unit)
		}
	}
	for _, d := range m.Dimensions {
		if s.Table(d.Table) != nil && d.LLM != semantic.Hidden {
			add(KindDimension, d.Table, d.Name, spelt(d.Name)+" of "+tableWords(d.Table), listed(d.Synonyms), d.Description)
		}
	}
	for _, r := range m.Relationships {
		if s.Table(r.From) != nil && s.Table(r.To) != nil {
			add(KindRelationship, r.From, r.Name, tableWords(r.From)+" of "+tableWords(r.To))
		}
	}
	for _, h := range m.Hierarchies {
		if finest := h.Levels[len(h.Levels)-1]; s.Table(finest.Table) != nil {
			add(KindHierarchy, finest.Table, h.Name, spelt(h.Name), listed(h.Synonyms), h.Description)
		}
	}
	slices.SortStableFunc(out, compareChunks)
	return out
}

// Texts are the chunks' texts, each once.
func Texts(chunks []Chunk) []string {
	var out []string
	seen := make(map[string]bool, len(chunks))
	for _, c := range chunks {
		if !seen[c.Text] {
			out = append(out, c.Text)
		}
		seen[c.Text] = true
	}
	return out
}

// ownSchema is where pgask keeps tables of its own, which may be in the database
// that is asked: a chunk about an edition would make the next edition differ.
const ownSchema = "pgask"

// chunkRunes bounds a chunk's text: what is longer would speak of many things.
const chunkRunes = 600

func compareChunks(a, b Chunk) int {
	if c := a.Table.Compare(b.Table); c != 0 {
		return c
	}
	if c := slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind); c != 0 {
		return c
	}
	return strings.Compare(a.Name, b.Name)
}

var kinds = []Kind{KindTable, KindColumn, KindMetric, KindDimension, KindRelationship, KindHierarchy}

// tableWords is a table's name in words, its schema in front where that says
// something.
func tableWords(n catalog.Name) string {
	if n.Schema == "public" {
		return spelt(n.Table)
	}
	return spelt(n.Schema) + " " + spelt(n.Table)
}

// spelt is an identifier as people write it: order_items is order items.
func spelt(identifier string) string {
	return strings.Join(strings.FieldsFunc(identifier, func(r rune) bool { return r == '_' || r == ' ' }), " ")
}

func listed(synonyms []string) string { return strings.Join(synonyms, ", ") }

// entities are the names of what a table holds one row of.
func entities(m *semantic.Model, table catalog.Name) []string {
	var out []string
	for _, e := range m.Entities {
		if e.Table == table {
			out = append(out, listed(append([]string{e.Name}, e.Synonyms...)))
		}
	}
	return out
}
