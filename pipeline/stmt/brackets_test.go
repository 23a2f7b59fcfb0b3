package stmt_test

import (
	"testing"

	"github.com/pgask/pgask/pipeline/stmt"
)

// TestPrintBracketed prints what the printer gets wrong, and what it gets right
// all the same.
func TestPrintBracketed(t *testing.T) {
	for _, sql := range []string{
		"SELECT (ARRAY[NULL, 3])[1:2] IS NULL", "SELECT (CASE WHEN a THEN b END)[1]", "SELECT (coalesce(a, b))[1]", "SELECT (greatest(a, b))[1]",
		"SELECT (ARRAY(SELECT 1))[1:2]", "SELECT (a IS DISTINCT FROM b) IS NOT TRUE", "SELECT ((a, b) IS NOT DISTINCT FROM (c, d)) IS UNKNOWN",
		"SELECT (a IS NULL) IS NULL", "SELECT ((a OR b) AND NOT (c AND d)) = e", "SELECT (a IN (1, 2)) IS TRUE, (a BETWEEN 1 AND 2) = b, a BETWEEN (b IS NULL)::int AND (c = d)::int",
		"SELECT ((a AT TIME ZONE 'x')::date + b) AT TIME ZONE 'y'", "SELECT (a COLLATE \"C\") || b, (a || b) COLLATE \"C\"", "SELECT - (- 2), (-2) % 3, (-2)::int, - 2::int",
		"SELECT (a = ANY (b)) = c, (x NOT IN (SELECT 1)) IS FALSE, (EXISTS (SELECT 1))::text", "SELECT ('pgask_bracket(' || a)[1], pgask_bracket_1(b)",
		"SELECT ((a).b)[1], (a.b)[1:2][3], ($1)[1]", "SELECT extract(day FROM a - b)::int, trim(BOTH 'e' FROM a || b), overlay(a || b PLACING c FROM 1)",
		"SELECT a LIKE b || c ESCAPE '!', (a LIKE b) = c, a SIMILAR TO b, (NOT a) IS TRUE",
	} {
		n, err := stmt.ParseOne(sql, stmt.DefaultLimits())
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		text, err := stmt.PrintBracketed(n)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		back, err := stmt.ParseOne(text, stmt.DefaultLimits())
		if err != nil || !stmt.Equal(n, back) {
			t.Errorf("%s\nis printed as %s, %v", sql, text, err)
		}
	}
}
