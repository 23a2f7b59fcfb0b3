package demo

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/cmd/pgask/demo/company"
	"github.com/pgask/pgask/integration/postgres"
)

// TestComparisons runs the SQL that the tour's answers are compared with: a
// comparison without rows would show nothing.
func TestComparisons(t *testing.T) {
	ctx := context.Background()
	server := postgres.ForTest(t)
	name := server.CreateDatabase(t)
	today := time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)
	err := with(ctx, server.DSN(name), func(conn *pgx.Conn) error {
		if err := company.CreateLogins(ctx, conn, "secret"); err != nil {
			return err
		}
		return company.Generate(company.Seed, today).Load(ctx, conn)
	})
	if err != nil {
		t.Fatal(err)
	}
	direct, err := connect(ctx, server.DSN(name))
	if err != nil {
		t.Fatal(err)
	}
	defer direct.close(ctx)
	for _, s := range steps("2026-03-31") {
		if s.same == "" {
			continue
		}
		got, err := direct.query(ctx, s.same)
		if err != nil || len(got.values) == 0 {
			t.Errorf("%s: %d rows, error %v", s.sql, len(got.values), err)
		}
	}
}
