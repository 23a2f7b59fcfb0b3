package policy

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
)

// Catalog is the schema as the view may see it, for planners: only readable
// relations and columns. Samples, ranges and row estimates are of all rows,
// whoever may see them, so a table with a row rule and a masked column come
// without; they can be fetched anew by statements that the view approves.
func (v *View) Catalog() *catalog.Snapshot { return v.catalog }

func (v *View) filter() *catalog.Snapshot {
	var tables []*catalog.Table
	for _, t := range v.snapshot.Tables {
		if g := v.grants[t.Name]; g != nil && g.broken == nil {
			tables = append(tables, v.filterTable(g))
		}
	}
	var types []catalog.UserType
	for _, t := range v.snapshot.Types {
		if _, ok := v.userTypes[catalog.Name{Schema: t.Schema, Table: t.Name}]; ok {
			types = append(types, t)
		}
	}
	s := catalog.NewSnapshot(v.snapshot.Database, v.snapshot.ServerVersion, tables, types)
	s.Version = v.snapshot.Version
	return s
}

func (v *View) filterTable(g *grant) *catalog.Table {
	t := *g.table
	t.Columns = nil
	for _, c := range g.columns {
		t.Columns = append(t.Columns, filterColumn(g, c))
	}
	t.PrimaryKey = visibleKey(g, t.PrimaryKey)
	t.Unique = nil
	for _, k := range g.table.Unique {
		if k = visibleKey(g, k); k != nil {
			t.Unique = append(t.Unique, k)
		}
	}
	t.ForeignKeys = nil
	for _, f := range g.table.ForeignKeys {
		ref := v.grants[f.Ref]
		if ref != nil && ref.broken == nil && visibleKey(g, f.Columns) != nil && visibleKey(ref, f.RefColumns) != nil {
			t.ForeignKeys = append(t.ForeignKeys, f)
		}
	}
	if g.scope != nil {
		t.Rows = -1
	}
	if parent := v.grants[t.Parent]; parent == nil {
		t.Parent = catalog.Name{}
	}
	return &t
}

func filterColumn(g *grant, c grantColumn) *catalog.Column {
	if g.scope == nil && c.mask == nil {
		return c.column
	}
	out := *c.column
	out.Values, out.AllValues, out.Min, out.Max, out.Distinct = nil, false, "", "", 0
	return &out
}

// visibleKey is the key when the view sees all its columns unmasked, else nil.
func visibleKey(g *grant, key []string) []string {
	for _, name := range key {
		if c := g.column(name); c == nil || c.mask != nil {
			return nil
		}
	}
	return slices.Clone(key)
}
