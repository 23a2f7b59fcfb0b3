package proxy

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/repeat"
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
	// and the prepared statements under the client's names. Its unnamed one is
	// followed all the same: no SQL can reach that, and another client's may be
	// there.
	pinned, own bool

	// borrowing counts requests for a backend; the last one is under way while
	// asking. giveUp ends it.
	borrowing uint64
	asking    bool
	wanted    bool // by the frame at hand
	giveUp    context.CancelFunc
	lost      int  // backends that died on their way, one after the other
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
	// repeats are statements of ours that its governed sessions repeat.
	repeats *repeat.Statements
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

// borrow gets a backend, at once where one is idle on this loop, else as soon as
// there is one.
func (s *session) borrow() {
	l := s.lent
	if b := l.Take(s.killed); b != nil {
		poll.Of(b.Conn).Handle((*serverSide)(s))
		s.take(b)
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	l.borrowing++
	l.asking, l.giveUp = true, cancel
	turn := l.borrowing
	l.Borrow(ctx, func(b *Backend, err error) { s.arrive(turn, b, err) })
}

// arrive brings what a request for a backend gave to the loop, from wherever it
// is.
func (s *session) arrive(turn uint64, b *Backend, err error) {
	if err != nil {
		s.post(func() { s.lend(turn, nil, err) })
		return
	}
	b.attach(s.loop, poll.Of(b.Conn), (*serverSide)(s), func(err error) { s.guard(func() { s.lend(turn, b, err) }) })
}

// maxLost is how many backends may die on their way to a session, one after the
// other, before that ends.
const maxLost = 8

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
	l.asking = false
	l.giveUp()
	if b == nil {
		l.refusal = err
		s.turn(s.upstream)
		return
	}
	if err == nil {
		err = b.listen()
	}
	if err == nil {
		if b.OnKill != nil {
			b.OnKill(s.killed)
		}
		s.take(b)
	} else {
		s.another(b, err)
	}
	if s.backend == nil {
		return // another is on its way
	}
	s.turn(s.upstream)
	if !s.over {
		(*serverSide)(s).Ready() // something may have come with it
	}
}

// listen reads what a backend has said on its way to the session, and fails
// where that was its last word. The rest is the client's to read.
func (b *Backend) listen() error {
	var chunk [512]byte
	n, err := b.Conn.Read(chunk[:])
	b.Buffered = append(b.Buffered, chunk[:n]...)
	switch {
	case len(b.Buffered) > 0 && b.Buffered[0] == wire.ErrorResponse:
		return errBackendGone
	case n > 0, errors.Is(err, poll.ErrAgain):
		return nil
	}
	return fmt.Errorf("read from backend: %w: %w", errBackendGone, err)
}

// another asks for a backend in the place of one that was lost before it had
// been sent anything.
func (s *session) another(b *Backend, why error) {
	l := s.lent
	_ = b.Conn.Close()
	b.Return(true) // finds that out
	if l.lost++; l.lost == maxLost {
		s.end(why)
		return
	}
	s.borrow()
}

// idler is the handler of a backend on its way back.
type idler struct{}

func (idler) Ready() {}

// take attaches the session to a backend.
func (s *session) take(b *Backend) {
	l := s.lent
	l.lost = 0
	if b.kept == nil {
		b.kept = newKept(b)
	}
	if s.remembers() {
		if b.kept.repeats == nil {
			b.kept.repeats = repeat.New(s.repeat)
		}
		s.repeats = b.kept.repeats
	}
	s.backend, s.serverConn = b, poll.Of(b.Conn)
	s.about.BackendPID, s.status = b.PID, 'I'
	s.up.To(b.Conn, s.serverConn)
	s.down.From(b.Conn, b.Buffered)
	b.Buffered = nil
	frames, err := transaction.AppendRestore(nil, &l.values, &b.kept.values)
	if err != nil {
		s.end(err)
		return
	}
	for _, n := range s.presented(b).Notices {
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
	if s.downMore && s.hears() {
		return
	}
	s.settleRetired()
	if len(l.adding) > 0 {
		clear(l.adding)
	}
	if len(l.clearing) > 0 {
		clear(l.clearing)
	}
	b := s.backend
	s.parted()
	b.TxStatus = 'I'
	reset := b.kept.spoiled
	if reset {
		b.kept = nil
	}
	b.Return(reset)
}

// hears reports whether the backend has said something that the last turn has
// left unread. It is for the client, when that has room.
func (s *session) hears() bool {
	var chunk [512]byte
	n, err := s.backend.Conn.Read(chunk[:])
	s.down.From(s.backend.Conn, chunk[:n])
	s.downMore = !errors.Is(err, poll.ErrAgain)
	return s.downMore
}

// parted forgets the backend.
func (s *session) parted() {
	s.backend, s.serverConn, s.repeats, s.about.BackendPID = nil, nil, nil, 0
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
