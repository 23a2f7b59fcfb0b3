package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/redact"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// explainTimeout ends an EXPLAIN of our own.
const explainTimeout = 2 * time.Second

// preflight asks Postgres what a statement would cost, on a connection of our
// own with the statement's login and pinned settings, and refuses what is over
// the role's limits. Statements that read nothing are not asked about, and
// EXPLAIN only plans what it names. light tells that nothing was asked or that
// the estimate is far below the limits.
func (s *Session) preflight(ctx context.Context, at *standing, st stmt.Statement, a policy.Approved, oids []uint32, r *Receipt) (light bool, err error) {
	l := at.role.Limits
	f := a.Facts()
	if s.db.offline || len(f.Tables) == 0 && !f.Rows || l.ExplainRows == 0 && l.ExplainCost == 0 {
		return true, nil
	}
	switch f.Tag {
	case "FETCH", "EXECUTE", "EXPLAIN":
		return true, nil
	}
	e, err := s.estimated(ctx, a, oids)
	if err != nil {
		return false, s.explainFailed(ctx, err, s.ownOf(at, st, a))
	}
	rows := int64(min(e.rows, 9e18))
	r.EstimatedRows = &rows
	if err := s.within(ctx, at, e, f.Tables); err != nil {
		return false, err
	}
	return isFarBelow(e.rows, l.ExplainRows) && isFarBelow(e.cost, l.ExplainCost), nil
}

// estimated is what Postgres says of a statement, which it may have said a moment ago
// when the same was tried.
func (s *Session) estimated(ctx context.Context, a policy.Approved, oids []uint32) (estimate, error) {
	if t := s.trial; t != nil && oids == nil && t.sql == a.SQL() {
		s.trial = nil
		return t.estimate, nil
	}
	return s.explained(ctx, a, oids)
}

// explained has Postgres plan a statement.
func (s *Session) explained(ctx context.Context, a policy.Approved, oids []uint32) (estimate, error) {
	began := s.p.now()
	defer func() { s.p.observe.Stage("preflight", s.p.now().Sub(began)) }()
	return s.db.explain(ctx, s.login, a, oids, s.p.rewritten())
}

// within refuses what would cost more than the role's limits.
func (s *Session) within(ctx context.Context, at *standing, e estimate, tables []catalog.Name) error {
	l := at.role.Limits
	switch {
	case l.ExplainRows > 0 && e.rows > l.ExplainRows:
		return &Error{Code: "PA004", Message: fmt.Sprintf("this query would scan about %s rows; refine your filters", words(e.rows)),
			Details: s.detail(at, e, l.ExplainRows), Advice: s.refinement(ctx, at, e, tables)}
	case l.ExplainCost > 0 && e.cost > l.ExplainCost:
		return &Error{Code: "PA004", Message: fmt.Sprintf("this query would cost about %s; the limit is %s", words(e.cost), words(l.ExplainCost)),
			Advice: s.refinement(ctx, at, e, tables)}
	}
	return nil
}

// explainFailed decides whose error a failed EXPLAIN is.
func (s *Session) explainFailed(ctx context.Context, err error, own *redact.Own) error {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return ended(ctx, err)
	}
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg) && pg.Code == "57014", errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: "PA004", Message: "the cost of this query could not be estimated in time",
			Advice: "simplify the query, or try again"}
	case errors.As(err, &pg) && concernsText(pg.Code):
		s.log.Debug("preflight failed", "error", err)
		return reported(own.Error(redact.Report{Code: pg.Code, Message: pg.Message, Hint: pg.Hint, Position: int(pg.Position)}))
	case pg == nil && sqlState(err) != "XX000":
		return err // the database can't be reached
	}
	cause := slog.Any("error", err)
	if pg != nil {
		cause = slog.String("sqlstate", pg.Code) // its message may quote the statement
	}
	s.log.Error("preflight failed", cause)
	if pg != nil && pg.Code == "42501" {
		return &Error{Code: "PA004", Message: "the cost of this query could not be estimated",
			Details: "The database login of this role lacks a privilege that the query needs.", Advice: "ask an administrator to run pgask check"}
	}
	return &Error{Code: "PA004", Message: "the cost of this query could not be estimated"}
}

// concernsText tells whether an error of that SQLSTATE is about the statement:
// its syntax and names (class 42), data it computes with (22), features (0A),
// grouping (21), limits (54).
func concernsText(code string) bool {
	switch code[:2] {
	case "42", "22", "0A", "21", "54":
		return code != "42501"
	}
	return false
}
