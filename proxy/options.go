package proxy

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/repeat"
	"github.com/pgask/pgask/proxy/transaction"
)

// Options are what a [Server] is made of. Gate, Auth and Logger are needed.
type Options struct {
	Limits Limits
	TLS    TLS
	// Auth gives the users as they are now: every login asks anew, so that a
	// reload takes effect.
	Auth    func() Users
	Gate    Gate
	Cluster Cluster
	// Logger gets one line per session, and errors; never a statement.
	Logger *slog.Logger
	// Metrics may be nil.
	Metrics Metrics
}

// Limits protect the proxy. A zero field takes the value of [DefaultLimits].
type Limits struct {
	// Clients is how many sessions there may be.
	Clients int
	// UserClients is how many of them one user may have who has no number of
	// its own, AddressClients how many one address. 0 is no limit.
	UserClients, AddressClients int
	// LoginFailures is how many failed logins a minute a user may have, from one
	// address before it is refused there, and from all before it has to wait; an
	// address may have ten times as many. 0 is no limit.
	LoginFailures int
	// Login is how long a client may take from connecting to having proved
	// who it is.
	Login time.Duration
	// Connect is how long reaching a backend may take after that.
	Connect time.Duration
	// Idle is how long a session may do nothing.
	Idle time.Duration
	// Leave is how long Shutdown lets idle sessions be, so that clients who
	// have just connected, to a server that is replaced by another, can leave
	// by themselves.
	Leave time.Duration
	// StatementBytes is the longest statement text that is judged.
	StatementBytes int
	// Cancel is how long passing on one cancel request may take, Cancels how
	// many may be under way.
	Cancel  time.Duration
	Cancels int
}

