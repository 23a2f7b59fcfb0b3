package policy_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/policy"
)

// typeCodeSchema has a column for each way to a function that nobody names.
const typeCodeSchema = `
CREATE FUNCTION ran(text) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE ''hush''; END';
CREATE TYPE source AS ENUM ('a'); CREATE FUNCTION source_text(source) RETURNS text LANGUAGE sql AS 'SELECT ran(null)';
CREATE CAST (source AS text) WITH FUNCTION source_text(source) AS IMPLICIT;
CREATE TYPE target AS ENUM ('a'); CREATE FUNCTION int_target(int) RETURNS target LANGUAGE sql AS 'SELECT ran(null)::target';
CREATE CAST (int AS target) WITH FUNCTION int_target(int);
CREATE TYPE held AS ENUM ('a'); CREATE FUNCTION held_text(held[]) RETURNS text LANGUAGE sql AS 'SELECT ran(null)';
CREATE CAST (held[] AS text) WITH FUNCTION held_text(held[]);
CREATE TYPE whole AS (part source, n int);
CREATE FUNCTION fine(text) RETURNS bool LANGUAGE sql AS 'SELECT ran($1) IS NULL';
CREATE DOMAIN checked AS text CHECK (value <> 'b' OR fine(value));
CREATE DOMAIN over AS source;
CREATE TYPE spans AS RANGE (subtype = checked);
CREATE TYPE plain AS ENUM ('a');
CREATE TABLE t (id int, source source, sources source[], target target, held held, whole whole, checked checked, checks checked[], over over, spans spans, plain plain, plains plain[]);
INSERT INTO t VALUES (1, 'a', '{a}', 'a', 'a', '(a,1)', 'a', '{a}', 'a', NULL, 'a', '{a}');`

func typeCodeView(t *testing.T, conn *pgx.Conn, allow ...string) (*policy.View, []configs.Fault) {
	v, p := clerkView(t, conn, &configs.Role{Name: "clerk", Mode: "governed", SearchPath: []string{"public"}, Refusals: "explicit",
		Tables: configs.Access[configs.Pattern]{Allow: patterns(t, "public.t")}, Functions: configs.Access[string]{Allow: allow}})
	return v, p.Check(readSnapshot(t, conn))
}

func readSnapshot(t *testing.T, conn *pgx.Conn) *catalog.Snapshot {
	s, err := catalog.Read(context.Background(), conn, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// clerkView is ana's view of the database under a role called clerk.
func clerkView(t *testing.T, conn *pgx.Conn, c *configs.Role) (*policy.View, *policy.Policy) {
	p, faults := policy.Compile(&configs.Policy{Version: 1, Roles: map[string]*configs.Role{"clerk": c}})
	if p == nil {
		t.Fatal(faults)
	}
	r, err := p.RoleFor(auth.Principal{User: "ana", Roles: []string{"clerk"}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := r.View(readSnapshot(t, conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return v, p
}

// A column whose type makes Postgres call somebody's function is denied, until
// the policy allows that function.
func TestTypeCode(t *testing.T) {
	srv := postgres.ForTest(t)
	conn := connect(t, srv.DSN(srv.CreateDatabase(t)), nil)
	if _, err := conn.Exec(context.Background(), typeCodeSchema); err != nil {
		t.Fatal(err)
	}
	v, faults := typeCodeView(t, conn)
	for _, sql := range []string{
		"SELECT source::text FROM t", "SELECT length(source) FROM t", "SELECT 'x' || source FROM t", "SELECT sources::text[] FROM t", "SELECT 1::target FROM t",
		"SELECT target FROM t", "SELECT ARRAY[held]::text FROM t", "SELECT whole FROM t", "SELECT lag(checked, 1, 'b') OVER () FROM t",
		"SELECT array_append(checks, 'b') FROM t", "SELECT over FROM t", "SELECT spans FROM t", "SELECT 'a'::source", "SELECT 'b'::checked",
		"SELECT '[b,c]'::spans", "SELECT NULL::whole", "SELECT 'a'::over",
	} {
		if a, err := authorize(v, sql, policy.Options{}); err == nil {
			_, err := rows(conn, a.SQL())
			t.Errorf("approved: %s: %v", sql, err)
		}
	}
	for sql, want := range map[string]string{
		"SELECT * FROM t": `["1" "a" "{a}"]`, "SELECT plain::text, plains::text[], 'a'::plain FROM t": `["a" "{a}" "a"]`,
		"SELECT t FROM t": `["(1,a,{a})"]`,
	} {
		a, err := authorize(v, sql, policy.Options{})
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		if got, err := rows(conn, a.SQL()); err != nil || got[1] != want {
			t.Errorf("%s: %q %v", sql, got, err)
		}
	}
	var denied *policy.Denied
	if _, err := authorize(v, "SELECT source FROM t", policy.Options{}); !errors.As(err, &denied) || !strings.Contains(denied.Detail(), "calls a function") {
		t.Errorf("the reason is %v", err)
	}
	text := fmt.Sprint(faults)
	for _, want := range []string{"public.t.source can't be read: the cast of public.source as text calls public.source_text", "public.t.checks can't be read: the check of public.checked calls public.fine"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "plain") {
		t.Errorf("plain is warned of:\n%s", text)
	}
	v, faults = typeCodeView(t, conn, "public.source_text", "public.fine")
	a, err := authorize(v, "SELECT source, sources, whole, checked, checks, over FROM t", policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := rows(conn, a.SQL()); err != nil || len(got) != 2 {
		t.Errorf("%q %v", got, err)
	}
	if text := fmt.Sprint(faults); strings.Contains(text, "t.source ") || !strings.Contains(text, "t.target ") {
		t.Errorf("warnings: %s", text)
	}
}

// No rule keeps a statement from a cast between built-in types.
func TestBuiltinCasts(t *testing.T) {
	srv := postgres.ForTest(t)
	conn := connect(t, srv.DSN(srv.CreateDatabase(t)), nil)
	if _, err := conn.Exec(context.Background(), `CREATE TABLE t (id int); CREATE FUNCTION box_int(box) RETURNS int LANGUAGE sql AS 'SELECT 1';
		CREATE CAST (box AS int) WITH FUNCTION box_int(box)`); err != nil {
		t.Fatal(err)
	}
	for want, allow := range map[int][]string{1: nil, 0: {"public.box_int"}} {
		_, faults := typeCodeView(t, conn, allow...)
		if got := strings.Count(fmt.Sprint(faults), "the cast of box as int4 calls public.box_int in any statement"); got != want {
			t.Errorf("%d warnings: %v", got, faults)
		}
	}
}
