package proxy

import (
	"errors"
	"fmt"
	"net"
	"time"
)

// Serve accepts on ln until Shutdown or Close, and then returns
// ErrServerClosed. It closes ln.
func (s *Server) Serve(ln net.Listener) error { return s.accept(ln, false) }

// ServeCancels is Serve for an address that other instances send cancel
// requests to: it takes nothing else, forwards nothing, and goes on until
// Shutdown has seen the last session end.
func (s *Server) ServeCancels(ln net.Listener) error { return s.accept(ln, true) }

func (s *Server) accept(ln net.Listener, cancels bool) error {
	defer ln.Close()
	if !s.track(ln, cancels) {
		return ErrServerClosed
	}
	defer s.untrack(ln, cancels)
	s.spare.hold()
	var pause time.Duration
	var said time.Time // of the last line in the log: clients may come quickly
	for {
		conn, err := ln.Accept()
		switch {
		case err == nil:
			pause = 0
			s.start(conn, terms{cancels: cancels})
		case s.isClosed():
			return ErrServerClosed
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("accept: %w", err)
		default:
			// Too many open files, most likely: existing sessions will end.
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			if time.Since(said) > time.Second {
				said = time.Now()
				s.log.Error("accept failed", "error", err)
			}
			if !s.acceptSpare(ln, err, cancels) && !s.rest(pause) {
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

func (s *Server) track(ln net.Listener, cancels bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.listeners[ln] = cancels
	s.group(cancels).Add(1)
	return true
}

func (s *Server) untrack(ln net.Listener, cancels bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, ln)
	s.group(cancels).Done()
}

// closeListeners closes those of one kind; Serve returns when they have given
// what waits in their queues.
func (s *Server) closeListeners(cancels bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for ln, kind := range s.listeners {
		if kind == cancels {
			_ = ln.Close() // Serve returns either way
		}
	}
}
