package integration

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pgask/pgask/policy"
)

// TestFetchFromPortal: a FETCH reads nothing from a portal of the protocol, also where
// that has the name of a cursor that was there before.
func TestFetchFromPortal(t *testing.T) {
	cursors := map[string]string{"c": "c", policy.CursorName("Größe"): `"Größe"`}
	for _, mode := range []string{"session", "transaction"} {
		c := newGovernedWorld(t, mode, indented("search_path: [public]", "tables: {allow: [public.things]}",
			"scopes: [{table: public.things, where: \"tenant_id = :tenant_id\"}]"), `CREATE TABLE things (id int, tenant_id int)`).connect(t)
		for _, explain := range []string{"EXPLAIN SELECT * FROM things", "EXECUTE planned"} {
			for name, cursor := range cursors {
				if _, err := c.PgConn().Prepare(t.Context(), "planned", "EXPLAIN SELECT * FROM things", nil); err != nil {
					t.Fatal(err)
				}
				f := c.PgConn().Frontend()
				query := func(sql string) { f.SendQuery(&pgproto3.Query{String: sql}) }
				query("BEGIN")
				query("SAVEPOINT s")
				query("DECLARE " + cursor + " CURSOR FOR SELECT 1")
				query("ROLLBACK TO s")
				f.SendParse(&pgproto3.Parse{Query: explain})
				f.SendBind(&pgproto3.Bind{DestinationPortal: name})
				f.SendSync(&pgproto3.Sync{})
				query("FETCH ALL FROM " + cursor)
				query("CLOSE " + cursor)
				query("DECLARE " + cursor + " CURSOR FOR SELECT 'mine'")
				query("FETCH ALL FROM " + cursor)
				query("COMMIT")
				query("DEALLOCATE planned")
				if rows, errs := framesUntil(t, f, 11); len(errs) > 0 || !slices.Equal(rows, []string{"mine"}) {
					t.Errorf("%s, %s as %s: rows %q, errors %q", mode, explain, name, rows, errs)
				}
			}
		}
	}
}

// framesUntil reads rows of one column and SQLSTATEs until so many ReadyForQuery.
func framesUntil(t *testing.T, f *pgproto3.Frontend, ready int) (rows, errs []string) {
	t.Helper()
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	for ready > 0 {
		m, err := f.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := m.(type) {
		case *pgproto3.DataRow:
			rows = append(rows, string(m.Values[0]))
		case *pgproto3.ErrorResponse:
			errs = append(errs, m.Code)
		case *pgproto3.ReadyForQuery:
			ready--
		}
	}
	return rows, errs
}
