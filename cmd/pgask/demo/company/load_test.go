package company_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/cmd/pgask/demo/company"
	"github.com/pgask/pgask/integration/postgres"
)

// TestLoad loads the company and sees who may read what.
func TestLoad(t *testing.T) {
	ctx := context.Background()
	server := postgres.ForTest(t)
	name := server.CreateDatabase(t)
	conn, err := pgx.Connect(ctx, server.DSN(name))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if err := company.CreateLogins(ctx, conn, "it's secret"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	c := company.Generate(company.Seed, time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC))
	if err := c.Load(ctx, conn); err != nil {
		t.Fatal(err)
	}
	t.Logf("generated and loaded in %v", time.Since(began))
	for _, table := range c.Tables() {
		var rows int
		if err := conn.QueryRow(ctx, "select count(*) from "+table.Name).Scan(&rows); err != nil || rows != table.Rows {
			t.Errorf("%s: %d rows, want %d (error %v)", table.Name, rows, table.Rows, err)
		}
	}
	checkGrants(t, server.UserDSN(name, company.Reader, "it's secret"))
	checkGrants(t, server.UserDSN(name, company.Proxy, "it's secret"))
	checkOwner(t, server.UserDSN(name, company.Owner, "it's secret"))
}

func checkGrants(t *testing.T, dsn string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for sql, allowed := range map[string]bool{
		"select count(*) from accounts": true, "select count(*) from order_items": true,
		"select count(*) from payroll":                        false,
		"set transaction_read_only = off; delete from orders": false, "create temp table t ()": false,
	} {
		if _, err := conn.Exec(ctx, sql); (err == nil) != allowed {
			t.Errorf("%s: %s: error %v, want allowed %v", conn.Config().User, sql, err, allowed)
		}
	}
}

func checkOwner(t *testing.T, dsn string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	var owned int
	var monitor bool
	err = conn.QueryRow(ctx, `select count(*), pg_has_role('pg_read_all_stats', 'usage')
		from pg_tables where schemaname = 'public' and tableowner = current_user`).Scan(&owned, &monitor)
	if err != nil || owned != 7 || !monitor {
		t.Errorf("owns %d tables, reads all statistics: %v, error %v", owned, monitor, err)
	}
}
