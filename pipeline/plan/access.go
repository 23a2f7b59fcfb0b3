package plan

import (
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// Context is what a plan is judged against: the schema and the meaning that
// the asker may see, and what of it is restricted.
type Context struct {
	Catalog  *catalog.Snapshot
	Semantic *semantic.Model
	Access   Access
	// Today is the date that symbolic dates count from, YYYY-MM-DD; empty for
	// the session's CURRENT_DATE at every execution.
	Today string
}

// Access is what the asker may not see in full, for the guarantee annotation.
type Access struct {
	// Scoped holds the tables of which only some rows are visible, with the
	// columns that the scope holds equal to a constant (a partition key such as
	// tenant_id); nil where it tests anything else. Two tables may name the same
	// column only if they hold it equal to the same constant: absences are
	// proven by that.
	Scoped map[catalog.Name][]string
	// Follows holds, of the scoped tables, those whose rows are visible exactly
	// when the parent row they point to is. It proves some absences: a visible
	// order without visible items has no items at all.
	Follows map[catalog.Name]Follow
	// Masked holds the columns shown through a mask, by table.
	Masked map[catalog.Name][]string
}

// Follow says which parent row decides: Columns maps the table's own column
// to the parent's.
type Follow struct {
	Parent  catalog.Name
	Columns map[string]string
}

// Column is an output column: its name and SQL type.
type Column struct {
	Name string
	Type string
}
