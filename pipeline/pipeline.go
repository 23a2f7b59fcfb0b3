package pipeline

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/audit"
	"github.com/pgask/pgask/pipeline/index"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/plans"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/pipeline/trace"
	"github.com/pgask/pgask/policy"
)

// Rules is what a reload replaces, all of it or nothing: policy, semantic
// model and planners of one configuration. It is immutable.
type Rules struct {
	Policy   *policy.Policy
	Semantic *configs.Semantic
	Planners planner.Planner
	Hooks    Hooks
	// Abstain is the least that an answer must be, for roles that don't say.
	Abstain configs.Abstain
	// Narrator tells answers; nil for the template.
	Narrator *planner.Narrator
}

// Observer hears what happened, for metrics. Its methods must not block.
type Observer interface {
	// Judged counts one statement: its kind (select, ask, set …) and verdict
	// (allowed or an SQLSTATE).
	Judged(kind, verdict string)
	// Answered counts one question, by the source of its answer (empty where
	// none was found), and what models cost: tokens, and millionths of money.
	Answered(source string, modelCalls int, tokens, money int64)
	// Told counts an answer that was told in words or drawn.
	Told()
	// Narrated counts what a model cost that told an answer.
	Narrated(modelCalls int, tokens, money int64)
	// Stage takes how long a stage of a decision took.
	Stage(stage string, took time.Duration)
	// Rows counts rows shown, and whether the result was cut.
	Rows(rows int64, truncated bool)
}

// Pipeline judges statements for all sessions.
type Pipeline struct {
	rules     atomic.Pointer[Rules]
	limits    stmt.Limits
	today     string
	samples   bool
	vectors   *index.Vectors
	embedder  index.Embedder
	observe   Observer
	log       *slog.Logger
	audit     *audit.Log
	now       func() time.Time
	approvals plans.Approvals
	traces    func(trace.Trace)
	started   time.Time
	counters  counters
	// spent is what models cost users, across reloads.
	spent ledger
	// standings are what the sessions share, verdicts what was judged at them.
	standings standings
	verdicts  *cache
}

// counters are what SHOW pgask.status tells.
type counters struct {
	sessions, statements, denied, asks, truncated atomic.Int64
}

// Options configure a Pipeline.
type Options struct {
	Limits stmt.Limits
	// Today fixes CURRENT_DATE of symbolic dates (YYYY-MM-DD); empty follows
	// the database.
	Today string
	// Samples allows sampling column values for questions.
	Samples bool
	// Vectors find tables for questions besides what words find; nil for words
	// alone.
	Vectors *index.Vectors
	// Embedder makes the vectors of what plans search for; nil for the built-in one.
	Embedder index.Embedder
	// Verdicts is how many bytes of verdicts are kept for statements that come
	// again; 0 keeps none.
	Verdicts int
	Observer Observer
	Log      *slog.Logger
	// Audit gets a line for every governed statement; nil for none.
	Audit *audit.Log
	Now   func() time.Time
	// Traces gets what happened to each question, once when it is judged and once
	// when its answer has run; it must not block. Nil for nobody.
	Traces func(trace.Trace)
	// Approvals are where ASK APPROVE keeps plans; nil for nowhere.
	Approvals plans.Approvals
}

// New makes a pipeline that judges by rules.
func New(rules *Rules, o Options) *Pipeline {
	p := &Pipeline{limits: o.Limits, today: o.Today, samples: o.Samples, vectors: o.Vectors, embedder: embedderOf(o.Embedder), observe: o.Observer, log: o.Log, audit: o.Audit, now: o.Now, approvals: o.Approvals, traces: o.Traces,
		verdicts: newCache(o.Verdicts)}
	p.started = p.now()
	p.rules.Store(rules)
	return p
}

// Reload replaces the rules. Statements judged before keep their verdict until
// they are bound again.
func (p *Pipeline) Reload(rules *Rules) {
	p.rules.Store(rules)
	p.verdicts.drop(func(textKey) bool { return true })
}

// Rules are the rules in force.
func (p *Pipeline) Rules() *Rules { return p.rules.Load() }

// rewritten are the limits for texts of our own making: a rewritten statement
// is longer than the one it came from.
func (p *Pipeline) rewritten() stmt.Limits {
	l := p.limits
	l.Bytes, l.Tokens, l.Depth, l.Chain = 16*l.Bytes, 16*l.Tokens, 2*l.Depth, 2*l.Chain
	return l
}
