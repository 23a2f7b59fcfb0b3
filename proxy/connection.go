package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/wire"
)

// connection is a client until it is a session.
type connection struct {
	server *Server
	terms  terms
	conn   net.Conn // the TLS connection once there is one
	raw    net.Conn // what was accepted
	tls    *tls.ConnectionState
	shown  *x509.Certificate // the server's certificate that the client was shown
	start  wire.Startup
	leaves []func() // undo what was counted and reserved, the last first
	log    *slog.Logger
}

// serve takes a client from its first byte through start-up, login and
// connecting into its session, and reports whether that has it now. uncut ends
// the server's own hold on the connection.
func (c *connection) serve(uncut func() bool) (taken bool) {
	defer func() {
		if p := recover(); p != nil {
			sayFatal(c.conn, panicked(p), c.log)
		}
	}()
	c.raw = c.conn
	patience := c.server.limits.Login
	if c.terms.crowded {
		patience = min(patience, crowdedPatience)
	}
	_ = c.conn.SetDeadline(time.Now().Add(patience))
	start, err := c.negotiate()
	if err != nil {
		c.refuse(err)
		return false
	}
	if start.Kind == wire.StartupCancel {
		_ = c.conn.SetDeadline(time.Time{})
		c.passCancel(start.PID, start.Key)
		return false
	}
	c.start = start
	c.log = c.log.With("user", c.start.Params["user"])
	if err := c.checkTerms(); err != nil {
		c.refuse(err)
		return false
	}
	s, err := c.login()
	if err != nil {
		c.refuse(err)
		return false
	}
	uncut()
	c.hand(s)
	return true
}

// checkTerms refuses what may not become a session, and counts in what may.
func (c *connection) checkTerms() error {
	switch {
	case c.terms.cancels:
		return errCancelsOnly
	case c.terms.crowded:
		return errCrowded
	}
	sessions := &c.server.sessions
	c.leaves = append(c.leaves, func() { sessions.Add(-1) })
	if int(sessions.Add(1)) > c.server.limits.Clients {
		return errCrowded
	}
	return nil
}

// leave undoes what was counted and reserved for the client, the last first.
func (c *connection) leave() { undo(c.leaves) }

func undo(leaves []func()) {
	for _, leave := range slices.Backward(leaves) {
		leave()
	}
}

// hand gives everything to the session. Nothing of the login outlives this.
func (c *connection) hand(s *session) {
	if !c.server.adopt(c.raw, s) {
		s.draining = true // from adopt on, who is to be asked is asked on the loop
	}
	metrics, leaves, log, began := c.server.metrics, c.leaves, s.log, time.Now()
	metrics.SessionOpened()
	log.Debug("session opened")
	s.start(func(cause error) {
		metrics.SessionClosed(sqlState(cause))
		log.Info("session closed", "seconds", time.Since(began).Seconds(), "reason", cause)
		undo(leaves)
	})
}

// login proves who the client is and gets its session.
func (c *connection) login() (*session, error) {
	if err := c.checkStartup(); err != nil {
		return nil, err
	}
	who, final, err := c.authenticate()
	if err != nil {
		return nil, err
	}
	_ = c.conn.SetDeadline(time.Time{})
	c.log = c.log.With("session", randomHex(4), "database", c.database())
	ctx, cancel := context.WithTimeout(c.server.ctx, c.server.limits.Connect)
	defer cancel()
	admission, err := c.server.opts.Gate.Admit(ctx, who, c.startup())
	if err != nil {
		return nil, slow(ctx, err)
	}
	if admission.Close != nil {
		c.leaves = append(c.leaves, admission.Close)
	}
	session, err := c.connect(ctx, admission, final)
	return session, slow(ctx, err)
}

// connect gets the backend and tells the client that its session is ready.
func (c *connection) connect(ctx context.Context, a Admission, final []byte) (*session, error) {
	if a.Decider != nil && a.Decider.Governed() && c.wantsReplication() {
		return nil, failure("42501", "replication connections are not allowed for this role")
	}
	loop := c.server.loops.Next()
	if loop == nil {
		return nil, errShutdown
	}
	s, shown, err := c.prepare(ctx, a, loop)
	if err != nil {
		return nil, err
	}
	pid, secret := c.server.keys.cut(s, c.start.Version)
	c.keyed(pid)
	if err := c.welcome(final, s.presented(shown), pid, secret); err != nil {
		s.stillborn = errClientGone
		ended := make(chan struct{})
		s.start(func(error) { close(ended) })
		<-ended
		return nil, err
	}
	return s, nil
}

