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
)

// loginTimeout bounds one attempt to reach a host and log in, from the dial to
// ReadyForQuery. A dsn's connect_timeout wins.
const loginTimeout = 10 * time.Second

// Pool gives out backends of one database, each to one session. It bounds how
// many exist per login and mode; it keeps none for later.
type Pool struct {
	name string
	size int
	wait time.Duration
	// config is what the dsn says; every dial works on a copy.
	config *pgconn.Config

	mu    sync.Mutex
	slots map[slotKey]slots // guarded by mu
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
}

// Backend is a logged-in connection to Postgres, in the state after its first
// ReadyForQuery. The session owns it until Release.
type Backend struct {
	Conn net.Conn
	PID  uint32
	// SecretKey has 4 to 256 bytes.
	SecretKey []byte
	// ParameterStatuses are what Postgres reported during the login.
	ParameterStatuses map[string]string
	TxStatus          byte
	// Buffered are bytes that were read from Conn after the login's
	// ReadyForQuery: the session reads them before it reads Conn.
	Buffered []byte
	// Release closes Conn and frees the place. It may be called twice. It sends
	// no Terminate: where a session broke off inside a frame, Postgres would
	// take those bytes for the frame's end.
	Release func()

	// hijacked is how the connection was made, for Cancel.
	hijacked *pgconn.HijackedConn
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
	return &Pool{
		name:   db.Name,
		size:   max(db.Pool.Size, 1),
		wait:   db.Pool.Wait,
		config: config,
		slots:  map[slotKey]slots{},
	}, nil
}

// Acquire waits for a place, at most the pool's wait, then dials and logs in.
// The error has SQLState: 53300 no place was free in time, 57P03 the server
// can't be reached, Postgres's own when it refused the login. A context that
// ends gives its own error.
func (p *Pool) Acquire(ctx context.Context, r Request) (*Backend, error) {
	release, err := p.take(ctx, keyOf(r))
	if err != nil {
		return nil, err
	}
	b, err := p.dial(ctx, r)
	if err != nil {
		release()
		return nil, p.explain(ctx, err)
	}
	conn := b.Conn
	b.Release = sync.OnceFunc(func() {
		_ = conn.Close() // the session is over; nobody could use the error
		release()
	})
	return b, nil
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
