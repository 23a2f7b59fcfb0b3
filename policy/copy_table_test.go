package policy_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/policy"
)

// copied is what a COPY gives, line by line and sorted.
func copied(conn *pgx.Conn, sql string) ([]string, error) {
	var b bytes.Buffer
	_, err := conn.PgConn().CopyTo(context.Background(), &b, sql)
	return slices.Sorted(strings.Lines(b.String())), err
}

// TestCopyTable compares the COPY of a table with what row level security and
// column grants make of it.
func TestCopyTable(t *testing.T) {
	o := newOracle(t)
	for _, sql := range []string{"COPY orders TO STDOUT", "COPY public.orders TO STDOUT (FORMAT csv, HEADER)", "COPY orders (status, id) TO STDOUT (FORMAT csv, FORCE_QUOTE (status))",
		"COPY items TO STDOUT", "COPY products (price) TO STDOUT", "COPY accounts (region, id, name) TO STDOUT WITH DELIMITER '|' NULL 'none'", "COPY traps (code, doc, nums) TO STDOUT"} {
		a, err := authorize(o.view, sql, policy.Options{})
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		want, err := copied(o.analyst, sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		got, err := copied(o.reader, a.SQL())
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s\n%s\n%v\n%s", sql, a.SQL(), err, diff)
		}
	}
	for _, sql := range []string{"COPY accounts TO STDOUT", "COPY accounts (secret) TO STDOUT", "COPY accounts (id, id) TO STDOUT", "COPY accounts (accounts) TO STDOUT", "COPY orders (ctid) TO STDOUT"} {
		if a, err := authorize(o.view, sql, policy.Options{}); err == nil {
			t.Errorf("%s became %s", sql, a.SQL())
		}
		if lines, err := copied(o.analyst, sql); err == nil {
			t.Errorf("%s: Postgres gives %q", sql, lines)
		}
	}
}

// TestCopyGenerated: without a list Postgres copies generated columns or not, which
// depends on row level security; so they have to be left out by one.
func TestCopyGenerated(t *testing.T) {
	o := newOracle(t)
	ctx := context.Background()
	if _, err := o.super.Exec(ctx, "CREATE TABLE sums (a int, b int GENERATED ALWAYS AS (a + 1) STORED); INSERT INTO sums VALUES (1), (2)"); err != nil {
		t.Fatal(err)
	}
	snapshot, err := catalog.Read(ctx, o.super, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := rlsRole(t).View(snapshot, map[string]any{"tenant_id": int64(1)})
	if err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]string{
		"COPY sums TO STDOUT":     "-- 0A000 COPY of this table without a list of columns is not supported for governed roles | COPY sums (a) TO STDOUT",
		"COPY sums (a) TO STDOUT": "-- COPY (SELECT a FROM (SELECT a, b FROM ONLY public.sums) sums) TO STDOUT",
		"COPY sums (b) TO STDOUT": "-- 42P10 column b is a generated column | Generated columns cannot be used in COPY. | Write COPY (SELECT …) TO STDOUT.",
	} {
		if got := verdict(authorize(v, sql, policy.Options{})); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", sql, got, want)
		}
	}
}
