package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/policy"
)

// routinesSchema has functions that may be called, which say ok, and others of
// the same names.
const routinesSchema = `
CREATE TYPE mood AS ENUM ('a'); CREATE DOMAIN whole AS int;
CREATE TYPE loud AS ENUM ('a'); CREATE FUNCTION loud_text(loud) RETURNS text LANGUAGE sql AS 'SELECT ''hush''';
CREATE CAST (loud AS text) WITH FUNCTION loud_text(loud) AS IMPLICIT;
CREATE TABLE t (i int, b bigint, x text, v varchar(9), n numeric, m mood, w whole, d date, a int[], c bpchar, r real, s smallint);
INSERT INTO t VALUES (1, 1, 'a', 'a', 1, 'a', 1, '2020-01-01', '{1}', 'a', 1, 1);
CREATE FUNCTION sole(int) RETURNS text LANGUAGE sql AS 'SELECT ''ok''';
CREATE FUNCTION f(int) RETURNS text LANGUAGE sql AS 'SELECT ''ok''';
CREATE FUNCTION f(bigint) RETURNS text LANGUAGE sql AS 'SELECT ''hush''';
CREATE FUNCTION f(text) RETURNS text LANGUAGE sql AS 'SELECT ''hush''';
CREATE FUNCTION f(mood) RETURNS text LANGUAGE sql AS 'SELECT ''ok''';
CREATE FUNCTION f(int[]) RETURNS text LANGUAGE sql AS 'SELECT ''ok''';
CREATE FUNCTION f(date) RETURNS text LANGUAGE sql AS 'SELECT ''ok''';
CREATE FUNCTION f(name text, size int) RETURNS text LANGUAGE sql AS 'SELECT ''ok''';
CREATE FUNCTION f(text, numeric) RETURNS text LANGUAGE sql AS 'SELECT ''hush''';
CREATE FUNCTION f(anyelement, date) RETURNS text LANGUAGE sql AS 'SELECT ''hush''';
CREATE FUNCTION f(int, int, int DEFAULT 1) RETURNS text LANGUAGE sql AS 'SELECT ''hush''';
CREATE FUNCTION f(text, text, text, text) RETURNS text LANGUAGE sql AS 'SELECT ''ok''';
CREATE FUNCTION many(VARIADIC int[]) RETURNS text LANGUAGE sql AS 'SELECT ''hush''';
CREATE FUNCTION many(int, int) RETURNS text LANGUAGE sql AS 'SELECT ''ok''';
CREATE FUNCTION shout() RETURNS loud LANGUAGE sql AS 'SELECT ''a''::loud';
CREATE FUNCTION told(loud) RETURNS text LANGUAGE sql AS 'SELECT ''ok''';
CREATE FUNCTION given(OUT loud[]) LANGUAGE sql AS 'SELECT ''{a}''::loud[]';
CREATE FUNCTION wide() RETURNS TABLE (i bigint, k bigint) LANGUAGE sql AS 'SELECT 1, 1';
CREATE FUNCTION wild_a(int) RETURNS text LANGUAGE sql AS 'SELECT ''ok'''; CREATE FUNCTION wild_a(text) RETURNS text LANGUAGE sql AS 'SELECT ''ok''';
CREATE AGGREGATE total(int) (sfunc = int4pl, stype = int); CREATE AGGREGATE total(text) (sfunc = textcat, stype = text);
`

var routinesAllowed = []string{"public.sole", "public.f(int)", "public.f(public.mood)", "public.f(integer[])", "public.f(date)", "public.f(name text, size integer)",
	"public.f(text, text, text, text)", "public.many(int, int)", "public.shout", "public.told(public.loud)", "public.given", "public.wide", "public.wild_*", "public.total(int4)"}

func routinesView(t *testing.T, allow ...string) (*policy.View, *pgx.Conn, string) {
	t.Helper()
	srv := postgres.ForTest(t)
	conn := connect(t, srv.DSN(srv.CreateDatabase(t)), nil)
	if _, err := conn.Exec(t.Context(), routinesSchema); err != nil {
		t.Fatal(err)
	}
	v, faults := typeCodeView(t, conn, allow...)
	return v, conn, fmt.Sprint(faults)
}

