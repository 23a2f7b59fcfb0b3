package transaction_test

import (
	"strings"
	"testing"

	"github.com/pgask/pgask/proxy/transaction"
)

// status is what each version reports of what can be set.
var status = map[int]string{
	13: "application_name client_encoding DateStyle IntervalStyle standard_conforming_strings TimeZone",
	14: "application_name client_encoding DateStyle IntervalStyle standard_conforming_strings TimeZone default_transaction_read_only",
	18: "application_name client_encoding DateStyle IntervalStyle standard_conforming_strings TimeZone default_transaction_read_only scram_iterations search_path",
}

func reported(version int) transaction.Reported {
	var v transaction.Values
	for name := range strings.FieldsSeq(status[version]) {
		v.Note(name, "")
	}
	return v.Reported()
}

func show(e transaction.Effects) string {
	var all []string
	for i, name := range []string{"pins", "reports", "discards", "deallocates", "names"} {
		if e.Has(1 << i) {
			all = append(all, name)
		}
	}
	return strings.Join(all, " ")
}

// TestScan says what texts leave behind on a server that reports all there is.
func TestScan(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{";;", ""},
		{"SELECT 1", ""},
		{"SELECT 1; SELECT 2", ""},
		{"-- LISTEN x", ""},
		{"-- nothing\nLISTEN x", "pins"},
		{"-- nothing\rLISTEN x", "pins"},
		{"/* LISTEN x */ SELECT 1", ""},
		{"/* a /* b */ ; LISTEN x */ SELECT 1", ""},
		{"/* a /* b */ */ LISTEN x", "pins"},
		{"/*/ */ LISTEN x", "pins"},
		{"SELECT 1 --; LISTEN x", ""},
		{"SELECT 1+--\n2; LISTEN x", "pins"},
		{"SELECT 1 @/* */ 2; LISTEN x", "pins"},

		// PREPARE, LISTEN, LOAD and what undoes them.
		{"PREPARE a AS SELECT 1", "pins"},
		{"prepare a(int) as select $1", "pins"},
		{`PREPARE "transaction" AS SELECT 1`, "pins"},
		{"PREPARE transaction AS SELECT 1", "pins"},
		{"PREPARE TRANSACTION 'gid'", ""},
		{"PREPARE TRANSACTION $$gid$$", ""},
		{"EXECUTE a(1)", "names"},
		{`EXECUTE "a"`, "names"},
		{"EXPLAIN ANALYZE EXECUTE a", "names"},
		{"CREATE TABLE t AS EXECUTE a", "names"},
		{"GRANT EXECUTE ON FUNCTION f TO r", ""},
		{"CREATE TRIGGER t AFTER INSERT ON a EXECUTE FUNCTION f()", ""},
		{"DEALLOCATE a", "names"},
		{"DEALLOCATE PREPARE a", "names"},
		{"DEALLOCATE ALL", "deallocates"},
		{"DEALLOCATE PREPARE ALL; SELECT 1", "deallocates"},
		{`DEALLOCATE "all"`, "names"},
		{"LISTEN x", "pins"},
		{"listen", "pins"},
		{";; ; LISTEN x", "pins"},
		{"BEGIN; LISTEN x; COMMIT", "pins"},
		{"UNLISTEN *", ""},
		{"NOTIFY x, 'LISTEN x'", ""},
		{"SELECT listen FROM load", ""},
		{"LOAD 'auto_explain'", "pins"},
		{"DISCARD ALL", "discards"},
		{" /* */ discard all ; ", "discards"},
		{"SELECT 1; DISCARD ALL", ""},
		{"LISTEN x; DISCARD ALL", "pins"},
		{"DISCARD PLANS", ""},
		{"DISCARD TEMP", ""},
		{"CLOSE ALL", ""},

		// Transactions.
		{"BEGIN ISOLATION LEVEL SERIALIZABLE", ""},
		{"START TRANSACTION READ ONLY", ""},
		{"COMMIT AND CHAIN", ""},
		{"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", ""},
		{"SET TRANSACTION SNAPSHOT '1'", ""},
		{"SET TRANSACTION NOT DEFERRABLE", ""},
		{"SET SESSION TRANSACTION READ ONLY", ""},
		{"SET CONSTRAINTS ALL DEFERRED", ""},
		{`SET CONSTRAINTS "s"."c" DEFERRED`, ""},
		{"SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", "pins"},
		{"SET transaction.x = 1", "pins"},
		{"SET constraints.x = 1", "pins"},

		// Settings.
		{"SET TimeZone = 'UTC'", "reports"},
		{"SET timezone TO 'UTC'", "reports"},
		{`SET "TIMEZONE"='UTC'`, "reports"},
		{"SET SESSION datestyle TO iso, mdy", "reports"},
		{"SET TIME ZONE LOCAL", "reports"},
		{"SET TIME ZONE INTERVAL '1' HOUR", "reports"},
		{"SET SESSION TIME ZONE 'UTC'", "reports"},
		{"SET NAMES 'latin1'", "reports"},
		{"SET NAMES DEFAULT", "reports"},
		{"SET SCHEMA 'app'", "reports"},
		{`SET search_path = "$user", public`, "reports"},
		{"SET application_name/**/=/**/'LISTEN x'", "reports"},
		{"SET search_path = pg_temp, public", "pins reports"},
		{"SET search_path = 'PG_TEMP'", "pins reports"},
		{`SET search_path = E'pg\137temp'`, "pins reports"},
		{`SET search_path = U&'pg!005ftemp' UESCAPE '!'`, "pins reports"},
		{"SET LOCAL search_path = 'pg_temp_3'", "pins"},
		{"SET LOCAL search_path = app", ""},
		{"SET LOCAL statement_timeout = 0", ""},
		{"SET LOCAL TIME ZONE 'UTC'", ""},
		{"SET local.x = 1", "pins"},
		{"SET session.x = 1", "pins"},
		{"SET statement_timeout = 0", "pins"},
		{"SET SESSION statement_timeout TO 0", "pins"},
		{"SET app.tenant = '7'", "pins"},
		{"SET timezone.x = '7'", "pins"},
		{`SET "app.tenant" = '7'`, "pins"},
		{"SET ROLE x", "pins"},
		{"SET SESSION ROLE x", "pins"},
		{"SET SESSION AUTHORIZATION x", "pins"},
		{"SET XML OPTION DOCUMENT", "pins"},
		{"SET SEED TO 0.5", "pins"},
		{"SET x FROM CURRENT", "pins"},
		{"SET", "pins"},
		{"RESET ALL", "reports"},
		{"RESET TIME ZONE", "reports"},
		{"RESET datestyle", "reports"},
		{"RESET statement_timeout", ""},
		{"RESET ROLE", ""},
		{"UPDATE t SET listen = 1", ""},
		{"INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET a = 1", ""},
		{"ALTER ROLE r SET statement_timeout = 0", ""},
		{"CREATE FUNCTION f() RETURNS int LANGUAGE sql SET search_path = a AS 'SELECT 1'", ""},
		{"SELECT 1; SET work_mem = 1", "pins"},
		{"SELECT set_config('a.b', '1', false)", "pins"},
		{"SELECT pg_catalog . set_config /* */ ('a.b', '1', false)", "pins"},
		{`SELECT "set_config"('a.b', '1', false)`, "pins"},
		{`SELECT U&"set\005fconfig"('a.b', '1', false)`, "pins"},
		{"SELECT set_config('a.b', '1', true)", ""},
		{"SELECT set_config('a.b', f(1, array[2, 3]), true), set_config('c.d', $1, TRUE)", ""},
		{"SELECT set_config('a.b', set_config('c.d', '1', false), true)", "pins"},
		{"SELECT set_config('a.b', '1', is_local => true)", "pins"},
		{"SELECT set_config('a.b', '1', 1 = 2 AND true)", "pins"},
		{"SELECT set_config('a.b', '1', false OR true)", "pins"},
		{"SELECT set_config('search_path', 'pg_temp', true)", "pins"},
		{"SELECT set_config('a.b', '1', $1)", "pins"},
		{"SELECT set_config('a.b', '1', true", "pins"},
		{"SELECT set_config('a.b', true), set_config('a', 'b', 'c', true)", "pins"}, // somebody's own
		{"UPDATE pg_settings SET setting = '1' WHERE name = 'work_mem'", "pins"},
		{"SELECT * FROM pg_settings", ""},

		// Temporary tables, cursors, locks.
		{"CREATE TEMP TABLE t (a int)", "pins"},
		{"CREATE TEMPORARY VIEW v AS SELECT 1", "pins"},
		{"CREATE OR REPLACE TEMP VIEW v AS SELECT 1", "pins"},
		{"CREATE LOCAL TEMPORARY TABLE t (a int)", "pins"},
		{"CREATE TEMP SEQUENCE s", "pins"},
		{"CREATE TEMP TABLE t (a int) ON COMMIT DROP", ""},
		{"CREATE TEMP TABLE t (a int) ON COMMIT DELETE ROWS", "pins"},
		{"CREATE TEMP TABLE t ON COMMIT DROP AS SELECT 1; CREATE TEMP TABLE u (a int)", "pins"},
		{"EXPLAIN ANALYZE CREATE TEMP TABLE t AS SELECT 1", "pins"},
		{"CREATE TABLE pg_temp.t (a int)", "pins"},
		{`CREATE TABLE "pg_temp".t (a int)`, "pins"},
		{"SELECT 1 INTO TEMP t", "pins"},
		{"SELECT 1 INTO LOCAL TEMPORARY TABLE t", "pins"},
		{"SELECT 1 INTO TEMP FROM x", "pins"},
		{"INSERT INTO temp VALUES (1)", ""},
		{"MERGE INTO temp USING x ON true WHEN MATCHED THEN DELETE", ""},
		{"SELECT temp FROM weather", ""},
		{"DECLARE c CURSOR WITH HOLD FOR SELECT 1", "pins"},
		{"DECLARE c CURSOR WITHOUT HOLD FOR SELECT 1", ""},
		{"WITH hold AS (SELECT 1) SELECT * FROM hold", ""},
		{"SELECT pg_advisory_lock(1)", "pins"},
		{"SELECT PG_TRY_ADVISORY_LOCK_SHARED(1)", "pins"},
		{`SELECT pg_catalog."pg_try_advisory_lock"(1)`, "pins"},
		{"SELECT pg_advisory_xact_lock(1), pg_try_advisory_xact_lock_shared(1)", ""},
		{"SELECT pg_advisory_unlock_all()", ""},
		{"SELECT setseed(0.1)", "pins"},
		{"SELECT dblink_connect_u('x')", "pins"},

		// DO.
		{"DO $$ BEGIN PERFORM 1; END $$", ""},
		{"DO $$ BEGIN LISTEN x; END $$", "pins"},
		{"DO LANGUAGE plpgsql $a$ BEGIN SET work_mem = 1; END $a$", "pins"},
		{"DO $$ BEGIN SET LOCAL work_mem = 1; UPDATE t SET a = 1; END $$", ""},
		{"DO $$ BEGIN IF true THEN SET timezone = 'UTC'; END IF; END $$", "reports"},
		{"DO $$ BEGIN EXECUTE 'LISTEN x'; END $$", "pins"},
		{"DO 'BEGIN EXECUTE ''LISTEN x''; END'", "pins"},
		{"DO $$ BEGIN EXECUTE $a$ DO 'BEGIN EXECUTE $b$ LISTEN x $b$; END' $a$; END $$", "pins"},
		{"DO $$ BEGIN CREATE TEMP TABLE t (a int); END $$", "pins"},
		{"DO $$ BEGIN PERFORM set_config('a.b', '1', true); END $$", ""},
		{"DO E'BEGIN L\\111STEN x; END'", "pins"},
		{"DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$", "pins deallocates"},
		{"SELECT $$ ; LISTEN x $$", ""},

		// Quotes.
		{"SELECT '; LISTEN x'", ""},
		{"SELECT 'a''; LISTEN x'", ""},
		{"SELECT 'a'; LISTEN x --'", "pins"},
		{`SELECT E'a\'; LISTEN x'`, ""},
		{`SELECT E'a\\'; LISTEN x --'`, "pins"},
		{`SELECT 'a\'; LISTEN x --'`, "pins"},
		{`SELECT 'a\' || 'b'`, "pins"},
		{`SELECT 'a\\'`, ""},
		{`SELECT 'a\b'`, ""},
		{"SELECT '\x95\\\\'", "pins"},
		{"SELECT E'\x95\\'; SELECT 1", "pins"},
		{"SELECT fooe'a\\\\'; LISTEN x", "pins"},
		{`SELECT "; LISTEN x"`, ""},
		{`SELECT "a""; LISTEN x"`, ""},
		{`SELECT "a"; LISTEN x --"`, "pins"},
		{`SELECT ""; LISTEN x`, "pins"},
		{"SELECT $a$ $$ $b$ ; LISTEN x $a$", ""},
		{"SELECT $a$ $b$a$; LISTEN x", "pins"},
		{"SELECT $1; LISTEN x -- $1", "pins"},
		{"SELECT $1$a$ ; LISTEN x $a$", ""},
		{"SELECT a$b$; LISTEN x -- $b$", "pins"},
		{"SELECT $ä$ ; LISTEN x $ä$", ""},
		{"SELECT '", ""},
		{"SELECT 1 /* LISTEN", ""},
		{`SELECT "`, ""},
		{"SELECT $$ LISTEN", ""},
	}
	for _, test := range tests {
		got := show(transaction.Scan(test.text, reported(18)))
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.text, got, test.want)
		}
	}
	if len(tests) < 80 {
		t.Errorf("only %d texts", len(tests))
	}
}

