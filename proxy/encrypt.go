package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
)

const (
	// handshakeRecord is the first byte of every TLS connection, the type of its
	// first record. No start-up packet begins with it: it would be too long.
	handshakeRecord = 0x16
	// protocolName is Postgres's in ALPN.
	protocolName = "postgresql"
)

// errTwice is an encryption request where none is allowed any more.
var errTwice = failure("08P01", "encryption was requested twice")

// handshake is TLS that failed, mostly at its beginning. It has told the client
// itself.
type handshake struct{ err error }

func (h *handshake) Error() string    { return h.err.Error() }
func (h *handshake) SQLState() string { return "08P01" }
func (h *handshake) Unwrap() error    { return h.err }

// blamed makes bytes that are no TLS, where TLS was agreed on, the client's fault.
func blamed(err error) error {
	if _, none := errors.AsType[tls.RecordHeaderError](err); none {
		return &handshake{err}
	}
	return err
}

// preread is a connection of which some bytes have been read.
type preread struct {
	net.Conn
	first []byte
}

// NetConn is what a loop attaches.
func (p *preread) NetConn() net.Conn { return p.Conn }

func (p *preread) Read(b []byte) (int, error) {
	if len(p.first) == 0 {
		return p.Conn.Read(b)
	}
	n := copy(b, p.first)
	p.first = p.first[n:]
	return n, nil
}

// direct starts TLS with a client that has sent its first record instead of a
// request (sslnegotiation=direct). first is what was read of it. Without ALPN
// it could be a browser that somebody has led here, so Postgres insists on it.
// Refusals say nothing: what a client that speaks TLS can't read is noise.
func (c *connection) direct(first []byte) error {
	config := c.certificates()
	if config == nil {
		return &handshake{errors.New("received direct SSL connection request, but there is no TLS")}
	}
	if err := c.encrypt(&preread{c.conn, first}, config); err != nil {
		return err
	}
	if c.tls.NegotiatedProtocol != protocolName {
		return &handshake{errors.New("received direct SSL connection request without ALPN protocol negotiation extension")}
	}
	return nil
}

// encrypt makes the connection a TLS one.
func (c *connection) encrypt(conn net.Conn, config *tls.Config) error {
	seen := &hello{}
	encrypted := tls.Server(conn, config)
	if err := encrypted.HandshakeContext(context.WithValue(context.Background(), helloKey{}, seen)); err != nil {
		return fmt.Errorf("TLS handshake: %w", &handshake{err})
	}
	state := encrypted.ConnectionState()
	c.conn, c.tls, c.shown = encrypted, &state, seen.certificate(config)
	return nil
}

// certificates is the configuration of TLS as it is now; nil for no TLS.
func (c *connection) certificates() *tls.Config {
	t := c.server.opts.TLS
	if t.Mode == TLSDisable || t.Config == nil {
		return nil
	}
	return c.server.tls.of(t.Config())
}
