package integration

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/jackc/pgx/v5"
)

// TestPreparedBySQL binds by message what PREPARE has made, as psql's \bind_named
// does, with a reload in between; and executes by SQL what a message has made.
func TestPreparedBySQL(t *testing.T) {
	f := secondProxy(t, same)
	ana := f.Connect(t, "ana")
	const products, orders = "SELECT id FROM products", "SELECT a.id FROM orders a, products b"
	want := table(t, ana, orders)
	table(t, ana, "PREPARE capped AS "+orders)
	table(t, ana, "PREPARE gone AS "+products)
	table(t, ana, "PREPARE again AS SELECT 1")
	rows := func(name string) int {
		t.Helper()
		r := ana.PgConn().ExecPrepared(t.Context(), name, nil, nil, nil).Read()
		if r.Err != nil {
			t.Fatal(name, r.Err)
		}
		return len(r.Rows)
	}
	if got := rows("capped"); got != len(want)-1 && got != len(want) || got < 2 {
		t.Errorf("%d rows by Bind, %d by Query", got, len(want))
	}
	if err := ana.PgConn().Deallocate(t.Context(), "again"); err != nil {
		t.Fatal(err)
	}
	if _, err := ana.Prepare(t.Context(), "again", products); err != nil {
		t.Fatal(err)
	}
	if n := len(table(t, ana, "EXECUTE again")); n < 2 {
		t.Errorf("EXECUTE of what a message made: %d rows", n)
	}

	const denied = "deny: [public.payroll"
	edit(t, filepath.Join(filepath.Dir(f.Config), "policy.yaml"), func(text string) string {
		return strings.ReplaceAll(text, denied, denied+", public.products")
	})
	if err := f.Proxy.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return strings.Contains(metrics(t, f), "\npgask_reloads_total{outcome=\"taken\"} 1\n") })
	for _, name := range []string{"gone", "again"} {
		if r := ana.PgConn().ExecPrepared(t.Context(), name, nil, nil, nil).Read(); sqlState(r.Err) != "42501" {
			t.Errorf("Bind of %s after the reload: %v", name, r.Err)
		}
		if e := failure(t, ana, "EXECUTE "+name); e.Code != "42501" {
			t.Errorf("EXECUTE %s after the reload: %s", name, e.Code)
		}
		if got := described(t, ana, name); got != "42501" {
			t.Errorf("Describe of %s after the reload: %s", name, got)
		}
	}
	if got := described(t, ana, "nobody"); got != "26000" {
		t.Errorf("Describe of nothing: %s", got)
	}
}

// described is the SQLSTATE of a Describe of a prepared statement.
func described(t *testing.T, conn *pgx.Conn, name string) string {
	t.Helper()
	front := conn.PgConn().Frontend()
	front.SendDescribe(&pgproto3.Describe{ObjectType: 'S', Name: name})
	front.SendSync(&pgproto3.Sync{})
	if err := front.Flush(); err != nil {
		t.Fatal(err)
	}
	code := "success"
	for {
		m, err := front.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := m.(type) {
		case *pgproto3.ErrorResponse:
			code = m.Code
		case *pgproto3.ReadyForQuery:
			return code
		}
	}
}
