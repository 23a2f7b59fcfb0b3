package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pgask/pgask/auth"
)

// Server accepts clients and serves each on goroutines of its own.
type Server struct {
	opts    Options
	limits  Limits
	metrics Metrics
	log     *slog.Logger

	tls         tlsConfigs
	census      *census
	throttle    *auth.Throttle
	keys        keyring
	cancelSlots chan struct{}
	sessions    atomic.Int64 // logging in or logged in

	// ctx ends with Close: everything is cut.
	ctx  context.Context
	stop context.CancelFunc

	mu        sync.Mutex
	closed    bool                      // guarded by mu
	listeners map[net.Listener]struct{} // guarded by mu
	conns     map[net.Conn]*session     // guarded by mu; nil before the session is ready
	serving   sync.WaitGroup            // Add is guarded by mu
}

// New makes a server; Serve starts it.
func New(o Options) *Server {
	s := &Server{
		opts:      o,
		limits:    o.Limits.withDefaults(),
		metrics:   o.Metrics,
		log:       o.Logger,
		keys:      keyring{keys: map[uint32]keyed{}},
		listeners: map[net.Listener]struct{}{},
		conns:     map[net.Conn]*session{},
	}
	if s.metrics == nil {
		s.metrics = noMetrics{}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.census, s.throttle = newCensus(), auth.NewThrottle(s.limits.LoginFailures)
	s.cancelSlots = make(chan struct{}, s.limits.Cancels)
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// Serve accepts on ln until Shutdown or Close, and then returns
// ErrServerClosed. It closes ln.
func (s *Server) Serve(ln net.Listener) error {
	defer ln.Close()
	if !s.track(ln) {
		return ErrServerClosed
	}
	defer s.untrack(ln)
	var pause time.Duration
	for {
		conn, err := ln.Accept()
		switch {
		case err == nil:
			pause = 0
			s.start(conn)
		case s.isClosed():
			return ErrServerClosed
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("accept: %w", err)
		default:
			// Too many open files, most likely: existing sessions will end.
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			s.log.Error("accept failed", "error", err, "retry_in", pause)
			if !s.rest(pause) {
				return ErrServerClosed
			}
		}
	}
}

// rest waits, and reports whether the server still runs.
func (s *Server) rest(pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// Shutdown stops accepting, ends idle sessions with 57P01 and lets the others
// come to a quiet moment outside a transaction. When ctx ends, what is left is
// cut, and ctx's error returned.
func (s *Server) Shutdown(ctx context.Context) error {
	s.closeListeners()
	for conn, session := range s.snapshot() {
		if session == nil {
			_ = conn.SetDeadline(time.Now()) // not logged in: nothing to wait for
			continue
		}
		session.drain()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.serving.Wait()
	}()
	select {
	case <-done:
		s.stop()
		return nil
	case <-ctx.Done():
		s.stop()
		<-done
		return ctx.Err()
	}
}

// Close stops accepting and cuts every session.
func (s *Server) Close() error {
	s.closeListeners()
	s.stop()
	s.serving.Wait()
	return nil
}

// start serves a connection on a goroutine of its own. Connections that are
// no sessions yet are bounded, too, with room for cancel requests.
func (s *Server) start(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.conns) >= 2*s.limits.Clients+s.limits.Cancels {
		_ = conn.Close()
		return
	}
	s.conns[conn] = nil
	s.serving.Add(1)
	go func() {
		defer s.serving.Done()
		defer s.forget(conn)
		s.serve(conn)
	}()
}

// serve runs one connection from its first byte to its last.
func (s *Server) serve(conn net.Conn) {
	defer conn.Close()
	// Close cuts a connection that has not become a session; a session ends
	// itself.
	stop := context.AfterFunc(s.ctx, func() { _ = conn.SetDeadline(time.Now()) })
	c := &connection{server: s, conn: conn, log: s.log.With("remote", conn.RemoteAddr().String())}
	c.serve(stop)
}

// adopt makes the session known to Shutdown. It reports false when that has
// begun already.
func (s *Server) adopt(conn net.Conn, session *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.conns[conn] = session
	return true
}

func (s *Server) forget(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
}

func (s *Server) snapshot() map[net.Conn]*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[net.Conn]*session, len(s.conns))
	for conn, session := range s.conns {
		all[conn] = session
	}
	return all
}

func (s *Server) track(ln net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.listeners[ln] = struct{}{}
	return true
}

func (s *Server) untrack(ln net.Listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, ln)
}

func (s *Server) closeListeners() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for ln := range s.listeners {
		_ = ln.Close() // Serve returns either way
	}
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}
