package proxy

import "github.com/pgask/pgask/proxy/wire"

// A client that waits for a backend can get none: its wait was too long, or it
// has cancelled. Then nobody but the proxy talks to it, nothing is owed and no
// transaction is open, so what Postgres would answer is known: the error, and
// ReadyForQuery behind the Query or the Sync that ends the batch.

// lentFrame does what has to be done before a frame is handled in a session
// whose backends are lent. It reports whether that was all.
func (s *session) lentFrame(h wire.Header) (handled bool, err error) {
	l := s.lent
	if answered := l.barrier; answered > 0 {
		passed := func() bool { return s.owed.popped >= answered || s.owed.skips() }
		if !passed() {
			return false, s.await(passed)
		}
		l.barrier = 0
	}
	if h.Type == wire.Terminate || (s.backend != nil && !l.restoring) {
		l.wanted = false
		return false, nil
	}
	if l.refusal == nil {
		switch h.Type {
		case wire.Flush, wire.CopyData, wire.CopyDone, wire.CopyFail: // nothing to flush or to copy
			return true, s.up.Drop(h)
		}
		if err := s.needBackend(); err != nil {
			return false, err
		}
	}
	if l.refusal == nil {
		return false, nil
	}
	return true, s.refuse(h)
}

// refuse answers a frame of a batch that has no backend.
func (s *session) refuse(h wire.Header) error {
	l := s.lent
	var answer []byte
	if !l.told {
		if s.governed {
			s.decider.Refused(l.refusal)
		}
		answer = wire.AppendErrorResponse(nil, report(l.refusal, "ERROR", s.log))
	}
	ends := h.Type == wire.Sync || (!l.told && (h.Type == wire.Query || h.Type == wire.FunctionCall))
	l.told = true
	if ends {
		answer = wire.AppendReadyForQuery(answer, 'I')
		l.refusal, l.told = nil, false
	}
	if _, err := s.client.Write(answer); err != nil {
		return errClientGone
	}
	return s.up.Drop(h)
}

// cancelQueued ends a wait for a backend, and reports whether there was one.
func (s *session) cancelQueued() bool {
	l := s.lent
	if l == nil || !l.asking {
		return false
	}
	l.asking = false
	l.giveUp()
	l.refusal = errCancelled
	s.turn(s.upstream)
	return true
}
