package integration

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func stateSchema() []string {
	return []string{
		`CREATE TABLE flat (id int PRIMARY KEY, name text)`,
		`INSERT INTO flat SELECT i, 'n' || i FROM generate_series(1, 12) AS i`,
		`CREATE TABLE "Größe" (id int, "a ""b" text)`,
		`INSERT INTO "Größe" VALUES (1, 'ä')`,
		// With public on the search_path this is what name + 1 means.
		`CREATE FUNCTION plus(text, int) RETURNS text LANGUAGE sql AS $$SELECT 'called'$$`,
		`CREATE OPERATOR + (LEFTARG = text, RIGHTARG = int, FUNCTION = plus)`,
	}
}

func stateRules() string {
	return indented("search_path: [public]", "tables: {allow: [public.flat, 'public.\"Größe\"']}", "limits: {rows: 5, explain_rows: 0, statement_timeout: 5s}")
}

// step is a statement with its SQLSTATE, "" for success, and of a success the
// number of rows, -1 for any.
type step struct {
	sql, code string
	rows      int
}

func ok(sql string) step              { return step{sql, "", -1} }
func gives(rows int, sql string) step { return step{sql, "", rows} }
func fails(code, sql string) step     { return step{sql, code, -1} }
func writes(statements ...string) (all []step) {
	for _, sql := range statements {
		all = append(all, fails("25006", sql))
	}
	return all
}

func denied(statements ...string) (all []step) {
	for _, sql := range statements {
		all = append(all, fails("42501", sql))
	}
	return all
}

