package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/pgask/pgask/pipeline/audit"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/policy"
)

// verdict is what one statement became: the text to send and what to do with
// its replies. It serves any number of executions, and where it is an ordinary
// statement's, any number of sessions.
type verdict struct {
	text string
	kind string
	// facts are the policy's, zero for what never reached it.
	facts policy.Facts
	// approved is the same as the policy gave it, for another preflight; light
	// tells that the last one was far below the limits, or that none is needed;
	// standing numbers where the verdict was given, 0 where it isn't for others.
	approved policy.Approved
	light    bool
	standing uint64
	// receipt is the template that each execution completes.
	receipt Receipt
	// trap is the word that Postgres raises when the cap is passed, for roles
	// whose truncation is an error; nil for others.
	trap *Denial
	// notices precede every CommandComplete, tied ones one behind which rows were left
	// out that tie with the last.
	notices, tied []Notice
	// steps are the planners' accounts of a question.
	steps []planner.Step
	// tell computes the parameter of a told statement; nil for others.
	tell func(context.Context) (string, error)
	told []policy.ToldColumn
	// origin is what an EXECUTE of a simple Query runs; a Run has that of others.
	origin *verdict
	// teller tells an answer's rows; nil where they are shown.
	teller Teller
	// follow is what a follow-up would amend; nil for none.
	follow *planner.Last
	// learns hears how the first execution of an answer ends; nil for none.
	learns *learns
	// tracing hears how the first execution of an answer ends; nil for none.
	tracing *tracing
	// passes tells of a statement that nobody judged.
	passes bool
	// repeats tells of a query that may be prepared once and executed later, alters
	// of a statement behind which that doesn't hold.
	repeats, alters bool
	// quiet statements leave no receipt (SHOW pgask.*, SET, transactions).
	quiet bool
	// question is what a statement asks by ask(), and account what the audit log
	// says of all its executions.
	question string
	account  audit.Part
}

// literal is the text for a simple Query, which can't carry parameters.
func (v *verdict) literal(ctx context.Context) (string, error) {
	if v.tell == nil {
		return v.text, nil
	}
	value, err := v.tell(ctx)
	if err != nil {
		return "", err
	}
	a, err := policy.ToldLiteral(v.told, value)
	return a.SQL(), err
}

// run makes the watcher of one execution that began at a time.
func (s *Session) run(v *verdict, began time.Time) *Run {
	r := &Run{}
	s.begin(r, v, began)
	return r
}

// begin makes it of a Run that nobody uses.
func (s *Session) begin(r *Run, v *verdict, began time.Time) {
	*r = Run{of: v, origin: v.origin, request: v.tracing.claim(), finish: s.finishing, began: began}
	switch f := &v.facts; {
	case f.Tag == "FETCH":
		r.resolve = func() *Budget { return s.cursor(f.Cursor) }
	case f.Rows && f.Shown() > 0:
		r.own.Cap, r.own.watched = f.Shown(), f.Watched > 0
		r.budget = &r.own
	}
	r.watch(v.origin)
	if v.facts.CopyHeader {
		r.skip = 1
	}
}

// finish is called in the downstream direction when an execution ended.
func (s *Session) finish(r *Run, o Outcome) []Notice {
	v, origin := r.of, r.origin
	if origin == nil {
		origin = s.origin(v)
	}
	now := s.p.now()
	took := now.Sub(r.began)
	s.auditExecution(v, origin, &o, r.began, took)
	if o.Suspended || o.Unfinished {
		return nil
	}
	if o.Tale != nil {
		s.p.observe.Told()
		origin.tracing.told(o.Tale)
	}
	s.settle(v, o)
	v.tracing.ended(&o, now)
	if showsAll(v.facts.Tag) {
		origin.learns.ended(o)
		s.followed(origin, o)
	}
	s.count(v.kind, o)
	if v.quiet || origin.quiet || v.kind == "pass" {
		return nil
	}
	s.keep(conclusion{of: &origin.receipt, outcome: o, took: took})
	if o.SQLState != "" || opens(v.facts.Tag) {
		return nil
	}
	return s.audible(origin.say(o))
}

// count tells the metrics of an ended execution.
func (s *Session) count(kind string, o Outcome) {
	s.p.counters.statements.Add(1)
	if o.Truncated {
		s.p.counters.truncated.Add(1)
	}
	verdict := allowed
	if o.SQLState != "" {
		verdict = o.SQLState
	}
	s.p.observe.Judged(kind, verdict)
	s.p.observe.Rows(o.Rows, o.Truncated)
}

// opens tells of statements that only make a result available: whoever reads it
// is told about it.
func opens(tag string) bool { return tag == "PREPARE" || tag == "DECLARE CURSOR" }

// cutDetail says of a cut answer what it isn't any more; people know what they wrote
// themselves.
func (v *verdict) cutDetail() string {
	if v.kind != "ask" {
		return ""
	}
	return "The answer has more rows: whatever is counted or added up from these isn't the whole."
}

// say is what must be said of a completed execution.
func (v *verdict) say(o Outcome) []Notice {
	out := v.notices
	if o.Tied {
		out = v.tied
	}
	if o.Truncated {
		out = append(out[:len(out):len(out)], Notice{Severity: "NOTICE", Code: "01004",
			Message: fmt.Sprintf("result truncated at %d rows", o.of()), Detail: v.cutDetail()})
	}
	return out
}
