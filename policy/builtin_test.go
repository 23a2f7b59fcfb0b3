package policy_test

import (
	"testing"

	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

func TestNotBuiltin(t *testing.T) {
	for text, want := range map[string]string{
		"sum(a * 2) FILTER (WHERE b ILIKE 'x%')":            "",
		"extract(year FROM a) || substring(b FROM 1 FOR 2)": "",
		"coalesce(a::numeric(10, 2), 0)":                    "",
		"percentile_cont(0.5) WITHIN GROUP (ORDER BY a)":    "",
		"datediff(day, a, b)":                               "the function datediff",
		"round(iff(a > 0, a, 0))":                           "the function iff",
		"pg_read_file(a)":                                   "the function pg_read_file",
		"public.lower(a)":                                   "the function lower",
		"a::variant":                                        "the type variant",
		"CAST(a AS timestamp_ntz)":                          "the type timestamp_ntz",
	} {
		n, _, err := stmt.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := policy.NotBuiltin(n); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