func stateSequences() map[string][]step {
	return map[string][]step{
		"read only is kept": {
			ok("BEGIN READ ONLY"), gives(5, "TABLE flat"), ok("COMMIT"),
			ok("START TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY, DEFERRABLE"), ok("SET TRANSACTION READ ONLY"), ok("COMMIT AND CHAIN"), ok("ROLLBACK"),
			ok("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE"), ok("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"),
			ok("SET transaction_read_only = on"), ok("SET default_transaction_read_only = true"), ok("RESET default_transaction_read_only"),
		},
		"read write is refused": append(writes("BEGIN READ WRITE", "START TRANSACTION READ WRITE", "SET TRANSACTION READ WRITE",
			"SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE", "SET transaction_read_only = off", "SET default_transaction_read_only TO 'off'",
			"SET LOCAL transaction_read_only = false"),
			ok("BEGIN"), fails("25006", "SET TRANSACTION READ WRITE"), fails("25P02", "SELECT 1"), ok("ROLLBACK")),
		"savepoints": {
			fails("25P01", "SAVEPOINT a"), ok("BEGIN"), ok("SAVEPOINT a"), fails("22012", "SELECT 1 / (id - id) FROM flat"), fails("25P02", "SELECT 1"), ok("ROLLBACK TO a"), gives(1, "SELECT 1"),
			ok(`SAVEPOINT "Größe ""x"`), fails("42501", "SELECT nothing FROM flat"), ok(`ROLLBACK TO SAVEPOINT "Größe ""x"`), ok(`RELEASE "Größe ""x"`),
			fails("3B001", "ROLLBACK TO nowhere"), ok("ROLLBACK TO a"), ok("RELEASE SAVEPOINT a"), ok("COMMIT"),
		},
		"cursors": {
			fails("25P01", "DECLARE c CURSOR FOR SELECT 1"), ok("BEGIN"),
			ok("DECLARE c SCROLL CURSOR FOR SELECT id FROM flat"), gives(2, "FETCH 2 FROM c"), gives(0, "MOVE 1 FROM c"), gives(1, "FETCH NEXT FROM c"), gives(1, "FETCH PRIOR FROM c"), ok("CLOSE c"),
			ok(`DECLARE "Größe ""1" CURSOR FOR SELECT "a ""b" FROM "Größe"`), gives(1, `FETCH ALL IN "Größe ""1"`), ok(`CLOSE "Größe ""1"`), fails("34000", `FETCH 1 FROM "Größe ""1"`), ok("ROLLBACK"),
			ok("BEGIN"), ok("DECLARE c CURSOR FOR TABLE flat"), gives(3, "FETCH 3 FROM c"), gives(2, "FETCH 9 FROM c"), gives(0, "FETCH 9 FROM c"), ok("CLOSE ALL"), ok("ROLLBACK"),
			ok("BEGIN"), fails("42501", "DECLARE c CURSOR FOR SELECT nothing FROM flat"), ok("ROLLBACK"),
			fails("0A000", "DECLARE c CURSOR WITH HOLD FOR SELECT 1"), fails("34000", "FETCH c"), fails("34000", "CLOSE nothing"),
			ok("BEGIN"), ok("DECLARE c CURSOR FOR SELECT 1"), fails("42P03", "DECLARE c CURSOR FOR SELECT 1"), ok("ROLLBACK"),
			ok("BEGIN"), ok("DECLARE c NO SCROLL CURSOR FOR SELECT 1"), gives(1, "FETCH c"), fails("55000", "FETCH BACKWARD 1 FROM c"), ok("ROLLBACK"),
		},
		"prepared statements": {
			ok("PREPARE p(int, text) AS SELECT id FROM flat WHERE id = $1 OR name = $2"), gives(2, "EXECUTE p(1, 'n2')"), gives(1, "EXECUTE p(1 + 2, NULL)"), gives(1, "EXECUTE p(4, lower('X'))"), fails("0A000", "EXECUTE p((SELECT 4), 'x')"),
			fails("22P02", "EXECUTE p('x', 'y')"), fails("42601", "EXECUTE p(1)"), fails("42501", "EXECUTE p(pg_backend_pid(), 'x')"), fails("42P05", "PREPARE p AS SELECT 1"),
			ok("DEALLOCATE p"), fails("26000", "EXECUTE p(1, 'x')"), fails("26000", "DEALLOCATE p"),
			ok(`PREPARE "P ö" AS TABLE "Größe"`), gives(1, `EXECUTE "P ö"`), ok(`DEALLOCATE PREPARE "P ö"`),
			ok("PREPARE p AS VALUES (1), (2)"), gives(2, "EXECUTE p"), ok("DEALLOCATE ALL"), fails("26000", "EXECUTE p"),
			fails("25006", "PREPARE w AS DELETE FROM flat"), fails("25006", "PREPARE w AS INSERT INTO flat VALUES (1)"), fails("25006", "CREATE TABLE t AS EXECUTE p"),
		},
		"explain": {
			ok("EXPLAIN SELECT id FROM flat"), ok("EXPLAIN (FORMAT JSON) TABLE flat"), ok("EXPLAIN (COSTS off, ANALYZE off, FORMAT YAML) SELECT 1"),
			fails("0A000", "EXPLAIN ANALYZE SELECT 1"), fails("0A000", "EXPLAIN (ANALYZE) SELECT 1"), fails("0A000", "EXPLAIN (ANALYZE true, COSTS off) SELECT 1"), fails("0A000", "EXPLAIN VERBOSE SELECT 1"),
			fails("0A000", "EXPLAIN (SETTINGS) SELECT 1"), fails("0A000", "EXPLAIN EXECUTE p"), fails("0A000", "EXPLAIN DECLARE c CURSOR FOR SELECT 1"),
			fails("25006", "EXPLAIN DELETE FROM flat"), fails("0A000", "EXPLAIN ANALYZE INSERT INTO flat VALUES (1)"), fails("25006", "EXPLAIN CREATE TABLE t AS SELECT 1"),
		},
		"settings": {
			ok("SET TimeZone TO 'Asia/Tokyo'"), ok("SET TIME ZONE 'UTC'"), ok("SET TIME ZONE DEFAULT"), ok("SET DateStyle = ISO, DMY"), ok("SET NAMES 'UTF8'"), ok("SET client_encoding TO 'utf-8'"),
			ok("SET extra_float_digits = 3"), ok("SET application_name = 'it''s'"), ok("SET bytea_output = escape"), ok("SET IntervalStyle TO iso_8601"), ok("SET client_min_messages = error"),
			ok("SET statement_timeout = 1000"), fails("42501", "SET statement_timeout = 0"), fails("42501", "SET statement_timeout = '6s'"), fails("42501", "RESET statement_timeout"), fails("42501", "SET LOCAL statement_timeout TO DEFAULT"), ok("SET search_path = public"), ok("SET search_path TO DEFAULT"),
			gives(1, "SHOW search_path"), gives(1, "SHOW TimeZone"), gives(1, "SHOW TRANSACTION ISOLATION LEVEL"), gives(1, "SHOW server_version"),
			ok("DISCARD PLANS"), ok("DISCARD SEQUENCES"), ok("DISCARD TEMP"), ok("DISCARD ALL"), ok("UNLISTEN *"), ok(`UNLISTEN "Größe"`),
		},
		"settings that are refused": denied("SET search_path = pg_catalog, public", "SET work_mem = '1GB'", "SET ROLE postgres", `SET ROLE "Größe"`, "SET SESSION AUTHORIZATION postgres",
			"SET session_replication_role = replica", "SET row_security = off", "SET standard_conforming_strings = off", "SET client_encoding = 'LATIN1'", "SET my.setting = 1",
			"SET backslash_quote = on", "SET client_min_messages = debug5", "SHOW ALL", "SHOW data_directory", "SHOW hba_file", "RESET work_mem",
			"SET ROLE NONE", "RESET ROLE", "RESET SESSION AUTHORIZATION", "SET SESSION AUTHORIZATION DEFAULT", "RESET ALL",
			"SET TRANSACTION SNAPSHOT '00000003-0000001B-1'", "SET search_path FROM CURRENT"),
		"what writes": writes("INSERT INTO flat VALUES (99)", "UPDATE flat SET id = 1", "DELETE FROM flat", "TRUNCATE flat", "MERGE INTO flat USING flat AS s ON true WHEN MATCHED THEN DELETE",
			"CREATE TABLE t (id int)", "CREATE TEMP TABLE t (id int)", "CREATE TEMPORARY TABLE t AS SELECT 1", "SELECT 1 INTO t", "SELECT 1 INTO TEMP t", `CREATE TABLE "Größe 2" (id int)`, "DROP TABLE flat",
			"ALTER TABLE flat ADD x int", "CREATE VIEW v AS SELECT 1", "CREATE INDEX ON flat (name)", "VACUUM", "VACUUM flat", "ANALYZE", "ANALYZE flat", "REINDEX TABLE flat", "CLUSTER", "COMMENT ON TABLE flat IS 'x'",
			"SECURITY LABEL ON TABLE flat IS 'x'", "GRANT SELECT ON flat TO public", "CREATE ROLE x", "ALTER SYSTEM SET work_mem = 1", "REFRESH MATERIALIZED VIEW v", "COPY flat FROM STDIN",
			"SELECT * FROM flat FOR UPDATE", "SELECT * FROM flat FOR KEY SHARE", "WITH d AS (DELETE FROM flat RETURNING *) SELECT * FROM d", "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "CREATE EXTENSION x"),
		"what else is refused": append(denied("LISTEN c", `LISTEN "Größe"`, "NOTIFY c", "NOTIFY c, 'x'", "DO $$BEGIN END$$", "DO LANGUAGE plpgsql 'BEGIN END'", "CALL f()", "LOCK flat", `LOCK TABLE "Größe" IN SHARE MODE`,
			"CHECKPOINT", "LOAD 'x'", "SET CONSTRAINTS ALL DEFERRED", "PREPARE TRANSACTION 'x'", "COMMIT PREPARED 'x'", "COPY (SELECT 1) TO '/tmp/x'", "COPY (SELECT 1) TO PROGRAM 'x'"),
			fails("42601", "LISTEN"), fails("42601", "SELEC 1")),
	}
}

// TestSessionState plays these by both protocols and through both kinds of pool,
// each on a session of its own.
func TestSessionState(t *testing.T) {
	for _, mode := range []string{"session", "transaction"} {
		w := newGovernedWorld(t, mode, stateRules(), stateSchema()...)
		for name, steps := range stateSequences() {
			for protocol, send := range protocols() {
				t.Run(mode+"/"+protocol+"/"+name, func(t *testing.T) {
					conn := w.connect(t)
					for _, s := range steps {
						playStep(t, conn, s, protocol, send)
					}
				})
			}
		}
	}
}

func playStep(t *testing.T, conn *pgx.Conn, s step, protocol string, send func(*pgx.Conn, string) error) {
	t.Helper()
	want := s.code
	if want == "" {
		want = "success"
	}
	if s.rows < 0 {
		if got := sqlState(send(conn, s.sql)); got != want {
			t.Errorf("%s: %s, want %s", s.sql, got, want)
		}
		return
	}
	var rows int
	if protocol == "simple" {
		lines, err := tryTable(conn, s.sql)
		if err != nil {
			t.Errorf("%s: %v", s.sql, err)
			return
		}
		rows = len(lines)
	} else {
		r := conn.PgConn().ExecParams(t.Context(), s.sql, nil, nil, nil, nil).Read()
		if r.Err != nil {
			t.Errorf("%s: %v", s.sql, r.Err)
			return
		}
		rows = len(r.Rows)
	}
	if rows != s.rows {
		t.Errorf("%s: %d rows, want %d", s.sql, rows, s.rows)
	}
}

// TestPinnedSettings cleans a session up in the ways of pools and drivers, and
// wants everything pinned afterwards: what Postgres sees, not what SHOW says.
func TestPinnedSettings(t *testing.T) {
	for _, mode := range []string{"session", "transaction"} {
		w := newGovernedWorld(t, mode, stateRules(), stateSchema()...)
		conn := w.connect(t)
		for clean, timeout := range map[string]string{"DISCARD ALL": "5s", "SET search_path TO DEFAULT": "1s", "RESET search_path": "1s",
			"DISCARD TEMP": "1s", "DISCARD PLANS": "1s", "RESET default_transaction_read_only": "1s", "CLOSE ALL; UNLISTEN *; DISCARD SEQUENCES": "1s", "SELECT 1": "1s"} {
			table(t, conn, "SET statement_timeout = '1s'")
			if err := protocols()["simple"](conn, clean); err != nil {
				t.Errorf("%s, %s: %v", mode, clean, err)
			}
			for name, want := range map[string]string{"transaction_read_only": "on", "default_transaction_read_only": "on", "statement_timeout": timeout, "search_path": "public", "standard_conforming_strings": "on"} {
				if got := table(t, conn, "SHOW "+name); len(got) != 1 || got[0] != want {
					t.Errorf("%s, %s: %s is %q, want %s", mode, clean, name, got, want)
				}
			}
			if got := sqlState(protocols()["simple"](conn, "SELECT name + 1 FROM flat")); got != "42883" {
				t.Errorf("%s, %s: the backend's search_path finds more than it should: %s", mode, clean, got)
			}
		}
		table(t, w.direct, "SELECT name + 1 FROM flat LIMIT 1") // with public on the path it is found
	}
}

// TestSeveralStatements wants of a message of several statements what Postgres
// does: one transaction, and nothing behind an error.
func TestSeveralStatements(t *testing.T) {
	for _, mode := range []string{"session", "transaction"} {
		conn := newGovernedWorld(t, mode, stateRules(), stateSchema()...).connect(t)
		for _, c := range []struct {
			sql, code string
			results   int
			status    byte
		}{
			{"SELECT 1; SELECT id FROM flat; SELECT 3", "success", 3, 'I'},
			{"SELECT 1; SELECT 1 / (id - id) FROM flat; SELECT 3", "22012", 1, 'I'},
			{"BEGIN; SELECT 1; SELECT 1 / (id - id) FROM flat; ROLLBACK", "22012", 2, 'E'},
			{"ROLLBACK; SELECT 1", "success", 2, 'I'},
			{"BEGIN; SELECT 1", "success", 2, 'T'},
			{"COMMIT; DELETE FROM flat", "25006", 0, 'E'},
			{"ROLLBACK; BEGIN; DECLARE c CURSOR FOR SELECT id FROM flat; FETCH 2 FROM c; CLOSE c; COMMIT", "success", 6, 'I'},
			{"DECLARE c CURSOR FOR SELECT id FROM flat; FETCH 2 FROM c", "success", 2, 'I'},
			{"SELECT 1; SELECT nothing FROM flat", "42501", 0, 'I'},
			{"PREPARE p AS SELECT 1; EXECUTE p; DEALLOCATE p; SELECT 1;;", "success", 4, 'I'},
			{"SAVEPOINT a", "25P01", 0, 'I'},
			{";", "success", 1, 'I'},
			{"SET TimeZone = 'Asia/Tokyo'; SHOW TimeZone", "success", 2, 'I'},
		} {
			results, err := conn.PgConn().Exec(t.Context(), c.sql).ReadAll()
			good := 0
			for _, r := range results {
				if r.Err == nil {
					good++
				}
			}
			if got := sqlState(err); got != c.code || good != c.results || conn.PgConn().TxStatus() != c.status {
				t.Errorf("%s, %s: %s, %d results, status %c", mode, c.sql, got, good, conn.PgConn().TxStatus())
			}
		}
	}
}

// TestCopyOut compares COPY TO STDOUT in all formats with Postgres's, of queries and
// of tables.
func TestCopyOut(t *testing.T) {
	w := newGovernedWorld(t, "session", stateRules(), stateSchema()...)
	conn := w.connect(t)
	copied := func(conn *pgx.Conn, sql string) string {
		t.Helper()
		var b bytes.Buffer
		tag, err := conn.PgConn().CopyTo(t.Context(), &b, sql)
		return fmt.Sprintf("%q %s %v", b.String(), tag, err)
	}
	for _, options := range []string{"", "CSV HEADER", "BINARY", "WITH (FORMAT text, DELIMITER '|', NULL 'none')", "WITH (FORMAT csv, HEADER true, QUOTE '''', ESCAPE '\\', FORCE_QUOTE (name))",
		"WITH (FORMAT csv, FORCE_QUOTE *)", "WITH (FORMAT binary)", "WITH (ENCODING 'UTF8')", "WITH DELIMITER AS ';' NULL AS ''"} {
		for _, query := range []string{"SELECT id, name FROM flat WHERE id < 4 ORDER BY id", "SELECT id, name FROM flat WHERE id < 6 ORDER BY id", "SELECT id, name FROM flat WHERE id < 0", "VALUES (1, NULL)"} {
			if strings.Contains(options, "(name)") && query[0] == 'V' {
				continue
			}
			sql := "COPY (" + query + ") TO STDOUT " + options
			if got, want := copied(conn, sql), copied(w.direct, sql); got != want {
				t.Errorf("%s\ngot  %s\nwant %s", sql, got, want)
			}
		}
		for _, table := range []string{`"Größe"`, `"Größe" ("a ""b")`} {
			if strings.Contains(options, "(name)") {
				continue
			}
			sql := "COPY " + table + " TO STDOUT " + options
			if got, want := copied(conn, sql), copied(w.direct, sql); got != want {
				t.Errorf("%s\ngot  %s\nwant %s", sql, got, want)
			}
		}
		cut, whole := "COPY (SELECT id, name FROM flat ORDER BY id) TO STDOUT "+options, "COPY (SELECT id, name FROM flat ORDER BY id LIMIT 5) TO STDOUT "+options
		if got, want := copied(conn, cut), copied(w.direct, whole); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", cut, got, want)
		}
	}
	for _, sql := range []string{"COPY (SELECT 1) TO STDOUT (FORMAT nothing)", "COPY (SELECT 1) TO STDOUT (ENCODING 'LATIN1')", "COPY (SELECT 1) TO STDOUT (NOTHING true)"} {
		if got := copied(conn, sql); !strings.Contains(got, "0A000") {
			t.Errorf("%s: %s", sql, got)
		}
	}
}
