package plan

// Version is the plan language's version, the only one this package reads.
const Version = 1

// Plan is one block of relational algebra: scan, join, select, group,
// aggregate, project, order and cut.
type Plan struct {
	Version int `json:"version"`
	// From is the first table.
	From Table `json:"from"`
	// Joins are applied in order; each joins one new table to one named before.
	Joins []Join `json:"joins,omitempty"`
	// Where keeps the rows for which it is true.
	Where *Expr `json:"where,omitempty"`
	// Select is the output in order. Where an item is or holds a measure or
	// an aggregate, the others are the grouping.
	Select []Item `json:"select"`
	// GroupBy adds groupings that are not in the output.
	GroupBy  []Expr  `json:"group_by,omitempty"`
	Having   *Expr   `json:"having,omitempty"`
	OrderBy  []Order `json:"order_by,omitempty"`
	Limit    *int64  `json:"limit,omitempty"`
	Offset   *int64  `json:"offset,omitempty"`
	Distinct bool    `json:"distinct,omitempty"`
	// Reasoning is the planner's own account; it never runs.
	Reasoning string `json:"reasoning,omitempty"`
}

// Table names a relation of the catalog, spelled as in SQL (public.orders,
// public."Order Lines"; the schema may be left out where the name is unique),
// and the alias the plan uses for it. The alias defaults to the table's name.
type Table struct {
	Table string `json:"table"`
	As    string `json:"as,omitempty"`
}

// Join adds a table along a relationship. Semi keeps the rows that have a
// partner (EXISTS), anti those that have none (NOT EXISTS); neither adds
// columns.
type Join struct {
	Table string `json:"table"`
	As    string `json:"as,omitempty"`
	Kind  string `json:"kind,omitempty" jsonschema:"enum=inner,enum=left,enum=semi,enum=anti"`
	// To is the alias it joins to; it may be left out where only one fits.
	To string `json:"to,omitempty"`
	// Key is the relationship's name; it may be left out where only one
	// relationship connects the two tables.
	Key string `json:"key,omitempty"`
	// Reverse turns a relationship of a table with itself around: the joined
	// row points to the one before (the staff of a manager), not the other way.
	Reverse bool `json:"reverse,omitempty"`
	// Where restricts the joined table's rows: for semi and anti joins, whose
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

// Expr is a tagged union: exactly one field is set.
type Expr struct {
	// Column is alias.column, or column where it is unambiguous.
	Column string `json:"column,omitempty"`
	// Literal is a constant; its type comes from what it is compared with
	// unless Type says it.
	Literal *Literal `json:"literal,omitempty"`
	// Metric is a registered measure's name.
	Metric string `json:"metric,omitempty"`
	// Aggregate is count, sum, avg, min or max.
	Aggregate *Aggregate `json:"aggregate,omitempty"`
	// Call is a scalar function of the plan language.
	Call *Call `json:"call,omitempty"`
	// Op is a unary, binary or n-ary operator.
	Op *Op `json:"op,omitempty"`
	// Case is CASE WHEN.
	Case *Case `json:"case,omitempty"`
	// Date is a symbolic date, resolved at every execution.
	Date *Date `json:"date,omitempty"`
}

// Literal is a constant: a JSON string, number, boolean or null.
type Literal struct {
	Value any `json:"value"`
	// Type is text, integer, numeric, boolean, date or timestamp; empty to
	// take it from the other side of the operator.
	Type string `json:"type,omitempty" jsonschema:"enum=text,enum=integer,enum=numeric,enum=boolean,enum=date,enum=timestamp"`
}

// Aggregate is an aggregate over the block's rows. Without Arg, count counts
// rows.
type Aggregate struct {
	Func     string `json:"func" jsonschema:"enum=count,enum=sum,enum=avg,enum=min,enum=max"`
	Arg      *Expr  `json:"arg,omitempty"`
	Distinct bool   `json:"distinct,omitempty"`
	Filter   *Expr  `json:"filter,omitempty"`
}

// Call is a scalar function. Names are those of [Functions]. date_trunc and
// date_part take their unit (year, quarter, month, week, day) in Unit.
type Call struct {
	Func string `json:"func"`
	Unit string `json:"unit,omitempty" jsonschema:"enum=year,enum=quarter,enum=month,enum=week,enum=day"`
	Args []Expr `json:"args,omitempty"`
}

// Op is an operator over Args: and, or (two or more), not, is_null,
// is_not_null, - (one), = <> < <= > >= + - * / % || like ilike not_like not_ilike
// (two), between, not_between (three), in, not_in (two or more: the value,
// then the list).
type Op struct {
	Op   string `json:"op"`
	Args []Expr `json:"args"`
}

// Case is a searched CASE.
type Case struct {
	When []When `json:"when"`
	Else *Expr  `json:"else,omitempty"`
}

// When is one branch of a Case.
type When struct {
	If   Expr `json:"if"`
	Then Expr `json:"then"`
}

// Date is today, or the start of the period Offset periods from the one that
// holds today: {unit: month, offset: -1} is the first day of last month. With
// Unit day it is today plus Offset days.
type Date struct {
	Unit   string `json:"unit" jsonschema:"enum=year,enum=quarter,enum=month,enum=week,enum=day"`
	Offset int    `json:"offset,omitempty"`
	// Days is added after that: the trailing 30 days start at
	// {unit: day, offset: -30}; Days serves periods such as the 15th.
	Days int `json:"days,omitempty"`
}
