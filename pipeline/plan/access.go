package plan

import "github.com/pgask/pgask/pipeline/catalog"

// Access is what the asker may not see in full, for the guarantee annotation.
type Access struct {
	// Scoped holds the tables of which only some rows are visible, with the
	// columns the scope tests (a constant partition key such as tenant_id), nil
	// where it isn't a plain column test.
	Scoped map[catalog.Name][]string
	// Masked holds the columns shown through a mask, by table.
	Masked map[catalog.Name][]string
}

// Column is an output column: its name and SQL type.
type Column struct {
	Name string
	Type string
}
