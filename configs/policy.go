package configs

import "time"

// Policy is policy.yaml, version 1.
type Policy struct {
	Version int
	Roles   map[string]*Role
}

// Role is what one role may do.
type Role struct {
	Pos     Pos
	Name    string
	Mode    string // governed | passthrough
	Ask     bool
	Approve bool
	Model   string // on | off
	// PlannerMode is plan or sql, empty for what planner.mode says.
	PlannerMode string
	// Abstain stands in the place of pgask.yaml's; nil for that.
	Abstain    *Abstain
	Databases  []string // nil: every database of pgask.yaml
	Backend    *Backend
	SearchPath []string
	Tables     Access[Pattern]
	Columns    []ColumnRule
	Scopes     []Scope
	Functions  Access[string]
	Limits     RoleLimits
	Refusals   string // generic | explicit
	GovernedAs string // passthrough roles: the role that judges tagged statements
}

// Access is a pair of allow and deny lists; deny wins.
type Access[T any] struct {
	Allow []T
	Deny  []T
}

// ColumnRule denies or masks columns of one table. A mask is an SQL
// expression over the table's own columns.
type ColumnRule struct {
	Pos   Pos
	Table Name
	Deny  []string
	Mask  map[string]string
}

// Scope restricts the rows of the tables its pattern names: by Where, an SQL
// expression, or by Via, the parent row it points to.
type Scope struct {
	Pos    Pos
	Tables []Pattern // table: and tables: both end here
	Where  string
	Via    *Via
	// Partition is the column by which Where cuts the tables into parts: rows that
	// refer to each other by declared keys are of the same part.
	Partition string
}

// Via makes a row visible when the parent row it points to is: Columns maps
// the table's own column to the parent's.
type Via struct {
	Parent  Name
	Columns map[string]string
}

// RoleLimits cap what one statement of the role may cost. Zero switches a
// limit off.
type RoleLimits struct {
	Rows             int64
	OnTruncate       string // notice | error
	ExplainRows      float64
	ExplainCost      float64
	StatementTimeout time.Duration
	QuestionTokens   int64   // of models, for one question
	DailyTokens      int64   // of models, for one user on one day (UTC)
	QuestionCost     float64 // of models, for one question, in the unit of llm.prices
	DailyCost        float64 // of models, for one user on one day (UTC)
}
