package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/pgask/pgask/pipeline/llm"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/pipeline/trace"
)

// tracing is a question's trace while it is made: while the question is judged,
// and then until its answer has run once. Its methods do nothing to a nil one.
type tracing struct {
	keep func(trace.Trace)

	mu      sync.Mutex // guards what is below: models may be asked side by side
	trace   trace.Trace
	claimed bool
	over    bool
}

// traced is weigh with a trace, where somebody wants one and the statement asks.
func (s *Session) traced(ctx context.Context, st stmt.Statement, oids []uint32) (*verdict, error) {
	if s.p.traces == nil || !asks(st) {
		return s.weigh(ctx, st, oids)
	}
	began := s.p.now()
	t := &tracing{keep: s.p.traces, trace: trace.Trace{ID: requestID(), Time: began.UTC(), Database: s.db.Name, User: s.who.User,
		Roles: slices.Clone(s.who.Roles), Statement: st.Text, Today: s.p.today}}
	s.tracing, s.taken.request = t, t.trace.ID
	defer func() { s.tracing = nil }()
	v, err := s.weigh(llm.WithHearer(ctx, t.heard), st, oids)
	if s.at != nil {
		t.trace.SchemaVersion, t.trace.PolicyVersion = s.at.snap.Version, s.at.rules.Policy.Version()
	}
	t.trace.MS = took(s.p.now().Sub(began))
	if err != nil {
		t.failed(ended(ctx, err))
		return nil, err
	}
	s.taken.request = ""
	t.trace.Verdict = trace.Allowed
	if v.kind == "ask" {
		t.trace.SQL = v.text
	}
	t.keep(t.trace)
	v.tracing = t
	return v, nil
}

// asks tells whether any question is in a statement.
func asks(st stmt.Statement) bool {
	if _, ok := asked(st); ok {
		return true
	}
	calls, err := stmt.Asks(st.Tree)
	return err == nil && len(calls) > 0
}

// failed ends the trace of a question that was refused.
func (t *tracing) failed(err error) {
	t.trace.Verdict = sqlState(err)
	f := &trace.Failure{Message: err.Error()}
	if t.trace.Verdict == "XX000" {
		f.Message = "internal error, see the log"
	}
	if d, ok := errors.AsType[interface {
		error
		Detail() string
	}](err); ok {
		f.Detail = d.Detail()
	}
	if h, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		f.Hint = h.Hint()
	}
	t.trace.Failure = f
	t.keep(t.trace)
}

// heard notes what a model was asked.
func (t *tracing) heard(e llm.Exchange) {
	c := trace.Call{Task: e.Request.Task, Model: e.Model, System: e.Request.System, User: e.Request.User, Reply: e.Reply.Text,
		PromptTokens: e.Reply.PromptTokens, CompletionTokens: e.Reply.CompletionTokens, MS: took(e.Took)}
	if e.Err != nil {
		c.Failure, c.Reason = "cancelled", ""
		if p, ok := errors.AsType[*llm.ProviderError](e.Err); ok {
			c.Failure, c.Reason = p.Detail(), p.Reason
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trace.Calls = append(t.trace.Calls, c)
}

// amends notes what a follow-up amends.
func (t *tracing) amends(last *planner.Last) {
	if t == nil || last == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	text, _ := json.Marshal(last.Plan) // what was decoded can be encoded
	t.trace.Last = &trace.Last{Question: last.Question, Plan: text, Qualifiers: last.Qualifiers, Several: last.Several}
}

// planned notes the answer to one of the statement's questions.
func (t *tracing) planned(p planner.Proposal, err error) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, x := range steps(p.Steps, err, known) {
		t.trace.Stages = append(t.trace.Stages, trace.Stage(x))
	}
	if err != nil {
		return
	}
	a := trace.Answer{Source: p.Source}
	if p.Curated != nil {
		a.Curated = p.Curated.ID
	}
	if p.Checked != nil {
		a.PlanHash = p.Checked.Hash()
		a.Plan, _ = json.Marshal(p.Checked.Plan()) // what was decoded can be encoded
	}
	t.trace.Answers = append(t.trace.Answers, a)
}

// claim is the request id for the first execution, empty for others.
func (t *tracing) claim() string {
	if t == nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.claimed {
		return ""
	}
	t.claimed = true
	return t.trace.ID
}

// told notes who told the answer. What a model was told and said isn't in a trace: rows
// are in that.
func (t *tracing) told(tale *Tale) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trace.Told = tale.How
}

// ended notes how the first execution ended, and forgets the rest.
func (t *tracing) ended(o *Outcome, now time.Time) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	t.over = true
	done := t.trace
	t.trace = trace.Trace{ID: done.ID}
	rows := o.Rows
	done.Rows, done.MS = &rows, took(now.Sub(done.Time))
	if o.SQLState != "" {
		done.Verdict = o.SQLState
	}
	t.keep(done)
}
