package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/stmt"
)

// tries finds out whether a verified query would run for the session, so that a
// question whose query can't is answered otherwise. What has nothing to do with the
// query, such as a database that is down, is left to the preflight.
func (s *Session) tries(at *standing) func(context.Context, *pg_query.Node) error {
	return func(ctx context.Context, query *pg_query.Node) error {
		here := at
		a, err := s.authorize(ctx, &here, stmt.Statement{Tree: query}, nil)
		if err != nil && sqlState(err) == "42501" {
			return fmt.Errorf("%w: %w", planner.ErrDenied, err)
		}
		if err != nil || s.db.offline {
			return err
		}
		_, err = s.db.explain(ctx, s.login, a, nil, s.p.rewritten())
		var pg *pgconn.PgError
		if errors.As(err, &pg) && (concernsText(pg.Code) || pg.Code == "42501") {
			return err
		}
		return nil
	}
}
