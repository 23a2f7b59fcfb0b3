package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/pgask/pgask/proxy/socket"
)

// listeners are the sockets of a process. web and peers may be nil.
type listeners struct {
	clients, web, peers *socket.Listener
}

// The names of systemd's sockets; one without a name is for clients.
const (
	clientsSocket = "clients"
	webSocket     = "http"
	peersSocket   = "peers"
)

// listen takes the sockets that systemd has opened and opens the others.
func (s *service) listen(ctx context.Context) (*listeners, error) {
	o := socket.Options{ReusePort: s.config.ReusePort, Keepalive: s.config.Limits.Keepalive}
	inherited, err := socket.Inherited(o)
	if err != nil {
		return nil, err
	}
	if only := inherited["unknown"]; only != nil && inherited[clientsSocket] == nil {
		inherited[clientsSocket] = only
		delete(inherited, "unknown")
	}
	l := &listeners{}
	for _, one := range []struct {
		at            **socket.Listener
		name, address string
	}{
		{&l.clients, clientsSocket, s.config.Listen},
		{&l.web, webSocket, s.config.HTTP},
		{&l.peers, peersSocket, s.peersAddress()},
	} {
		if *one.at = inherited[one.name]; *one.at == nil && one.address != "" {
			*one.at, err = socket.Listen(ctx, one.address, o)
		}
		delete(inherited, one.name)
		if err != nil {
			l.close()
			return nil, fmt.Errorf("listen for %s: %w", one.name, err)
		}
	}
	for name, ln := range inherited {
		s.log.Warn("inherited socket has an unknown name, it is closed", "name", name)
		_ = ln.Close() // nobody used it
	}
	return l, nil
}

// peersAddress is where other instances send cancel requests, if that isn't
// where clients connect.
func (s *service) peersAddress() string {
	own := s.config.Cluster.Peers[s.config.Cluster.Instance]
	if own == s.config.Listen {
		return ""
	}
	return own
}

func (l *listeners) close() {
	for _, ln := range []*socket.Listener{l.clients, l.web, l.peers} {
		if ln != nil {
			_ = errors.Join(ln.Close(), ln.Close()) // they were used by nobody
		}
	}
}

var _ net.Listener = (*socket.Listener)(nil)
