package proxy

import (
	"errors"
	"fmt"
	"io"

	"github.com/pgask/pgask/proxy/wire"
)

// route is what happens to a client's frame.
type route int

// Routes. The zero route is for every frame the table doesn't name.
const (
	refuse route = iota
	// pass forwards the frame as it is; only what it is owed is noted.
	pass
	// judge reads what has to be known of it.
	judge
	end
)

// routes is the table of what a client may send to a session.
var routes = [256]route{
	wire.Query:        judge,
	wire.Parse:        judge,
	wire.Bind:         judge,
	wire.Describe:     judge,
	wire.Execute:      judge,
	wire.Close:        judge,
	wire.FunctionCall: judge,
	wire.Sync:         pass,
	wire.Flush:        pass,
	// Outside a copy Postgres ignores these three: a client goes on sending
	// them after its copy has failed.
	wire.CopyData:  pass,
	wire.CopyDone:  pass,
	wire.CopyFail:  pass,
	wire.Terminate: end,
}

// carryUp carries the client's frames to the backend until something keeps it
// from it. It returns nil when the client has taken its leave.
func (s *session) carryUp() error {
	for {
		h, err := s.up.Next()
		if err != nil {
			return err
		}
		if s.owed.full() {
			return s.awaitRoom()
		}
		if s.repeating.whole {
			return s.await(func() bool { return !s.repeating.whole })
		}
		if s.lent != nil {
			handled, err := s.lentFrame(h)
			if err != nil {
				return err
			}
			if handled {
				continue
			}
		}
		switch routes[h.Type] {
		case pass:
			s.pass(h)
		case judge:
			err = s.judge(h)
		case end:
			return s.terminate(h)
		case refuse:
			err = s.unheardOf(h)
		}
		if err != nil {
			return err
		}
		s.answer = nil // what it was about may have changed meanwhile
	}
}

// unheardOf is a frame that the table doesn't name. A relay leaves it to
// Postgres.
func (s *session) unheardOf(h wire.Header) error {
	if s.decider != nil {
		return failure("08P01", "invalid frontend message type %d", h.Type)
	}
	s.pin()
	s.up.Pass(h)
	return nil
}

// pass forwards a frame that is never judged.
func (s *session) pass(h wire.Header) {
	switch h.Type {
	case wire.Sync:
		s.repeating.end()
		s.owed.push(owedReply{kind: owesSync})
	case wire.CopyDone, wire.CopyFail:
		if !s.owed.empty() { // else it is the end of a copy that has failed
			s.owed.push(owedReply{kind: owesCopyEnd})
		}
	}
	s.up.Pass(h)
}

// terminate ends a session that owes nothing. Otherwise Postgres, as it would
// without us, does what it was asked before it reads the Terminate.
func (s *session) terminate(h wire.Header) error {
	if s.quiet() {
		if err := s.up.Drop(h); err != nil {
			return err
		}
		return errTerminated
	}
	s.leaving = true
	// A whole Terminate, even where the client's own never comes to its end.
	return s.up.Replace(h, []byte{wire.Terminate, 0, 0, 0, 4})
}

// clientEnded words the end of the client's side.
func (s *session) clientEnded(err error) error {
	var write *wire.WriteError
	var coded interface{ SQLState() string }
	err = blamed(err)
	switch {
	case err == nil, errors.Is(err, errTerminated):
		return err
	case errors.As(err, &write) && hungUp(write.Err):
		// The backend's own last message may still be on its way to the
		// client: downstream finds the end itself.
		return nil
	case errors.As(err, &write):
		return fmt.Errorf("write to backend: %w", err)
	case errors.As(err, &coded):
		return err
	case errors.Is(err, io.EOF) && s.quiet() && s.up.AtRest():
		return errTerminated
	case hungUp(err):
		return errClientGone
	}
	return fmt.Errorf("read from client: %w", err)
}

// awaitRoom holds the frame at hand until less is owed.
func (s *session) awaitRoom() error {
	if err := s.flushBatch(); err != nil {
		return err
	}
	return s.await(func() bool { return !s.owed.full() })
}

// flushBatch asks for the answers to an open batch, which Postgres keeps back until
// its Sync.
func (s *session) flushBatch() error {
	if !s.owed.open {
		return nil
	}
	return s.up.Put([]byte{wire.Flush, 0, 0, 0, 4})
}

// await holds the frame at hand until downstream has made done true.
func (s *session) await(done func() bool) error {
	s.hold = done
	return errHold
}
