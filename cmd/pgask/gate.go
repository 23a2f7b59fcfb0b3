package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/policy"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/pool"
	"github.com/pgask/pgask/proxy/repeat"
	pgwire "github.com/pgask/pgask/proxy/wire"
)

// repeatAfter is how often a text comes to a backend that is known to be allowed,
// so for the second time at least, until that has it as a prepared statement.
const repeatAfter = 2

// Admit decides whether a proven user may have a session on the database it
// asked for, and with which login and settings towards Postgres.
func (s *service) Admit(ctx context.Context, who auth.Principal, start proxy.Startup) (proxy.Admission, error) {
	if start.Database == adminDatabase && who.Admin {
		return proxy.Admission{Connect: func(context.Context, *poll.Loop) (*proxy.Backend, error) {
			return s.console.Connect(who.User, start.Params)
		}}, nil
	}
	role, err := s.pipe.Rules().Policy.RoleFor(who)
	if err != nil {
		return proxy.Admission{}, err
	}
	db := s.databases[start.Database]
	if db == nil || !role.AllowsDatabase(start.Database) {
		return proxy.Admission{}, notThere(who.User, start.Database, db != nil)
	}
	request := pool.Request{Login: loginOf(who, role), Governed: role.Governed}
	if request.Params, err = startupParams(role, start); err != nil {
		return proxy.Admission{}, err
	}
	var login auth.Login
	if request.Login != nil {
		login = *request.Login
	}
	session, err := s.pipe.Open(ctx, who, db.own, login, s.log.With("user", who.User, "database", start.Database))
	if err != nil {
		return proxy.Admission{}, err
	}
	session.From(proxy.RemoteName(start.Remote), start.Params["application_name"])
	shape := s.config.Databases[start.Database].Pool
	a := proxy.Admission{Decider: session, Close: session.Close, Repeat: repeat.Options{Most: shape.Prepared, After: repeatAfter}}
	if shape.Mode == "transaction" && start.Params["replication"] == "" {
		a.Lend = db.lender(request)
		return a, nil
	}
	a.Connect = func(ctx context.Context, loop *poll.Loop) (*proxy.Backend, error) {
		return connect(ctx, db.pool, request, loop)
	}
	return a, nil
}

// refusal is an error for the client with what only the log may say.
type refusal struct {
	error *pipeline.Error
	cause error
}

func (r *refusal) Error() string    { return r.error.Error() }
func (r *refusal) SQLState() string { return r.error.SQLState() }
func (r *refusal) Unwrap() error    { return r.cause }

// notThere refuses a database in the same words whether it is configured or not.
func notThere(user, database string, configured bool) error {
	cause := errors.New("pgask.yaml has no such database")
	if configured {
		cause = errors.New("it is not among the databases of the user's roles")
	}
	return &refusal{cause: cause, error: &pipeline.Error{Code: "28000",
		Message: fmt.Sprintf("user %q may not connect to database %q", user, database)}}
}

// loginOf is the backend login of a session; nil is the dsn's own.
func loginOf(who auth.Principal, role *policy.Role) *auth.Login {
	if who.Login != nil {
		return who.Login
	}
	return role.Login
}

// startupParams are the settings a session starts Postgres with: the client's
// own for passthrough roles; the pinned ones and what is allowed besides for
// governed roles.
func startupParams(role *policy.Role, start proxy.Startup) (map[string]string, error) {
	params := maps.Clone(start.Params)
	if params == nil {
		params = map[string]string{}
	}
	if start.Options != "" {
		params["options"] = start.Options
	}
	if !role.Governed {
		return params, nil
	}
	allowed, err := policy.CheckStartup(params, role)
	if err != nil {
		return nil, err
	}
	params = policy.Pinned(role)
	maps.Copy(params, allowed) // it has been checked against what is pinned
	return params, nil
}

// connect takes a backend from the pool in the shape that the proxy wants.
func connect(ctx context.Context, p *pool.Pool, r pool.Request, loop *poll.Loop) (*proxy.Backend, error) {
	r.Loop = loop
	b, err := p.Acquire(ctx, r)
	if err != nil {
		return nil, err
	}
	shown := show(b)
	shown.Release = func() {
		b.TxStatus = shown.TxStatus
		b.Release()
	}
	return shown, nil
}

// lender lends backends of a database. All clients of a login share them
// that start with the same parameters, whatever they call themselves.
func (d *database) lender(r pool.Request) *proxy.Lender {
	r.Params = maps.Clone(r.Params)
	delete(r.Params, "application_name")
	return &proxy.Lender{
		Statements: d.statements,
		Greeting: func(ctx context.Context, loop *poll.Loop) (map[string]string, error) {
			r.Loop = loop
			r = r.Prepared()
			return d.pool.Greeting(ctx, r)
		},
		Take: func(killed func()) *proxy.Backend {
			if b := d.pool.Take(r, killed); b != nil {
				return lent(b)
			}
			return nil
		},
		Borrow: func(ctx context.Context, got func(*proxy.Backend, error)) {
			d.pool.Borrow(ctx, r, func(b *pool.Backend, err error) {
				if err != nil {
					got(nil, err)
					return
				}
				got(lent(b), nil)
			})
		},
	}
}

// lent is a backend as the proxy knows it, the same at every loan.
func lent(b *pool.Backend) *proxy.Backend {
	shown, again := b.Keep.(*proxy.Backend)
	if !again {
		shown = show(b)
		shown.Return = func(reset bool) {
			b.TxStatus = shown.TxStatus
			b.Return(reset)
		}
		b.Keep = shown
	}
	shown.TxStatus, shown.ParameterStatuses, shown.Notices = b.TxStatus, b.ParameterStatuses, waited(b.Waited)
	return shown
}

// show is a backend in the shape that the proxy wants.
func show(b *pool.Backend) *proxy.Backend {
	return &proxy.Backend{Conn: b.Conn, PID: b.PID, SecretKey: b.SecretKey, ParameterStatuses: b.ParameterStatuses,
		TxStatus: b.TxStatus, Buffered: b.Buffered, Notices: waited(b.Waited), Attach: b.Attach, OnKill: b.OnKill,
		Cancel: func(ctx context.Context) error { return pool.Cancel(ctx, b) }}
}

// tellWait is how long a client waits for a backend without being told.
const tellWait = time.Second

// waited tells a client why its login took so long.
func waited(d time.Duration) []pgwire.Report {
	if d < tellWait {
		return nil
	}
	return []pgwire.Report{{Severity: "NOTICE", Code: "00000",
		Message: fmt.Sprintf("waited %s for a free connection to the database", d.Round(100*time.Millisecond)),
		Hint:    "Unless an administrator has paused it: close idle sessions, or raise pool.size in pgask.yaml."}}
}
