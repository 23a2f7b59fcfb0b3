package integration

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// refusal is a statement of ana's that must not get through. MARK in it becomes
// a word that is nowhere else, to look for in Postgres's log.
type refusal struct {
	sql, code string
}

func refusals() []refusal {
	return []refusal{
		{"SELECT salary AS MARK FROM payroll", "42501"},
		{"SELECT tax_id AS MARK FROM accounts", "42501"},
		{"SELECT a.tax_id AS MARK FROM accounts a JOIN orders o ON o.account_id = a.id", "42501"},
		{"SELECT count(*) AS MARK FROM accounts WHERE tax_id LIKE 'DE%'", "42501"},
		{"DELETE FROM orders WHERE currency = 'MARK'", "25006"},
		{"UPDATE accounts SET tenant_id = 1 WHERE name = 'MARK'", "25006"},
		{"INSERT INTO products VALUES (99, 'MARK', 'x', 1)", "25006"},
		{"WITH d AS (DELETE FROM orders WHERE currency = 'MARK' RETURNING 1) SELECT * FROM d", "25006"},
		{"SELECT pg_read_file('MARK')", "42501"},
		{"SELECT query_to_xml('select ''MARK'' from payroll', true, true, '')", "42501"},
		{"SELECT nextval('MARK')", "42501"},
		{"SELECT no_such_column AS MARK FROM accounts", "42501"},
		{"SELECT 1 AS MARK FROM no_such_table", "42501"},
		{"SELECT 'MARK' FRO accounts", "42601"},
		{"ASK MARK", "42601"},
	}
}

// TestRefusals sends each refusal by both protocols, in and out of a
// transaction, and then looks into Postgres's log.
func TestRefusals(t *testing.T) {
	f := acme(t)
	mark := "mark_" + strings.ToLower(rand.Text())
	conn := f.Connect(t, "ana")
	for _, r := range refusals() {
		sql := strings.ReplaceAll(r.sql, "MARK", mark)
		for name, send := range protocols() {
			t.Run(name+"/"+r.sql, func(t *testing.T) {
				if got := sqlState(send(conn, sql)); got != r.code {
					t.Errorf("SQLSTATE %s, want %s", got, r.code)
				}
				if status := conn.PgConn().TxStatus(); status != 'I' {
					t.Errorf("transaction status %c after a refusal", status)
				}
				insideTransaction(t, conn, sql, r.code, send)
			})
		}
	}
	nothingArrived(t, f, mark)
}

// protocols are the ways to send a statement.
func protocols() map[string]func(*pgx.Conn, string) error {
	return map[string]func(*pgx.Conn, string) error{
		"simple": func(c *pgx.Conn, sql string) error {
			_, err := c.PgConn().Exec(context.Background(), sql).ReadAll()
			return err
		},
		"extended": func(c *pgx.Conn, sql string) error {
			return c.PgConn().ExecParams(context.Background(), sql, nil, nil, nil, nil).Read().Err
		},
	}
}

// insideTransaction wants the refusal to fail the transaction, as an error of
// Postgres does.
func insideTransaction(t *testing.T, conn *pgx.Conn, sql, code string, send func(*pgx.Conn, string) error) {
	t.Helper()
	for _, step := range []struct {
		sql, code string
		status    byte
	}{
		{"BEGIN", "success", 'T'},
		{"SELECT count(*) FROM products", "success", 'T'},
		{sql, code, 'E'},
		{"SELECT 1", "25P02", 'E'},
		{"ROLLBACK", "success", 'I'},
	} {
		if got := sqlState(send(conn, step.sql)); got != step.code {
			t.Errorf("in a transaction, %s: SQLSTATE %s, want %s", step.sql, got, step.code)
		}
		if status := conn.PgConn().TxStatus(); status != step.status {
			t.Errorf("in a transaction, %s: status %c, want %c", step.sql, status, step.status)
		}
	}
}

// TestWriteBehindSemicolon wants nothing of a simple query to run when one of
// its statements is refused.
func TestWriteBehindSemicolon(t *testing.T) {
	f := acme(t)
	mark := "mark_" + strings.ToLower(rand.Text())
	conn := f.Connect(t, "ana")
	results, err := conn.PgConn().Exec(t.Context(), "SELECT 'one'; DELETE FROM orders WHERE currency = '"+mark+"'").ReadAll()
	if sqlState(err) != "25006" || len(results) != 0 {
		t.Errorf("SQLSTATE %s with %d results", sqlState(err), len(results))
	}
	nothingArrived(t, f, mark)
}

// TestReadWrite refuses every form that would make a transaction writable.
func TestReadWrite(t *testing.T) {
	f := acme(t)
	for _, sql := range []string{
		"BEGIN READ WRITE", "START TRANSACTION READ WRITE", "BEGIN; SET TRANSACTION READ WRITE",
		"SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE", "SET transaction_read_only = off",
		"SET default_transaction_read_only = off", "SET SESSION default_transaction_read_only TO false", "RESET ALL", "DISCARD ALL",
		"SET ROLE pgask_owner", "RESET SESSION AUTHORIZATION", "SELECT set_config('transaction_read_only', 'off', false)",
	} {
		t.Run(sql, func(t *testing.T) {
			conn := f.Connect(t, "ana")
			_, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
			if got := sqlState(err); got != "25006" && got != "42501" && got != "success" {
				t.Errorf("SQLSTATE %s", got)
			}
			var readOnly string
			if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
				t.Fatal(err)
			}
			err = conn.QueryRow(t.Context(), "SHOW transaction_read_only", pgx.QueryExecModeSimpleProtocol).Scan(&readOnly)
			if err != nil || readOnly != "on" {
				t.Errorf("afterwards transaction_read_only is %q (error %v)", readOnly, err)
			}
		})
	}
	refused := f.Connect(t, "ana")
	for _, sql := range []string{"BEGIN READ WRITE", "SET transaction_read_only = off"} {
		if got := sqlState(protocols()["simple"](refused, sql)); got != "25006" && got != "42501" {
			t.Errorf("%s: SQLSTATE %s", sql, got)
		}
	}
}

// nothingArrived looks for a word in Postgres's log. Where it found nothing, a
// statement that does arrive must be found, or the looking was no good.
func nothingArrived(t *testing.T, f *fixture, mark string) {
	t.Helper()
	direct := f.Direct(t)
	table(t, direct, "select 'seen "+mark[:12]+"'")
	log, err := f.Server.Log(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log, "seen "+mark[:12]) {
		t.Error("the log doesn't have what arrived")
	}
	for line := range strings.Lines(log) {
		if strings.Contains(line, mark) {
			t.Errorf("arrived: %s", line)
		}
	}
}
