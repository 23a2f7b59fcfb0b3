package integration

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// secret is part of every row and of every name that the analyst may not know.
const secret = "zebra"

func secretSchema() []string {
	return []string{
		`CREATE SCHEMA zebra_schema`,
		`CREATE TYPE zebra_type AS ENUM ('zebra_one', 'two')`,
		`CREATE FUNCTION zebra_function(int) RETURNS int LANGUAGE plpgsql AS $$BEGIN RAISE NOTICE 'zebra_notice'; RETURN 1/0; END$$`,
		`CREATE TABLE zebra_table (id int CONSTRAINT zebra_key PRIMARY KEY, zebra_column text)`,
		`CREATE TABLE things (id int CONSTRAINT zebra_things_key PRIMARY KEY, tenant_id int NOT NULL CONSTRAINT zebra_check CHECK (tenant_id > 0),
			word text, digits text, at timestamptz, amount numeric, list text[], doc jsonb, zebra_owner text DEFAULT 'zebra_owner', code text, kind zebra_type)`,
		`CREATE INDEX zebra_index ON things (word)`,
		`CREATE TABLE parts (id int, at date, tenant_id int, word text) PARTITION BY RANGE (at)`,
		`CREATE TABLE zebra_partition PARTITION OF parts FOR VALUES FROM ('2020-01-01') TO ('2030-01-01')`,
		`INSERT INTO things SELECT i, 1 + i % 2, 'zebra_word_' || i, CASE WHEN i % 9 = 0 THEN 'zebra' ELSE i::text END, now(), i, ARRAY['zebra'], '{"zebra": "zebra"}', 'zebra_owner', 'zebra' || i, 'zebra_one' FROM generate_series(1, 50) AS i`,
		`INSERT INTO parts SELECT i, '2026-01-01', 1 + i % 2, 'zebra_part' FROM generate_series(1, 50) AS i`,
		`ANALYZE`,
	}
}

func secretRules() string {
	return indented("search_path: [public]", "tables: {allow: [public.things, public.parts]}",
		"columns:", "  - {table: public.things, deny: [zebra_owner], mask: {code: \"'zebra_mask' || code\"}}",
		"scopes:", "  - {table: public.things, where: \"tenant_id = :tenant_id AND zebra_owner = 'zebra_owner'\"}",
		"  - {table: public.parts, where: \"tenant_id = :tenant_id\"}",
		"limits: {rows: 20, explain_rows: 0, statement_timeout: 5s}")
}

// failing makes statements up that mostly fail, in Postgres's ways of failing.
type failing struct{ *rand.Rand }

func (f failing) one(of ...string) string { return of[f.IntN(len(of))] }

func (f failing) column() string {
	return f.one("id", "word", "digits", "at", "amount", "list", "doc", "code", "kind", "t.word", "t.kind", "p.id", "p.word", "p.at", "nothing", "t.nothing")
}

func (f failing) expr(depth int) string {
	if depth == 0 {
		return f.one(f.column(), f.column(), "1", "'x'", "NULL", "$1", "'{}'", "-1", "0")
	}
	e := func() string { return f.expr(depth - 1) }
	switch f.IntN(16) {
	case 0, 1, 2:
		return "(" + e() + ")::" + f.one("int", "numeric", "date", "timestamptz", "boolean", "json", "text[]", "int[]", "uuid", "bytea", "inet", "interval", "zebr", "int4range", "xml", "float8", "char(1)", "numeric(2,1)")
	case 3, 4:
		return e() + f.one(" + ", " / ", " || ", " = ", " < ", " ~ ", " LIKE ", " % ", " @> ", " -> ", " AND ", " ^ ", " <-> ") + e()
	case 5:
		return f.one("lower", "length", "sqrt", "ln", "abs", "to_date", "chr", "jsonb_object_keys", "array_length", "nothing", "date_trunc", "to_number", "convert_from", "pg_sleep") + "(" + e() + ")"
	case 6:
		return f.one("to_date", "to_number", "to_timestamp", "date_trunc", "substring", "split_part", "repeat", "left", "regexp_replace", "format", "decode", "ntile", "power") + "(" + e() + ", " + e() + ")"
	case 7:
		return "(SELECT " + e() + " FROM " + f.from() + f.one("", " LIMIT 1", " LIMIT -1") + ")"
	case 8:
		return "CASE WHEN " + e() + " THEN " + e() + " ELSE " + e() + " END"
	case 9:
		return f.one("sum", "max", "count", "string_agg", "array_agg", "avg", "row_number", "rank") + "(" + e() + ")" + f.one("", "", " OVER ()", " FILTER (WHERE true)")
	case 10:
		return "ARRAY[" + e() + ", " + e() + "]"
	case 11:
		return "(" + e() + ")[" + e() + "]"
	case 12:
		return e() + " IN (" + e() + ", " + e() + ")"
	case 13:
		return "COALESCE(" + e() + ", " + e() + ")"
	case 14:
		return "t"
	}
	return f.column()
}