// A signature allows one function of several: a call goes through where it can't
// mean another.
func TestSignatures(t *testing.T) {
	v, conn, _ := routinesView(t, routinesAllowed...)
	for _, sql := range []string{
		"SELECT sole(1), sole(i), sole(s), sole('1') FROM t", "SELECT f(1), f(i), public.f('1'::int), f(m), f('a'::public.mood), f(a), f(d), f('{1}'::int[]) FROM t",
		"SELECT f(x, 1), f('a'::text, i) FROM t", "SELECT f('a', x, v, 'b') FROM t", "SELECT many(1, i) FROM t", "SELECT wild_a(1), wild_a(x) FROM t",
		"SELECT total(i), total(i) FILTER (WHERE i > 0) OVER () FROM t GROUP BY i", "SELECT f(q.i::int) FROM (SELECT 1 AS i) AS q",
		"SELECT f(i) FROM t LEFT JOIN t AS u USING (i)", "SELECT f(i) FROM wide() AS w (x), t", "SELECT f(j.k) FROM (t CROSS JOIN t AS u) AS j (k)",
	} {
		a, err := authorize(v, sql, policy.Options{})
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		} else if got, err := rows(conn, a.SQL()); err != nil || strings.Contains(fmt.Sprint(got), "hush") {
			t.Errorf("%s: %q %v", sql, got, err)
		}
	}
	for _, sql := range []string{
		"SELECT f(b) FROM t", "SELECT f(1::bigint)", "SELECT f('1')", "SELECT f(NULL)", "SELECT f($1)", "SELECT f(s) FROM t", "SELECT f(w) FROM t", "SELECT f(v) FROM t",
		"SELECT f(99999999999)", "SELECT f(i + 0) FROM t", "SELECT f(i::bigint) FROM t", "SELECT f((SELECT 1))", "SELECT f(q.i) FROM (SELECT i + 1 AS i FROM t) AS q",
		"SELECT f(x, n) FROM t", "SELECT f(1, d) FROM t", "SELECT f(1, 2)", "SELECT f(1, 2, 3)", "SELECT f(size => 1, name => 'a')", "SELECT f(i, i) FROM t",
		"SELECT f(pg_class.oid) FROM pg_class", "SELECT f(VARIADIC ARRAY[1])", "SELECT many(1)", "SELECT many(1, 2, 3)", "SELECT many(VARIADIC '{1}')", "SELECT many(1, b) FROM t",
		"SELECT total(x) FROM t", "SELECT total(v) FROM t", "SELECT f()", "SELECT t.f FROM t", "SELECT (t).f FROM t", "SELECT f(t) FROM t",
		"SELECT shout()", "SELECT shout()::text", "SELECT length(shout())", "SELECT told('a')", "SELECT given()", "SELECT * FROM given() AS g",
		"SELECT (SELECT f(i) FROM wide()) FROM t", "SELECT (SELECT f(t.i) FROM wide() AS t) FROM t", "SELECT f(j.l) FROM (wide() AS w CROSS JOIN t) AS j (k, l)",
		"SELECT f(i) FROM t LEFT JOIN t AS u (b, i) USING (i)", "SELECT f(i) FROM t FULL JOIN (SELECT 1::bigint AS i) AS u USING (i)",
		"SELECT f(i) FROM t AS u (b, i) NATURAL RIGHT JOIN (SELECT i FROM t) AS q",
	} {
		if a, err := authorize(v, sql, policy.Options{}); err == nil {
			t.Errorf("approved: %s", a.SQL())
		}
	}
}

// What is approved never runs a function that isn't allowed, whatever the
// arguments are.
func TestSignaturesHold(t *testing.T) {
	v, conn, _ := routinesView(t, routinesAllowed...)
	arguments := strings.Split("i b x v n m w d a c r s 1 1.5 'a' '1' NULL true 1::int 1::int2 1::int8 '1'::text 'a'::public.mood ('a')::varchar(3) '2020-01-01'::date"+
		" 1::real '{1}'::int[] ARRAY[i] -1 CURRENT_DATE 'pg_class'::regclass now() i::oid (i) COALESCE(i,1) lower(x) 1::numeric(5)::int CAST(1AS\u00a0int4)", " ")
	approved := 0
	try := func(call string) {
		call = strings.ReplaceAll(strings.ReplaceAll(call, "\u00a0", " "), "1AS", "1 AS")
		a, err := authorize(v, "SELECT "+call+" FROM t", policy.Options{})
		if err != nil {
			return
		}
		approved++
		if got, _ := rows(conn, a.SQL()); strings.Contains(fmt.Sprint(got), "hush") {
			t.Errorf("%s: %q", a.SQL(), got)
		}
	}
	for _, x := range arguments {
		for _, name := range []string{"f", "many", "total", "sole", "told", "wild_a"} {
			try(fmt.Sprintf("%s(%s)", name, x))
		}
		for _, y := range arguments {
			try(fmt.Sprintf("f(%s, %s)", x, y))
			try(fmt.Sprintf("many(%s, %s)", x, y))
			try(fmt.Sprintf("f(%s, %s, 1)", x, y))
		}
	}
	if approved < 100 {
		t.Errorf("only %d calls were approved", approved)
	}
	t.Logf("%d calls were approved", approved)
}

