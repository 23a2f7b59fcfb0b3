package plan

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
)

// tie holds columns of two relations equal, by a join, a condition or a comparison of
// rows. What counts are the rows of to that belong to a row of from which the asker sees.
type tie struct {
	from, to               *rel
	fromColumns, toColumns []string
}

// reverse is the tie seen from its other side.
func (t tie) reverse() tie { return tie{t.to, t.from, t.toColumns, t.fromColumns} }

// joined is the tie of a relation to the one that it joins to.
func (r *rel) joined() tie { return tie{r.parent, r, r.parentColumns, r.ownColumns} }

// unseen is a relation of which rows may be hidden that belong to a visible row; nil
// where all of them are visible.
func (k *run) unseen(t tie) *rel {
	switch {
	case !k.restricted(t.to):
		return nil
	case t.to.query != nil:
		return t.to.query.unseen(t)
	case t.to.search != nil:
		return t.to
	}
	if from, columns := origin(t.from, t.fromColumns); from != nil {
		t.from, t.fromColumns = from, columns
		if k.covers(t) {
			return nil
		}
	}
	return t.to
}

// origin is the relation of the catalog that these columns are shown of; nil where
// they aren't plain columns of one.
func origin(r *rel, columns []string) (*rel, []string) {
	for r != nil && r.query != nil {
		if r.query.b == nil {
			return nil, nil
		}
		var in *rel
		var inner []string
		for _, name := range columns {
			i := slices.IndexFunc(r.query.b.items, func(o *output) bool { return o.name == name })
			o := r.query.b.items[i]
			if o.rel == nil || in != nil && o.rel != in {
				return nil, nil
			}
			in, inner = o.rel, append(inner, o.column.Name)
		}
		r, columns = in, inner
	}
	return r, columns
}

// covers tells whether the rules themselves show each row of to that belongs to a
// visible row of from: to follows from, or from follows the one row of to, or both are cut
// alike. Values behind a mask tie nothing.
func (k *run) covers(t tie) bool {
	from, to := t.from.table, t.to.table
	masked := func(n catalog.Name, columns []string) bool {
		return slices.ContainsFunc(columns, func(c string) bool { return slices.Contains(k.Access.Masked[n], c) })
	}
	if masked(from.Name, t.fromColumns) || masked(to.Name, t.toColumns) {
		return false
	}
	there, own := k.Access.Scoped[from.Name], k.Access.Scoped[to.Name]
	if own.Follows.along(t) || there.Follows.along(t.reverse()) && t.to.unique(t.toColumns, false) {
		return true
	}
	if !own.Whole || len(own.Held) == 0 {
		return false
	}
	for column := range own.Held {
		if !k.cutAlike(t, there, own, column) {
			return false
		}
	}
	return true
}

// along tells whether a tie leads from the parent to the rows that follow it.
func (f *Follow) along(t tie) bool {
	if f == nil || f.Parent != t.from.table.Name {
		return false
	}
	for own, parent := range f.Columns {
		if !t.holds(parent, own) {
			return false
		}
	}
	return true
}

// holds tells whether the tie holds the two columns equal.
func (t tie) holds(from, to string) bool {
	for i, c := range t.toColumns {
		if c == to && t.fromColumns[i] == from {
			return true
		}
	}
	return false
}

// cutAlike tells whether the demand on a column of to is met by the rows that belong to a
// visible row of from, of which the same is demanded of a column that has the same value:
// the tie holds the two equal, or they are partition keys, and a declared key ties the rows.
func (k *run) cutAlike(t tie, there, own Scope, column string) bool {
	for other, demanded := range there.Held {
		if demanded != own.Held[column] {
			continue
		}
		part := own.Partition[column]
		if t.holds(other, column) || part != "" && there.Partition[other] == part && k.refers(t) {
			return true
		}
	}
	return false
}

// refers tells whether the tie holds a declared key. What is inferred, or linked by
// likeness, is none: nobody has said that such rows belong together.
func (k *run) refers(t tie) bool {
	for _, r := range k.Semantic.Relationships {
		if r.Method != "" || r.Inferred {
			continue
		}
		if r.From == t.from.table.Name && r.To == t.to.table.Name && t.hasAll(r.FromColumns, r.ToColumns) ||
			r.To == t.from.table.Name && r.From == t.to.table.Name && t.hasAll(r.ToColumns, r.FromColumns) {
			return true
		}
	}
	return false
}

func (t tie) hasAll(from, to []string) bool {
	for i := range from {
		if !t.holds(from[i], to[i]) {
			return false
		}
	}
	return true
}

// restsOnPartitions says so where the policy's word that rows which refer to each other have the
// same partition keys is all that proves an absence.
func (k *run) restsOnPartitions(given *Plan) {
	columns := map[string]bool{}
	bare := k.Context
	bare.Access.Scoped = maps.Clone(bare.Access.Scoped)
	for _, n := range k.relations() {
		s := bare.Access.Scoped[n]
		for column := range s.Partition {
			columns[Ident(column)] = true
		}
		s.Partition = nil
		if _, scoped := bare.Access.Scoped[n]; scoped {
			bare.Access.Scoped[n] = s
		}
	}
	if len(columns) == 0 {
		return
	}
	var r *Rejections
	if _, err := validate(given, bare, false); errors.As(err, &r) && r.All[0].stage == stageGuarantee {
		k.qualify("that none is there rests on the policy's word: rows that refer to each other have the same %s",
			strings.Join(slices.Sorted(maps.Keys(columns)), " or "))
	}
}
