package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/pgask/pgask/proxy/wire"
)

// Cluster is which instance of several this server is, that clients reach at
// one address.
type Cluster struct {
	// Instance is part of the sessions' cancel keys.
	Instance uint8
	// Peers are where the others take cancel requests, host:port.
	Peers map[uint8]string
	// TLS, unless nil, is how they are met; the host's name is added to it.
	TLS *tls.Config
}

// perSecond is how many cancel requests a peer is sent in a second; so many may
// come at once, too.
const perSecond = 100

// links are the ways to the peers.
type links struct {
	slots chan struct{} // requests under way
	mu    sync.Mutex
	rates map[uint8]*rate // guarded by mu
}

// rate is a bucket that fills up in a second.
type rate struct {
	tokens float64
	at     time.Time
}

func newLinks(most int) *links {
	return &links{slots: make(chan struct{}, most), rates: map[uint8]*rate{}}
}

// take admits a request to a peer.
func (l *links) take(peer uint8, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.rates[peer]
	if r == nil {
		r = &rate{tokens: perSecond, at: now}
		l.rates[peer] = r
	}
	r.tokens = min(perSecond, r.tokens+perSecond*now.Sub(r.at).Seconds())
	r.at = now
	if r.tokens < 1 {
		return false
	}
	r.tokens--
	return true
}

// forward sends a cancel request to the instance that its session is on, and
// waits until that has dealt with it. It reports false for an unknown instance
// and where there are too many requests.
func (s *Server) forward(ctx context.Context, pid uint32, secret []byte) (bool, error) {
	peer := instanceOf(pid)
	address, known := s.opts.Cluster.Peers[peer]
	if !known || !s.links.take(peer, time.Now()) {
		return false, nil
	}
	select {
	case s.links.slots <- struct{}{}:
		defer func() { <-s.links.slots }()
	default:
		return false, nil
	}
	conn, err := s.dialPeer(ctx, address)
	if err != nil {
		return false, fmt.Errorf("reach the peer: %w", err)
	}
	defer conn.Close()
	if _, err := conn.Write(wire.AppendCancelRequest(nil, pid|forwarded, secret)); err != nil {
		return false, fmt.Errorf("write to the peer: %w", err)
	}
	if _, err := io.Copy(io.Discard, io.LimitReader(conn, 1)); err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("wait for the peer: %w", err)
	}
	return true, nil
}

// dialPeer connects until ctx ends, which ends the connection, too.
func (s *Server) dialPeer(ctx context.Context, address string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) }) // ctx ends when the request does
	if s.opts.Cluster.TLS == nil {
		return conn, nil
	}
	encrypted, err := encryptPeer(ctx, conn, address, s.opts.Cluster.TLS)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return encrypted, nil
}

func encryptPeer(ctx context.Context, conn net.Conn, address string, config *tls.Config) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Write(wire.AppendSSLRequest(nil)); err != nil {
		return nil, err
	}
	var answer [1]byte
	if _, err := io.ReadFull(conn, answer[:]); err != nil {
		return nil, err
	}
	if answer[0] != 'S' {
		return nil, errors.New("the peer has no TLS")
	}
	config = config.Clone()
	config.ServerName = host
	encrypted := tls.Client(conn, config)
	return encrypted, encrypted.HandshakeContext(ctx)
}