// A function that is added under an allowed name can't be called, and doesn't
// get called in the other's place.
func TestAddedOverload(t *testing.T) {
	allow := []string{"public.sole", "public.f(int)"}
	_, conn, _ := routinesView(t, allow...)
	for _, sql := range []string{"CREATE FUNCTION sole(bigint) RETURNS text LANGUAGE sql AS 'SELECT ''hush'''", "CREATE FUNCTION f(real) RETURNS text LANGUAGE sql AS 'SELECT ''hush'''"} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	v, faults := typeCodeView(t, conn, allow...)
	for _, sql := range []string{"SELECT sole(1)", "SELECT sole(1::bigint)", "SELECT f(1::real)"} {
		if a, err := authorize(v, sql, policy.Options{}); err == nil {
			t.Errorf("approved: %s", a.SQL())
		}
	}
	if _, err := authorize(v, "SELECT f(1)", policy.Options{}); err != nil {
		t.Error(err)
	}
	if want := "public.sole is the name of several functions, so none of them can be called: allow public.sole(int4), public.sole(int8)"; !strings.Contains(fmt.Sprint(faults), want) {
		t.Errorf("no %q in %v", want, faults)
	}
}

// The array type of mood isn't _mood where a type has that name.
func TestArrayTypeName(t *testing.T) {
	_, conn, _ := routinesView(t)
	if _, err := conn.Exec(t.Context(), `CREATE TYPE _mood AS ENUM ('b'); CREATE FUNCTION f(_mood) RETURNS text LANGUAGE sql AS 'SELECT ''ok''';
		CREATE FUNCTION f(mood[]) RETURNS text LANGUAGE sql AS 'SELECT ''hush'''`); err != nil {
		t.Fatal(err)
	}
	v, _ := typeCodeView(t, conn, "public.f(public._mood)")
	for sql, fine := range map[string]bool{"SELECT f('{a}'::public.mood[])": false, "SELECT f('b'::public._mood)": true} {
		if a, err := authorize(v, sql, policy.Options{}); fine != (err == nil) {
			t.Errorf("%s: %v", sql, err)
		} else if err == nil {
			if got, err := rows(conn, a.SQL()); err != nil || !strings.Contains(fmt.Sprint(got), "ok") {
				t.Errorf("%s: %q %v", sql, got, err)
			}
		}
	}
}

func TestFunctionFaults(t *testing.T) {
	_, _, faults := routinesView(t, "public.f", "public.f(int, int)", "public.none", "public.shout", "public.many(int, int)")
	for _, want := range []string{"public.f is the name of several functions", "public.f(public.mood)", "public.f(int, int) matches none of public.f(int4), ", "public.none matches no function",
		"public.shout() can't be called: the cast of public.loud as text calls public.loud_text, which isn't allowed"} {
		if !strings.Contains(faults, want) {
			t.Errorf("no %q in\n%s", want, faults)
		}
	}
	if strings.Contains(faults, "many") {
		t.Errorf("many is warned of:\n%s", faults)
	}
}

// A mask that may call a function which isn't allowed leaves its table unreadable.
func TestMaskCallsOneFunction(t *testing.T) {
	_, conn, _ := routinesView(t)
	for mask, fine := range map[string]bool{"public.sole(i)": true, "public.f(x, 1)": false, "public.f(i)": false, "public.wild_a(i)": true, "public.many(i, 1)": false} {
		c := &configs.Role{Name: "clerk", Mode: "governed", SearchPath: []string{"public"}, Tables: configs.Access[configs.Pattern]{Allow: patterns(t, "public.t")},
			Columns:   []configs.ColumnRule{{Table: name(t, "public.t"), Mask: map[string]string{"x": mask}}},
			Functions: configs.Access[string]{Allow: []string{"public.sole", "public.f(int)", "public.f(text, int)", "public.wild_*", "public.many(int, int)"}}}
		v, p := clerkView(t, conn, c)
		a, err := authorize(v, "SELECT x FROM t", policy.Options{})
		if fine != (err == nil) {
			t.Errorf("%s: %v", mask, err)
		}
		if text := fmt.Sprint(p.Check(readSnapshot(t, conn))); fine == strings.Contains(text, "isn't the only one") {
			t.Errorf("%s: %s", mask, text)
		}
		if err != nil {
			continue
		}
		if got, err := rows(conn, a.SQL()); err != nil || !strings.Contains(fmt.Sprint(got), "ok") {
			t.Errorf("%s: %q %v", mask, got, err)
		}
	}
}
