package integration

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

// TestReloadOpen takes a table away while statements that read it are prepared,
// by message and by SQL, and while cursors and portals are open, in both modes of
// pools. What is prepared is judged again whenever it is used; what was opened is
// running, as with Postgres's REVOKE, and ends with its transaction.
func TestReloadOpen(t *testing.T) {
	for _, mode := range []string{"session", "transaction"} {
		t.Run(mode, func(t *testing.T) {
			f := secondProxy(t, func(text string) string { return strings.Replace(text, "mode: session", "mode: "+mode, 1) })
			const products = "SELECT id FROM products ORDER BY id"
			prepared, cursor, portal := f.Connect(t, "ana"), f.Connect(t, "ana"), f.Connect(t, "ana")
			if _, err := prepared.Prepare(t.Context(), "message", products); err != nil {
				t.Fatal(err)
			}
			table(t, prepared, "PREPARE text AS "+products)
			if n := len(table(t, prepared, "EXECUTE text")); n < 2 {
				t.Fatalf("%d products", n)
			}
			table(t, cursor, "BEGIN")
			table(t, cursor, "DECLARE c CURSOR FOR "+products)
			table(t, cursor, "FETCH 1 FROM c")
			table(t, portal, "BEGIN")
			front := portal.PgConn().Frontend()
			front.SendParse(&pgproto3.Parse{Query: products})
			front.SendBind(&pgproto3.Bind{DestinationPortal: "x"})
			if got := executed(t, front); got != "row" {
				t.Fatalf("the portal's first row: %s", got)
			}

			edit(t, filepath.Join(filepath.Dir(f.Config), "policy.yaml"), func(text string) string {
				return strings.ReplaceAll(text, "deny: [public.payroll", "deny: [public.payroll, public.products")
			})
			f.Proxy.signal(t, syscall.SIGHUP)
			waitFor(t, func() bool { return strings.Contains(metrics(t, f), "\npgask_reloads_total{outcome=\"taken\"} 1\n") })

			if r := prepared.PgConn().ExecPrepared(t.Context(), "message", nil, nil, nil).Read(); sqlState(r.Err) != "42501" {
				t.Errorf("Bind: %v", r.Err)
			}
			for _, sql := range []string{"EXECUTE text", products} {
				if e := failure(t, prepared, sql); e.Code != "42501" {
					t.Errorf("%s: %s", sql, e.Code)
				}
			}
			if n := len(table(t, cursor, "FETCH 1 FROM c")); n != 1 {
				t.Errorf("the cursor gave %d rows", n)
			}
			if got := executed(t, front); got != "row" {
				t.Errorf("the portal's second row: %s", got)
			}
			for name, conn := range map[string]*pgx.Conn{"cursor": cursor, "portal": portal} {
				table(t, conn, "ROLLBACK")
				table(t, conn, "BEGIN")
				if e := failure(t, conn, "DECLARE c CURSOR FOR "+products); e.Code != "42501" {
					t.Errorf("%s: a new cursor: %s", name, e.Code)
				}
			}
		})
	}
}

// executed runs a portal x for one more row, and says what came: row or an
// SQLSTATE.
func executed(t *testing.T, front *pgproto3.Frontend) string {
	t.Helper()
	front.SendExecute(&pgproto3.Execute{Portal: "x", MaxRows: 1})
	front.SendSync(&pgproto3.Sync{})
	if err := front.Flush(); err != nil {
		t.Fatal(err)
	}
	got := "nothing"
	for {
		m, err := front.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := m.(type) {
		case *pgproto3.DataRow:
			got = "row"
		case *pgproto3.ErrorResponse:
			got = m.Code
		case *pgproto3.ReadyForQuery:
			return got
		}
	}
}
