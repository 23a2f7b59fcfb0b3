package planner

import (
	"context"
	"errors"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/index"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// Input is one question and what its asker may know.
type Input struct {
	Question string
	Database string
	// Catalog holds only what the asker may read; Hidden names what exists
	// besides, for the model's prompt, so that it doesn't take something else
	// for it. What asks no model doesn't look at it: its answers would tell
	// what exists.
	Catalog  *catalog.Snapshot
	Hidden   []catalog.Name
	Semantic *semantic.Model
	// Near searches the schema for chunks near the question, within what the
	// asker may read; nil where there are no vectors.
	Near func(ctx context.Context) []index.Near
	// SchemaVersion is the whole schema's, and Sees a digest of what the asker may see of
	// it: plans are kept by both. Without a version none is kept.
	SchemaVersion, Sees string
	// Access is what the validator must know of scopes and masks.
	Access plan.Access
	// Now is the current time. Plans use symbolic dates, so it only helps to
	// read the question ("this year" against "2026") and to tell a model.
	Now time.Time
	// Today fixes the date that symbolic dates count from (YYYY-MM-DD); empty
	// follows the database's CURRENT_DATE.
	Today string
	// PlanOnly leaves out curated queries, which have no plan.
	PlanOnly bool
	// Afresh leaves out plans that are kept: approved and cached ones.
	Afresh bool
	// Model tells whether the role allows asking a model.
	Model bool
	// Last is the answer that the question amends; nil for a question of its own.
	Last *Last
	// Budget bounds what models may cost; nil for no bounds.
	Budget *Budget
	// SQL is what SQL of a model has to go through.
	SQL SQLTarget
	// Try judges a verified query for the asker and has Postgres plan it, without
	// running it. Its error wraps [ErrDenied] where the asker may not run the query.
	// Nil where nothing can be tried.
	Try func(ctx context.Context, query *pg_query.Node) error
	// Result runs a plan for the asker and gives a digest of what comes of it, by which
	// results with the same rows are equal whatever their order; an error where it can't
	// be compared. Nil where nothing may run.
	Result func(ctx context.Context, c *plan.Checked) (string, error)
	// Columns are the columns WITH (columns = …) demands; nil without.
	Columns []plan.Column
}

// Context is what a plan for this question is validated against.
func (in Input) Context() plan.Context {
	return plan.Context{Catalog: in.Catalog, Semantic: in.Semantic, Access: in.Access, Today: in.Today}
}

// Proposal is an answer to a question: a plan, or the tree of a curated query or of
// SQL that a model wrote.
type Proposal struct {
	// Source is curated, cache, builtin, model, model_sql, supplied, chosen or approved.
	Source string
	// Checked is the validated plan; nil for a query.
	Checked *plan.Checked
	// Query is a curated query's SELECT with its values as typed constants, or a model's.
	Query *pg_query.Node
	// Qualifiers are said of the answer besides the plan's.
	Qualifiers []string
	// Several tells that the first of several were asked for, but not how many: the plan's
	// limit is the planner's.
	Several bool
	// Curated says which query and which values.
	Curated *CuratedUse
	// Made is the plan as a model made it at its first attempt; nil for others.
	Made *plan.Plan
	// Ran, unless nil, is to be called once the answer has run to its end.
	Ran func()
	// Steps is what each planner did, for ASK EXPLAIN.
	Steps []Step
	// ModelCalls and Cost are what models cost.
	ModelCalls int
	Cost       Spend
}

// CuratedUse is the receipt of a curated answer.
type CuratedUse struct {
	ID     string         `json:"id"`
	Values map[string]any `json:"values"`
}

// Step is one stage's account.
type Step struct {
	Stage   string // link, curated, builtin, model, validate …
	Outcome string // ok, declined, rejected, failed, skipped
	Detail  string
	// Public is what the asker is told in the place of Detail; empty for Detail itself.
	Public string
	Took   time.Duration
}

// ErrDenied is a verified query that the asker may not run.
var ErrDenied = errors.New("permission denied for the query")

// Planner answers a question or declines. An error with an SQLState method is
// final; a *Declined lets the next planner try.
type Planner interface {
	Name() string
	Plan(ctx context.Context, in Input) (Proposal, error)
}

// Learner is a planner that keeps what others have planned. Learn gives what is to be
// called once the plan has run to its end, nil for nothing.
type Learner interface {
	Learn(in Input, made *plan.Plan) func()
}

// Declined is a planner's "not mine": why, which words had no match, and what
// could be typed instead. If every planner declines the client gets PA002.
type Declined struct {
	Reason string
	Words  []string
	Try    string
	// Readings are plans that fit equally well (PA003 instead of PA002).
	Readings []Reading
	Steps    []Step
}

// Reading is one of several meanings of a question.
type Reading struct {
	Text string
	Ask  string // an ASK statement that means just this
	// Plan is the meaning itself, not validated yet.
	Plan *plan.Plan
}

// Error is the reason in one line.
func (d *Declined) Error() string { return d.Reason }
