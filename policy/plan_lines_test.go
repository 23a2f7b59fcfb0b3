package policy_test

import (
	"strings"
	"testing"

	"github.com/pgask/pgask/policy"
)

func TestShowsPlanLine(t *testing.T) {
	for _, line := range []string{
		"Limit", "Seq Scan on accounts", "Seq Scan on accounts a", "Merge Append", "Nested Loop", "Aggregate", "Result",
		`Function Scan on generate_series "N"`, `Subquery Scan on "*SELECT* 1"`, `Values Scan on "*VALUES*"`, "HashSetOp Except All",
		"Index Only Scan Backward using accounts_pkey on accounts", `Parallel Index Scan using "Größe_pkey" on "Größe"`,
		"Nested Loop Left Join", "Hash Right Anti Join", "Hash Join", "Merge Full Join", "Partial HashAggregate", "Bitmap Index Scan on i1",
		`Seq Scan on "Mixed Case" "a-b.c $1"`,
	} {
		if !policy.ShowsPlanLine([]byte(line), true) {
			t.Errorf("first, %q isn't shown", line)
		}
		if !policy.ShowsPlanLine([]byte("        ->  "+line), false) {
			t.Errorf("later, %q isn't shown", line)
		}
		if policy.ShowsPlanLine([]byte(line), false) {
			t.Errorf("later and without an arrow, %q is shown", line)
		}
	}
	for _, line := range []string{"  InitPlan 1 (returns $0)", "  InitPlan 1 (returns $0,$1)", "    SubPlan 12", "  InitPlan expr_1", "  CTE totals", `  CTE "Größe"`} {
		if !policy.ShowsPlanLine([]byte(line), false) {
			t.Errorf("%q isn't shown", line)
		}
	}
	for _, line := range []string{
		"", " ", "  Filter: (tenant_id = 1)", "  Index Cond: (id = 1)", "  Sort Key: a", "  One-Time Filter: false", "  Output: a", "  Hash Cond: (a = b)",
		"  ->  Filter: (tenant_id = 1)", "  ->  Secret", "  ->  Seq Scan", "  ->  Seq Scan on", "->  Result", "  -> Result", "  ->  Result  (cost=0.00 rows=1)",
		// what goes on behind a line break in a literal or a name of the client's
		"  ->  Seq Scan on x'::text) AND (tenant_id = 1))", `  ->  Seq Scan on "a'::text) AND (tenant_id = 1) AND (b = 'b"`,
		`  ->  Seq Scan on ".tenant_id = 1)`, `  ->  Seq Scan on " AND tenant_id = 1 AND a."b"`, `  ->  Seq Scan on "", tenant_id, "b"`,
		`  ->  Seq Scan on ""x"`, `  ->  Seq Scan on x"`, `  ->  Seq Scan on "a""b"`, "  ->  Result\n", "  ->  Result\r", "  ->  Seq Scan on \"\xff\"",
		"  ->  " + strings.Repeat(" ", 16<<10) + "Result",
	} {
		for _, first := range []bool{false, true} {
			if policy.ShowsPlanLine([]byte(line), first) {
				t.Errorf("%q is shown (first: %v)", line, first)
			}
		}
	}
	if policy.ShowsPlanLine([]byte("  ->  Result"), true) {
		t.Error("a first line with an arrow is shown")
	}
}

// TestPlanTells: what a plan holds besides the client's own words.
func TestPlanTells(t *testing.T) {
	for _, c := range []struct {
		role, sql string
		raises    bool
		want      bool
	}{
		{"analyst", "EXPLAIN SELECT id FROM orders", false, true},
		{"analyst", "EXPLAIN SELECT id FROM products", false, false},
		{"analyst", "EXPLAIN SELECT id FROM products", true, true},
		{"analyst", "EXPLAIN SELECT 1 WHERE EXISTS (SELECT FROM orders)", false, true},
		{"finance", "EXPLAIN SELECT id FROM orders", false, false},
		{"analyst", "SELECT id FROM orders", true, false},
	} {
		o := policy.Options{Cap: true}
		if c.raises {
			o.OnTruncateError = "denied_0123456789abcdef0123456789abcdef"
		}
		a, err := authorize(view(t, attributes, c.role), c.sql, o)
		if err != nil {
			t.Fatalf("%s: %v", c.sql, err)
		}
		if got := a.Facts().PlanTells; got != c.want {
			t.Errorf("%s, %s, raising %v: tells is %v", c.role, c.sql, c.raises, got)
		}
	}
}
