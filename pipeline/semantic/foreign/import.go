package foreign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Source is a file with its text.
type Source struct {
	Name string
	Text []byte
}

// Format is a kind of document of another tool.
type Format struct {
	// Name is the tool's, as people know it.
	Name string
	// Keys are the keys of which each of its documents has one at its top. A document is of the first
	// format of which it has one.
	Keys []string
	// Reasons are why keys that nothing reads aren't taken over; those with an empty reason
	// concern only the tool itself, and aren't mentioned.
	Reasons map[string]string
	// Import adds what the documents hold.
	Import func([]*Document, *Model) error
}

// Result is what was made of other tools' files. Curated is empty where there was no verified query.
type Result struct {
	Semantic, Curated []byte
	Notes             []Note
}

// Import makes a semantic.yaml of files of any of the formats: whose a document is, its
// keys tell. Tables without a schema of their own are in schema. The error is that of a text that can't be read at all.
func Import(formats []Format, sources []Source, schema string) (*Result, error) {
	m := newModel(schema)
	of := make([][]*Document, len(formats))
	found := false
	for _, s := range sources {
		documents, err := read(s)
		if err != nil {
			return nil, err
		}
		for _, d := range documents {
			n := slices.IndexFunc(formats, func(f Format) bool { return slices.ContainsFunc(f.Keys, d.has) })
			if n < 0 {
				m.Note(d.at(d.root), "document", "it has none of the keys %s", known(formats))
				continue
			}
			d.reasons, d.model, found = formats[n].Reasons, m, true
			of[n] = append(of[n], d)
		}
	}
	if !found {
		return nil, fmt.Errorf("no semantic model is in these files: a document has one of the keys %s", known(formats))
	}
	for i, f := range formats {
		if len(of[i]) == 0 {
			continue
		}
		if err := f.Import(of[i], m); err != nil {
			return nil, err
		}
	}
	return m.result()
}

// known spells the keys by which documents are told apart.
func known(formats []Format) string {
	var out []string
	for _, f := range formats {
		out = append(out, strings.Join(f.Keys, ", ")+" ("+f.Name+")")
	}
	return strings.Join(out, ", ")
}

func (m *Model) result() (*Result, error) {
	for _, c := range m.pending {
		m.settle(c)
	}
	r := &Result{Notes: m.notes}
	slices.SortStableFunc(r.Notes, func(a, b Note) int { return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line) })
	var err error
	if r.Semantic, err = yaml.Marshal(m.file); err != nil {
		return nil, err
	}
	if len(m.queries) > 0 {
		r.Curated, err = yaml.Marshal(map[string][]Query{"queries": m.queries})
	}
	return r, err
}
