package transaction_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/proxy/transaction"
)

// left lists what a session holds that the next one would find. Every
// transaction sets transaction_% anew.
const left = `SELECT 'prepared statement' FROM pg_prepared_statements
	UNION ALL SELECT 'channel' FROM pg_listening_channels()
	UNION ALL SELECT 'lock' FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
	UNION ALL SELECT 'cursor' FROM pg_cursors WHERE is_holdable
	UNION ALL SELECT 'temporary relation' FROM pg_class WHERE relnamespace = pg_my_temp_schema() AND relkind <> 't'
	UNION ALL SELECT 'role' WHERE current_user <> session_user
	UNION ALL SELECT 'authorization' WHERE session_user <> 'postgres'
	UNION ALL SELECT 'my.thing' WHERE current_setting('my.thing', true) <> ''
	UNION ALL SELECT 'setting ' || name FROM pg_settings WHERE source = 'session' AND name !~ '^transaction_'`

// commands are the grammar's statements: those that leave something, their
// look-alikes that don't, and some that undo.
var commands = []string{
	"PREPARE a AS SELECT 1", "PREPARE b (int) AS SELECT $1", "EXECUTE a", "DEALLOCATE a", "DEALLOCATE ALL", "DEALLOCATE PREPARE ALL", "DISCARD ALL", "DISCARD TEMP",
	"LISTEN a", "UNLISTEN a", "UNLISTEN *", "NOTIFY a, 'LISTEN b'", "LOAD 'plpgsql'", "BEGIN", "START TRANSACTION READ WRITE", "COMMIT", "COMMIT AND CHAIN", "ROLLBACK",
	"CREATE TEMP TABLE a (b int)", "CREATE TEMPORARY TABLE IF NOT EXISTS a AS SELECT 1 AS b", "CREATE LOCAL TEMP TABLE a (b int) ON COMMIT DELETE ROWS",
	"CREATE TEMP TABLE a (b int) ON COMMIT DROP", "CREATE TABLE pg_temp.a (b int)", `CREATE TABLE "pg_temp".a (b int)`, "SELECT 1 AS b INTO TEMP a", "SELECT 1 AS b INTO TEMP TABLE a",
	"SELECT 1 AS b INTO LOCAL TEMPORARY a", "CREATE TEMP SEQUENCE s", "CREATE OR REPLACE TEMP VIEW v AS SELECT 1", "CREATE OR REPLACE VIEW pg_temp.v AS SELECT 1", "DROP TABLE a",
	"SET search_path = pg_temp; CREATE TABLE a (b int)", "SET LOCAL search_path = 'PG_temp'; CREATE TABLE a (b int)", `SELECT set_config('search_path', E'pg\x5ftemp', true); CREATE TABLE a (b int)`,
	"DECLARE c CURSOR WITH HOLD FOR SELECT 1", "DECLARE c SCROLL CURSOR /**/ WITH HOLD FOR SELECT 1", "DECLARE c CURSOR FOR SELECT 1", "CLOSE c", "CLOSE ALL",
	"SELECT pg_advisory_lock(1)", "SELECT pg_advisory_lock_shared(1, 2)", `SELECT "pg_try_advisory_lock"(1)`, "SELECT pg_catalog.pg_try_advisory_lock_shared(1)",
	"SELECT pg_advisory_xact_lock(1)", "SELECT pg_try_advisory_xact_lock_shared(1)", "SELECT pg_advisory_unlock(1)", "SELECT pg_advisory_unlock_all()",
	"SET work_mem = '7MB'", "SET SESSION statement_timeout TO 7000", "SET LOCAL work_mem = '8MB'", "RESET work_mem", "RESET ALL", "SET my.thing = 'a'", "RESET my.thing",
	"SET TimeZone = 'UTC+1'", "SET TIME ZONE 'UTC+2'", "SET TIME ZONE LOCAL", "RESET TIME ZONE", "SET NAMES 'UTF8'", "SET SCHEMA 'public'", "SET DateStyle TO German, DMY", `SET "application_name"='x; LISTEN y'`,
	"SET search_path = a, public", "RESET search_path", "SET default_transaction_read_only = off", "SET ROLE pg_monitor", "RESET ROLE", "SET SESSION AUTHORIZATION pg_monitor",
	"RESET SESSION AUTHORIZATION", "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE", "SET TRANSACTION READ ONLY", "SET SESSION TRANSACTION READ ONLY",
	"SET CONSTRAINTS ALL DEFERRED", "SET XML OPTION DOCUMENT", "SELECT set_config('work_mem', '9MB', false)", "SELECT set_config('work_mem', '9MB', true)",
	"SELECT set_config('my.thing', set_config('my.thing', 'c', false), true)", `SELECT U&"set\005fconfig"('my.thing', 'd', false)`, "UPDATE pg_settings SET setting = '5MB' WHERE name = 'work_mem'",
	"SELECT 1", "SELECT 'it''s; LISTEN a'", `SELECT E'a\'; LISTEN b'`, `SELECT 'a\'`, "SELECT $a$; LISTEN b $a$, 1 AS temp", "/* ; LISTEN a /* ' */ */", "-- LISTEN a\n", `SET standard_conforming_strings = off`,
}

