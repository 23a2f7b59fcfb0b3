package pipeline

import (
	"context"
	"fmt"

	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/policy"
)

// verdict is what one statement became: the text to send and what to do with
// its replies. It serves any number of executions.
type verdict struct {
	s    *Session
	text string
	kind string
	// facts are the policy's, zero for what never reached it.
	facts policy.Facts
	// receipt is the template that each execution completes.
	receipt Receipt
	// notices precede every CommandComplete.
	notices []Notice
	// steps are the planners' accounts of a question.
	steps []planner.Step
	// tell computes the parameter of a told statement; nil for others.
	tell func(context.Context) (string, error)
	told []policy.ToldColumn
	// set is a client_min_messages level that takes effect on success.
	set *string
	// quiet statements leave no receipt (SHOW pgask.*, SET, transactions).
	quiet bool
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

// run makes the watcher of one execution.
func (v *verdict) run() *Run {
	r := &Run{finish: v.finish}
	switch f := v.facts; {
	case f.Tag == "FETCH":
		r.resolve = func() *Budget { return v.s.cursor(f.Cursor) }
	case f.Rows && f.Cap > 0:
		r.budget = &Budget{Cap: f.Cap}
	}
	if v.facts.CopyHeader {
		r.skip = 1
	}
	return r
}

// finish is called on the downstream loop when an execution ended.
func (v *verdict) finish(o Outcome) []Notice {
	s := v.s
	if o.Suspended {
		return nil
	}
	s.p.counters.statements.Add(1)
	if o.SQLState == "" {
		v.settle(o)
	} else {
		s.undo()
	}
	verdict := allowed
	if o.SQLState != "" {
		verdict = o.SQLState
	}
	s.p.observe.Judged(v.kind, verdict)
	if v.quiet || v.kind == "pass" {
		return nil
	}
	s.keep(v.receipt.completed(o, s.p.now()))
	s.p.observe.Rows(o.Rows, o.Truncated)
	if o.SQLState != "" {
		return nil
	}
	return s.audible(v.say(o))
}

// say is what must be said of a completed execution.
func (v *verdict) say(o Outcome) []Notice {
	out := v.notices
	if o.Truncated {
		v.s.p.counters.truncated.Add(1)
		out = append(out[:len(out):len(out)], Notice{Severity: "NOTICE", Code: "01004",
			Message: fmt.Sprintf("result truncated at %d rows", o.Rows)})
	}
	return out
}

// settle applies what a successful statement changed in the session.
func (v *verdict) settle(o Outcome) {
	s := v.s
	s.mu.Lock()
	defer s.mu.Unlock()
	switch v.facts.Tag {
	case "DECLARE CURSOR":
		s.cursors[v.facts.Cursor] = &opened{budget: &Budget{Cap: v.facts.Cap}, verdict: v}
	case "PREPARE":
		s.prepared[v.facts.Prepared] = v
	}
	if v.set != nil {
		s.messages.now = *v.set
	}
	if o.Tag == "ROLLBACK" {
		s.messages.undone = true
	}
}

// undo notes that the transaction, if there is one, will be rolled back.
func (s *Session) undo() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages.undone = true
}

// opened is a cursor with the rows it may still give.
type opened struct {
	budget  *Budget
	verdict *verdict
}

// cursor is the budget of an open cursor, shared by all its fetches; nil for
// one that was never opened, from which Postgres gives nothing.
func (s *Session) cursor(name string) *Budget {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.cursors[name]; c != nil {
		return c.budget
	}
	return nil
}
