package integration

import (
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestPoolReset sends what asyncpg's pool sends when a connection comes back: as
// a whole it passes, and puts every setting back; its parts alone do not.
func TestPoolReset(t *testing.T) {
	const reset = "SELECT pg_advisory_unlock_all();\nCLOSE ALL;\nUNLISTEN *;\nRESET ALL;"
	for _, mode := range []string{"session", "transaction"} {
		t.Run(mode, func(t *testing.T) {
			w := newGovernedWorld(t, mode, stateRules(), stateSchema()...)
			conn := w.connect(t)
			setting := func(name string) (value string) {
				t.Helper()
				if err := conn.QueryRow(t.Context(), "SHOW "+name, pgx.QueryExecModeSimpleProtocol).Scan(&value); err != nil {
					t.Fatal(err)
				}
				return value
			}
			before := map[string]string{}
			for _, name := range []string{"search_path", "statement_timeout", "default_transaction_read_only", "TimeZone", "client_min_messages", "application_name"} {
				before[name] = setting(name)
			}
			// Twice, since the second message's verdict is looked up.
			for range 2 {
				if _, err := conn.PgConn().Exec(t.Context(), "SET TimeZone = 'Asia/Tokyo'; SET client_min_messages = error; SET statement_timeout = 1000; SET application_name = 'x'").ReadAll(); err != nil {
					t.Fatal(err)
				}
				results, err := conn.PgConn().Exec(t.Context(), reset).ReadAll()
				if err != nil || len(results) != 4 || results[3].CommandTag.String() != "RESET" {
					t.Fatalf("%d results: %v", len(results), err)
				}
				for name, want := range before {
					if got := setting(name); got != want {
						t.Errorf("%s is %q, was %q", name, got, want)
					}
				}
			}
			for _, part := range []string{"RESET ALL", "SELECT pg_advisory_unlock_all()", "CLOSE ALL; UNLISTEN *; RESET ALL", reset + " SELECT 1", reset + reset,
				"SELECT pg_advisory_unlock_all() FROM flat; CLOSE ALL; UNLISTEN *; RESET ALL", "SELECT pg_advisory_lock(1); CLOSE ALL; UNLISTEN *; RESET ALL"} {
				for protocol, send := range protocols() {
					if err := send(conn, part); protocol == "simple" && sqlState(err) != "42501" || err == nil {
						t.Errorf("%s, %s: %v", protocol, part, err)
					}
				}
			}
		})
	}
}
