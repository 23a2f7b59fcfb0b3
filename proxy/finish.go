package proxy

import (
	"context"
	"errors"
	"time"

	"github.com/pgask/pgask/proxy/poll"
)

// lastWord is how long the end of a session may take: to finish a write, to
// tell the client why, and to let the client read it.
const lastWord = 2 * time.Second

// end ends the session; the first cause wins. A nil cause ends nothing. The
// rest may block, so it is done aside.
func (s *session) end(cause error) {
	switch {
	case cause == nil || s.over:
		return
	case !s.begun:
		s.doomed = cause
		return
	}
	s.over, s.cause = true, cause
	s.hold, s.probe, s.answer = nil, nil, nil
	s.park()
	s.idle.Stop()
	s.unwatch()
	s.cancels.stop()
	s.stop()
	s.replies.abandon(s.lastSaid)
	lost := s.clientConn.Detach()
	if s.lent != nil {
		s.forgetPrepared()
	}
	reuse := s.reusable()
	if s.backend != nil && !reuse && s.serverConn.Detach() != nil {
		_ = s.backend.Conn.Close()
	}
	go s.finish(lost, reuse)
}

// park ends the turn that a panic may have left its direction in. Another panic
// in there must not cost other sessions.
func (s *session) park() {
	defer func() {
		if p := recover(); p != nil {
			s.spent = true
		}
	}()
	_, _ = s.up.Park(), s.down.Park()
}

// finish tells the client why the session ended, unless it is lost, and gives
// the backend back.
func (s *session) finish(lost error, reuse bool) {
	s.deciding.Wait()
	spoken := lost == nil && s.lastWord()
	if s.backend != nil && !reuse {
		s.abandon()
	}
	s.cancels.wait()
	if s.backend != nil && (!reuse || !s.post(s.giveBack)) {
		s.backend.release()
	}
	if spoken {
		linger(s.client)
	}
	s.ended(s.cause)
}

// giveBack releases a backend of which nothing is expected. What came all the
// same while the session ended makes it useless.
func (s *session) giveBack() {
	b := s.backend
	b.TxStatus, b.kept = s.status, nil
	if _, err := b.Conn.Read(make([]byte, 1)); !errors.Is(err, poll.ErrAgain) {
		_ = b.Conn.Close()
	}
	b.release()
}

// reusable reports whether the backend waits for the next message, and nothing
// of this session is left in it.
func (s *session) reusable() bool {
	return s.backend != nil && s.serverConn.Loop() == s.loop && s.up.AtRest() && s.down.AtRest() && s.serverConn.Pending() == 0 &&
		s.owed.empty() && !s.owed.open && !s.fatal && !s.spent && s.status != 0 && (s.lent == nil || !s.lent.restoring)
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
	if errors.Is(s.cause, errClientGone) {
		return false
	}
	_ = s.clientConn.SetDeadline(time.Now().Add(lastWord))
	if err := s.clientConn.Flush(); err != nil || sqlState(s.cause) == "" || s.down.MidWrite() {
		return false
	}
	sayFatal(s.client, s.cause, s.log)
	return true
}
