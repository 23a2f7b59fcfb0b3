package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// trial is a statement that Postgres has planned for the session, without running it.
type trial struct {
	at       *standing
	approved policy.Approved
	sql      string
	estimate estimate
}

// try authorizes a statement and has Postgres plan it. Errors are the policy's, or those
// of EXPLAIN as they came. Offline nothing is planned.
func (s *Session) try(ctx context.Context, at *standing, st stmt.Statement) (*trial, error) {
	t := &trial{at: at}
	var err error
	if t.approved, err = s.authorize(ctx, &t.at, st, nil); err != nil || s.db.offline {
		return t, err
	}
	t.sql = t.approved.SQL()
	if t.estimate, err = s.explained(ctx, t.approved, nil); err == nil {
		s.trial = t
	}
	return t, err
}

// judged is a statement that may run for the session within its limits, or why not.
func (s *Session) judged(ctx context.Context, at *standing, st stmt.Statement) (policy.Approved, error) {
	t, err := s.try(ctx, at, st)
	switch {
	case err != nil && t.sql != "":
		err = s.explainFailed(ctx, err, s.ownOf(t.at, st, t.approved))
	case err == nil && !s.db.offline:
		err = s.within(ctx, t.at, t.estimate, t.approved.Facts().Tables)
	}
	return t.approved, err
}

// tries finds out whether a verified query would run for the session, so that a
// question whose query can't is answered otherwise. What has nothing to do with the
// query, such as a database that is down, is left to the preflight.
func (s *Session) tries(at *standing) func(context.Context, *pg_query.Node) error {
	return func(ctx context.Context, query *pg_query.Node) error {
		t, err := s.try(ctx, at, stmt.Statement{Tree: query})
		var pg *pgconn.PgError
		switch {
		case err == nil:
			return nil
		case t.sql == "" && sqlState(err) == "42501":
			return fmt.Errorf("%w: %w", planner.ErrDenied, err)
		case t.sql == "", errors.As(err, &pg) && (concernsText(pg.Code) || pg.Code == "42501"):
			return err
		}
		return nil
	}
}
