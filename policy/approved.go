package policy

import "github.com/pgask/pgask/pipeline/catalog"

// Approved is a statement that may be sent to Postgres as it is. Only this
// package can fill one in, and does so only behind a proof; the zero value is
// an empty statement, which Postgres answers with nothing.
type Approved struct {
	sql   string
	facts Facts
}

// SQL is the statement's text, without a semicolon at its end.
func (a Approved) SQL() string { return a.sql }

// Facts are what became known while judging.
func (a Approved) Facts() Facts { return a.facts }

// Facts describe an approved statement to those who relay its replies. They
// hold nothing that the role may not know.
type Facts struct {
	// Tag is the kind of statement, as its command tag begins: SELECT, SET,
	// SHOW, BEGIN, COMMIT, ROLLBACK, SAVEPOINT, RELEASE, DECLARE CURSOR, FETCH,
	// MOVE, CLOSE CURSOR, PREPARE, EXECUTE, DEALLOCATE, COPY, EXPLAIN, UNLISTEN,
	// RESET, DISCARD ALL, DISCARD PLANS, DISCARD SEQUENCES, DISCARD TEMP.
	Tag string
	// Rows tells that the statement itself returns rows of data to the client:
	// SELECT, FETCH, EXECUTE, COPY; not SHOW or EXPLAIN.
	Rows bool
	// PlanTells tells that what an EXPLAIN returns, in text form and line by line,
	// holds row rules, masks or the word of a cap: only the lines that
	// ShowsPlanLine knows may be shown.
	PlanTells bool
	// Tables are the relations read, sorted, each once.
	Tables []catalog.Name
	// Scopes are the row rules that were applied, as the policy spells them.
	Scopes []string
	// Masked are the masked columns of the relations read, as
	// schema.table.column.
	Masked []string
	// Cap is the most rows to show; the statement was limited to Cap+1. 0 means
	// uncapped. For FETCH and EXECUTE it is the cap of what they read from.
	Cap int64
	// Watched is how many rows to show of an answer that has one more only where that ties
	// with the last; 0 for all. It is never more than Cap.
	Watched int64
	// Set is the setting that a SET or RESET changes, nil for others.
	Set *Setting
	// Cursor is the name of the cursor of DECLARE, FETCH, MOVE and CLOSE as
	// Postgres will see it; empty for CLOSE ALL.
	Cursor string
	// Backward tells that a FETCH or MOVE may read rows again.
	Backward bool
	// Prepared is the statement name of PREPARE, EXECUTE and DEALLOCATE; empty
	// for DEALLOCATE ALL.
	Prepared string
	// Query is the PREPAREd statement's own facts.
	Query *Facts
	// CopyHeader tells that a COPY's first line is a header, not a row.
	CopyHeader bool
	// CopyBinary tells that a COPY ends with a trailer, which is no row.
	CopyBinary bool
	// Routines tells that the statement itself calls functions that people made, of
	// which nobody knows what they do.
	Routines bool
	// Params is the highest parameter number ($n) used.
	Params int
	// Columns are the names of the result's columns, nil where they are not
	// known for certain.
	Columns []string
	// Gathered are the columns of the rows that Columns' one holds, for a query that
	// was gathered; nil for others.
	Gathered []string
}

// Shown is the most rows to show, 0 for all.
func (f *Facts) Shown() int64 {
	if f.Watched > 0 {
		return f.Watched
	}
	return f.Cap
}

// Setting is a change of one run-time setting.
type Setting struct {
	// Name is in lower case.
	Name string
	// Value is the new value, empty with Default.
	Value string
	// Local is SET LOCAL: until the end of the transaction.
	Local bool
	// Default tells that the setting goes back to the session's start value.
	Default bool
}
