package proxy

import (
	"bytes"
	"crypto/tls"
	"io"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/proxy/wire"
)

// negotiate answers encryption requests until the client says what it wants.
func (c *connection) negotiate() (wire.Startup, error) {
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

// checkTLS enforces tls.mode. The zero mode lets nobody in.
func (c *connection) checkTLS() error {
	switch c.server.opts.TLS.Mode {
	case TLSDisable, TLSPrefer:
		return nil
	case TLSRequire:
		if c.tls != nil {
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

// authenticate proves who the client is, by its certificate where that names
// the user it asks for, else by SCRAM. final is the exchange's last message,
// which goes out with the welcome.
func (c *connection) authenticate() (who auth.Principal, final []byte, err error) {
	users := c.server.opts.Auth()
	if c.tls != nil && len(c.tls.VerifiedChains) > 0 {
		cn := c.tls.VerifiedChains[0][0].Subject.CommonName
		if who, err := users.ByCertificate(cn); err == nil && who.User == c.start.Params["user"] {
			return who, nil, nil
		}
	}
	return c.scram(users.Begin(c.start.Params["user"], auth.EndPoint(c.shown)))
}

// maxSASL is the longest SASL message, in bytes; it is Postgres's limit for
// all of them.
const maxSASL = 64 << 10

// scram carries an exchange that package auth computes.
func (c *connection) scram(x *auth.Exchange) (auth.Principal, []byte, error) {
	frame, err := wire.AppendAuthenticationSASL(nil, x.Mechanisms()...)
	if err != nil {
		return auth.Principal{}, nil, err
	}
	for first := true; ; first = false {
		if _, err := c.conn.Write(frame); err != nil {
			return auth.Principal{}, nil, err
		}
		message, err := c.readSASL(x, first)
		if err != nil {
			return auth.Principal{}, nil, err
		}
		reply, done, err := x.Step(message)
		if err != nil {
			return auth.Principal{}, nil, err
		}
		frame = wire.AppendAuthenticationSASLData(nil, reply, done)
		if done {
			return x.Principal(), frame, nil
		}
	}
}

// readSASL reads the client's next SASL message; the first names a mechanism.
func (c *connection) readSASL(x *auth.Exchange, first bool) ([]byte, error) {
	kind, body, err := wire.ReadMessage(c.conn, maxSASL)
	if err != nil {
		return nil, err
	}
	if kind != wire.Password {
		return nil, failure("08P01", "expected SASL response, got message type %d", kind)
	}
	if !first {
		return body, nil
	}
	mechanism, data, err := wire.SASLInitial(body)
	if err != nil {
		return nil, err
	}
	return data, x.Choose(mechanism)
}
