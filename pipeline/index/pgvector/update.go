package pgvector

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgvector/pgvector-go"
	vectortypes "github.com/pgvector/pgvector-go/pgx"

	"github.com/pgask/pgask/pipeline/index"
)

// indexedDimensions is the longest halfvec that an HNSW index takes. Longer ones
// are compared one by one.
const indexedDimensions = 4000

// Update makes the edition while nobody else does: another instance's update of
// the same database is waited for. What an update that died left behind goes with the next.
func (s *Store) Update(ctx context.Context, ed index.Edition, e index.Embedder) (index.Built, error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return index.Built{}, fmt.Errorf("update the index: %w", err)
	}
	defer conn.Release()
	u := &update{ctx: ctx, conn: conn, edition: ed, embedder: e, built: index.Built{Chunks: len(ed.Chunks)}}
	if err := u.run(); err != nil {
		return index.Built{}, fmt.Errorf("update the index: %w", err)
	}
	return u.built, nil
}

// update is one run of Update.
type update struct {
	ctx      context.Context
	conn     *pgxpool.Conn
	edition  index.Edition
	embedder index.Embedder
	built    index.Built
}

func (u *update) run() error {
	if err := setUp(u.ctx, u.conn); err != nil {
		return err
	}
	unlock, err := u.lock()
	if err != nil {
		return err
	}
	defer unlock()
	old, err := current(u.ctx, u.conn, u.edition.Database)
	if err != nil || old != nil && old.digest == u.edition.Digest {
		return err
	}
	if err := u.sweep(); err != nil {
		return err
	}
	next, err := u.fill(old)
	if err != nil {
		return err
	}
	if err := u.change(next); err != nil {
		return err
	}
	u.built.Changed = true
	return u.sweep()
}

// lock waits until no other instance makes an edition of the database. A lock
// that can't be given back ends with its connection.
func (u *update) lock() (unlock func(), err error) {
	const key = "pg_catalog.hashtextextended('pgask index ' || $1, 0)"
	if _, err := u.conn.Exec(u.ctx, "SELECT pg_catalog.pg_advisory_lock("+key+")", u.edition.Database); err != nil {
		return nil, err
	}
	return func() {
		ctx := context.WithoutCancel(u.ctx)
		if _, err := u.conn.Exec(ctx, "SELECT pg_catalog.pg_advisory_unlock("+key+")", u.edition.Database); err != nil {
			_ = u.conn.Conn().Close(ctx)
		}
	}, nil
}

// sweep drops the editions that nobody searches any more; searches that are
// still reading one are waited for.
func (u *update) sweep() error {
	rows, err := u.conn.Query(u.ctx, `SELECT id FROM pgask.index_editions WHERE database OPERATOR(pg_catalog.=) $1 AND NOT current`, u.edition.Database)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := u.conn.Exec(u.ctx, "DROP TABLE IF EXISTS "+edition{id: id}.table()); err != nil {
			return err
		}
		if _, err := u.conn.Exec(u.ctx, "DELETE FROM pgask.index_editions WHERE id OPERATOR(pg_catalog.=) $1", id); err != nil {
			return err
		}
	}
	return nil
}

// digest is what a text is known by.
func digest(text string) string {
	h := sha256.Sum256([]byte(text))
	return string(h[:16])
}

// known are the digests of texts whose vectors the old edition has.
func (u *update) known(old *edition) (map[string]bool, error) {
	if old == nil || old.embedder != u.edition.Embedder {
		return nil, nil
	}
	rows, err := u.conn.Query(u.ctx, "SELECT DISTINCT c.digest FROM "+old.table()+" AS c")
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	out := make(map[string]bool, len(all))
	for _, d := range all {
		out[string(d)] = true
	}
	return out, err
}