// DefaultLimits are the documented defaults.
func DefaultLimits() Limits {
	return Limits{
		Clients:        1000,
		Login:          15 * time.Second,
		Connect:        15 * time.Second,
		Idle:           time.Hour,
		StatementBytes: 1 << 20,
		Cancel:         5 * time.Second,
		Cancels:        64,
	}
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	fill(&l.Clients, d.Clients)
	fill(&l.Login, d.Login)
	fill(&l.Connect, d.Connect)
	fill(&l.Idle, d.Idle)
	fill(&l.StatementBytes, d.StatementBytes)
	fill(&l.Cancel, d.Cancel)
	fill(&l.Cancels, d.Cancels)
	return l
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// TLSMode is how clients are met.
type TLSMode string

// The modes of tls.mode. The zero mode is none of them: it refuses every
// session.
const (
	TLSDisable    TLSMode = "disable"
	TLSPrefer     TLSMode = "prefer"
	TLSRequire    TLSMode = "require"
	TLSVerifyFull TLSMode = "verify-full"
)

// TLS says whether clients may or must use TLS.
type TLS struct {
	Mode TLSMode
	// Config gives the certificates as they are now; it may give nil with
	// TLSDisable only. For TLSVerifyFull, and wherever users log in by
	// certificate, it asks for client certificates and has their authority.
	Config func() *tls.Config
}

// Users proves who a client is. [auth.Store] is the one.
type Users interface {
	Begin(user string, b auth.Binding) *auth.Exchange
	// ByCertificate finds the user that a verified certificate is for, Named
	// tells whether it may stand beside a password.
	ByCertificate(user string, commonNames []string) (auth.Principal, error)
	Named(user string, commonNames []string) bool
	// Admit asks the access rules. Its error is shown to the client.
	Admit(c auth.Client) error
}

// Gate decides whether a proven user may have a session, and what kind.
type Gate interface {
	// Admit's error is shown to the client: it has SQLState where it is meant
	// for it.
	Admit(ctx context.Context, who auth.Principal, s Startup) (Admission, error)
}

// Startup is what a client asked for when it connected.
type Startup struct {
	Database string
	// Params are the start-up parameters except user, database and options.
	Params map[string]string
	// Options is the raw options parameter ("-c name=value …").
	Options string
	// Remote is the client's address, TLS whether its connection is encrypted.
	Remote net.Addr
	TLS    bool
}

// Admission is an admitted session.
type Admission struct {
	// Decider judges its statements. Nil relays everything untouched.
	Decider Decider
	// Connect gets the session's backend, for use on the loop. Its error is on the
	// terms of Admit's.
	Connect func(ctx context.Context, loop *poll.Loop) (*Backend, error)
	// Lend, unless nil, is there in place of Connect.
	Lend *Lender
	// Repeat bounds what a backend of a governed session is given under names of
	// ours because its text comes again and again. The zero value gives it nothing.
	Repeat repeat.Options
	// Close, unless nil, is called when the session has ended.
	Close func()
}

// Decider judges the statements of one session. What takes a context may block
// and is called one at a time, everything else on the session's loop, at the
// same time. A context that ends means that nobody waits for the answer any
// more.
type Decider interface {
	// Governed says that every statement is judged. Otherwise only those are
	// that stmt.MayAsk or stmt.MayName is true for.
	Governed() bool
	Query(ctx context.Context, text string) pipeline.Decision
	Parse(ctx context.Context, text string, oids []uint32) pipeline.Decision
	// QueryNow, ParseNow and BindNow are the same where the answer is at hand.
	// They are called first, on the loop, and never block. BindNow may make its Run
	// of the given one, which nobody uses.
	QueryNow(text string) (pipeline.Decision, bool)
	ParseNow(text string, oids []uint32) (pipeline.Decision, bool)
	BindNow(d *pipeline.Decision, run *pipeline.Run) (pipeline.Binding, bool)
	// Bind is asked about a statement that Parse or PREPARE has made.
	Bind(ctx context.Context, d *pipeline.Decision) pipeline.Binding
	// Stale tells of a statement that was judged by rules no longer in force:
	// Describe judges it again, and returns a refusal or nil.
	Stale(d *pipeline.Decision) bool
	Describe(ctx context.Context, d *pipeline.Decision) *pipeline.Denial
	// Execute is asked before a portal is executed, for the rest of an EXECUTE's
	// rows no more; ExecuteNow says first, on the loop and without blocking, that
	// it needn't be.
	ExecuteNow(r *pipeline.Run) bool
	Execute(ctx context.Context, r *pipeline.Run) pipeline.Execution
	// Cancelled refuses what was just decided, other than Untouched, because the
	// client has cancelled it meanwhile.
	Cancelled() *pipeline.Denial
	// Refused tells of a message to a governed session that was refused without
	// asking the Decider.
	Refused(err error)
	// Follow is called once, before anything else but Governed.
	Follow(n pipeline.Names)
	// Bound tells that Postgres has bound a portal of that name, before it carries
	// out what comes behind.
	Bound(portal string)
	Ready(status byte)
}

// Lender lends backends for as long as a session needs one: for a transaction.
type Lender struct {
	// Greeting is what the client is told when it has no backend yet. Its error is
	// on the terms of Admit's. Backends are for use on the loop.
	Greeting func(ctx context.Context, loop *poll.Loop) (map[string]string, error)
	// Take is called on the loop, after Greeting. It gives a backend that is idle
	// there and has nothing to read, at once and without waiting, or nil, and Borrow
	// is called. killed is what OnKill would be given.
	Take func(killed func()) *Backend
	// Borrow calls got once, on any goroutine, with a backend or an error, which is
	// on the terms of Admit's, but ends no session.
	Borrow func(ctx context.Context, got func(*Backend, error))
	// Statements names the prepared statements of all who borrow from the same
	// backends.
	Statements *transaction.Table
}

// Direction is one of a session's two ways.
type Direction int

// Directions.
const (
	ToBackend Direction = iota
	ToClient
)

// Metrics counts. Its methods are called from many goroutines, and Moved often.
type Metrics interface {
	// SessionOpened is called when a session is ready, SessionClosed with the
	// SQLSTATE it ended with, empty for the client's own leave.
	SessionOpened()
	SessionClosed(sqlstate string)
	// LoginFailed is called when a connection ended before it was a session.
	LoginFailed(sqlstate string)
	// Moved counts frames and bytes that one read brought.
	Moved(d Direction, frames, bytes int)
	// Judged counts messages that were judged, by what became of them.
	Judged(v Verdict)
	// Cancelled counts cancel requests, passed on or not.
	Cancelled(passed bool)
}

// Verdict is what became of a judged message.
type Verdict int

// Verdicts.
const (
	Untouched Verdict = iota
	Replaced
	Denied
)
