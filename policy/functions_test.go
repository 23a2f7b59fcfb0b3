package policy

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/integration/postgres"
)

// TestFunctionsAreHarmless holds the lists of safe functions against pg_proc:
// no overload of a listed name may take what looks a name up, be written in
// anything but C or SQL of the server's own, or be unexpectedly volatile.
func TestFunctionsAreHarmless(t *testing.T) {
	ctx := context.Background()
	srv := postgres.ForTest(t)
	conn, err := pgx.Connect(ctx, srv.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	var names []string
	for n := range safeBuiltins() {
		names = append(names, n)
	}
	rows, err := conn.Query(ctx, `SELECT p.proname, p.oid::regprocedure::text, p.provolatile::text, l.lanname, p.prosecdef, p.proretset,
		(SELECT coalesce(array_agg(format_type(a, NULL)), '{}') FROM unnest(p.proargtypes) a), p.prokind::text
		FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
		WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname = ANY ($1)`, names)
	if err != nil {
		t.Fatal(err)
	}
	volatile := strings.Fields("random random_normal clock_timestamp timeofday gen_random_uuid uuidv4 uuidv7 array_shuffle array_sample pg_is_in_recovery")
	found, sets, kinds := map[string]bool{}, tableFunctions(), safeBuiltins()
	for rows.Next() {
		var name, signature, volatility, language, kind string
		var definer, set bool
		var args []string
		if err := rows.Scan(&name, &signature, &volatility, &language, &definer, &set, &args, &kind); err != nil {
			t.Fatal(err)
		}
		found[name] = true
		if definer || language != "internal" && language != "sql" || volatility == "v" && !slices.Contains(volatile, name) {
			t.Errorf("%s: %s %s, security definer %v", signature, language, volatility, definer)
		}
		for _, a := range args {
			if strings.HasPrefix(a, "reg") && a != "regconfig" || slices.Contains([]string{"internal", "refcursor", "aclitem", "pg_node_tree", "tid", "xid"}, a) && !slices.Contains([]string{"age", "min", "max"}, name) {
				t.Errorf("%s takes %s", signature, a)
			}
		}
		if _, known := sets[name]; set != known && !known {
			t.Errorf("%s returns a set that isn't described", signature)
		}
		if kind == "a" && kinds[name] != functionAggregate {
			t.Errorf("%s is an aggregate", signature)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if len(found) < len(names)*9/10 {
		t.Errorf("only %d of %d names exist", len(found), len(names))
	}
	never := neverAllowed()
	for _, n := range names {
		if never.MatchString(n) {
			t.Errorf("%s is both safe and never allowed", n)
		}
	}
}

// TestOutputColumns holds the output columns of table functions against
// pg_proc.
func TestOutputColumns(t *testing.T) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, postgres.ForTest(t).DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	for name, want := range tableFunctions() {
		if want == nil {
			continue
		}
		var got []string
		err := conn.QueryRow(ctx, `SELECT coalesce((SELECT array_agg(n ORDER BY i) FROM unnest(proargnames, proargmodes) WITH ORDINALITY AS a(n, m, i)
			WHERE m IN ('o', 't')), '{}') FROM pg_proc WHERE pronamespace = ANY ('{pg_catalog,information_schema}'::regnamespace[]) AND proname = $1 ORDER BY 1 LIMIT 1`, name).Scan(&got)
		if err != nil {
			t.Fatal(name, err)
		}
		if !slices.Equal(got, want) && name != "unnest" {
			t.Errorf("%s has columns %q, want %q", name, got, want)
		}
	}
}