func (f failing) from() string {
	return f.one("things t", "things t, parts p", "parts p", "things t JOIN parts p USING (id)", "things t NATURAL JOIN parts p", "things t FULL JOIN parts p ON t.id < p.id",
		"things t, things t", "generate_series(1, 0.5, 0) t(id)", "things AS t(a, b)", "things t LEFT JOIN LATERAL (SELECT t.word::int AS id) p ON true", "nothing t", "things t TABLESAMPLE system (101)")
}

func (f failing) query() string {
	q := "SELECT " + f.one("", "DISTINCT ") + f.expr(2) + f.one("", " AS a", ", *") + " FROM " + f.from()
	if f.IntN(2) == 0 {
		q += " WHERE " + f.expr(2)
	}
	switch f.IntN(6) {
	case 0:
		q += " GROUP BY " + f.expr(1)
	case 1:
		q += " ORDER BY " + f.one(f.expr(1), "9")
	case 2:
		q += f.one(" UNION ", " EXCEPT ") + "SELECT " + f.expr(1)
	case 3:
		q += " LIMIT " + f.expr(1)
	}
	return q
}

func (f failing) statement() string {
	q := f.query()
	return f.one(q, q, q, "COPY ("+q+") TO STDOUT", "EXPLAIN "+q, "PREPARE s AS "+q, "EXECUTE s("+f.expr(1)+")", "DECLARE c CURSOR FOR "+q, "FETCH 3 FROM c",
		"FETCH BACKWARD 3 FROM c", "CLOSE c", "ROLLBACK TO a", "SAVEPOINT a", "BEGIN", "COMMIT", "SET TimeZone TO 'nowhere'", "SET DateStyle TO 'x, y'", q+"; "+f.query())
}

// overheard collects what a session is told beside rows.
type overheard struct{ errors, notices []string }

func (o *overheard) error(err error) {
	var e *pgconn.PgError
	if asError(err, &e) {
		o.errors = append(o.errors, fmt.Sprintf("%+v", *e))
	}
}