// keyed sees to it that the session's key is forgotten with it.
func (c *connection) keyed(pid uint32) {
	keys := &c.server.keys // c is not for the session to keep
	c.leaves = append(c.leaves, func() { keys.forget(pid) })
}

// prepare makes the session with its backend or, where it gets that later, with
// what its client is to be told of one.
func (c *connection) prepare(ctx context.Context, a Admission, loop *poll.Loop) (*session, *Backend, error) {
	make := func(shown *Backend, log *slog.Logger) *session {
		s := newSession(c.server.ctx, loop, c.conn, a.Decider, c.server.limits, c.server.metrics, log)
		s.about, s.repeat = c.about(shown), a.Repeat
		return s
	}
	if a.Lend == nil {
		b, err := a.Connect(ctx, loop)
		if err != nil {
			return nil, nil, err
		}
		s := make(b, c.log.With("backend_pid", b.PID))
		s.on(b)
		return s, b, nil
	}
	statuses, err := a.Lend.greeting(ctx, loop, c.start.Params)
	if err != nil {
		return nil, nil, err
	}
	shown := &Backend{ParameterStatuses: statuses, TxStatus: 'I'}
	s := make(shown, c.log)
	s.lent = &loan{Lender: a.Lend}
	s.lent.greet(statuses)
	return s, shown, nil
}

// welcome ends the start-up with everything in one write.
func (c *connection) welcome(final []byte, b *Backend, pid uint32, secret []byte) error {
	frames := wire.AppendAuthenticationOK(final)
	var err error
	for _, name := range slices.Sorted(maps.Keys(b.ParameterStatuses)) {
		if frames, err = wire.AppendParameterStatus(frames, name, b.ParameterStatuses[name]); err != nil {
			return fmt.Errorf("parameter %s of the backend: %w", name, err)
		}
	}
	if frames, err = wire.AppendBackendKeyData(frames, pid, secret); err != nil {
		return fmt.Errorf("cancel key: %w", err)
	}
	for _, n := range b.Notices {
		frames = wire.AppendNoticeResponse(frames, n)
	}
	frames = wire.AppendReadyForQuery(frames, b.TxStatus)
	_ = c.conn.SetWriteDeadline(time.Now().Add(c.server.limits.Login))
	if _, err := c.conn.Write(frames); err != nil {
		return fmt.Errorf("write to client: %w", err)
	}
	_ = c.conn.SetDeadline(time.Time{})
	return nil
}

// refuse tells the client why there is no session.
func (c *connection) refuse(err error) {
	var op *net.OpError
	var broken *handshake
	var coded interface{ SQLState() string }
	err = blamed(err)
	switch {
	case errors.As(err, &broken):
		c.server.metrics.LoginFailed(sqlState(err))
		c.log.Info("session refused", "error", err)
		return // TLS has said it, and anything plain would be noise
	case errors.As(err, &coded): // whatever it wraps, it is for the client to read
	case timedOut(err) && c.server.isClosed():
		err = errShutdown
	case timedOut(err):
		err = errLoginSlow
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &op):
		c.server.metrics.LoginFailed("")
		c.log.Debug("client left during start-up", "error", err)
		return
	}
	c.server.metrics.LoginFailed(sqlState(err))
	if w, ok := coded.(interface{ Unwrap() error }); ok { // what clients don't see, such as the address
		c.log = c.log.With("cause", w.Unwrap())
	}
	c.log.Info("session refused", "error", err)
	sayFatal(c.conn, err, c.log)
	if c.terms.crowded { // others wait for the descriptor
		_ = c.conn.SetReadDeadline(time.Now().Add(crowdedPatience / 4))
	}
	linger(c.conn)
}

// slow names the time-out that ended an admission.
func slow(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && errors.Is(err, context.DeadlineExceeded) {
		return errConnectSlow
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return errShutdown
	}
	return err
}

func (c *connection) startup() Startup {
	s := Startup{Database: c.database(), Params: map[string]string{}, Remote: c.raw.RemoteAddr(), TLS: c.tls != nil}
	for name, value := range c.start.Params {
		switch name {
		case "user", "database":
		case "options":
			s.Options = value
		default:
			s.Params[name] = value
		}
	}
	return s
}

// database is the user's name by default, as in Postgres.
func (c *connection) database() string {
	if d := c.start.Params["database"]; d != "" {
		return d
	}
	return c.start.Params["user"]
}

// wantsReplication reads the replication parameter: a boolean, or "database".
// Everything but a clear no is a yes.
func (c *connection) wantsReplication() bool {
	switch c.start.Params["replication"] {
	case "", "false", "off", "no", "0":
		return false
	}
	return true
}
