package pipeline

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgask/pgask/integration/postgres"
)

// TestMultiset compares results as Postgres gives them: the same rows in any order, with
// numbers of any type and scale, and nothing else; what is empty or too large isn't compared.
func TestMultiset(t *testing.T) {
	server := postgres.ForTest(t)
	conn, err := pgconn.Connect(t.Context(), server.DSN(server.CreateDatabase(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	of := func(sql string, cap int64) (string, error) {
		result := conn.ExecParams(t.Context(), sql, nil, nil, nil, nil)
		digest, err := multiset(result, cap)
		if _, failed := result.Close(); failed != nil && err == nil {
			err = failed
		}
		return digest, err
	}
	const rows = "SELECT * FROM (VALUES (1, 'a', NULL), (2, 'b', 'x'), (2, 'b', 'x')) AS v(n, s, t)"
	want, err := of(rows, 0)
	if err != nil {
		t.Fatal(err)
	}
	for sql, same := range map[string]bool{
		rows + " ORDER BY n DESC":                              true,
		"SELECT n AS m, s AS r, t FROM (" + rows + ") v":       true,
		"SELECT n::numeric(9,2), s, t FROM (" + rows + ") v":   true,
		"SELECT n::float8 + 1e-15, s, t FROM (" + rows + ") v": true,
		"SELECT DISTINCT n, s, t FROM (" + rows + ") v":        false,
		"SELECT n, s, coalesce(t, '') FROM (" + rows + ") v":   false,
		"SELECT n, s FROM (" + rows + ") v":                    false,
		"SELECT n, t, s FROM (" + rows + ") v":                 false,
		"SELECT n + 0.001, s, t FROM (" + rows + ") v":         false,
		"SELECT s || n, NULL, t FROM (" + rows + ") v":         false,
	} {
		got, err := of(sql, 3)
		if err != nil || (got == want) != same {
			t.Errorf("%s: the same is %v (%v)", sql, got == want, err)
		}
	}
	for sql, want := range map[string]error{
		rows:                   errTooLarge, // of which two may be shown
		"SELECT 1 WHERE false": errNoRows,
		"SELECT repeat('x', 3000000) FROM generate_series(1, 2)": errTooLarge,
		"SELECT * FROM generate_series(1, 10001)":                errTooLarge,
	} {
		cap := map[string]int64{rows: 2}[sql]
		if _, err := of(sql, cap); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", sql, err, want)
		}
	}
	var pg *pgconn.PgError
	if _, err := of("SELECT 1 / g FROM generate_series(-1, 1) g", 0); !errors.As(err, &pg) || pg.Code != "22012" {
		t.Errorf("an error of the statement: %v", err)
	}
}
