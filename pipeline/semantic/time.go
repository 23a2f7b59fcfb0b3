package semantic

import (
	"regexp"
	"slices"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// TimeDimension is the date by which a metric's rows fall into periods: a column of
// its own table, or of one that Path leads to, many-to-one at each step.
type TimeDimension struct {
	Table  catalog.Name
	Column string
	Path   []*Relationship
	// Stated tells that the file says it.
	Stated bool
}

// timeDimension is what the file says, else the only date that can be meant; nil where
// several could be.
func (b *builder) timeDimension(f configs.Metric, m *Metric, key string) *TimeDimension {
	key += ".time_dimension"
	ref := f.TimeDimension
	if ref.Column == "" {
		return b.onlyDate(m)
	}
	t := b.resolve(ref.Name, key, f.Pos)
	if t == nil {
		return nil
	}
	col := t.Column(ref.Column)
	if col == nil || !moment(col) {
		b.fault(f.Pos, key, "table %s.%s has no date or time %s", ref.Schema, ref.Table, ref.Column)
		return nil
	}
	if m.Additivity.Kind == "semi" && (t.Name != m.Table || !slices.Contains(m.Additivity.NotOver, ref.Column)) {
		b.fault(f.Pos, key, "a stock's time is one of not_over")
		return nil
	}
	path, n := b.model.Way(m.Table, t.Name)
	if n != 1 {
		b.fault(f.Pos, key, "the metric's table reaches it by %d many-to-one ways, it needs exactly one", n)
		return nil
	}
	return &TimeDimension{Table: t.Name, Column: ref.Column, Path: path, Stated: true}
}

// onlyDate is a stock's first time, or the one date of the metric's table, or of the tables
// nearest to it that have any; nil where there isn't just one.
func (b *builder) onlyDate(m *Metric) *TimeDimension {
	if t := b.snapshot.Table(m.Table); m.Additivity.Kind == "semi" {
		if len(m.Additivity.NotOver) == 0 || t.Column(m.Additivity.NotOver[0]) == nil || !moment(t.Column(m.Additivity.NotOver[0])) {
			return nil
		}
		return &TimeDimension{Table: m.Table, Column: m.Additivity.NotOver[0]}
	}
	seen := []catalog.Name{m.Table}
	for level := seen; len(level) > 0; {
		var found []*TimeDimension
		var next []catalog.Name
		for _, at := range level {
			for _, col := range b.snapshot.Table(at).Columns {
				if moment(col) && !OfBirth(col) {
					found = append(found, &TimeDimension{Table: at, Column: col.Name})
				}
			}
			for _, r := range b.model.Relationships {
				if r.From == at && !slices.Contains(seen, r.To) {
					seen, next = append(seen, r.To), append(next, r.To)
				}
			}
		}
		if len(found) == 1 {
			if path, n := b.model.Way(m.Table, found[0].Table); n == 1 {
				found[0].Path = path
				return found[0]
			}
		}
		if len(found) > 0 {
			return nil
		}
		level = next
	}
	return nil
}

// Way is the one shortest way from a table to another along which every step is many-to-one,
// empty to itself; n is how many such ways there are.
func (m *Model) Way(from, to catalog.Name) (path []*Relationship, n int) {
	if from == to {
		return nil, 1
	}
	all := m.Paths(from, to)
	for _, p := range all {
		if len(p) == len(all[0]) {
			n++
		}
	}
	if n == 0 {
		return nil, 0
	}
	return all[0], n
}

func moment(c *catalog.Column) bool {
	return slices.Contains([]string{"date", "timestamp", "timestamptz"}, c.Type.Name)
}

var birth = regexp.MustCompile(`(?i:^|[_ ])(?i:birth|born(?:[_ ]|$))|Birth|Born`)

// OfBirth tells whether a date is somebody's birthday: only a question that says so is
// about it.
func OfBirth(c *catalog.Column) bool { return birth.MatchString(c.Name) }
