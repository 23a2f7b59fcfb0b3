package pgvector

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"

	"github.com/pgask/pgask/pipeline/index"
)

// scanQuery lets the HNSW index look further until there are enough rows that
// the condition lets through, in order of nearness.
const (
	scanQuery = `
SELECT pg_catalog.set_config('hnsw.iterative_scan', 'strict_order', true), pg_catalog.set_config('hnsw.ef_search', '200', true)`
	searchQuery = `
SELECT c.kind, c.schema_name, c.table_name, c.name, 1 - (c.embedding <=> $1::text::halfvec)
FROM %s AS c
WHERE $2::text[] IS NULL OR c.relation = ANY ($2)
ORDER BY c.embedding <=> $1::text::halfvec LIMIT $3`
)

// attempts is how often a search begins anew because its edition was replaced
// and dropped before its table was locked.
const attempts = 3

// Search reads the edition that is the current one when it begins.
func (s *Store) Search(ctx context.Context, q index.Query) ([]index.Near, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("search the index: %w", err)
	}
	defer conn.Release()
	var found []index.Near
	for range attempts {
		err = within(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			found, err = search(ctx, tx, q)
			return err
		})
		if !isState(err, undefinedTable) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("search the index: %w", err)
	}
	return found, nil
}

func search(ctx context.Context, tx pgx.Tx, q index.Query) ([]index.Near, error) {
	if there, err := isSetUp(ctx, tx); err != nil || !there {
		return nil, err
	}
	e, err := current(ctx, tx, q.Database)
	if err != nil || e == nil || e.embedder != q.Embedder || e.dimensions != len(q.Vector) {
		return nil, err
	}
	if _, err := tx.Exec(ctx, scanQuery); err != nil {
		return nil, err
	}
	var relations []string
	for _, n := range q.Tables {
		relations = append(relations, relation(n))
	}
	if q.Tables != nil && relations == nil {
		return nil, nil
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(searchQuery, e.table()), pgvector.NewHalfVector(q.Vector).String(), relations, q.Most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (index.Near, error) {
		var n index.Near
		return n, row.Scan(&n.Kind, &n.Table.Schema, &n.Table.Table, &n.Name, &n.Likeness)
	})
}
