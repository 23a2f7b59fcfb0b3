package pgvector

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// Store is an index.Store in Postgres. It connects when it is first needed.
type Store struct {
	pool *pgxpool.Pool
}

// connections is the most that a store has open: searches are short, and one
// instance builds one edition at a time.
const connections = 4

// New makes a store of a connection string. An error says that it can't be
// parsed, and not what it is.
func New(dsn string) (*Store, error) {
	c, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("the dsn can't be parsed")
	}
	c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // tables come and go
	c.ConnConfig.RuntimeParams["application_name"] = "pgask"
	c.ConnConfig.RuntimeParams["statement_timeout"] = "0" // an index takes as long as it takes; contexts bound the rest
	configs.JudgeServer(&c.ConnConfig.Config)
	c.MaxConns, c.MinConns, c.MaxConnIdleTime = connections, 0, time.Minute
	p, err := pgxpool.NewWithConfig(context.Background(), c)
	if err != nil {
		return nil, err
	}
	return &Store{pool: p}, nil
}

// Close ends all connections.
func (s *Store) Close() { s.pool.Close() }

// edition is a row of pgask.index_editions.
type edition struct {
	id         int64
	digest     string
	embedder   string
	dimensions int
}

// table is the edition's own, which holds its chunks.
func (e edition) table() string { return "pgask.index_edition_" + strconv.FormatInt(e.id, 10) }

const currentQuery = `
SELECT e.id, e.digest, e.embedder, e.dimensions FROM pgask.index_editions e
WHERE e.database OPERATOR(pg_catalog.=) $1 AND e.current`

// current is the edition that searches read; nil where there is none.
func current(ctx context.Context, conn catalog.Querier, database string) (*edition, error) {
	rows, err := conn.Query(ctx, currentQuery, database)
	if err != nil {
		return nil, err
	}
	e, err := pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (*edition, error) {
		var e edition
		return &e, row.Scan(&e.id, &e.digest, &e.embedder, &e.dimensions)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return e, err
}

// undefinedTable is the SQLSTATE of a table that isn't there.
const undefinedTable = "42P01"

func isState(err error, state string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == state
}

// relation names a table in one text, which is what searches are bounded by.
func relation(n catalog.Name) string { return pgx.Identifier{n.Schema, n.Table}.Sanitize() }

// pathQuery puts the extension's schema in the search_path of a transaction, for
// its types and operators, behind Postgres's own.
const pathQuery = `
SELECT pg_catalog.set_config('search_path', 'pg_catalog, ' || pg_catalog.quote_ident(n.nspname), true)
FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace
WHERE e.extname OPERATOR(pg_catalog.=) 'vector'`

// within runs f in a transaction in which the extension's names are known.
func within(ctx context.Context, conn *pgxpool.Conn, o pgx.TxOptions, f func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, conn, o, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, pathQuery); err != nil {
			return fmt.Errorf("find the extension vector: %w", err)
		}
		return f(tx)
	})
}
