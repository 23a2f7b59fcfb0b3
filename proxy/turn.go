package proxy

import (
	"errors"

	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/wire"
)

// turnBytes is about how much one turn of one direction reads before others
// have theirs.
const turnBytes = 256 << 10

// errHold ends a turn of the client's direction until session.hold allows it to
// go on.
var errHold = errors.New("the frame at hand can't be handled yet")

// clientSide and serverSide are a session as the handler of its two
// connections: what one has to read the other has to take.
type (
	clientSide session
	serverSide session
)

// Ready is called when the client has sent something, or has room again.
func (c *clientSide) Ready() {
	s := (*session)(c)
	s.turn(s.upstream)
	if s.downFull {
		s.turn(s.downstream)
		s.goOn()
	}
}

// Ready is called when the backend has sent something, or has room again.
func (c *serverSide) Ready() {
	s := (*session)(c)
	s.turn(s.downstream)
	s.goOn()
}

// goOn is for a client's direction that had to wait for the backend's.
func (s *session) goOn() {
	if s.hold != nil || s.upFull {
		s.turn(s.upstream)
	}
}

// turn runs one direction as far as it goes, from begin on. A panic costs this
// session.
func (s *session) turn(direction func()) {
	if s.over || !s.begun {
		return
	}
	s.guard(direction)
}

// post has f called on the loop, whoever calls. A panic costs this session.
func (s *session) post(f func()) bool {
	return s.loop.Post(func() { s.guard(f) })
}

func (s *session) guard(f func()) {
	defer func() {
		if p := recover(); p != nil {
			s.end(panicked(p))
		}
	}()
	f()
}

// upstream carries the client's frames to the backend.
func (s *session) upstream() {
	if s.upEnded || (s.hold != nil && !s.hold()) {
		return
	}
	s.hold = nil
	s.up.Resume(s.loop.Buffer(), turnBytes)
	err := s.carryUp()
	err = firstEnd(err, s.up.Park())
	s.upFull = errors.Is(err, wire.ErrFull)
	if s.idling { // a decision may take long
		s.idling = false
		s.giveIdle()
	}
	if errors.Is(err, wire.ErrYield) {
		s.loop.Later((*clientSide)(s))
	}
	if pauses(err) {
		return
	}
	s.upEnded = true
	s.end(s.clientEnded(err))
}

// downstream carries the backend's frames to the client.
func (s *session) downstream() {
	if s.backend == nil || s.tellsYet() {
		return
	}
	s.down.Resume(s.loop.Buffer(), turnBytes)
	err := s.carryDown()
	err = firstEnd(err, s.down.Park())
	s.downFull = errors.Is(err, wire.ErrFull)
	yields := errors.Is(err, wire.ErrYield)
	if s.downMore = s.downFull || yields; yields {
		s.loop.Later((*serverSide)(s))
	}
	if !pauses(err) {
		s.end(s.backendEnded(err))
		return
	}
	if s.probe != nil {
		s.probe()
	}
	s.giveIdle()
}

// pauses tells of errors that end a turn, and nothing else.
func pauses(err error) bool {
	return err == poll.ErrAgain || errors.Is(err, poll.ErrAgain) || errors.Is(err, errHold) || errors.Is(err, wire.ErrFull) || errors.Is(err, wire.ErrYield)
}

// firstEnd is the error that ends a direction: what carrying brought or, where
// that was a pause, what writing did.
func firstEnd(carry, write error) error {
	if write != nil && pauses(carry) {
		return write
	}
	return carry
}
