package policy

import (
	"fmt"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// SampleQuery is a catalog question about a column's values, and the approved
// statement that asks it through the view's own row rules: what it finds, the
// view may read.
type SampleQuery struct {
	Query    catalog.SampleQuery
	Approved Approved
	// Range asks for the range of the same column (Query.Range()).
	Range Approved
}

// SampleQueries are the questions about those tables whose samples Catalog
// leaves out because of a row rule; their answers belong into that catalog.
// Masked columns are left out.
func (v *View) SampleQueries(l catalog.Limits) ([]SampleQuery, error) {
	var out []SampleQuery
	for _, n := range v.sortedNames() {
		g := v.grants[n]
		if g.scope == nil || g.broken != nil {
			continue
		}
		visible := *v.catalog.Table(n)
		visible.Rows = g.table.Rows // bounds how many rows there can be
		unmasked := func(_ *catalog.Table, c *catalog.Column) bool { return g.column(c.Name).mask == nil }
		for _, q := range catalog.SampleQueries(&visible, unmasked, l) {
			s, err := v.sample(q)
			if err != nil {
				return nil, fmt.Errorf("sample %s: %w", spell(n), err)
			}
			out = append(out, s)
		}
	}
	return out, nil
}

func (v *View) sample(q catalog.SampleQuery) (SampleQuery, error) {
	asks, err := v.approveOwn(q.SQL)
	if err != nil {
		return SampleQuery{}, err
	}
	ranges, err := v.approveOwn(q.Range().SQL)
	return SampleQuery{Query: q, Approved: asks, Range: ranges}, err
}

// approveOwn judges a query of our own, which bounds itself.
func (v *View) approveOwn(sql string) (Approved, error) {
	tree, err := stmt.ParseOne(sql, wide())
	if err != nil {
		return Approved{}, err
	}
	return v.Authorize(stmt.Statement{Text: sql, Tree: tree}, Options{})
}
