package proxy

import (
	"context"

	"github.com/pgask/pgask/pipeline"
)

// Prepared is how the Decider learns what an EXECUTE runs. It calls it from
// Query, Parse or Execute, so while the frame at hand is held.
func (s *session) Prepared(name string) (*pipeline.Decision, error) {
	found := make(chan *pipeline.Decision, 1)
	s.post(func() { s.lookUp([]byte(name), found) })
	select {
	case d := <-found:
		return d, nil
	case <-s.ctx.Done():
		return nil, errClientGone // whatever ended the session came first
	}
}

// lookUp finds what a name stands for, once that is known.
func (s *session) lookUp(name []byte, found chan<- *pipeline.Decision) {
	if s.statements.unsettled(name, s.owed) != nil {
		s.probe = func() { s.lookUp(name, found) }
		return
	}
	s.probe = nil
	o := s.statements.get(name, s.owed)
	if o == nil || planted(o.decision) {
		found <- nil
		return
	}
	found <- o.decision
}

// Room reports whether a PREPARE may give the name to that many bytes. The
// Decider calls it as it does Prepared.
func (s *session) Room(name string, bytes int) bool {
	room := make(chan bool, 1)
	s.post(func() { room <- !s.statements.full([]byte(name), bytes) })
	select {
	case fits := <-room:
		return fits
	case <-s.ctx.Done():
		return false
	}
}

// rename notes what a statement does to the names of prepared statements, if
// anything.
func (s *session) rename(to *pipeline.NameChange) *change {
	switch {
	case to == nil:
		return nil
	case to.All:
		return s.statements.clear(s.owed)
	case to.To == nil:
		return s.free(&s.statements, []byte(to.Name))
	}
	d := to.To
	return s.statements.set([]byte(to.Name), s.owed, &object{decision: d, denial: d.Denial, bytes: d.Bytes()})
}

// renamed notes it for the statements of a Query that is about to be pushed.
func (s *session) renamed(all []*pipeline.NameChange) []*change {
	var out []*change
	for i, to := range all {
		c := s.rename(to)
		if c == nil {
			continue
		}
		if out == nil {
			out = make([]*change, len(all))
		}
		c.answered = s.owed.pushed + 1
		out[i] = c
	}
	return out
}

// again asks the Decider whether a portal may run: the audit log may have become
// unwritable since it was bound, and what the name of an EXECUTE stands for is
// found when it begins to.
func (s *session) again(due *owedReply, o *object) (refused *pipeline.Denial, err error) {
	if o.run == nil || s.answer == nil && s.decider.ExecuteNow(o.run) {
		return nil, nil
	}
	if c := o.begun; c != nil {
		if err := s.settleChange(c); err != nil {
			return nil, err
		}
		if c.outcome == done {
			return nil, nil // the rest of what runs already
		}
	}
	e, err := decide(s, func(ctx context.Context) (pipeline.Execution, Verdict) {
		e := s.decider.Execute(ctx, o.run)
		if e.Denial == nil && ctx.Err() != nil {
			e.Denial = s.decider.Cancelled()
		}
		if e.Denial != nil {
			return e, Denied
		}
		return e, Untouched
	})
	if err != nil {
		return nil, err
	}
	if e.Denial != nil {
		return e.Denial, nil
	}
	if e.Trap != nil {
		o.denial = e.Trap
	}
	if o.run.Executes() {
		o.run.Begin(e)
		o.begun = &change{batch: s.owed.batches}
		due.change = o.begun
	}
	return nil, nil
}
