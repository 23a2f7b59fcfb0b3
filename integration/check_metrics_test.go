package integration

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckMetrics holds that check has Postgres plan what metrics are measured by: who asks for one that
// it can't is told nothing of the reason.
func TestCheckMetrics(t *testing.T) {
	f := unstarted(t, func(text string) string { return text })
	metrics := func(list string) (string, error) {
		edit(t, filepath.Join(filepath.Dir(f.Config), "semantic.yaml"), func(string) string { return "metrics:\n" + list })
		return f.command("check", "--offline=false")
	}
	out, err := metrics(`  - {name: total, table: public.accounts, expr: sum(name), additivity: {kind: additive}}
  - {name: late, table: public.orders, expr: count(*), filter: {public.accounts: "created_at > 5"}, additivity: {kind: additive}}
  - {name: days, table: public.orders, expr: count(DISTINCT to_date(status)), additivity: {kind: non}}
  - {name: wages, table: public.payroll, expr: sum(salary), additivity: {kind: additive}}
  - {name: share, derived: orders / wages}
  - {name: orders, table: public.orders, expr: count(*), filter: {public.accounts: "region = 'EMEA'"}, additivity: {kind: additive}}
`)
	for _, want := range []string{
		"semantic.yaml:2: metrics.total: database acme: ERROR: function sum(text) does not exist",
		"semantic.yaml:3: metrics.late: database acme: ERROR: operator does not exist: timestamp with time zone > integer",
		"semantic.yaml:4: metrics.days: database acme: ERROR: function to_date(text) does not exist",
	} {
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("%v: want %s, got %s", err, want, out)
		}
	}
	if strings.Count(out, "metrics.") != 3 {
		t.Errorf("what the login may not read, and what can be planned: %s", out)
	}
}
