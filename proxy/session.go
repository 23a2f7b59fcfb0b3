package proxy

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/repeat"
	"github.com/pgask/pgask/proxy/wire"
)

// session is a client and its backend. Its state belongs to its loop: upstream,
// the only writer to the backend, and downstream, the only writer to the
// client, are turns that the loop runs when there is something to do, and
// whoever else wants something of the session posts it. Nothing there may
// block: what does, deciding and the end, has goroutines.
type session struct {
	about Client
	loop  *poll.Loop

	client     net.Conn // closed by whoever made the session
	clientConn *poll.Conn
	backend    *Backend // released by finish; nil while a lent one isn't needed
	serverConn *poll.Conn
	lent       *loan // nil: the backend is the session's until its end
	killed     func()
	decider    Decider // nil: everything is relayed
	governed   bool
	limits     Limits
	metrics    Metrics
	log        *slog.Logger

	owed *owed

	up         *wire.Relay
	upBuf      []byte
	upEnded    bool // nothing more is read from the client
	upFull     bool // the backend has more to take first
	statements names
	portals    names
	// hold, unless nil, says whether the frame at hand may be handled now. answer
	// is what a decision about it has brought; probe asks again for what one
	// has to know.
	hold   func() bool
	answer any
	probe  func()
	idling bool // a decision has begun, and the backend may not be needed

	down     *wire.Relay
	downBuf  []byte
	downFull bool // the client has more to take first
	downMore bool // the last turn has left something unread, perhaps
	replies  replies
	tale     *tale  // of the row at hand, nil for none
	fatal    bool   // the backend has said its last word
	lastSaid string // its SQLSTATE
	lastTag  string // of the last command whose tag was read
	spent    bool   // it is of no use to another session

	// repeats are the statements that the backend has because they repeat, nil for
	// none; repeating is what is being executed by one.
	repeat    repeat.Options
	repeats   *repeat.Statements
	repeating repeating

	status   byte      // of the last ReadyForQuery
	draining bool      // the session ends at the next quiet moment
	leaving  bool      // the client's Terminate is under way
	active   time.Time // when bytes moved last
	idle     *time.Timer

	// ctx ends with the session, which is over once it has a cause. What was
	// deciding then is waited for.
	ctx     context.Context
	stop    context.CancelFunc
	unwatch func() bool // of the server's end
	begun   bool
	over    bool
	cause   error
	// stillborn is the cause of a session that must end before it does anything.
	stillborn error
	doomed    error // the same, of one that was ended before it had begun
	deciding  sync.WaitGroup
	ended     func(cause error)

	cancels cancels
}

// newSession makes a session of a client, whose backend follows.
func newSession(ctx context.Context, loop *poll.Loop, client net.Conn, d Decider, l Limits, m Metrics, log *slog.Logger) *session {
	s := &session{loop: loop, client: client, decider: d, limits: l, metrics: m, log: log, owed: newOwed()}
	if d != nil {
		s.governed = d.Governed()
		d.Follow(s)
	}
	s.replies.q = s.owed
	s.ctx, s.stop = context.WithCancel(ctx)
	s.client, s.clientConn = pollable(client)
	s.killed = func() { s.kill(errShutdown) }
	s.up = wire.NewRelay(s.client, nil, nil, nil, func(frames, bytes int) { s.moved(ToBackend, frames, bytes) })
	s.down = wire.NewRelay(nil, s.client, s.clientConn, nil, func(frames, bytes int) { s.moved(ToClient, frames, bytes) })
	s.status, s.active = 'I', time.Now()
	return s
}

// on gives the session its backend, until its end.
func (s *session) on(b *Backend) {
	given := b.Conn
	b.Conn, s.serverConn = pollable(given)
	s.spent = b.Conn != given // whoever gave it couldn't get it back
	s.backend, s.status = b, b.TxStatus
	if s.remembers() {
		s.repeats = repeat.New(s.repeat)
	}
	s.up.To(b.Conn, s.serverConn)
	s.down.From(b.Conn, b.Buffered)
}

// pollable is the connection and what of it a loop can watch: where that isn't
// beneath it already, it is put around it.
func pollable(c net.Conn) (net.Conn, *poll.Conn) {
	if p := poll.Of(c); p != nil {
		return c, p
	}
	p := poll.New(c)
	return p, p
}

// start hands the connections to the loop. When the session has ended, ended is
// called with the reason, on a goroutine: the backend has been released then,
// and the last word been said to the client.
func (s *session) start(ended func(cause error)) {
	s.ended = ended
	if s.lent != nil {
		s.startLent()
		return
	}
	s.backend.attach(s.loop, s.serverConn, (*serverSide)(s), func(err error) { s.guard(func() { s.begin(err) }) })
}

// begin is on the loop, with the backend attached.
func (s *session) begin(err error) {
	s.begun, s.active = true, time.Now()
	s.idle = time.AfterFunc(s.limits.Idle, func() { s.post(s.checkIdle) })
	s.unwatch = context.AfterFunc(s.ctx, s.killed)
	if err == nil {
		err = s.clientConn.Attach(s.loop, (*clientSide)(s))
	}
	if outOfDescriptors(err) { // attaching takes one for a moment
		err = errCrowded
	}
	switch {
	case s.stillborn != nil:
		err = s.stillborn
	case s.doomed != nil:
		err = s.doomed
	}
	s.end(err)
	if s.backend != nil && s.backend.OnKill != nil && !s.over {
		s.backend.OnKill(s.killed)
	}
	s.endDrained()
	// Something may have come with the logins, in what TLS has read already.
	(*serverSide)(s).Ready()
	(*clientSide)(s).Ready()
}

// kill ends the session, at once where it has begun, else then. Anybody may call
// it.
func (s *session) kill(cause error) {
	s.post(func() { s.end(cause) })
}

func (s *session) moved(d Direction, frames, bytes int) {
	s.active = s.loop.Now()
	s.metrics.Moved(d, frames, bytes)
}

// quiet reports whether nothing is owed to the client.
func (s *session) quiet() bool { return s.owed.empty() }

// working reports whether something is owed, or will be: a frame is being
// decided on.
func (s *session) working() bool { return !s.quiet() || s.hold != nil }

// checkIdle ends a session that has done nothing for the limit: nothing is
// running, or what is running can't be delivered.
func (s *session) checkIdle() {
	if s.over {
		return
	}
	since := time.Since(s.active)
	switch {
	case since < s.limits.Idle:
		s.idle.Reset(s.limits.Idle - since)
	case !s.working(), s.clientConn.Pending() > 0:
		s.end(errIdle)
	default:
		s.idle.Reset(s.limits.Idle)
	}
}

// drain ends the session at its next quiet moment outside a transaction.
// Anybody may call it.
func (s *session) drain() {
	s.post(func() {
		s.draining = true
		s.endDrained()
	})
}

func (s *session) endDrained() {
	if s.begun && s.draining && !s.working() && s.status == 'I' {
		s.end(errShutdown)
	}
}
