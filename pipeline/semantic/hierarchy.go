package semantic

import (
	"fmt"
	"slices"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// Hierarchy is what people group by at several levels, such as geography.
type Hierarchy struct {
	Name        string
	Description string
	Synonyms    []string
	Levels      []Level // from coarse to fine
}

// Level is a column by which a hierarchy groups, or a dimension of the table.
type Level struct {
	Table catalog.Name
	// Column is the column's name, or the dimension's.
	Column string
	// Path leads from the table of the next finer level to this one's, many-to-one at each
	// step; empty where they are of one table, and for the finest.
	Path []*Relationship
}

// hierarchy resolves one hierarchy. One that names what isn't there is left out.
func (b *builder) hierarchy(f configs.Hierarchy) {
	h := &Hierarchy{Name: f.Name, Description: f.Description, Synonyms: f.Synonyms}
	before := len(b.faults)
	for i, l := range f.Levels {
		key := fmt.Sprintf("hierarchies.%s.levels[%d]", f.Name, i)
		t := b.resolve(l.Name, key, f.Pos)
		if t == nil {
			continue
		}
		level := Level{Table: t.Name, Column: l.Column}
		for _, d := range b.model.DimensionsOf(t.Name) {
			if t.Column(l.Column) == nil && d.Called(l.Column) {
				level.Column = d.Name
			}
		}
		if t.Column(l.Column) == nil && b.model.DimensionOf(level) == nil {
			b.warn(l.Pos, key, "table %s.%s has no column or dimension %s", t.Name.Schema, t.Name.Table, l.Column)
			continue
		}
		h.Levels = append(h.Levels, level)
		if i > 0 && len(h.Levels) == i+1 {
			b.below(h, i, l.Pos, key)
		}
	}
	if len(b.faults) == before {
		b.model.Hierarchies = append(b.model.Hierarchies, h)
	}
}

// below finds the way from a level's table to that of the level above it.
func (b *builder) below(h *Hierarchy, i int, pos configs.Pos, key string) {
	above, own := &h.Levels[i-1], h.Levels[i]
	if above.Table == own.Table {
		return
	}
	paths := b.model.Paths(own.Table, above.Table)
	if len(paths) == 0 {
		b.fault(pos, key, "rows of %s.%s don't point to %s.%s, whose column is the level above: levels are listed from coarse to fine",
			own.Table.Schema, own.Table.Table, above.Table.Schema, above.Table.Table)
		return
	}
	if len(paths) > 1 && len(paths[0]) == len(paths[1]) {
		b.fault(pos, key, "several ways lead from %s.%s to %s.%s, it needs exactly one", own.Table.Schema, own.Table.Table, above.Table.Schema, above.Table.Table)
		return
	}
	above.Path = paths[0]
}

// DimensionOf is the dimension that a level is; nil for a column.
func (m *Model) DimensionOf(l Level) *Dimension {
	if d := m.Dimension(l.Column); d != nil && d.Table == l.Table {
		return d
	}
	return nil
}

// LevelExposure is how much a model may learn of a level.
func (m *Model) LevelExposure(l Level) Exposure {
	if d := m.DimensionOf(l); d != nil {
		return d.LLM
	}
	return m.Exposure(l.Table, l.Column)
}

// visible is the hierarchy of the levels that the snapshot has, or the dimensions of m; nil
// where it has none.
func (h *Hierarchy) visible(s *catalog.Snapshot, m *Model) *Hierarchy {
	v := *h
	v.Levels = nil
	for _, l := range h.Levels {
		if n := len(v.Levels); !hasAll(s, l.Table, []string{l.Column}) && m.DimensionOf(l) == nil {
			if n > 0 { // what was above it is above the next one
				v.Levels[n-1].Path = slices.Concat(l.Path, v.Levels[n-1].Path)
			}
			continue
		}
		v.Levels = append(v.Levels, l)
	}
	if len(v.Levels) == 0 {
		return nil
	}
	v.Levels[len(v.Levels)-1].Path = nil
	return &v
}

// At is the position of the level that is this column, -1 for none.
func (h *Hierarchy) At(table catalog.Name, column string) int {
	return slices.IndexFunc(h.Levels, func(l Level) bool { return l.Table == table && l.Column == column })
}
