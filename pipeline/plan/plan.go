package plan

// Version is the plan language's version, the only one this package reads.
const Version = 1

// Plan is one block of relational algebra (scan, join, select, group,
// aggregate, project, order and cut), or a set operation over several, ordered
// and cut as a whole. Plans nest: as a derived block, as a sub-plan, and in a set
// operation.
type Plan struct {
	// Version is 1; nested plans may leave it out.
	Version int `json:"version,omitempty"`
	// Set is a set operation over plans, in place of everything up to Having and of Distinct.
	Set *Set `json:"set,omitempty"`
	// From is the first source.
	From Source `json:"from,omitzero"`
	// Joins are applied in order; each joins one new source to one named before.
	Joins []Join `json:"joins,omitzero"`
	// Where keeps the rows for which it is true.
	Where *Expr `json:"where,omitempty"`
	// Select is the output in order. Where an item is or holds a measure or
	// an aggregate, the others are the grouping.
	Select []Item `json:"select,omitzero"`
	// GroupBy adds groupings that are not in the output.
	GroupBy  []Expr  `json:"group_by,omitzero"`
	Having   *Expr   `json:"having,omitempty"`
	OrderBy  []Order `json:"order_by,omitzero"`
	Limit    *int64  `json:"limit,omitempty"`
	Offset   *int64  `json:"offset,omitempty"`
	Distinct bool    `json:"distinct,omitempty"`
	// Reasoning is the planner's own account; it never runs.
	Reasoning string `json:"reasoning,omitempty"`
}

// Set combines the rows of plans by position. Union, intersect and except
// keep each row once, unless All.
type Set struct {
	Op    string `json:"op" jsonschema:"enum=union,enum=intersect,enum=except"`
	All   bool   `json:"all,omitempty"`
	Plans []Plan `json:"plans"`
}

// Source is where rows come from: a relation of the catalog, spelled as in SQL
// (public.orders, public."Order Lines"; the schema may be left out where the
// name is unique), or a derived block, a plan whose output columns are the source's.
type Source struct {
	Table string `json:"table,omitempty"`
	Plan  *Plan  `json:"plan,omitempty"`
	// As is the alias the plan uses for it. It defaults to the table's name; a
	// derived block needs one.
	As string `json:"as,omitempty"`
	// Search takes only the table's rows that are nearest to a text.
	Search *Search `json:"search,omitempty"`
}

// Search finds the rows of a table whose embeddings are nearest to a text's, if the semantic
// file declares the table as a source with embeddings. Its rows have one more
// column, distance, in the place of the embedding.
type Search struct {
	// Query is the text; it is embedded before the plan runs.
	Query string `json:"query"`
	// K is how many rows are taken; the source says it where it is left out.
	K int `json:"k,omitempty"`
	// Within is how far away they may be; where it is left out, what the source says.
	Within *float64 `json:"within,omitempty"`
}

// Join adds a source along a relationship. Semi keeps the rows that have a
// partner (EXISTS), anti those that have none (NOT EXISTS); neither adds
// columns.
type Join struct {
	Table string `json:"table,omitempty"`
	Plan  *Plan  `json:"plan,omitempty"`
	As    string `json:"as,omitempty"`
	// Search takes only the table's rows that are nearest to a text.
	Search *Search `json:"search,omitempty"`
	Kind   string  `json:"kind,omitempty" jsonschema:"enum=inner,enum=left,enum=right,enum=full,enum=semi,enum=anti"`
	// To is the alias it joins to; it may be left out where only one fits.
	To string `json:"to,omitempty"`
	// Key is the relationship's name; it may be left out where only one
	// relationship connects the two sources.
	Key string `json:"key,omitempty"`
	// Reverse turns a relationship of a table with itself around: the joined
	// row points to the one before (the staff of a manager), not the other way.
	Reverse bool `json:"reverse,omitempty"`
	// On are pairs of columns, that of a source before and that of the new one,
	// where a derived block is on either side and no key says it.
	On [][]string `json:"on,omitzero"`
	// Where restricts the joined source's rows: for semi and anti joins, whose
	// columns the outer where can't see, and for left joins, whose rows it must not drop.
	Where *Expr `json:"where,omitempty"`
}

// Item is one output column. Its name is As, else the column's, metric's or
// function's.
type Item struct {
	Expr Expr   `json:"expr"`
	As   string `json:"as,omitempty"`
}

// Order is one sort key: an expression, or the name of an output column.
type Order struct {
	Expr  *Expr  `json:"expr,omitempty"`
	Item  string `json:"item,omitempty"`
	Desc  bool   `json:"desc,omitempty"`
	Nulls string `json:"nulls,omitempty" jsonschema:"enum=first,enum=last"`
}
