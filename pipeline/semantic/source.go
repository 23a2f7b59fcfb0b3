package semantic

import (
	"fmt"
	"strings"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// Source is how a table may be read, and how it is searched where it has a column of
// embeddings.
type Source struct {
	Name  string
	Table catalog.Name
	// Embedding is a column of the type vector, of the schema TypeSchema; empty where
	// nothing is searched. Operator is the distance's.
	Embedding, TypeSchema, Operator string
	// Text is the column that was embedded; "" where the file doesn't say.
	Text string
	// K is how many matches a search takes that doesn't say it, Within how far away
	// they may be, 0 for any distance.
	K       int
	Within  float64
	MaxHops int
	Access  Access
}

// Access is how a source can be read: whole, where all of ByKey are given, by search.
type Access struct {
	Whole, BySearch bool
	ByKey           []string
}

// Ways says how a source that can't be read whole is read; "" for one that can.
func (s Source) Ways() string {
	var ways []string
	switch {
	case s.Access.Whole:
		return ""
	case len(s.Access.ByKey) > 0:
		ways = append(ways, fmt.Sprintf("by key, with %s given or joined to", strings.Join(s.Access.ByKey, " and ")))
	}
	if s.Access.BySearch {
		ways = append(ways, "by search, for the rows nearest to a text")
	}
	return strings.Join(ways, ", or ")
}

// distances are pgvector's operators.
func distances() map[string]string {
	return map[string]string{"": "<=>", "cosine": "<=>", "l2": "<->", "inner": "<#>"}
}

// DistanceColumn is what a search adds to its rows: how far away each is.
const DistanceColumn = "distance"

// source resolves a source; its links become relationships.
func (b *builder) source(f configs.Source) {
	key := "sources." + f.Name
	t := b.resolve(f.Table, key, f.Pos)
	if t == nil {
		return
	}
	if b.model.Source(t.Name) != nil {
		b.fault(f.Pos, key, "the table is a source already")
		return
	}
	s := &Source{Name: f.Name, Table: t.Name, Text: f.Text, Operator: distances()[f.Distance], K: f.K, Within: f.Within, MaxHops: f.MaxHops, Access: Access(f.Access)}
	before := len(b.faults)
	b.hasColumns(t, f.Access.ByKey, f.Pos, key+".access.by_key")
	if f.Text != "" {
		b.hasColumns(t, []string{f.Text}, f.Pos, key+".text")
	}
	if f.Embedding != "" {
		b.embedding(f, t, s, key)
	}
	for _, l := range f.Links {
		b.link(f, l, t, key+".links."+l.Method)
	}
	if len(b.faults) == before {
		b.model.Sources = append(b.model.Sources, s)
	}
}

func (b *builder) embedding(f configs.Source, t *catalog.Table, s *Source, key string) {
	c := t.Column(f.Embedding)
	switch {
	case c == nil:
		b.fault(f.Pos, key+".embedding", "table %s.%s has no column %s", t.Name.Schema, t.Name.Table, f.Embedding)
	case c.Type.Name != "vector" || c.Type.Schema == "pg_catalog":
		b.fault(f.Pos, key+".embedding", "column %s is %s, not pgvector's vector", f.Embedding, c.Type.SQL)
	case t.Column(DistanceColumn) != nil:
		b.fault(f.Pos, key+".embedding", "the table has a column %s of its own, which is what a search calls how far away a row is", DistanceColumn)
	default:
		s.Embedding, s.TypeSchema = f.Embedding, c.Type.Schema
	}
}

// link makes a relationship of a link. Where the same columns are a foreign key, it
// takes that one's place: what the method may get wrong counts.
func (b *builder) link(f configs.Source, l configs.Link, t *catalog.Table, key string) {
	to := b.resolve(l.To.Name, key+".to", l.Pos)
	if to == nil {
		return
	}
	if t.Column(l.Column) == nil || to.Column(l.To.Column) == nil {
		b.fault(l.Pos, key, "%s.%s or %s.%s isn't there", t.Name.Table, l.Column, to.Name.Table, l.To.Column)
		return
	}
	if !unique(to, []string{l.To.Column}) {
		b.fault(l.Pos, key+".to", "no key says that %s.%s is unique", to.Name.Table, l.To.Column)
		return
	}
	r := &Relationship{Name: fmt.Sprintf("%s.%s", f.Name, l.Method), From: t.Name, FromColumns: []string{l.Column}, To: to.Name, ToColumns: []string{l.To.Column},
		Method: l.Method, Confidence: l.Confidence}
	for i, x := range b.model.Relationships {
		if x.From == r.From && x.To == r.To && len(x.FromColumns) == 1 && x.FromColumns[0] == l.Column {
			b.model.Relationships[i] = r
			return
		}
	}
	b.model.Relationships = append(b.model.Relationships, r)
}

// Source is the source of a table; nil for one that is read as any other.
func (m *Model) Source(table catalog.Name) *Source {
	for _, s := range m.Sources {
		if s.Table == table {
			return s
		}
	}
	return nil
}

// visible is what of a source the snapshot, filtered for a role, lets be used.
func (s *Source) visible(seen *catalog.Snapshot) *Source {
	t := seen.Table(s.Table)
	if t == nil {
		return nil
	}
	v := *s
	if t.Column(s.Embedding) == nil {
		v.Embedding = ""
	}
	return &v
}
