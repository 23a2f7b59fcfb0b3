package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/policy"
	"golang.org/x/sync/semaphore"
)

// ownConnections bounds the connections for questions of our own (catalog,
// samples, EXPLAIN) of one database and login.
const ownConnections = 4

// samplers is how many of those may be sampling at once: it takes long, and
// preflight can't wait.
const samplers = 2

// refreshAfter is how old a schema fingerprint may be when a statement names
// something the snapshot doesn't know.
const refreshAfter = time.Second

// A schema that was looked at lookAfter ago is looked at again aside; one of
// staleAfter is not good enough to judge a statement by.
const (
	lookAfter  = 5 * time.Second
	staleAfter = time.Minute
)

// readTimeout bounds a reading of the schema, the wait for one's turn included.
const readTimeout = 30 * time.Second

// Database is one configured database as the pipeline sees it: its schema
// snapshot and connections for questions of our own. It connects when first
// needed and keeps no idle connection that nobody needed.
type Database struct {
	Name string
	dsn  string
	log  *slog.Logger
	now  func() time.Time

	mu     sync.Mutex // guards pools
	pools  map[auth.Login]*pgxpool.Pool
	schema schema
	// offline databases are asked nothing.
	offline bool
	// sampling is held by who samples.
	sampling *semaphore.Weighted
	// comparing is held by who reads results to compare them.
	comparing *semaphore.Weighted
	// known holds what askers may know, by what they may see.
	known memo[*knowledge]
	// asides are readings of the schema that nobody waits for, until closing ends.
	asides  sync.WaitGroup
	closing context.Context
	closed  context.CancelFunc
	looking atomic.Bool
}

// schema is the newest snapshot. Whoever needs a newer one waits for the one
// reader of the catalog; whoever has enough with this one waits for nobody.
type schema struct {
	snapshot atomic.Pointer[catalog.Snapshot]
	checked  atomic.Int64        // when it was seen to be the newest, in Unix nanoseconds
	reader   *semaphore.Weighted // holds what is below
	print    string
}

// NewDatabase prepares a database of the configuration; it does not connect.
func NewDatabase(c *configs.Database, log *slog.Logger, now func() time.Time) *Database {
	d := &Database{Name: c.Name, dsn: c.DSN, log: log, now: now, pools: map[auth.Login]*pgxpool.Pool{},
		schema: schema{reader: semaphore.NewWeighted(1)}, sampling: semaphore.NewWeighted(samplers), comparing: semaphore.NewWeighted(comparers)}
	d.closing, d.closed = context.WithCancel(context.Background())
	return d
}

// OfflineDatabase is a database of a known schema that is never connected to.
func OfflineDatabase(name string, snap *catalog.Snapshot, now func() time.Time) *Database {
	d := &Database{Name: name, now: now, offline: true}
	d.schema.snapshot.Store(snap)
	return d
}

// Close ends all connections of our own.
func (d *Database) Close() {
	if d.closed != nil {
		d.closed()
	}
	d.asides.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.pools {
		p.Close()
	}
}

// pool gives the connections that log in as login; the zero Login is the DSN's
// own. They have the settings that every governed session's backend has.
func (d *Database) pool(login auth.Login) (*pgxpool.Pool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p := d.pools[login]; p != nil {
		return p, nil
	}
	c, err := pgxpool.ParseConfig(d.dsn)
	if err != nil {
		return nil, fmt.Errorf("database %s: dsn can't be parsed", d.Name)
	}
	if login.User != "" {
		c.ConnConfig.User, c.ConnConfig.Password = login.User, login.Password
	}
	c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	c.ConnConfig.RuntimeParams["application_name"] = "pgask"
	maps.Copy(c.ConnConfig.RuntimeParams, policy.Pinned(&policy.Role{}))
	configs.JudgeServer(&c.ConnConfig.Config)
	c.MaxConns, c.MinConns = ownConnections, 0
	c.MaxConnIdleTime = time.Minute
	p, err := pgxpool.NewWithConfig(context.Background(), c)
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", d.Name, err)
	}
	d.pools[login] = p
	return p, nil
}