// TestErrorsKeepSecrets sends statements that fail in many ways and wants no
// error and no notice with anything of a row or of what is hidden.
func TestErrorsKeepSecrets(t *testing.T) {
	w := newGovernedWorld(t, "session", secretRules(), secretSchema()...)
	var heard, direct overheard
	through := w.connect(t, func(c *pgx.ConnConfig) {
		c.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
			heard.notices = append(heard.notices, fmt.Sprintf("%+v", *n))
		}
	})
	f := failing{rand.New(rand.NewPCG(1, 2))}
	states := map[string]int{}
	for i := range 800 {
		sql := f.statement()
		var before = len(heard.errors)
		ways := []func(*pgx.Conn, string) error{protocols()["simple"], sendWithParameter}
		if i%4 == 0 { // what comes again is executed by a statement prepared before
			ways = slices.Repeat(ways, 4)
		}
		for _, send := range ways {
			err := send(through, sql)
			heard.error(err)
			states[sqlState(err)]++
			if i%10 == 0 {
				_, _ = through.Exec(context.Background(), "ROLLBACK", pgx.QueryExecModeSimpleProtocol)
			}
			if through.IsClosed() {
				t.Fatalf("%s closed the session: %v", sql, err)
			}
		}
		for _, e := range heard.errors[before:] {
			if strings.Contains(e, secret) {
				t.Errorf("%s\n\t%s", sql, e)
			}
		}
		direct.error(protocols()["simple"](w.direct, sql))
		if _, err := w.direct.Exec(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range heard.notices {
		if strings.Contains(n, secret) {
			t.Error("notice ", n)
		}
	}
	if !strings.Contains(strings.Join(direct.errors, "\n"), secret) || len(states) < 15 || len(heard.errors) < 800 {
		t.Errorf("the statements are no good: %d errors, %v", len(heard.errors), states)
	}
}

// sendWithParameter uses the extended protocol and gives $1, where there is one.
func sendWithParameter(c *pgx.Conn, sql string) error {
	var values [][]byte
	if strings.Contains(sql, "$1") {
		values = [][]byte{[]byte("w")}
	}
	return c.PgConn().ExecParams(context.Background(), sql, values, nil, nil, nil).Read().Err
}

// TestErrorsAreUseful wants of an error what an analyst needs: the names and
// constants that it typed, at their place in its own text.
func TestErrorsAreUseful(t *testing.T) {
	w := newGovernedWorld(t, "session", secretRules(), secretSchema()...)
	conn := w.connect(t)
	for _, c := range []struct{ sql, code, message, hint string }{
		// ^ marks the place.
		{"SELECT ^'abc'::int", "22P02", `invalid input syntax for type integer: "abc"`, ""},
		{"SELECT id, 'größe' FROM things WHERE id = ^'abc'", "22P02", `invalid input syntax for type integer: "abc"`, ""},
		{"SELECT word::int FROM things", "22P02", `invalid input syntax for type integer`, ""},
		{"SELECT digits::int FROM things WHERE digits <> 'zebra' OR 'zebra' = word", "success", "", ""},
		{"SELECT max(digits::int) FROM things WHERE word <> 'zebra'", "22P02", `invalid input syntax for type integer`, ""},
		{"SELECT ^lower(id) FROM things", "42883", "function lower(integer) does not exist", "No function matches the given name and argument types. You might need to add explicit type casts."},
		{"SELECT id FROM things WHERE word ^+ 1 > 2", "42883", "operator does not exist: text + integer", "No operator matches the given name and argument types. You might need to add explicit type casts."},
		{"SELECT ^word, count(*) FROM things GROUP BY id % 2", "42803", `column "things.word" must appear in the GROUP BY clause or be used in an aggregate function`, ""},
		{"SELECT ^id FROM things a, things b", "42702", `column reference "id" is ambiguous`, ""},
		{"SELECT id / (id - id) FROM things", "22012", "division by zero", ""},
		{"SELECT 1 FROM things WHERE ^word", "42804", "argument of WHERE must be type boolean, not type text", ""},
		{"SELECT ^zebra_owner FROM things", "42501", "permission denied for column zebra_owner", ""},
		{"SELECT 1; SELECT ^nothing(1)", "42501", "permission denied for function nothing", ""},
		{"SELECT 1 FROM ^nothing", "42501", "permission denied for relation nothing", ""},
		{"SELECT wordd FROM things", "42501", "permission denied for column wordd", "Perhaps you meant word."},
		{"SELECT id FROM things WHER ^id = 1", "42601", `syntax error at or near "id"`, ""},
		{"FETCH 1 FROM \"My Cursor\"", "34000", `cursor "My Cursor" does not exist`, ""},
		{"EXPLAIN SELECT ^'x'::date", "22007", `invalid input syntax for type date: "x"`, ""},
		{"COPY (SELECT ^'x'::date) TO STDOUT", "22007", `invalid input syntax for type date: "x"`, ""},
		{"PREPARE p AS SELECT ^'x'::date", "22007", `invalid input syntax for type date: "x"`, ""},
	} {
		place := strings.Index(c.sql, "^")
		sql := strings.Replace(c.sql, "^", "", 1)
		if place >= 0 {
			place = len([]rune(sql[:place])) + 1
		}
		for name, send := range protocols() {
			if name == "extended" && strings.Contains(sql, ";") {
				continue
			}
			err := send(conn, sql)
			if c.code == "success" || err == nil {
				if got := sqlState(err); got != c.code && got != "22P02" {
					t.Errorf("%s, %s: %s", name, sql, got)
				}
				continue
			}
			e, _ := errorOf(err)
			if e.Code != c.code || e.Message != c.message || e.Hint != c.hint || e.Detail != "" || e.File != "" || e.Routine != "" || e.Where != "" {
				t.Errorf("%s, %s: %+v", name, sql, e)
			}
			if place > 0 && int(e.Position) != place || place < 0 && e.Position != 0 && e.Code != "42501" {
				t.Errorf("%s, %s: at %d, want %d", name, sql, e.Position, place)
			}
		}
	}
}

func errorOf(err error) (pgconn.PgError, bool) {
	var e *pgconn.PgError
	if !asError(err, &e) {
		return pgconn.PgError{Message: fmt.Sprint(err)}, false
	}
	return *e, true
}

// TestGovernedParameters wants nothing of the backend's login in what a session
// is told when it begins.
func TestGovernedParameters(t *testing.T) {
	for _, mode := range []string{"session", "transaction"} {
		conn := newGovernedWorld(t, mode, secretRules(), secretSchema()...).connect(t)
		for name, want := range map[string]string{"session_authorization": "analyst", "is_superuser": "off", "search_path": "", "client_encoding": "UTF8", "standard_conforming_strings": "on"} {
			if got := conn.PgConn().ParameterStatus(name); got != want {
				t.Errorf("%s: %s is %q, want %q", mode, name, got, want)
			}
		}
		if conn.PgConn().ParameterStatus("server_version") == "" {
			t.Error(mode, ": no server_version")
		}
	}
}
