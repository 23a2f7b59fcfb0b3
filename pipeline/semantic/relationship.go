package semantic

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// declared takes the foreign keys of the catalog.
func (b *builder) declared() {
	for _, t := range b.snapshot.Tables {
		for _, k := range t.ForeignKeys {
			if b.snapshot.Table(k.Ref) == nil {
				continue
			}
			b.model.Relationships = append(b.model.Relationships, &Relationship{Name: k.Name,
				From: t.Name, FromColumns: k.Columns, To: k.Ref, ToColumns: k.RefColumns,
				OneToOne: unique(t, k.Columns)})
		}
	}
}

// unique tells whether at most one row of the table has the same values in
// the columns: they hold a whole key.
func unique(t *catalog.Table, columns []string) bool {
	holds := func(key []string) bool {
		return len(key) > 0 && !slices.ContainsFunc(key, func(c string) bool { return !slices.Contains(columns, c) })
	}
	return holds(t.PrimaryKey) || slices.ContainsFunc(t.Unique, holds)
}

// relationship takes a configured join. Its columns need not be keys: that at
// most one row is on the other side is the file's word.
func (b *builder) relationship(f configs.Relationship) {
	key := "relationships." + f.From.Table + "." + f.From.Column
	from, to := b.resolve(f.From.Name, key+".from", f.Pos), b.resolve(f.To.Name, key+".to", f.Pos)
	if from == nil || to == nil {
		return
	}
	for _, c := range []struct {
		t    *catalog.Table
		name string
	}{{from, f.From.Column}, {to, f.To.Column}} {
		if c.t.Column(c.name) == nil {
			b.warn(f.Pos, key, "table %s.%s has no column %s", c.t.Name.Schema, c.t.Name.Table, c.name)
			return
		}
	}
	if f.Cardinality != "many_to_one" && f.Cardinality != "one_to_one" && f.Cardinality != "" {
		b.fault(f.Pos, key+".cardinality", "must be many_to_one or one_to_one, not %s", f.Cardinality)
		return
	}
	r := &Relationship{Name: f.From.Table + "." + f.From.Column, From: from.Name, FromColumns: []string{f.From.Column},
		To: to.Name, ToColumns: []string{f.To.Column}, OneToOne: f.Cardinality == "one_to_one"}
	if b.known(r) {
		return
	}
	if !unique(to, r.ToColumns) {
		b.warn(f.Pos, key, "no key says that %s.%s.%s is unique; the join is taken as %s on the file's word",
			to.Name.Schema, to.Name.Table, f.To.Column, cmp.Or(f.Cardinality, "many_to_one"))
	}
	b.model.Relationships = append(b.model.Relationships, r)
}

// known tells whether a foreign key already declares the same join. The file
// may still say that it is one to one.
func (b *builder) known(r *Relationship) bool {
	for _, x := range b.model.Relationships {
		if x.From == r.From && x.To == r.To && slices.Equal(x.FromColumns, r.FromColumns) && slices.Equal(x.ToColumns, r.ToColumns) {
			x.OneToOne = x.OneToOne || r.OneToOne
			return true
		}
	}
	return false
}

func compareRelationships(x, y *Relationship) int {
	return cmp.Or(x.From.Compare(y.From), x.To.Compare(y.To), strings.Compare(x.Name, y.Name))
}

// Paths are the ways from one table to another along which every step is
// many-to-one, shortest first, at most four steps.
func (m *Model) Paths(from, to catalog.Name) [][]*Relationship {
	var found [][]*Relationship
	var walk func(at catalog.Name, path []*Relationship)
	walk = func(at catalog.Name, path []*Relationship) {
		for _, r := range m.Relationships {
			if r.From != at || r.To == from || slices.ContainsFunc(path, func(p *Relationship) bool { return p.From == r.To || p.To == r.To }) {
				continue
			}
			next := append(slices.Clone(path), r)
			if r.To == to {
				found = append(found, next)
			} else if len(next) < 4 {
				walk(r.To, next)
			}
		}
	}
	walk(from, nil)
	slices.SortStableFunc(found, func(x, y []*Relationship) int { return len(x) - len(y) })
	return found
}

// Reverses tells whether another relationship holds the same columns equal, from the
// other side.
func (r *Relationship) Reverses(other *Relationship) bool {
	return r.From == other.To && r.To == other.From && slices.Equal(r.FromColumns, other.ToColumns) && slices.Equal(r.ToColumns, other.FromColumns)
}