// Snapshot is the schema as last read, at most staleAfter ago; else it is read
// now.
func (d *Database) Snapshot(ctx context.Context) (*catalog.Snapshot, error) {
	if s := d.Fresh(); s != nil {
		return s, nil
	}
	return d.newest(ctx, func(s *catalog.Snapshot) bool { return s != nil && d.age() < staleAfter })
}

// Fresh is the schema where nobody needs to wait for it, else nil. Where it
// was read a while ago it is read again aside.
func (d *Database) Fresh() *catalog.Snapshot {
	s := d.schema.snapshot.Load()
	if s == nil || d.offline {
		return s
	}
	switch age := d.age(); {
	case age >= staleAfter:
		return nil
	case age >= lookAfter:
		d.lookAside()
	}
	return s
}

// age is how long ago the schema was seen to be the newest.
func (d *Database) age() time.Duration {
	return time.Duration(d.now().UnixNano() - d.schema.checked.Load())
}

// lookAside reads the schema again if it changed, once at a time. What fails is
// tried again by the next statement, and waited for when the schema is stale.
func (d *Database) lookAside() {
	if !d.looking.CompareAndSwap(false, true) {
		return
	}
	d.asides.Go(func() {
		defer d.looking.Store(false)
		if _, err := d.Refresh(d.closing); err != nil {
			d.log.Debug("the schema could not be looked at", "database", d.Name, "error", err)
		}
	})
}

// Known is the schema as last read, nil before that. It asks nothing.
func (d *Database) Known() *catalog.Snapshot { return d.schema.snapshot.Load() }

// Refresh reads the schema again if it changed, looking at most once in
// refreshAfter.
func (d *Database) Refresh(ctx context.Context) (*catalog.Snapshot, error) {
	if d.offline {
		return d.schema.snapshot.Load(), nil
	}
	return d.newest(ctx, func(s *catalog.Snapshot) bool { return s != nil && d.age() < refreshAfter })
}

// newest reads the schema unless there is a snapshot that is good enough once
// it is our turn.
func (d *Database) newest(ctx context.Context, enough func(*catalog.Snapshot) bool) (*catalog.Snapshot, error) {
	ctx, stop := context.WithTimeout(ctx, readTimeout)
	defer stop()
	if err := d.schema.reader.Acquire(ctx, 1); err != nil {
		return nil, unreachable(d.Name, err)
	}
	defer d.schema.reader.Release(1)
	if s := d.schema.snapshot.Load(); enough(s) {
		return s, nil
	}
	p, err := d.pool(auth.Login{})
	if err != nil {
		return nil, err
	}
	conn, err := p.Acquire(ctx)
	if err != nil {
		return nil, unreachable(d.Name, err)
	}
	defer conn.Release()
	var s *catalog.Snapshot
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		s, err = d.read(ctx, tx)
		return err
	})
	switch {
	case err == nil:
		return s, nil
	case conn.Conn().IsClosed():
		return nil, unreachable(d.Name, err)
	}
	// Our own question failed: Postgres's error to it is none of the client's.
	return nil, errors.New("database " + d.Name + ": " + err.Error())
}

// read takes a new snapshot unless the fingerprint is the old one's.
func (d *Database) read(ctx context.Context, conn catalog.Querier) (*catalog.Snapshot, error) {
	print, err := catalog.Fingerprint(ctx, conn)
	if err != nil {
		return nil, fmt.Errorf("fingerprint: %w", err)
	}
	d.schema.checked.Store(d.now().UnixNano())
	if old := d.schema.snapshot.Load(); old != nil && print == d.schema.print {
		return old, nil
	}
	s, err := catalog.Read(ctx, conn, catalog.Options{})
	if err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	s.Database = d.Name // clients and policies know it by the configured name
	d.schema.snapshot.Store(s)
	d.schema.print = print
	d.log.Info("schema read", "database", d.Name, "tables", len(s.Tables), "version", s.Version)
	return s, nil
}

// unreachable is the error of a login while its database can't be asked.
func unreachable(database string, err error) error {
	return fmt.Errorf("%w: %w", &Error{Code: "57P03",
		Message: fmt.Sprintf("the database %q can't be reached now", database),
		Advice:  "try again later"}, err)
}
