package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// Bounds of a result that is compared with that of another plan.
const (
	comparedRows  = 10_000
	comparedBytes = 4 << 20
	comparedTime  = 10 * time.Second
)

// comparers is how many results of one database may be read at once: preflight has the
// same connections.
const comparers = 2

// results runs plans for the session and gives digests of what comes of them: judged,
// scoped and capped like a statement of the asker's, on a connection of our own, and shown
// to nobody. Nil for forms of ASK that run nothing.
func (s *Session) results(at *standing, ask *stmt.Ask) func(context.Context, *plan.Checked) (string, error) {
	shown := []stmt.Form{stmt.FormRows, stmt.FormMore, stmt.FormNarrate, stmt.FormChart}
	if s.dry || s.db.offline || !slices.Contains(shown, ask.Form) {
		return nil
	}
	return func(ctx context.Context, c *plan.Checked) (string, error) {
		tree, err := s.compile(ctx, c)
		if err != nil {
			return "", err
		}
		a, err := s.judged(ctx, at, stmt.Statement{Tree: tree})
		if err != nil {
			return "", err
		}
		most := comparedTime
		if limit := at.role.Limits.StatementTimeout; limit > 0 {
			most = min(most, limit)
		}
		digest, err := s.db.digest(ctx, s.login, a, most)
		if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
			return "", fmt.Errorf("its result can't be had (%s)", pg.Code) // the message may quote rows
		}
		return digest, err
	}
}

// digest runs an approved SELECT and gives a digest of its rows, whatever their order. An
// empty result has none: that two plans find nothing doesn't show that they are alike.
func (d *Database) digest(ctx context.Context, login auth.Login, a policy.Approved, most time.Duration) (string, error) {
	ctx, stop := context.WithTimeout(ctx, most+most/2)
	defer stop()
	if err := d.comparing.Acquire(ctx, 1); err != nil {
		return "", err
	}
	defer d.comparing.Release(1)
	p, err := d.pool(login)
	if err != nil {
		return "", err
	}
	conn, err := p.Acquire(ctx)
	if err != nil {
		return "", unreachable(d.Name, err)
	}
	defer conn.Release()
	var digest string
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %[1]d; SET LOCAL lock_timeout = %[1]d", most.Milliseconds())); err != nil {
			return err
		}
		result := tx.Conn().PgConn().ExecParams(ctx, a.SQL(), nil, nil, nil, nil)
		if digest, err = multiset(result, a.Facts().Cap); errors.Is(err, errTooLarge) {
			stop() // the rest isn't read: the connection ends
			_, _ = result.Close()
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return digest, nil
}

var (
	errTooLarge = errors.New("its result is too large to compare")
	errNoRows   = errors.New("its result is empty")
)

// multiset is a digest of the rows of a result, of which cap may be shown (0 for all).
func multiset(result *pgconn.ResultReader, cap int64) (string, error) {
	most := int64(comparedRows)
	if cap > 0 {
		most = min(most, cap)
	}
	var rows [][]byte
	size := 0
	for result.NextRow() {
		row := sha256.New()
		for i, v := range result.Values() {
			size += len(v)
			if v == nil {
				row.Write([]byte{0})
				continue
			}
			v = canonical(v, result.FieldDescriptions()[i].DataTypeOID)
			row.Write(binary.AppendUvarint([]byte{1}, uint64(len(v))))
			row.Write(v)
		}
		if rows = append(rows, row.Sum(nil)); int64(len(rows)) > most || size > comparedBytes {
			return "", errTooLarge
		}
	}
	columns := len(result.FieldDescriptions())
	if _, err := result.Close(); err != nil {
		return "", err
	}
	if len(rows) == 0 {
		return "", errNoRows
	}
	slices.SortFunc(rows, bytes.Compare)
	sum := sha256.Sum256(append(binary.AppendUvarint(nil, uint64(columns)), bytes.Join(rows, nil)...))
	return hex.EncodeToString(sum[:]), nil
}

// canonical writes numbers alike that are equal, whatever their type and scale, and to
// the digits that a sum in another order keeps.
func canonical(v []byte, oid uint32) []byte {
	switch oid {
	case pgtype.NumericOID:
		if text := string(v); strings.Contains(text, ".") {
			return []byte(strings.TrimSuffix(strings.TrimRight(text, "0"), "."))
		}
	case pgtype.Float4OID, pgtype.Float8OID:
		digits := map[bool]int{true: 5, false: 12}[oid == pgtype.Float4OID]
		if f, err := strconv.ParseFloat(string(v), 64); err == nil {
			f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'e', digits, 64), 64)
			return strconv.AppendFloat(nil, f, 'f', -1, 64)
		}
	}
	return v
}
