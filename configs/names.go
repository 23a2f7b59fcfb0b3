package configs

// Name is a schema-qualified relation as a file spells it, already unquoted
// and case-folded the way SQL folds it.
type Name struct {
	Pos    Pos
	Schema string
	Table  string
}

// Pattern is a Name in which each part may hold the wildcard *, outside
// quotes. A quoted part is literal.
type Pattern struct {
	Pos Pos
	// Text is the pattern as written, for messages.
	Text string
	// Schema and Table are the unquoted parts; SchemaWild and TableWild tell
	// whether a * in them is a wildcard.
	Schema, Table         string
	SchemaWild, TableWild bool
}

// ColumnRef is a schema.table.column reference.
type ColumnRef struct {
	Name
	Column string
}
