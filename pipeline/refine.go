package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// detail says what a refused statement would mostly do, in names that the asker
// may know.
func (s *Session) detail(at *standing, e estimate, limit float64) string {
	d := fmt.Sprintf("The limit of this role is %s rows.", words(limit))
	if top, ok := e.largestScan(); ok {
		if n, ok := at.view.Readable(catalog.Name{Schema: top.schema, Table: top.relation}); ok {
			d += fmt.Sprintf(" The largest scan reads about %s rows of %s.", words(top.rows), at.view.Spelled(n))
		}
	}
	return d
}

// refineQuery gives the columns by which a table can be read in part: those of
// its partition key, and the first ones of its indexes.
const refineQuery = `SELECT a.attname, k.partition FROM (
  SELECT p.partrelid AS relid, pg_catalog.unnest(p.partattrs::pg_catalog.int2[]) AS attnum, true AS partition FROM pg_catalog.pg_partitioned_table p
  UNION ALL SELECT i.indrelid, i.indkey[0], false FROM pg_catalog.pg_index i WHERE i.indisvalid AND i.indpred IS NULL) k
JOIN pg_catalog.pg_attribute a ON a.attrelid = k.relid AND a.attnum = k.attnum
WHERE k.relid = $1 ORDER BY k.partition DESC, k.attnum LIMIT 20`

// refinement is the HINT of a refusal: a column of the largest relation by which
// it can be read in part, if the asker may use one.
func (s *Session) refinement(ctx context.Context, at *standing, e estimate, tables []catalog.Name) string {
	const plain = "add a condition that selects fewer rows, or join along a key"
	top, ok := e.largestScan()
	if !ok {
		return plain
	}
	n, ok := at.view.Readable(catalog.Name{Schema: top.schema, Table: top.relation})
	table := at.snap.Table(n)
	if !ok || table == nil || !slices.Contains(tables, n) {
		return plain
	}
	keys, indexed := s.refiners(ctx, at, table)
	switch {
	case len(keys) > 0:
		return "add a condition on " + strings.Join(keys, ", ") + ", by which " + at.view.Spelled(n) + " is partitioned"
	case len(indexed) > 0:
		return "add a condition on an indexed column of " + at.view.Spelled(n) + ": " + strings.Join(indexed, ", ")
	}
	return plain
}

// refiners are a table's columns that refineQuery finds and the asker may use;
// none where they can't be found out.
func (s *Session) refiners(ctx context.Context, at *standing, table *catalog.Table) (keys, indexed []string) {
	p, err := s.db.pool(s.login)
	if err != nil {
		return nil, nil
	}
	rows, err := p.Query(ctx, refineQuery, table.OID)
	if err != nil {
		return nil, nil
	}
	type found struct {
		Name      string
		Partition bool
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[found])
	if err != nil {
		return nil, nil
	}
	for _, c := range all {
		name := configs.Spell(c.Name)
		switch {
		case !at.view.Plain(table.Name, c.Name) || slices.Contains(keys, name) || slices.Contains(indexed, name):
		case c.Partition:
			keys = append(keys, name)
		default:
			indexed = append(indexed, name)
		}
	}
	return keys, indexed
}
