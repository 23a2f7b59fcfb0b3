package stmt

import (
	"testing"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

func TestMomentary(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT 1":                                    false,
		"SELECT now(), current_date":                  false,
		"SELECT today, \"tomorrow\" FROM t":           false,
		"SELECT 'unknown', 'knowing'":                 false,
		`SELECT "it's today" FROM t`:                  false,
		"SELECT 'it''s', 'x'":                         false,
		"SELECT date '2026-11-30'":                    false,
		"SELECT time '12:00'":                         false,
		"SELECT 'today'::date":                        true,
		"SELECT date 'Now'":                           true,
		"SELECT '{TODAY}'::date[]":                    true,
		"SELECT '[yesterday,tomorrow)'::daterange":    true,
		"SELECT 'tomorrow12:00'::timestamp":           true,
		"SELECT 'x', 'now()'::timestamptz":            true,
		"SELECT $$now$$::timestamp":                   true,
		`SELECT E'\164oday'::date`:                    true, // spells it otherwise
		`SELECT U&'\0074oday'::date`:                  true,
		`SELECT '{"to\\day"}'::date[]`:                true,
		"SELECT 1 AS \"o'clock\", 'today'::date":      true,
		"SELECT 'it''s', 'today'::date":               true,
		"SELECT statement_timestamp() = now()":        true,
		"SELECT '12:00 America/New_York'::timetz":     true,
		"SELECT time with time zone '12:00+2'":        true,
		"SELECT CAST('12:00' AS time with time zone)": true,
	} {
		tree, err := pg_query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		printed, err := Print(tree.Stmts[0].Stmt)
		if err != nil {
			t.Fatal(err)
		}
		if got := Momentary(printed); got != want {
			t.Errorf("%s, printed %s: %v", text, printed, got)
		}
	}
}
