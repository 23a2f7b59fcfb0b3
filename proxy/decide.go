package proxy

import (
	"context"

	"github.com/pgask/pgask/pipeline"
)

// decide lets the Decider work on the frame at hand, aside, because that may
// take long. It returns errHold at first. When the answer is there the frame is
// handled once more from the beginning, and the same call returns the answer:
// so whatever comes before it must not change anything. A cancel request and
// the session's end cut it short.
func decide[T any](s *session, ask func(context.Context) (T, Verdict)) (T, error) {
	if s.answer != nil {
		a := s.answer.(T)
		s.answer = nil
		return a, nil
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.cancels.decide(cancel)
	s.hold = func() bool { return s.answer != nil }
	s.deciding.Add(1)
	go func() {
		defer s.deciding.Done()
		defer cancel()
		a, v, err := guarded(ctx, ask)
		s.cancels.decide(nil)
		s.post(func() { s.decided(a, v, err) })
	}()
	s.idling = true
	var none T
	return none, errHold
}

// guarded turns a panic into an error of the session.
func guarded[T any](ctx context.Context, ask func(context.Context) (T, Verdict)) (a T, v Verdict, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	a, v = ask(ctx)
	return a, v, nil
}

// decided goes on with the frame that was decided upon.
func (s *session) decided(answer any, v Verdict, err error) {
	if s.over {
		return
	}
	if err != nil {
		s.end(err)
		return
	}
	s.metrics.Judged(v)
	s.answer, s.probe = answer, nil
	s.turn(s.upstream)
}

// judging asks for a decision about a statement. Nobody wants it any more who
// has cancelled it.
func (s *session) judging(ask func(context.Context) pipeline.Decision) func(context.Context) (*pipeline.Decision, Verdict) {
	return func(ctx context.Context) (*pipeline.Decision, Verdict) {
		d := ask(ctx)
		switch {
		case ctx.Err() == nil || planted(&d):
		case d.Untouched:
			d = planting(newDenial(errCancelled))
		default:
			d = planting(s.decider.Cancelled())
		}
		return &d, verdict(&d)
	}
}

// judgeQuery and judgeParse ask the Decider about a text, and don't wait where it
// knows already.
func (s *session) judgeQuery(text string) (*pipeline.Decision, error) {
	if s.answer == nil {
		if d, known := s.decider.QueryNow(text); known {
			s.metrics.Judged(verdict(&d))
			return &d, nil
		}
	}
	return decide(s, s.judging(func(ctx context.Context) pipeline.Decision { return s.decider.Query(ctx, text) }))
}

func (s *session) judgeParse(text string, oids []uint32) (*pipeline.Decision, error) {
	if s.answer == nil {
		if d, known := s.decider.ParseNow(text, oids); known {
			s.metrics.Judged(verdict(&d))
			return &d, nil
		}
	}
	return decide(s, s.judging(func(ctx context.Context) pipeline.Decision { return s.decider.Parse(ctx, text, oids) }))
}

// denying asks whether something that was judged before is denied now.
func (s *session) denying(ask func(context.Context) *pipeline.Denial) func(context.Context) (*pipeline.Denial, Verdict) {
	return func(ctx context.Context) (*pipeline.Denial, Verdict) {
		d := ask(ctx)
		if d == nil && ctx.Err() != nil {
			d = s.decider.Cancelled()
		}
		if d != nil {
			return d, Denied
		}
		return nil, Untouched
	}
}

func verdict(d *pipeline.Decision) Verdict {
	switch {
	case d.Untouched:
		return Untouched
	case planted(d):
		return Denied
	}
	return Replaced
}
