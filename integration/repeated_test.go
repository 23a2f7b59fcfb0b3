package integration

import (
	"fmt"
	"testing"
)

// TestRepeated: a text that comes again and again, and is therefore executed by a
// statement that Postgres was given before, means what it means now: as many rows
// as the table has, counted and cut, in the settings and the session at hand.
func TestRepeated(t *testing.T) {
	for _, truncates := range []string{"notice", "error"} {
		for _, mode := range []string{"session", "transaction"} {
			t.Run(truncates+", "+mode, func(t *testing.T) {
				rules := indented("tables: {allow: [public.*]}", "functions: {allow: [public.style]}",
					fmt.Sprintf("limits: {rows: 2, on_truncate: %s}", truncates), `scopes: [{table: public.t, where: "tenant = :tenant_id"}]`)
				w := newGovernedWorld(t, mode, rules, "CREATE TABLE t (tenant int, x float8)", "INSERT INTO t VALUES (1, 0.1), (2, 0.1)",
					"CREATE FUNCTION style(text) RETURNS text LANGUAGE sql AS $$SELECT set_config('extra_float_digits', $1, false)$$")
				conn := w.connect(t)
				for protocol, send := range protocols() {
					rows := func(sql string, want int, code string) {
						t.Helper()
						for i := range 5 {
							err := send(conn, sql)
							if err != nil && sqlState(err) != code || err == nil && code != "" {
								t.Errorf("%s, %s, %d: %v", protocol, sql, i, err)
							}
							last := receipt(t, conn)
							if code == "" && last["rows"] != fmt.Sprint(want) {
								t.Errorf("%s, %s, %d: %v", protocol, sql, i, last)
							}
						}
					}
					rows("SELECT x FROM t", 1, "")
					for _, n := range []int{1, 2} {
						if _, err := w.direct.Exec(t.Context(), "INSERT INTO t VALUES (1, 0.2)"); err != nil {
							t.Fatal(err)
						}
						code := ""
						if n == 2 && truncates == "error" {
							code = "PA011"
						}
						rows("SELECT x FROM t", 2, code)
					}
					if _, err := w.direct.Exec(t.Context(), "DELETE FROM t WHERE x = 0.2"); err != nil {
						t.Fatal(err)
					}
					rows("SELECT x FROM t", 1, "")
				}
				for _, digits := range []string{"1", "-10", "1"} {
					value := ""
					if err := conn.QueryRow(t.Context(), "SELECT style('"+digits+"')").Scan(&value); err != nil {
						t.Fatal(err)
					}
					want := map[string]string{"1": "0.30000000000000004", "-10": "0.3"}[digits]
					for range 4 {
						results, err := conn.PgConn().Exec(t.Context(), "SELECT (0.1::float8 + 0.2::float8)::text FROM t").ReadAll()
						if err != nil || string(results[0].Rows[0][0]) != want {
							t.Errorf("%s digits: %q %v", digits, results[0].Rows, err)
						}
					}
				}
			})
		}
	}
}
