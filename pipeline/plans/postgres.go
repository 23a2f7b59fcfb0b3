package plans

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// PostgresPlans is how many cached plans a Postgres keeps: the newest.
const PostgresPlans = 10_000

// Bounds: connections to the store, plans on their way to it, and how long one takes.
const (
	connections = 4
	mostKeeping = 8
	keepTimeout = 10 * time.Second
)

// schema is what a Postgres has. The lock is for instances that come first at
// once: IF NOT EXISTS alone fails for one of them.
const schema = `SELECT pg_catalog.pg_advisory_xact_lock(7305808869231650918);
CREATE SCHEMA IF NOT EXISTS pgask;
CREATE TABLE IF NOT EXISTS pgask.cached_plans (key text PRIMARY KEY, plan text NOT NULL, made_at timestamptz NOT NULL DEFAULT pg_catalog.now());
CREATE INDEX IF NOT EXISTS cached_plans_made_at ON pgask.cached_plans (made_at);
CREATE TABLE IF NOT EXISTS pgask.approved_plans (database text, key text, question text NOT NULL, plan text NOT NULL, plan_hash text NOT NULL,
  approved_by text NOT NULL, approved_at timestamptz NOT NULL, PRIMARY KEY (database, key))`

// complete tells whether all of that is there, so that a login that may create
// nothing works once somebody else has.
const complete = `SELECT pg_catalog.to_regclass('pgask.cached_plans') IS NOT NULL AND pg_catalog.to_regclass('pgask.approved_plans') IS NOT NULL`

// Postgres keeps plans in tables of the schema pgask, which it makes where they
// are missing. Its methods fail with Postgres's error, or the context's.
type Postgres struct {
	pool *pgxpool.Pool
	log  *slog.Logger
	// making is held by who looks for the tables; it holds true once they are there.
	making chan bool
	// keeping has room for those that are kept meanwhile, kept waits for them.
	keeping chan struct{}
	kept    sync.WaitGroup

	// down is whether it answers, by the time of now.
	down down
	now  func() time.Time

	mu    sync.Mutex
	known map[string]known // approved plans by database
}

// NewPostgres prepares a store; it connects when it is first needed.
func NewPostgres(dsn string, log *slog.Logger) (*Postgres, error) {
	c, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("planner.dsn can't be parsed") // the error may quote the password
	}
	c.MaxConns, c.MinConns = connections, 0
	c.MaxConnIdleTime = time.Minute
	c.ConnConfig.RuntimeParams["application_name"] = "pgask"
	c.ConnConfig.RuntimeParams["search_path"] = "pg_catalog"
	pool, err := pgxpool.NewWithConfig(context.Background(), c)
	if err != nil {
		return nil, fmt.Errorf("planner.dsn: %w", err)
	}
	p := &Postgres{pool: pool, log: log, now: time.Now, making: make(chan bool, 1), keeping: make(chan struct{}, mostKeeping)}
	p.making <- false
	return p, nil
}

// Close waits for what is being kept and ends the connections.
func (p *Postgres) Close() {
	p.kept.Wait()
	p.pool.Close()
}

// ready makes the tables, once.
func (p *Postgres) ready(ctx context.Context) error {
	var there bool
	select {
	case there = <-p.making:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { p.making <- there }()
	if there {
		return nil
	}
	if err := p.pool.QueryRow(ctx, complete).Scan(&there); err != nil || there {
		return err
	}
	err := pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
		_, err := tx.Conn().PgConn().Exec(ctx, schema).ReadAll()
		return err
	})
	there = err == nil
	return err
}

// Get is the plan under the first of the keys that has one, else nil.
func (p *Postgres) Get(ctx context.Context, keys []string) ([]byte, error) {
	var plan []byte
	err := p.down.ask(ctx, p.now, func() error {
		if err := p.ready(ctx); err != nil {
			return err
		}
		return p.pool.QueryRow(ctx, `SELECT plan FROM pgask.cached_plans WHERE key = ANY ($1) ORDER BY array_position($1, key) LIMIT 1`, keys).Scan(&plan)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return plan, err
}

// Keep keeps a plan, in the place of the one under its key. Nobody waits for it: what
// fails is logged, and what comes while much is on its way is left out.
func (p *Postgres) Keep(key string, plan []byte) {
	select {
	case p.keeping <- struct{}{}:
		p.kept.Go(func() {
			defer func() { <-p.keeping }()
			ctx, stop := context.WithTimeout(context.Background(), keepTimeout)
			defer stop()
			if err := p.down.ask(ctx, p.now, func() error { return p.put(ctx, key, plan) }); err != nil {
				p.log.Warn("a plan can't be kept", "error", err)
			}
		})
	default:
	}
}

func (p *Postgres) put(ctx context.Context, key string, plan []byte) error {
	if err := p.ready(ctx); err != nil {
		return err
	}
	if _, err := p.pool.Exec(ctx, `INSERT INTO pgask.cached_plans (key, plan) VALUES ($1, $2)
		ON CONFLICT (key) DO UPDATE SET plan = excluded.plan, made_at = now()`, key, string(plan)); err != nil {
		return err
	}
	_, err := p.pool.Exec(ctx, `DELETE FROM pgask.cached_plans WHERE made_at < (SELECT made_at FROM pgask.cached_plans ORDER BY made_at DESC OFFSET $1 LIMIT 1)`, PostgresPlans-1)
	return err
}

// Cached are the newest of the plans that are kept, at most so many.
func (p *Postgres) Cached(ctx context.Context, most int) ([][]byte, error) {
	if err := p.ready(ctx); err != nil {
		return nil, err
	}
	rows, err := p.pool.Query(ctx, `SELECT plan FROM pgask.cached_plans ORDER BY made_at DESC, key LIMIT $1`, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (plan []byte, err error) {
		var text string
		err = row.Scan(&text)
		return []byte(text), err
	})
}

// Clear forgets all cached plans and tells how many there were.
func (p *Postgres) Clear(ctx context.Context) (int64, error) {
	if err := p.ready(ctx); err != nil {
		return 0, err
	}
	tag, err := p.pool.Exec(ctx, `DELETE FROM pgask.cached_plans`)
	return tag.RowsAffected(), err
}
