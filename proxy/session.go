package proxy

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pgask/pgask/proxy/wire"
)

// lastWord is how long the end of a session may take: to finish a write, to
// tell the client why, and to let the client read it.
const lastWord = 2 * time.Second

// session is a client and its backend. Two loops run per session, and nothing
// else: upstream, the only writer to the backend, and downstream, the only
// writer to the client. What one of them owns is said here; the rest is
// written before they start.
type session struct {
	about    Client
	client   net.Conn // closed by whoever made the session
	backend  *Backend // released by finish
	decider  Decider  // nil: everything is relayed
	governed bool
	limits   Limits
	metrics  Metrics
	log      *slog.Logger

	owed *owed

	// The upstream loop's.
	up         *wire.Relay
	upBuf      []byte
	statements names
	portals    names

	// The downstream loop's.
	down    *wire.Relay
	downBuf []byte
	replies replies
	fatal   bool // the backend has said its last word
	spent   bool // it is of no use to another session

	// status is of the last ReadyForQuery; draining lets the session end at
	// the next quiet one; leaving is after the client's Terminate.
	status   atomic.Uint32
	draining atomic.Bool
	leaving  atomic.Bool
	active   atomic.Int64 // when bytes moved last, in nanoseconds since 1970

	idle *time.Timer

	// ctx ends with the session; end sets cause before that.
	ctx   context.Context
	stop  context.CancelFunc
	once  sync.Once
	cause error

	cancels cancels
}

func newSession(ctx context.Context, client net.Conn, b *Backend, d Decider, l Limits, m Metrics, log *slog.Logger) *session {
	s := &session{client: client, backend: b, decider: d, limits: l, metrics: m, log: log, owed: newOwed()}
	if d != nil {
		s.governed = d.Governed()
		d.Follow(s)
	}
	s.replies.q = s.owed
	s.ctx, s.stop = context.WithCancel(ctx)
	s.up = wire.NewRelay(client, b.Conn, nil, func(frames, bytes int) { s.moved(ToBackend, frames, bytes) })
	s.down = wire.NewRelay(b.Conn, client, b.Buffered, func(frames, bytes int) { s.moved(ToClient, frames, bytes) })
	s.status.Store(uint32(b.TxStatus))
	s.active.Store(time.Now().UnixNano())
	return s
}

// run relays until one side ends, and returns why. It has released the backend
// and said the last word to the client when it returns.
func (s *session) run() error {
	s.idle = time.AfterFunc(math.MaxInt64, s.checkIdle) // checkIdle needs s.idle: started only now
	s.idle.Reset(s.limits.Idle)
	defer s.idle.Stop()
	stop := context.AfterFunc(s.ctx, func() { s.end(errShutdown) })
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.end(s.guard(s.upstream))
	}()
	s.end(s.guard(s.downstream))
	<-done
	s.finish()
	return s.cause
}

// guard turns a panic of a loop into an error of the session.
func (s *session) guard(loop func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	return loop()
}

// end stops both loops; the first cause wins. The client's side may finish a
// write, so that it gets what it was owed and whole frames; what is being
// written to the backend is of no use any more. A nil cause ends nothing.
func (s *session) end(cause error) {
	if cause == nil {
		return
	}
	s.once.Do(func() {
		s.cause = cause
		now := time.Now()
		grace := lastWord
		if errors.Is(cause, errClientGone) {
			grace = 0
		}
		_ = s.backend.Conn.SetDeadline(now) // a closed connection stops its loop as well
		_ = s.client.SetReadDeadline(now)
		_ = s.client.SetWriteDeadline(now.Add(grace))
		s.stop()
	})
}

// finish gives the backend back and tells the client why the session ended.
// Both loops have stopped.
func (s *session) finish() {
	spoken := s.lastWord()
	s.cancels.stop()
	if s.up.AtRest() && s.down.AtRest() && s.owed.empty() && !s.owed.open && !s.fatal && !s.spent && s.status.Load() != 0 {
		_ = s.backend.Conn.SetDeadline(time.Time{})
		s.backend.TxStatus = byte(s.status.Load())
	} else {
		s.abandon()
	}
	s.cancels.wait()
	s.backend.Release()
	s.up.Release()
	s.down.Release()
	if spoken {
		linger(s.client)
	}
}

// abandon closes a backend that can't be used again. What it still runs for a
// client that is gone is cancelled first.
func (s *session) abandon() {
	if !s.owed.empty() && !s.fatal {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), s.limits.Cancel)
		defer cancel()
		if err := s.backend.cancel(ctx); err != nil {
			s.log.Debug("cancel of an abandoned backend", "error", err)
		}
	}
	_ = s.backend.Conn.Close() // nothing is left to save
}

// lastWord writes what still has to reach the client, and then the closing
// error, unless the end is the client's own, or the backend has given its own
// error, or it would land inside another frame.
func (s *session) lastWord() bool {
	if err := s.down.Flush(); err != nil || sqlState(s.cause) == "" || s.down.MidWrite() {
		return false
	}
	sayFatal(s.client, s.cause, s.log)
	return true
}

func (s *session) moved(d Direction, frames, bytes int) {
	s.active.Store(time.Now().UnixNano())
	s.metrics.Moved(d, frames, bytes)
}

// quiet reports whether nothing is owed to the client.
func (s *session) quiet() bool { return s.owed.empty() }

// checkIdle ends a session that has done nothing for the limit: nothing is
// running, or what is running can't be delivered.
func (s *session) checkIdle() {
	since := time.Since(time.Unix(0, s.active.Load()))
	switch {
	case since < s.limits.Idle:
		s.idle.Reset(s.limits.Idle - since)
	case s.quiet(), s.down.Writing():
		s.end(errIdle)
	default:
		s.idle.Reset(s.limits.Idle)
	}
}

// drain ends the session at its next quiet moment outside a transaction.
func (s *session) drain() {
	s.draining.Store(true)
	if s.quiet() && s.status.Load() == 'I' {
		s.end(errShutdown)
	}
}
