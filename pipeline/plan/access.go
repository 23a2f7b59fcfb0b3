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
	// Scoped holds the tables of which only some rows are visible.
	Scoped map[catalog.Name]Scope
	// Masked holds the columns shown through a mask, by table.
	Masked map[catalog.Name][]string
	// NullsKept holds those of them whose mask is null just where the column is.
	NullsKept map[catalog.Name][]string
}

// Scope is how a table's rows are cut, as far as absences can be proven by it. The
// zero Scope proves nothing.
type Scope struct {
	// Held is what is demanded of single columns. Of two rows with the same value in
	// columns of which the same is demanded, both meet the demand or none does.
	Held map[string]string
	// Whole tells that nothing else is demanded.
	Whole bool
	// Partition holds the partition keys among those columns, by what each is a key
	// of: rows of two tables that a declared key ties have the same value in keys of one thing.
	Partition map[string]string
	// Follows is set where a row is visible whenever the parent row that it points to
	// is: a visible order without visible items has no items at all.
	Follows *Follow
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
