package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
)

// pinned tells whether the conditions leave about one row of a table: each column of its
// key is compared with one value, or points to rows that are: the fee of
// one campus in one year, but not the quantities of all orders of a product.
func (b *builder) pinned(t *catalog.Table) bool {
	for _, k := range t.PrimaryKey {
		if !b.fixed(t, k) && !slices.ContainsFunc(t.ForeignKeys, func(f *catalog.ForeignKey) bool {
			return slices.Equal(f.Columns, []string{k}) && b.fixed(b.catalog.Table(f.Ref), "")
		}) {
			return false
		}
	}
	return len(t.PrimaryKey) > 0
}

// fixed tells whether a condition compares the column of a table with one value; any
// column, where none is named.
func (b *builder) fixed(t *catalog.Table, column string) bool {
	return slices.ContainsFunc(b.f.conds, func(c cond) bool {
		m := b.dateOf(c)
		return m.table == t && m.column != nil && (column == "" || m.column.Name == column) && (c.op == "=" || c.period != nil && c.period.year != "" && c.period.op == "=")
	})
}
