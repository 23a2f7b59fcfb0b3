package proxy

import (
	"bytes"
	"crypto/tls"
	"io"

	"github.com/pgask/pgask/proxy/wire"
)

// negotiate answers encryption requests until the client says what it wants.
func (c *connection) negotiate() (wire.Startup, error) {
	arrived, err := c.server.census.arrive(addressOf(c.raw), c.server.limits.AddressClients, c.server.limits.Cancels)
	if err != nil {
		return wire.Startup{}, err
	}
	defer arrived()
	var first [1]byte
	if _, err := io.ReadFull(c.conn, first[:]); err != nil {
		return wire.Startup{}, err
	}
	var rest io.Reader = io.MultiReader(bytes.NewReader(first[:]), c.conn)
	if first[0] == handshakeRecord {
		if err := c.direct(first[:]); err != nil {
			return wire.Startup{}, err
		}
		rest = c.conn
	}
	asked := map[wire.StartupKind]bool{}
	for ; ; rest = c.conn {
		start, err := wire.ReadStartup(rest)
		if err != nil {
			return start, err
		}
		if start.Kind != wire.StartupSSL && start.Kind != wire.StartupGSS {
			return start, nil
		}
		// One of each kind, in any order, and none once there is TLS.
		if asked[start.Kind] || c.tls != nil {
			return start, errTwice
		}
		asked[start.Kind] = true
		if err := c.answer(start.Kind); err != nil {
			return start, err
		}
	}
}

// answer accepts TLS where there is a certificate and declines everything else
// by the letter N.
func (c *connection) answer(kind wire.StartupKind) error {
	var config *tls.Config
	if kind == wire.StartupSSL {
		config = c.certificates()
	}
	if config == nil {
		_, err := c.conn.Write([]byte{'N'})
		return err
	}
	if _, err := c.conn.Write([]byte{'S'}); err != nil {
		return err
	}
	// Only the request has been read: bytes that somebody put behind it are
	// the handshake's first, and break it.
	return c.encrypt(c.conn, config)
}

// checkStartup refuses what can't become a session, and tells a client that
// asked for a newer protocol which one it gets.
func (c *connection) checkStartup() error {
	version := c.start.Version
	if version>>16 != wire.Version30>>16 {
		return failure("0A000", "unsupported frontend protocol %d.%d: server supports 3.0 to 3.2", version>>16, version&0xffff)
	}
	if c.start.Params["user"] == "" {
		return failure("28000", "no PostgreSQL user name specified in startup packet")
	}
	if err := c.checkTLS(); err != nil {
		return err
	}
	leave, err := c.server.census.fromAddress(addressOf(c.raw), c.server.limits.AddressClients)
	if err != nil {
		return err
	}
	c.leaves = append(c.leaves, leave)
	if version <= wire.Version32 && len(c.start.Options) == 0 {
		return nil
	}
	c.start.Version = min(version, wire.Version32)
	frame, err := wire.AppendNegotiateProtocolVersion(nil, c.start.Version, c.start.Options)
	if err != nil {
		return err
	}
	_, err = c.conn.Write(frame)
	return err
}

// local tells whether the client came over a Unix-domain socket, where nobody
// listens in, and where Postgres's clients don't offer TLS.
func (c *connection) local() bool { return c.raw.LocalAddr().Network() == "unix" }

// checkTLS enforces tls.mode. The zero mode lets nobody in.
func (c *connection) checkTLS() error {
	switch c.server.opts.TLS.Mode {
	case TLSDisable, TLSPrefer:
		return nil
	case TLSRequire:
		if c.tls != nil || c.local() {
			return nil
		}
		return &Failure{Code: "28000", Message: "this server accepts only TLS connections", Advice: "Connect with sslmode=require."}
	case TLSVerifyFull:
		if c.tls != nil && len(c.tls.VerifiedChains) > 0 {
			return nil
		}
		return &Failure{Code: "28000", Message: "this server accepts only TLS connections with a client certificate",
			Advice: "Connect with sslmode=verify-full, sslcert=… and sslkey=…."}
	}
	return failure("28000", "tls.mode is not set")
}