// wraps are ways to run a command.
var wraps = []func(string) string{
	func(s string) string { return s },
	strings.ToLower,
	func(s string) string { return "/* ' */ " + s + " -- '\n" },
	func(s string) string { return "SELECT 1, 'a''b', $$'$$; " + s },
	func(s string) string { return strings.ReplaceAll(s, " ", "/**/\n") },
	func(s string) string { return "EXPLAIN ANALYZE " + s },
	func(s string) string { return "DO $do$ BEGIN " + s + "; END $do$" },
	func(s string) string { return "DO $do$ BEGIN IF true THEN " + s + "; END IF; END $do$" },
	func(s string) string {
		return "DO $do$ BEGIN EXECUTE '" + strings.ReplaceAll(s, "'", "''") + "'; END $do$"
	},
	func(s string) string { return "DO $do$ BEGIN PERFORM 1; EXECUTE $x$" + s + "$x$; END $do$" },
	func(s string) string {
		return "DO 'BEGIN EXECUTE $x$" + strings.ReplaceAll(s, "'", "''") + "$x$; END'"
	},
}

// TestLeft runs random texts in a session of a real Postgres: what is left of
// them must have been said.
func TestLeft(t *testing.T) {
	server := postgres.ForTest(t)
	s := dial(t, server, server.CreateDatabase(t))
	seen, texts := map[string]int{}, 0
	check := func(t interface{ Errorf(string, ...any) }, all []string) {
		texts++
		var effects transaction.Effects
		for _, text := range all {
			effects |= transaction.Scan(text, s.values.Reported())
			_, _ = s.query(text) // whether it fails is Postgres's affair
		}
		_, _ = s.query("COMMIT")
		for _, what := range s.must(left) {
			seen[what]++
			var one transaction.Values
			name, set := strings.CutPrefix(what, "setting ")
			one.Note(name, "")
			switch reported := set && one.Reported()&s.values.Reported() != 0; {
			case effects.Has(transaction.Pins):
			case reported && effects.Has(transaction.Reports):
			default:
				t.Errorf("%q leaves a %s: %q", all, what, show(effects))
			}
		}
		s.must("ROLLBACK")
		s.must("RESET SESSION AUTHORIZATION")
		s.must("DISCARD ALL")
	}
	t.Run("one", func(t *testing.T) {
		for _, command := range commands {
			for _, wrap := range wraps {
				check(t, []string{wrap(command)})
			}
		}
	})
	t.Run("several", rapid.MakeCheck(func(t *rapid.T) {
		var all []string
		for i := range rapid.IntRange(1, 3).Draw(t, "texts") {
			var text []string
			for j := range rapid.IntRange(1, 3).Draw(t, fmt.Sprint("statements of ", i)) {
				wrap := rapid.SampledFrom(wraps).Draw(t, fmt.Sprint("wrap ", i, " ", j))
				text = append(text, wrap(rapid.SampledFrom(commands).Draw(t, fmt.Sprint("command ", i, " ", j))))
			}
			all = append(all, strings.Join(text, ";"))
		}
		check(t, all)
	}))
	for _, what := range strings.Split("prepared statement,channel,lock,cursor,temporary relation,role,authorization,my.thing,setting work_mem,setting TimeZone", ",") {
		if seen[what] == 0 {
			t.Errorf("nothing left a %s in %d texts: %v", what, texts, seen)
		}
	}
}
