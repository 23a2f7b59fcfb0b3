package proxy

import (
	"errors"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/proxy/wire"
)

// authenticate proves who the client is, by its certificate where that is the
// user's it asks for, else by SCRAM, and counts it in. final is the exchange's
// last message, which goes out with the welcome.
func (c *connection) authenticate() (who auth.Principal, final []byte, err error) {
	users, user := c.server.opts.Auth(), c.start.Params["user"]
	client := auth.Client{User: user, Database: c.database(), Addr: addressOf(c.raw), TLS: c.tls != nil}
	if c.tls != nil && len(c.tls.VerifiedChains) > 0 {
		client.CommonNames = auth.CommonNames(c.tls.VerifiedChains[0][0])
	}
	if err := users.Admit(client); err != nil {
		return who, nil, err
	}
	if c.server.opts.TLS.Mode == TLSVerifyFull && !users.Named(user, client.CommonNames) {
		return who, nil, &auth.NoCertificate{User: user}
	}
	if who, err = users.ByCertificate(user, client.CommonNames); err != nil {
		who, final, err = c.byPassword(users, client)
	}
	if err != nil {
		return auth.Principal{}, nil, err
	}
	limit := who.Connections
	if limit == 0 {
		limit = c.server.limits.UserClients
	}
	leave, err := c.server.census.asUser(who.User, limit)
	if err != nil {
		return auth.Principal{}, nil, err
	}
	c.leaves = append(c.leaves, leave)
	return who, final, nil
}

// byPassword holds up who guesses before anything is computed for it, and
// again before a proof is checked: many exchanges may have begun at once.
func (c *connection) byPassword(users Users, client auth.Client) (auth.Principal, []byte, error) {
	throttle := c.server.throttle
	if err := throttle.Refuse(client.Addr, client.User); err != nil {
		return auth.Principal{}, nil, err
	}
	if pause := throttle.Pause(client.User); pause > 0 && !c.server.rest(pause) {
		return auth.Principal{}, nil, errShutdown
	}
	mayProve := func() error { return throttle.Refuse(client.Addr, client.User) }
	who, final, err := c.scram(users.Begin(client.User, auth.EndPoint(c.shown)), mayProve)
	if _, wrong := errors.AsType[*auth.Failure](err); wrong {
		if block := throttle.Failed(client.Addr, client.User); block != nil {
			c.log.Info("logins are refused unseen for now", "database", client.Database, "everybody", block.Everybody, "reason", block)
		}
	}
	return who, final, err
}

// maxSASL is the longest SASL message, in bytes; it is Postgres's limit for
// all of them.
const maxSASL = 64 << 10

// scram carries an exchange that package auth computes. mayProve is asked before
// the client's proof is looked at.
func (c *connection) scram(x *auth.Exchange, mayProve func() error) (auth.Principal, []byte, error) {
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
		if !first {
			if err := mayProve(); err != nil {
				return auth.Principal{}, nil, err
			}
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
