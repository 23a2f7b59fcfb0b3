package semantic

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// builder resolves one file against one snapshot and collects what is wrong.
type builder struct {
	snapshot *catalog.Snapshot
	model    *Model
	faults   []configs.Fault
}

// Build resolves semantic.yaml against a snapshot. The model holds everything
// that resolved; the faults say what didn't. A table or column that isn't there
// is a warning, since the file may be for several databases; a definition that
// can't be right is a fault.
func Build(file configs.Semantic, s *catalog.Snapshot) (*Model, []configs.Fault) {
	b := &builder{snapshot: s, model: &Model{Version: version(file), Tables: map[catalog.Name]*Table{}, FiscalYearStart: file.FiscalYearStart}}
	for _, t := range file.Tables {
		b.table(t)
	}
	b.declared()
	for _, r := range file.Relationships {
		b.relationship(r)
	}
	for _, x := range file.Sources {
		b.source(x)
	}
	slices.SortStableFunc(b.model.Relationships, compareRelationships)
	for _, m := range file.Metrics {
		if m.Derived == "" {
			b.metric(m)
		}
	}
	b.derive(file.Metrics)
	for _, d := range file.Dimensions {
		b.dimension(d)
	}
	slices.SortStableFunc(b.model.Dimensions, compareDimensions)
	slices.SortStableFunc(b.model.Metrics, func(x, y *Metric) int { return strings.Compare(x.Name, y.Name) })
	for _, e := range file.Entities {
		b.entity(e)
	}
	for _, h := range file.Hierarchies {
		b.hierarchy(h)
	}
	slices.SortStableFunc(b.model.Hierarchies, func(x, y *Hierarchy) int { return strings.Compare(x.Name, y.Name) })
	return b.model, b.faults
}

// version digests the file's content; positions don't count.
func version(file configs.Semantic) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, t := range file.Tables {
		t.Pos, t.Table.Pos = configs.Pos{}, configs.Pos{}
		columns := map[string]columnDigest{}
		for name, c := range t.Columns {
			columns[name] = columnDigest{c.Description, c.Synonyms, c.LLM, c.NonAdditive}
		}
		t.Columns = nil
		_ = enc.Encode([]any{"table", t, columns}) // a hash never fails to be written to
	}
	for _, m := range file.Metrics {
		m.Pos, m.Table.Pos, m.TimeDimension.Pos, m.Reviewed = configs.Pos{}, configs.Pos{}, configs.Pos{}, false
		_ = enc.Encode([]any{"metric", m})
	}
	for _, d := range file.Dimensions {
		d.Pos, d.Table.Pos = configs.Pos{}, configs.Pos{}
		_ = enc.Encode([]any{"dimension", d})
	}
	for _, e := range file.Entities {
		e.Pos, e.Table.Pos = configs.Pos{}, configs.Pos{}
		_ = enc.Encode([]any{"entity", e})
	}
	for _, r := range file.Relationships {
		r.Pos, r.From.Pos, r.To.Pos = configs.Pos{}, configs.Pos{}, configs.Pos{}
		_ = enc.Encode([]any{"relationship", r})
	}
	for _, h := range file.Hierarchies {
		h.Pos, h.Levels = configs.Pos{}, slices.Clone(h.Levels)
		for i := range h.Levels {
			h.Levels[i].Pos = configs.Pos{}
		}
		_ = enc.Encode([]any{"hierarchy", h})
	}
	for _, x := range file.Sources {
		x.Pos, x.Table.Pos, x.Links = configs.Pos{}, configs.Pos{}, slices.Clone(x.Links)
		for i := range x.Links {
			x.Links[i].Pos, x.Links[i].To.Pos = configs.Pos{}, configs.Pos{}
		}
		_ = enc.Encode([]any{"source", x})
	}
	if file.FiscalYearStart != 0 {
		_ = enc.Encode([]any{"fiscal_year_start", file.FiscalYearStart})
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// columnDigest is what of a column counts for the version.
type columnDigest struct {
	Description string
	Synonyms    []string
	LLM         string
	NonAdditive bool `json:",omitempty"`
}

func (b *builder) fault(pos configs.Pos, key, format string, args ...any) {
	b.faults = append(b.faults, configs.Fault{Pos: pos, Key: key, Msg: fmt.Sprintf(format, args...)})
}

func (b *builder) warn(pos configs.Pos, key, format string, args ...any) {
	b.faults = append(b.faults, configs.Fault{Pos: pos, Key: key, Msg: fmt.Sprintf(format, args...), Warning: true})
}

// resolve finds a table; one that isn't there is a warning.
func (b *builder) resolve(n configs.Name, key string, pos configs.Pos) *catalog.Table {
	if n.Pos.Line != 0 {
		pos = n.Pos
	}
	t := b.snapshot.Table(catalog.Name{Schema: n.Schema, Table: n.Table})
	if t == nil {
		b.warn(pos, key, "there is no table %s.%s", n.Schema, n.Table)
	}
	return t
}

func (b *builder) table(f configs.SemanticTable) {
	key := fmt.Sprintf("tables.%s.%s", f.Table.Schema, f.Table.Table)
	t := b.resolve(f.Table, key, f.Pos)
	if t == nil {
		return
	}
	if b.model.Tables[t.Name] != nil {
		b.fault(f.Pos, key, "the table is described twice")
		return
	}
	m := &Table{Description: f.Description, Synonyms: f.Synonyms, Preferred: f.Preferred, Columns: map[string]Column{}}
	for name, c := range f.Columns {
		if t.Column(name) == nil {
			b.warn(c.Pos, key+".columns."+name, "the table has no column %s", name)
			continue
		}
		exposure := Exposure(c.LLM)
		switch exposure {
		case "":
			exposure = Full
		case Full, NameOnly, Hidden:
		default:
			b.fault(c.Pos, key+".columns."+name+".llm", "must be full, name_only or hidden, not %s", c.LLM)
			exposure = Hidden
		}
		m.Columns[name] = Column{Description: c.Description, Synonyms: c.Synonyms, LLM: exposure, NonAdditive: c.NonAdditive}
	}
	b.model.Tables[t.Name] = m
}

func (b *builder) entity(f configs.Entity) {
	key := "entities." + f.Name
	t := b.resolve(f.Table, key, f.Pos)
	if t == nil {
		return
	}
	for _, name := range f.Key {
		if t.Column(name) == nil {
			b.warn(f.Pos, key+".key", "the table has no column %s", name)
			return
		}
	}
	b.model.Entities = append(b.model.Entities, &Entity{Name: f.Name, Table: t.Name, Key: f.Key, Synonyms: f.Synonyms})
}
