package catalog_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/catalog"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// connect gives a connection to a new database that ran a script.
func connect(t *testing.T, script string) *pgx.Conn {
	t.Helper()
	srv := postgres.ForTest(t)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, srv.DSN(srv.CreateDatabase(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	run(t, conn, script)
	return conn
}

func run(t *testing.T, conn *pgx.Conn, script string) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), script); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, conn *pgx.Conn, o catalog.Options) *catalog.Snapshot {
	t.Helper()
	s, err := catalog.Read(context.Background(), conn, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func schemaScript(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("testdata/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// stable drops what differs between servers: OIDs, names and versions.
func stable(s *catalog.Snapshot) any {
	var tables []catalog.Table
	for _, t := range s.Tables {
		u := *t
		u.OID = 0
		u.Columns = nil
		for _, c := range t.Columns {
			d := *c
			if d.Type.Schema != "pg_catalog" {
				d.Type.OID = 0
			}
			u.Columns = append(u.Columns, &d)
		}
		tables = append(tables, u)
	}
	var types []catalog.UserType
	for _, u := range s.Types {
		u.OID = 0
		if u.Base.Schema != "pg_catalog" {
			u.Base.OID = 0
		}
		types = append(types, u)
	}
	return map[string]any{"Tables": tables, "Types": types}
}

func TestReadGolden(t *testing.T) {
	conn := connect(t, schemaScript(t))
	got, err := json.MarshalIndent(stable(read(t, conn, catalog.Options{Samples: true})), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "snapshot.golden.json")
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("snapshot differs from %s (-want +got):\n%s", file, diff)
	}
}

// A hostile search_path must not change what the queries mean.
func TestReadUnderHostileSearchPath(t *testing.T) {
	conn := connect(t, schemaScript(t))
	want := read(t, conn, catalog.Options{})
	run(t, conn, `CREATE SCHEMA evil;
		CREATE FUNCTION evil.never(oid, oid) RETURNS bool LANGUAGE sql AS 'SELECT false';
		CREATE OPERATOR evil.= (LEFTARG = oid, RIGHTARG = oid, FUNCTION = evil.never);
		CREATE FUNCTION evil.neverc("char", "char") RETURNS bool LANGUAGE sql AS 'SELECT false';
		CREATE OPERATOR evil.= (LEFTARG = "char", RIGHTARG = "char", FUNCTION = evil.neverc);
		CREATE VIEW evil.pg_class AS SELECT 1 AS oid`)
	before := read(t, conn, catalog.Options{})
	run(t, conn, `SET search_path = evil, public, pg_catalog`)
	if diff := cmp.Diff(stable(before), stable(read(t, conn, catalog.Options{}))); diff != "" {
		t.Errorf("the search_path changed the snapshot:\n%s", diff)
	}
	if len(before.Tables) != len(want.Tables)+1 {
		t.Errorf("%d tables after one was made, %d before", len(before.Tables), len(want.Tables))
	}
}

func TestFingerprint(t *testing.T) {
	conn := connect(t, schemaScript(t))
	ctx := context.Background()
	last, err := catalog.Fingerprint(ctx, conn)
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		sql     string
		changes bool
	}{
		{"INSERT INTO tags VALUES ('x')", false},
		{"ANALYZE", false},
		{"ALTER TABLE tags ADD COLUMN n int", true},
		{"COMMENT ON COLUMN tags.n IS 'how many'", true},
		{"ALTER TABLE tags ALTER n TYPE bigint", true},
		{`ALTER TABLE notes ALTER note TYPE text COLLATE "C"`, true},
		{"ALTER TYPE mood ADD VALUE 'elated'", true},
		{"CREATE UNIQUE INDEX ON tags (n)", true},
		{"CREATE VIEW v AS SELECT 1 AS one", true},
		{"ALTER SCHEMA other RENAME TO others", true},
		{"CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'", true},
		{"CREATE FUNCTION mood_int(mood) RETURNS int LANGUAGE sql AS 'SELECT 1'", true},
		{"CREATE CAST (mood AS int) WITH FUNCTION mood_int(mood)", true},
		{"CREATE OPERATOR %% (leftarg = text, rightarg = text, function = starts_with)", true},
		{"ALTER OPERATOR %% (text, text) SET SCHEMA pg_catalog", true},
		{"SELECT 1", false},
	}
	for _, step := range steps {
		run(t, conn, step.sql)
		f, err := catalog.Fingerprint(ctx, conn)
		if err != nil {
			t.Fatal(err)
		}
		if (f != last) != step.changes {
			t.Errorf("after %s: changed %v, want %v", step.sql, f != last, step.changes)
		}
		last = f
	}
}

func TestVersionIgnoresData(t *testing.T) {
	conn := connect(t, schemaScript(t))
	before := read(t, conn, catalog.Options{})
	run(t, conn, "INSERT INTO tags SELECT 't' || g FROM generate_series(1, 100) g; ANALYZE tags")
	after := read(t, conn, catalog.Options{Samples: true})
	if before.Version != after.Version {
		t.Error("data changed the version")
	}
	run(t, conn, "ALTER TABLE tags ADD COLUMN n int")
	if changed := read(t, conn, catalog.Options{}); changed.Version == before.Version {
		t.Error("a new column did not change the version")
	}
	before = after
	run(t, conn, `ALTER TABLE tags DROP n; ALTER TABLE notes ALTER note TYPE text COLLATE "C"`)
	if changed := read(t, conn, catalog.Options{}); changed.Version == before.Version {
		t.Error("another collation did not change the version")
	}
}
