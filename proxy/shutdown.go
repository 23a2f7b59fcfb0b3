package proxy

import (
	"context"
	"time"
)

// Shutdown stops accepting. For Limits.Leave it lets sessions go on as they
// were; then it ends idle ones with 57P01 and lets the others come to a quiet
// moment outside a transaction. When ctx ends, what is left is cut, and ctx's
// error returned.
func (s *Server) Shutdown(ctx context.Context) error {
	s.closeListeners(false)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.serving.Wait()
	}()
	var err error
	if s.leave(ctx, done) {
		s.drain()
		select {
		case <-done:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	s.stop()
	<-done
	s.closeListeners(true)
	s.peers.Wait()
	s.loops.Close()
	s.spare.release()
	return err
}

// leave waits until Limits.Leave is over, and reports whether anybody is left.
func (s *Server) leave(ctx context.Context, done <-chan struct{}) bool {
	timer := time.NewTimer(s.limits.Leave)
	defer timer.Stop()
	select {
	case <-done:
		return false
	case <-timer.C:
	case <-ctx.Done():
	}
	return true
}

// drain asks every session to end, also those that are about to begin.
func (s *Server) drain() {
	for conn, session := range s.asked() {
		if session == nil {
			_ = conn.SetDeadline(time.Now()) // not logged in: nothing to wait for
			continue
		}
		session.drain()
	}
}

// Close stops accepting and cuts every session.
func (s *Server) Close() error {
	s.stop()
	for _, cancels := range []bool{false, true} {
		s.closeListeners(cancels)
		s.closeListeners(cancels) // without waiting for their queues
	}
	s.serving.Wait()
	s.peers.Wait()
	s.loops.Close()
	s.spare.release()
	return nil
}
