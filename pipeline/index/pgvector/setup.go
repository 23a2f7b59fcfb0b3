package pgvector

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pgask/pgask/pipeline/catalog"
)

// The least version of the extension: the first whose index looks further where
// a condition leaves too few rows.
const (
	leastVersion = "0.8"
	leastNumber  = 8 // of 0.8, as versionQuery counts
)

// setUpStatements make what isn't there. They are tried under a lock of their own,
// since IF NOT EXISTS doesn't hold for two at once.
var setUpStatements = []string{
	`SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('pgask index', 0))`,
	`CREATE EXTENSION IF NOT EXISTS vector`,
	`CREATE SCHEMA IF NOT EXISTS pgask`,
	`CREATE TABLE IF NOT EXISTS pgask.index_editions (
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		database text NOT NULL,
		digest text NOT NULL,
		embedder text NOT NULL,
		dimensions int NOT NULL,
		chunks int NOT NULL,
		made timestamptz NOT NULL DEFAULT pg_catalog.now(),
		current boolean NOT NULL DEFAULT false)`,
	`CREATE UNIQUE INDEX IF NOT EXISTS index_editions_current ON pgask.index_editions (database) WHERE current`,
}

// versionQuery gives the version that is installed, else the one that would be,
// as a number: 8 for 0.8, 100 for 1.0.
const versionQuery = `
SELECT COALESCE(a.installed_version, a.default_version),
       100 * pg_catalog.split_part(COALESCE(a.installed_version, a.default_version), '.', 1)::int
           + pg_catalog.split_part(COALESCE(a.installed_version, a.default_version), '.', 2)::int
FROM pg_catalog.pg_available_extensions a WHERE a.name OPERATOR(pg_catalog.=) 'vector'`

// Check finds out what would keep an update from working: a database that can't
// be reached, an extension that is missing or too old, or a right that the login
// lacks. It changes nothing.
func (s *Store) Check(ctx context.Context) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if err := checkVersion(ctx, conn); err != nil {
		return err
	}
	there, err := isSetUp(ctx, conn)
	if err != nil {
		return err
	}
	may, lacks := false, ""
	if there {
		lacks = "the login may not change the index: it needs CREATE on the schema pgask, whose tables it should own"
		err = conn.QueryRow(ctx, `SELECT pg_catalog.has_schema_privilege('pgask', 'CREATE')`).Scan(&may)
	} else {
		lacks = "the login may not make the index: it needs CREATE on the database"
		err = conn.QueryRow(ctx, "SELECT pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')").Scan(&may)
	}
	if err == nil && !may {
		err = errors.New(lacks)
	}
	return err
}

func setUp(ctx context.Context, conn *pgxpool.Conn) error {
	if err := checkVersion(ctx, conn); err != nil {
		return err
	}
	if there, err := isSetUp(ctx, conn); there || err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, sql := range setUpStatements {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
}

// setUpQuery looks for what is made last.
const setUpQuery = `
SELECT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
               WHERE n.nspname OPERATOR(pg_catalog.=) 'pgask' AND c.relname OPERATOR(pg_catalog.=) 'index_editions_current')`

// isSetUp tells whether somebody has set the database up.
func isSetUp(ctx context.Context, conn catalog.Querier) (bool, error) {
	rows, err := conn.Query(ctx, setUpQuery)
	if err != nil {
		return false, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowTo[bool])
}

func checkVersion(ctx context.Context, conn catalog.Querier) error {
	rows, err := conn.Query(ctx, versionQuery)
	if err != nil {
		return err
	}
	version, number := "", 0
	_, err = pgx.ForEachRow(rows, []any{&version, &number}, func() error { return nil })
	switch {
	case err != nil:
		return err
	case version == "":
		return errors.New("the server has no extension vector (pgvector)")
	case number < leastNumber:
		return fmt.Errorf("the extension vector is version %s, and %s is the least", version, leastVersion)
	}
	return nil
}
