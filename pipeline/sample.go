package pipeline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/pipeline/catalog"
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
// wouldn't show. Masked columns are left out.
func (s *Session) sample(ctx context.Context, at *standing) ([]catalog.Sample, error) {
	if s.db.offline || !s.p.samples {
		return nil, nil
	}
	ctx, stop := context.WithTimeout(ctx, sampleTime)
	defer stop()
	settings := policy.Pinned(at.role)
	settings["statement_timeout"] = fmt.Sprint(sampleWait.Milliseconds())
	p, err := s.db.pool(auth.Login{}, settings)
	if err != nil {
		return nil, err
	}
	masked := at.view.Masked()
	want := func(t *catalog.Table, c *catalog.Column) bool { return !slices.Contains(masked[t.Name], c.Name) }
	var out []catalog.Sample
	for _, t := range at.view.Catalog().Tables {
		bounded := *t
		bounded.Rows = at.snap.Table(t.Name).Rows // a scope shows no more rows than there are
		for _, q := range catalog.SampleQueries(&bounded, want, catalog.Limits{}) {
			if ctx.Err() != nil {
				s.log.Warn("sampling cut", "limit", sampleTime)
				return out, nil
			}
			if x, ok := s.sampleOne(ctx, at, p, q); ok {
				out = append(out, x)
			}
		}
	}
	return out, nil
}

// sampleOne runs one sample query; one that fails leaves its column without.
func (s *Session) sampleOne(ctx context.Context, at *standing, p *pgxpool.Pool, q catalog.SampleQuery) (catalog.Sample, bool) {
	rows, err := s.sampleRows(ctx, at, p, q.SQL)
	if err != nil {
		s.log.Debug("no sample", "table", q.Table.Table, "error", err)
		return catalog.Sample{}, false
	}
	x := q.Read(rows)
	if q.Kind != catalog.SampleValues || !x.Dates() {
		return x, true
	}
	if rows, err = s.sampleRows(ctx, at, p, q.Range().SQL); err == nil {
		r := q.Range().Read(rows)
		x.Min, x.Max = r.Min, r.Max
	}
	return x, true
}

// sampleRows authorizes and runs one query of ours as the user's own.
func (s *Session) sampleRows(ctx context.Context, at *standing, p *pgxpool.Pool, sql string) ([][]*string, error) {
	tree, err := stmt.ParseOne(sql, s.p.limits)
	if err != nil {
		return nil, err
	}
	a, err := at.view.Authorize(stmt.Statement{Text: sql, Tree: tree}, policy.Options{})
	if err != nil {
		return nil, err
	}
	rows, err := p.Query(ctx, a.SQL())
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]*string, error) {
		out := make([]*string, 2)
		return out, row.Scan(&out[0], &out[1])
	})
}