// TestReported pins by what a server doesn't report.
func TestReported(t *testing.T) {
	texts := map[string]int{ // and since when it does
		"SET TIME ZONE 'UTC'":                        13,
		"SET NAMES 'utf8'":                           13,
		"SET default_transaction_read_only = on":     14,
		"SET scram_iterations = 5000":                18,
		"SET search_path = a":                        18,
		"SET SCHEMA 'a'":                             18,
		"SET session_authorization = 'x'":            99,
		"SET in_hot_standby = on":                    99,
		"SET SESSION CHARACTERISTICS AS TRANSACTION": 99,
	}
	for text, since := range texts {
		for version := range status {
			want := "pins"
			if version >= since {
				want = "reports"
			}
			if got := show(transaction.Scan(text, reported(version))); got != want {
				t.Errorf("%d: %s: %q, want %q", version, text, got, want)
			}
		}
		if got := show(transaction.Scan(text, 0)); got != "pins" {
			t.Errorf("%s: %q where nothing is known of the server", text, got)
		}
	}
}

// TestScanCost wants no allocation.
func TestScanCost(t *testing.T) {
	text := "DO $$ BEGIN EXECUTE 'x'; SET a = 1; END $$; SELECT set_config('a', 'b', true), \"c\", E'd\\n' FROM e"
	if n := testing.AllocsPerRun(100, func() { transaction.Scan(text, reported(0)) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkScan(b *testing.B) {
	wide := "SELECT " + strings.Repeat("customer.name_of_column AS \"Alias\", ", 150) + "1 FROM customer"
	for _, bench := range []struct{ name, text string }{
		{"short", "SELECT abalance FROM pgbench_accounts WHERE aid = $1;"},
		{"update", "UPDATE pgbench_accounts SET abalance = abalance + -3312 WHERE aid = 84221;"},
		{"orm", `SELECT "orders"."id", "orders"."total", "customers"."name" FROM "orders" INNER JOIN "customers" ON "customers"."id" = "orders"."customer_id" WHERE "orders"."state" = 'open' AND "orders"."created_at" > '2026-01-01' ORDER BY "orders"."id" DESC LIMIT 50`},
		{"wide", wide},
		{"value", "INSERT INTO t VALUES ('" + strings.Repeat("a sentence, and more ", 5000) + "')"},
		{"set_config", "SELECT " + strings.Repeat("set_config('a', 'b', true), ", 500) + "1"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.text)))
			b.ReportAllocs()
			for b.Loop() {
				transaction.Scan(bench.text, 0)
			}
		})
	}
}
