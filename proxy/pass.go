package proxy

import (
	"context"
	"net/netip"
)

// passCancel serves a cancel connection: on to the backend, or to the instance
// whose session is meant. Nothing is ever written to it. It is closed when the
// request was read by Postgres, as clients wait for that.
func (c *connection) passCancel(pid uint32, secret []byte) {
	s := c.server
	leave := s.admitCancel(addressOf(c.raw), c.terms.cancels)
	if leave == nil {
		s.metrics.Cancelled(false)
		return
	}
	defer leave()
	ctx, stop := context.WithTimeout(s.ctx, s.limits.Cancel)
	defer stop()
	passed, err := s.cancelAnywhere(ctx, pid, secret, c.terms.cancels)
	if err != nil {
		c.log.Warn("cancel request failed", "instance", instanceOf(pid), "error", err)
	}
	s.metrics.Cancelled(passed && err == nil)
}

// cancelAnywhere cancels here, or has the session's own instance do it. A
// request that another instance has sent goes no further, so that none goes in
// circles, however the peers are set.
func (s *Server) cancelAnywhere(ctx context.Context, pid uint32, secret []byte, fromPeer bool) (bool, error) {
	if pid&forwarded == 0 && !fromPeer && instanceOf(pid) != s.opts.Cluster.Instance {
		return s.forward(ctx, pid, secret)
	}
	target := s.keys.find(pid&^forwarded, secret)
	if target == nil {
		return false, nil
	}
	return target.cancel(ctx)
}

// admitCancel takes a place for a cancel request; nil where too many are under
// way, from all clients or from this address. Peers have many clients behind
// one address.
func (s *Server) admitCancel(from netip.Addr, peer bool) (leave func()) {
	select {
	case s.cancelSlots <- struct{}{}:
	default:
		return nil
	}
	if peer {
		return func() { <-s.cancelSlots }
	}
	depart, err := s.cancellers.fromAddress(from, max(s.limits.Cancels/4, 1))
	if err != nil {
		<-s.cancelSlots
		return nil
	}
	return func() {
		depart()
		<-s.cancelSlots
	}
}
