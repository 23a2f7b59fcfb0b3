package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

const (
	// sampleTime bounds the sampling of all of one user's columns, sampleWait
	// one query of it. What takes longer is left out: its values are then
	// unknown words.
	sampleTime = 10 * time.Second
	sampleWait = time.Second
)

// sample fetches what is worth knowing of the permitted columns, through the
// user's own scopes: nobody learns a value from a question that a statement
// wouldn't show. Masked columns are left out. Of the relationships that names suggest,
// those are returned that the same rows bear out. An error means that the database can't
// be asked now.
func (s *Session) sample(ctx context.Context, at *standing, dimensions []*semantic.Dimension, suggested []*semantic.Relationship) ([]catalog.Sample, []*semantic.Relationship, error) {
	if s.db.offline || !s.p.samples {
		return nil, nil, nil
	}
	if err := s.db.sampling.Acquire(ctx, 1); err != nil {
		return nil, nil, err
	}
	defer s.db.sampling.Release(1)
	ctx, stop := context.WithTimeout(ctx, sampleTime)
	defer stop()
	p, err := s.db.pool(auth.Login{})
	if err != nil {
		return nil, nil, err
	}
	conn, err := p.Acquire(ctx)
	if err != nil {
		return nil, nil, unreachable(s.db.Name, err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, fmt.Sprintf("SET statement_timeout = %d", sampleWait.Milliseconds())); err != nil {
		return nil, nil, unreachable(s.db.Name, err)
	}
	defer func() {
		if _, err := conn.Exec(ctx, "RESET statement_timeout"); err != nil {
			conn.Conn().Close(ctx) // for nobody else with that setting
		}
	}()
	x := sampler{at: at, conn: conn.Conn(), limits: s.p.limits, log: s.log}
	for _, q := range slices.Concat(sampleQueries(at), dimensionQueries(at, dimensions)) {
		x.take(ctx, q)
		if ctx.Err() != nil {
			s.log.Warn("sampling cut", "limit", sampleTime)
			break
		}
		if x.conn.IsClosed() {
			return nil, nil, unreachable(s.db.Name, errSampleLost)
		}
	}
	return x.samples, x.borneOut(ctx, suggested), nil
}

// errSampleLost is a connection that ended while it was asked for samples.
var errSampleLost = errors.New("connection lost while sampling")

// sampleQueries ask about every permitted column that isn't masked.
func sampleQueries(at *standing) []catalog.SampleQuery {
	masked := at.view.Masked()
	want := func(t *catalog.Table, c *catalog.Column) bool { return !slices.Contains(masked[t.Name], c.Name) }
	var out []catalog.SampleQuery
	for _, t := range at.view.Catalog().Tables {
		bounded := *t
		bounded.Rows = at.snap.Table(t.Name).Rows // a scope shows no more rows than there are
		out = append(out, catalog.SampleQueries(&bounded, want, catalog.Limits{})...)
	}
	return out
}

// dimensionQueries ask about the dimensions that no masked column is in.
func dimensionQueries(at *standing, dimensions []*semantic.Dimension) []catalog.SampleQuery {
	masked := at.view.Masked()
	var out []catalog.SampleQuery
	for _, d := range dimensions {
		if slices.ContainsFunc(semantic.Columns(d.Expr), func(c string) bool { return slices.Contains(masked[d.Table], c) }) {
			continue
		}
		rows, err := d.SQL()
		if err != nil {
			continue // as one that can't be asked
		}
		bounded := *at.snap.Table(d.Table)
		if q, worth := catalog.SampleExpression(&bounded, d.Column, rows, catalog.Limits{}); worth {
			out = append(out, q)
		}
	}
	return out
}

// sampler runs sample queries as one user's own.
type sampler struct {
	at      *standing
	conn    *pgx.Conn
	limits  stmt.Limits
	log     *slog.Logger
	samples []catalog.Sample
}

// take runs one sample query; one that fails leaves its column without.
func (x *sampler) take(ctx context.Context, q catalog.SampleQuery) {
	sample, err := q.Ask(func(sql string) ([][]*string, error) { return x.rows(ctx, sql) })
	if err != nil {
		x.log.Debug("no sample", "table", q.Table.Table, "error", err)
		return
	}
	x.samples = append(x.samples, sample)
}

// rows authorizes and runs one query of ours as the user's own.
func (x *sampler) rows(ctx context.Context, sql string) ([][]*string, error) {
	tree, err := stmt.ParseOne(sql, x.limits)
	if err != nil {
		return nil, err
	}
	a, err := x.at.view.Authorize(stmt.Statement{Text: sql, Tree: tree}, policy.Options{})
	if err != nil {
		return nil, err
	}
	return catalog.TextRows(ctx, x.conn, a.SQL())
}
