package plans

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// freshFor is how long a list of approved plans holds before it is read again: other
// instances approve, too.
const freshFor = time.Second

// known is the list of a database as it was read last.
type known struct {
	all  []Approved
	read time.Time
}

// Approved are all of a database, by question.
func (p *Postgres) Approved(ctx context.Context, database string) ([]Approved, error) {
	p.mu.Lock()
	k, ok := p.known[database]
	p.mu.Unlock()
	if ok && time.Since(k.read) < freshFor {
		return k.all, nil
	}
	began := time.Now()
	var all []Approved
	err := p.down.ask(ctx, p.now, func() (err error) {
		all, err = p.readApproved(ctx, database)
		return err
	})
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = map[string]known{}
	}
	p.known[database] = known{all, began}
	return all, nil
}

func (p *Postgres) readApproved(ctx context.Context, database string) ([]Approved, error) {
	if err := p.ready(ctx); err != nil {
		return nil, err
	}
	rows, err := p.pool.Query(ctx, `SELECT database, question, plan, plan_hash, approved_by, approved_at
		FROM pgask.approved_plans WHERE database = $1 ORDER BY question`, database)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, approvedRow)
}

func approvedRow(row pgx.CollectableRow) (a Approved, err error) {
	var plan string
	err = row.Scan(&a.Database, &a.Question, &plan, &a.Hash, &a.By, &a.At)
	a.Plan = []byte(plan)
	return a, err
}

// Approve keeps a plan.
func (p *Postgres) Approve(ctx context.Context, a Approved) error {
	if err := p.ready(ctx); err != nil {
		return err
	}
	defer p.forget(a.Database)
	_, err := p.pool.Exec(ctx, `INSERT INTO pgask.approved_plans (database, key, question, plan, plan_hash, approved_by, approved_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (database, key) DO UPDATE SET question = excluded.question, plan = excluded.plan, plan_hash = excluded.plan_hash,
		approved_by = excluded.approved_by, approved_at = excluded.approved_at`, a.Database, Key(a.Question), a.Question, string(a.Plan), a.Hash, a.By, a.At)
	return err
}

// Revoke removes the plan of a question and returns it; nil where there is none.
func (p *Postgres) Revoke(ctx context.Context, database, question string) (*Approved, error) {
	if err := p.ready(ctx); err != nil {
		return nil, err
	}
	defer p.forget(database)
	rows, err := p.pool.Query(ctx, `DELETE FROM pgask.approved_plans WHERE database = $1 AND key = $2
		RETURNING database, question, plan, plan_hash, approved_by, approved_at`, database, Key(question))
	if err != nil {
		return nil, err
	}
	a, err := pgx.CollectExactlyOneRow(rows, approvedRow)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &a, err
}

// forget has the list of a database read again.
func (p *Postgres) forget(database string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.known, database)
}
