package proxy

import (
	"context"
	"errors"

	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/proxy/wire"
)

// The one row of an answer that is told (ASK NARRATE, ASK CHART) holds the gathered
// rows. While what the client is shown instead is made, aside, the backend's
// direction is held at that row; a cancel request then has it made without a model.

// maxGathered is the longest such row, in bytes: what the statement keeps of the
// rows, and commas.
const maxGathered = 4 << 20

// tale is the making of what the client is shown.
type tale struct {
	done bool
	tale pipeline.Tale
	err  error
}

// taleRow carries the row of an answer that is told.
func (s *session) taleRow(h wire.Header, run *pipeline.Run, tell pipeline.Teller) error {
	if s.tale == nil {
		body, err := s.down.Whole(h, maxGathered)
		if errors.Is(err, wire.ErrTooLong) {
			return &wire.Malformed{Reason: "the gathered rows are too long"}
		}
		if err != nil {
			return err
		}
		gathered, err := wire.OnlyValue(body)
		if err != nil {
			return err
		}
		s.beginTale(tell, append([]byte(nil), gathered...))
		return errHold
	}
	if !s.tale.done {
		return errHold
	}
	made := s.tale
	s.tale = nil
	if made.err != nil {
		return made.err
	}
	run.Told(made.tale)
	if !run.Row(h.Size) {
		return s.down.Drop(h)
	}
	frame, err := wire.AppendDataRow(nil, made.tale.Text)
	if err != nil {
		return err
	}
	return s.down.Replace(h, frame)
}

// beginTale has the tale made aside, since that may take as long as a model.
func (s *session) beginTale(tell pipeline.Teller, gathered []byte) {
	t := &tale{}
	s.tale = t
	ctx, cancel := context.WithCancel(s.ctx)
	s.cancels.telling(cancel)
	s.deciding.Add(1)
	go func() {
		defer s.deciding.Done()
		defer cancel()
		made, err := guardedTale(ctx, tell, gathered)
		s.cancels.telling(nil)
		s.post(func() {
			t.tale, t.err, t.done = made, err, true
			s.turn(s.downstream)
			s.goOn()
		})
	}()
}

// guardedTale turns a panic into an error of the session.
func guardedTale(ctx context.Context, tell pipeline.Teller, gathered []byte) (made pipeline.Tale, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	return tell(ctx, gathered)
}

// tellsYet reports whether the backend's direction is held at a row.
func (s *session) tellsYet() bool { return s.tale != nil && !s.tale.done }
