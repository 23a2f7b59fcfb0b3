package pool

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/socket"
)

// loginTimeout bounds one attempt to reach a host and log in, from the dial to
// ReadyForQuery. A dsn's connect_timeout wins.
const loginTimeout = 10 * time.Second

// Pool keeps the backends of one database and lends each to one session, or to
// one transaction, at a time. It bounds how many there are per login and mode,
// and gives a backend that was in use to requests of the same login, mode and
// start-up parameters only.
type Pool struct {
	name string
	// set is what the configuration says.
	set configs.Pool
	// config is what the dsn says; every dial works on a copy.
	config *pgconn.Config
	// ctx ends with Close.
	ctx  context.Context
	stop context.CancelFunc

	mu      sync.Mutex
	lots    map[lotKey]*lot // guarded by mu
	backoff backoff         // guarded by mu
	paused  bool            // guarded by mu
	// refusal is why nobody gets a backend, nil unless killed or closed.
	refusal error // guarded by mu
	closed  bool  // guarded by mu
	// generation is raised by Reconnect and Kill: what is older isn't kept.
	generation int           // guarded by mu
	quiet      chan struct{} // guarded by mu; closed when nothing is lent, nil when nobody waits for that
	sweeper    *time.Timer   // guarded by mu; nil while nothing is to be swept
	sweepAt    time.Time     // guarded by mu

	// work is resets and dials of the pool's own. Add is guarded by mu.
	work sync.WaitGroup
}

// Request is what a session asks a backend for.
type Request struct {
	// Login is the backend login; nil for the dsn's own.
	Login *auth.Login
	// Params are the start-up parameters. They win over those of the dsn.
	Params map[string]string
	// Governed sessions and passthrough sessions are counted apart, and never
	// share a backend.
	Governed bool
	// Loop is where the borrower runs, nil for one that blocks. One on a loop
	// gets hold of the connection with Attach; an idle backend that is there
	// already is preferred.
	Loop *poll.Loop

	shape string
}

// New makes the pool of a database. As with libpq, PG… environment variables
// stand for what the dsn leaves out. The error is about the dsn and holds no
// part of it that is secret.
func New(db configs.Database) (*Pool, error) {
	config, err := pgconn.ParseConfig(db.DSN)
	if err != nil {
		return nil, fmt.Errorf("database %s: %s", db.Name, configs.DSNFault(db.DSN, err))
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = loginTimeout
	}
	reach := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := reach(ctx, network, address)
		if err == nil {
			_ = socket.Tune(conn, db.Keepalive) // what can't be tuned is broken: the login will say so
		}
		return conn, err
	}
	speak32(db.DSN, config)
	sortFaults(config)
	db.Pool.Size = max(db.Pool.Size, 1)
	p := &Pool{name: db.Name, set: db.Pool, config: config, lots: map[lotKey]*lot{}}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p, nil
}

// Close closes what is idle and refuses every request from now on. What is lent
// is closed when it comes back. It waits for resets, which it cuts short.
func (p *Pool) Close() {
	p.stop()
	p.mu.Lock()
	p.closed = true
	p.refusal = &Closed{}
	do := p.shut()
	for _, l := range p.lots {
		for b := range l.members {
			if b.state == resetting {
				do = append(do, b.kill())
			}
		}
	}
	p.mu.Unlock()
	run(do)
	p.work.Wait()
}

// Acquire gives a session its backend: one that is idle and fits the request,
// else a new one, as soon as there is a place, which it waits for at most
// pool.wait. The error has SQLState: 53300 no place was free in time, 57P03 the
// server can't be reached, Postgres's own when it refused the login. A context
// that ends gives its own error.
func (p *Pool) Acquire(ctx context.Context, r Request) (*Backend, error) {
	type loan struct {
		b   *Backend
		err error
	}
	got := make(chan loan, 1)
	p.Borrow(ctx, r, func(b *Backend, err error) { got <- loan{b, err} })
	l := <-got
	if l.err != nil {
		return nil, l.err
	}
	l.b.Release = sync.OnceFunc(func() { l.b.Return(true) })
	return l.b, nil
}

// Cancel asks Postgres to cancel what the backend runs, on a connection of its
// own (TLS if the backend's is) and waits until Postgres has read the request.
// It is safe while the session uses the backend.
func Cancel(ctx context.Context, b *Backend) error {
	if b == nil || b.hijacked == nil {
		return errors.New("cancel: not a backend of a pool")
	}
	c, err := pgconn.Construct(b.hijacked)
	if err != nil {
		return fmt.Errorf("cancel: %w", err)
	}
	if err := c.CancelRequest(ctx); err != nil {
		return fmt.Errorf("cancel at backend: %w", err)
	}
	return nil
}
