package plan

// Expr is a tagged union: exactly one field is set.
type Expr struct {
	// Column is alias.column, or column where it is unambiguous.
	Column string `json:"column,omitempty"`
	// Literal is a constant; its type comes from what it is compared with
	// unless Type says it.
	Literal *Literal `json:"literal,omitempty"`
	// Metric is a registered measure's name.
	Metric string `json:"metric,omitempty"`
	// Dimension is a registered expression's name, or alias.name where its table is in
	// the plan several times.
	Dimension string `json:"dimension,omitempty"`
	// Aggregate is an aggregate function over the block's rows.
	Aggregate *Aggregate `json:"aggregate,omitempty"`
	// Call is a scalar function of the plan language.
	Call *Call `json:"call,omitempty"`
	// Op is a unary, binary or n-ary operator.
	Op *Op `json:"op,omitempty"`
	// Case is CASE WHEN.
	Case *Case `json:"case,omitempty"`
	// Date is a symbolic date, resolved at every execution.
	Date *Date `json:"date,omitempty"`
	// Period is a condition: a column's date lies in a symbolic period.
	Period *Period `json:"period,omitempty"`
	// Cast is a value of another type.
	Cast *Cast `json:"cast,omitempty"`
	// Window is a window function over the block's rows or groups.
	Window *Window `json:"window,omitempty"`
	// Plan is a sub-plan: a value where it stands alone, a list of values as
	// the last argument of in and not_in, rows as that of exists and not_exists.
	Plan *Plan `json:"plan,omitempty"`
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
	Func     string `json:"func" jsonschema:"enum=count,enum=sum,enum=avg,enum=min,enum=max,enum=stddev,enum=variance,enum=median,enum=percentile_cont,enum=percentile_disc,enum=string_agg,enum=bool_and,enum=bool_or"`
	Arg      *Expr  `json:"arg,omitempty"`
	Distinct bool   `json:"distinct,omitempty"`
	Filter   *Expr  `json:"filter,omitempty"`
	// Fraction is the percentile's, 0 to 1.
	Fraction *float64 `json:"fraction,omitempty"`
	// Separator stands between the texts of string_agg, OrderBy says their order.
	Separator *string `json:"separator,omitempty"`
	OrderBy   []Order `json:"order_by,omitzero"`
}

// Call is a scalar function. Names are those of [Functions]. Those whose name
// starts with date_ take their unit in Unit.
type Call struct {
	Func string `json:"func"`
	Unit string `json:"unit,omitempty" jsonschema:"enum=year,enum=quarter,enum=month,enum=week,enum=day"`
	Args []Expr `json:"args,omitzero"`
}

// Op is an operator over Args: and, or (two or more), not, is_null,
// is_not_null, - (one), = <> < <= > >= + - * / % || like ilike not_like not_ilike
// (two), between, not_between (three), in, not_in (two or more: the value,
// then the list or one sub-plan), exists, not_exists (one sub-plan).
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
	// Fiscal counts years and quarters from the semantic file's fiscal_year_start.
	Fiscal bool `json:"fiscal,omitempty"`
}

// Period holds for the rows whose Column lies in the Last periods of Unit up to
// the one that holds today, or up to the one before it where Complete: the last
// complete quarter is {unit: quarter, complete: true}. Back shifts all of
// it by whole units into the past: {unit: month, back: 12} is this month a year ago.
type Period struct {
	Column string `json:"column"`
	Unit   string `json:"unit" jsonschema:"enum=year,enum=quarter,enum=month,enum=week,enum=day"`
	// Last is how many periods, 1 where it is left out.
	Last     int  `json:"last,omitempty"`
	Complete bool `json:"complete,omitempty"`
	Back     int  `json:"back,omitempty"`
	// ToDate ends the period with today's day, shifted by Back too: the year to
	// date, and the same days a year ago.
	ToDate bool `json:"to_date,omitempty"`
	// Fiscal counts years and quarters from the semantic file's fiscal_year_start.
	Fiscal bool `json:"fiscal,omitempty"`
	// Latest ends the period with the unit that holds the column's last date, where
	// the period begins behind that.
	Latest bool `json:"latest,omitempty"`
}

// Cast is Arg as a value of type To; null where it can't be one.
type Cast struct {
	Arg Expr   `json:"arg"`
	To  string `json:"to" jsonschema:"enum=text,enum=integer,enum=bigint,enum=numeric,enum=double precision,enum=boolean,enum=date,enum=timestamp"`
}

// Window is a window function, computed after grouping and having. Args are
// its own; lag and lead take the value and how many rows away, ntile the number of
// buckets.
type Window struct {
	Func        string  `json:"func" jsonschema:"enum=row_number,enum=rank,enum=dense_rank,enum=percent_rank,enum=cume_dist,enum=ntile,enum=lag,enum=lead,enum=first_value,enum=last_value,enum=count,enum=sum,enum=avg,enum=min,enum=max"`
	Args        []Expr  `json:"args,omitzero"`
	PartitionBy []Expr  `json:"partition_by,omitzero"`
	OrderBy     []Order `json:"order_by,omitzero"`
	Frame       *Frame  `json:"frame,omitempty"`
}

// Frame is the part of the partition that an aggregate, first_value or
// last_value sees, in rows from the current one: -2 is the second before it.
// What is left out is unbounded.
type Frame struct {
	Unit  string `json:"unit" jsonschema:"enum=rows,enum=groups"`
	Start *int   `json:"start,omitempty"`
	End   *int   `json:"end,omitempty"`
}
