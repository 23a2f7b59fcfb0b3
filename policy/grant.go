package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
)

// grant is what a view may read of one relation.
type grant struct {
	table *catalog.Table
	// columns are the permitted ones, in table order.
	columns []grantColumn
	// denied are the relation's other columns: they exist, so that a name that
	// could mean one is refused rather than found elsewhere.
	denied map[string]bool
	// code are those of them that are denied for their types' functions.
	code map[string]bool
	// withheldColumns are permitted ones without a value, refused to a statement
	// that reads nothing but this relation.
	withheldColumns map[string]bool
	// scope is the bound row rule, nil for all rows.
	scope *pg_query.Node
	// simple tells that scope is only constant comparisons, which the planner
	// evaluates before anything that could raise an error.
	simple bool
	// fenced relations always get a fence against the planner's reordering.
	fenced bool
	// hazards are those of the columns' types.
	hazards typeHazards
	// scopeText is the row rule as the policy spells it.
	scopeText string
	// broken says why the relation can't be read although it is allowed: a
	// missing attribute, or a rule that doesn't fit the table.
	broken *Denied
	// system tells that it is a relation of pg_catalog or information_schema;
	// withheld that it is one of those refused alone.
	system, withheld bool
}

// grantColumn is one permitted column.
type grantColumn struct {
	column *catalog.Column
	// mask replaces the column's value, nil for the value itself.
	mask *pg_query.Node
}

func (g *grant) column(name string) *grantColumn {
	for i := range g.columns {
		if g.columns[i].column.Name == name {
			return &g.columns[i]
		}
	}
	return nil
}

func (g *grant) names() []string {
	out := make([]string, len(g.columns))
	for i, c := range g.columns {
		out[i] = c.column.Name
	}
	return out
}

func (g *grant) masked() []string {
	var out []string
	for _, c := range g.columns {
		if c.mask != nil {
			out = append(out, c.column.Name)
		}
	}
	return out
}