// fill makes the next edition's table with its chunks and its index.
func (u *update) fill(old *edition) (*edition, error) {
	known, err := u.known(old)
	if err != nil {
		return nil, err
	}
	next := &edition{digest: u.edition.Digest, embedder: u.edition.Embedder}
	vectors, err := u.embed(known, next)
	if err == nil && len(known) > 0 && next.dimensions != old.dimensions {
		if next.dimensions == 0 { // all are known
			next.dimensions = old.dimensions
		} else { // the same name stands for another model now
			known = nil
			vectors, err = u.embed(nil, next)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := u.announce(next); err != nil {
		return nil, err
	}
	return next, within(u.ctx, u.conn, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if err := u.load(tx, next, vectors); err != nil {
			return err
		}
		if len(known) > 0 {
			if _, err := tx.Exec(u.ctx, fmt.Sprintf(adoptQuery, next.table(), old.table())); err != nil {
				return err
			}
		}
		if next.dimensions > indexedDimensions {
			return nil
		}
		if _, err := tx.Exec(u.ctx, "SELECT pg_catalog.set_config('maintenance_work_mem', '256MB', true)"); err != nil {
			return err
		}
		_, err := tx.Exec(u.ctx, "CREATE INDEX ON "+next.table()+" USING hnsw (embedding halfvec_cosine_ops)")
		return err
	})
}

// adoptQuery takes the vectors of known texts over from the old edition.
const adoptQuery = `
UPDATE %s AS c SET embedding = o.embedding
FROM (SELECT DISTINCT ON (x.digest) x.digest, x.embedding FROM %s AS x) AS o
WHERE c.embedding IS NULL AND o.digest = c.digest`

// embed asks for the vectors of the texts that aren't known, by digest, and
// notes how long they are.
func (u *update) embed(known map[string]bool, next *edition) (map[string][]float32, error) {
	var texts []string
	for _, text := range index.Texts(u.edition.Chunks) {
		if !known[digest(text)] {
			texts = append(texts, text)
		}
	}
	u.built.Embedded = len(texts)
	vectors, err := u.embedder.Documents(u.ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed the schema: %w", err)
	}
	out := make(map[string][]float32, len(texts))
	for i, text := range texts {
		out[digest(text)], next.dimensions = vectors[i], len(vectors[i])
	}
	return out, nil
}

// announce gives the edition its number, in a transaction of its own, so that
// what is left of it is found if this process dies.
func (u *update) announce(next *edition) error {
	return u.conn.QueryRow(u.ctx, `INSERT INTO pgask.index_editions (database, digest, embedder, dimensions, chunks) VALUES ($1, $2, $3, $4, $5) RETURNING id`,
		u.edition.Database, next.digest, next.embedder, next.dimensions, len(u.edition.Chunks)).Scan(&next.id)
}

var chunkColumns = []string{"kind", "schema_name", "table_name", "name", "relation", "digest", "embedding"}

func (u *update) load(tx pgx.Tx, next *edition, vectors map[string][]float32) error {
	if _, err := tx.Exec(u.ctx, "CREATE TABLE "+next.table()+` (kind text NOT NULL, schema_name text NOT NULL, table_name text NOT NULL,
		name text NOT NULL, relation text NOT NULL, digest bytea NOT NULL, embedding halfvec(`+strconv.Itoa(max(next.dimensions, 1))+`))`); err != nil {
		return err
	}
	if err := vectortypes.RegisterTypes(u.ctx, tx.Conn()); err != nil {
		return err
	}
	schema, name, _ := strings.Cut(next.table(), ".")
	_, err := tx.CopyFrom(u.ctx, pgx.Identifier{schema, name}, chunkColumns, pgx.CopyFromSlice(len(u.edition.Chunks), func(i int) ([]any, error) {
		c := u.edition.Chunks[i]
		d := digest(c.Text)
		row := []any{string(c.Kind), c.Table.Schema, c.Table.Table, c.Name, relation(c.Table), []byte(d), nil}
		if v, ok := vectors[d]; ok {
			row[len(row)-1] = pgvector.NewHalfVector(v)
		}
		return row, nil
	}))
	return err
}

// change makes the edition the one that searches read, in one step.
func (u *update) change(next *edition) error {
	return pgx.BeginFunc(u.ctx, u.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(u.ctx, `UPDATE pgask.index_editions SET current = false WHERE database OPERATOR(pg_catalog.=) $1 AND current`, u.edition.Database); err != nil {
			return err
		}
		_, err := tx.Exec(u.ctx, `UPDATE pgask.index_editions SET current = true WHERE id OPERATOR(pg_catalog.=) $1`, next.id)
		return err
	})
}
