package proxy

import (
	"context"
	"errors"
	"maps"
	"sync/atomic"

	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/transaction"
	"github.com/pgask/pgask/proxy/wire"
)

// loan is what a session whose backends are lent knows beyond others. It is the
// loop's.
type loan struct {
	*Lender
	// values are the parameters that the client was told.
	values transaction.Values
	// pinned: the backend has something of the client that nobody follows. own:
	// and the prepared statements under the client's names.
	pinned, own bool

	// borrowing counts requests for a backend; the last one is under way while
	// asking. giveUp ends it.
	borrowing uint64
	asking    bool
	wanted    bool // by the frame at hand
	giveUp    context.CancelFunc
	restoring bool // the backend is getting the client's parameters
	restored  bool // and they are to be had
	cancels   int  // cancel requests on their way to the backend
	// refusal is what a client is told that got no backend; told says that it was,
	// and that its batch is skipped.
	refusal error
	told    bool

	// prepared are the names of the client's prepared statements.
	prepared names
	retired  []retired
	// adding are statements that the backend may be getting, and the batches that
	// will tell.
	adding map[string]uint64
	// barrier, unless 0, is how many replies are popped when a Query that may
	// deallocate all statements has been answered: what follows waits for that.
	barrier uint64
	// clearing are the portals of the batch at hand that deallocate all statements.
	clearing map[string]bool
}

// kept is what is known of a backend that is lent again and again.
type kept struct {
	values transaction.Values
	held   transaction.Held
	// unnamed is whose its unnamed statement is; nil for none that is known.
	unnamed *object
	// spoiled: what it has is not known any more.
	spoiled bool
}

func newKept(b *Backend) *kept {
	k := &kept{}
	for name, value := range b.ParameterStatuses {
		k.values.Note(name, value)
	}
	return k
}

// greet takes in what the client is told before it has a backend.
func (l *loan) greet(statuses map[string]string) {
	for name, value := range statuses {
		l.values.Note(name, value)
	}
}

// startLent is start for a session without a backend.
func (s *session) startLent() {
	if !s.post(func() { s.begin(nil) }) {
		s.begin(errShutdown)
	}
}

// needBackend holds the frame at hand until there is a backend with the
// client's parameters, or none is to be had.
func (s *session) needBackend() error {
	l := s.lent
	if s.backend == nil && !l.asking {
		s.borrow()
	}
	l.wanted = s.backend == nil || l.restoring
	if !l.wanted || l.refusal != nil {
		l.wanted = false
		return nil
	}
	s.hold = func() bool { return s.backend != nil && !l.restoring || l.refusal != nil }
	return errHold
}

// borrow asks for a backend.
func (s *session) borrow() {
	l := s.lent
	ctx, cancel := context.WithCancel(s.ctx)
	l.borrowing++
	l.asking, l.giveUp = true, cancel
	turn, r := l.borrowing, &result{}
	l.Borrow(ctx, func(b *Backend, err error) {
		if r.b, r.err = b, err; !r.state.CompareAndSwap(asked, answered) {
			s.arrive(turn, b, err)
		}
	})
	if r.state.CompareAndSwap(asked, left) {
		return // it comes later
	}
	switch {
	case r.err != nil:
		l.asking, l.refusal = false, r.err
		cancel()
	case !s.takeHere(r.b):
		s.arrive(turn, r.b, nil)
	}
}

// result is what a request for a backend brings. Who comes second, the answer or
// the return of the call that asked, acts on it.
type result struct {
	state atomic.Int32
	b     *Backend
	err   error
}

// States of a result.
const (
	asked int32 = iota
	answered
	left
)

// arrive brings a result to the loop, from wherever it is.
func (s *session) arrive(turn uint64, b *Backend, err error) {
	if err != nil {
		s.post(func() { s.lend(turn, nil, err) })
		return
	}
	b.attach(s.loop, poll.Of(b.Conn), (*serverSide)(s), func(err error) { s.guard(func() { s.lend(turn, b, err) }) })
}

// takeHere takes a backend that was idle on this loop, and reports whether it
// could.
func (s *session) takeHere(b *Backend) bool {
	conn := poll.Of(b.Conn)
	if conn.Loop() != s.loop {
		return false
	}
	conn.Handle((*serverSide)(s))
	if _, err := b.Conn.Read(make([]byte, 1)); !errors.Is(err, poll.ErrAgain) {
		return false // it has died meanwhile: the way round finds out
	}
	s.take(b)
	return true
}

// lend takes what a request for a backend has brought, unless nobody waits for
// it any more. A nil b comes with the reason.
func (s *session) lend(turn uint64, b *Backend, err error) {
	l := s.lent
	if s.over || turn != l.borrowing || !l.asking {
		if b != nil {
			poll.Of(b.Conn).Handle(idler{})
			b.Return(false)
		}
		return
	}
	switch {
	case b == nil:
		l.asking = false
		l.giveUp()
		l.refusal = err
	case err != nil:
		s.end(err)
		return
	default:
		s.take(b)
	}
	s.turn(s.upstream)
	if b != nil && !s.over {
		(*serverSide)(s).Ready() // something may have come with it
	}
}

// idler is the handler of a backend on its way back.
type idler struct{}

func (idler) Ready() {}

// take attaches the session to a backend.
func (s *session) take(b *Backend) {
	l := s.lent
	l.asking = false
	l.giveUp()
	if b.kept == nil {
		b.kept = newKept(b)
	}
	s.backend, s.serverConn = b, poll.Of(b.Conn)
	s.about.BackendPID, s.status = b.PID, 'I'
	s.up.To(b.Conn, s.serverConn)
	s.down.From(b.Conn, b.Buffered)
	b.Buffered = nil
	if b.OnKill != nil {
		b.OnKill(s.killed)
	}
	frames, err := transaction.AppendRestore(nil, &l.values, &b.kept.values)
	if err != nil {
		s.end(err)
		return
	}
	for _, n := range b.Notices {
		_, _ = s.client.Write(wire.AppendNoticeResponse(nil, n)) // a failure comes again
	}
	b.Notices = nil
	if len(frames) > 0 {
		l.restoring, l.restored = true, true
		_, _ = b.Conn.Write(frames) // a failure comes again
	}
}

// giveIdle gives the backend back where the client doesn't need it: nothing is
// owed or half done, no transaction is open, no cancel is on its way, and
// nothing of the client is in it.
func (s *session) giveIdle() {
	l := s.lent
	if l == nil || s.backend == nil || s.over || l.pinned || l.wanted || l.restoring || l.cancels > 0 || s.status != 'I' ||
		!s.quiet() || s.owed.open || s.fatal || s.spent || s.leaving ||
		!s.up.Settled() || !s.down.AtRest() || s.serverConn.Pending() > 0 {
		return
	}
	s.settleRetired()
	clear(l.adding)
	clear(l.clearing)
	b := s.backend
	s.parted()
	b.TxStatus = 'I'
	reset := b.kept.spoiled
	if reset {
		b.kept = nil
	}
	b.Return(reset)
}

// parted forgets the backend.
func (s *session) parted() {
	s.backend, s.serverConn, s.about.BackendPID = nil, nil, 0
	s.up.To(nil, nil)
	s.down.From(nil, nil)
}

// greeting is what a client is told that connects.
func (l *Lender) greeting(ctx context.Context, loop *poll.Loop, params map[string]string) (map[string]string, error) {
	statuses, err := l.Greeting(ctx, loop)
	if err != nil {
		return nil, err
	}
	statuses = maps.Clone(statuses)
	if name, ok := params["application_name"]; ok {
		statuses["application_name"] = name
	}
	return statuses, nil
}
