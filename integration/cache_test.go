package integration

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

const (
	ordersLastMonth = `{"version":1,"from":{"table":"public.orders"},"where":{"op":{"op":"and","args":[{"op":{"op":">=","args":[{"column":"orders.ordered_at"},{"date":{"unit":"month","offset":-1}}]}},{"op":{"op":"<","args":[{"column":"orders.ordered_at"},{"date":{"unit":"month","offset":0}}]}}]}},"select":[{"expr":{"aggregate":{"func":"count"}},"as":"n"}]}`
	failingPlan     = `{"version":1,"from":{"table":"public.orders"},"select":[{"expr":{"op":{"op":"*","args":[{"column":"orders.id"},{"literal":{"value":9223372036854775807}}]}},"as":"x"}]}`
)

// source is that of the session's last answer, with its model calls.
func source(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	var source string
	var calls int
	results, err := conn.PgConn().Exec(t.Context(), "SHOW pgask.last").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range results[0].FieldDescriptions {
		switch value := string(results[0].Rows[0][i]); f.Name {
		case "source":
			source = value
		case "model_calls":
			_, _ = fmt.Sscan(value, &calls)
		}
	}
	return fmt.Sprintf("%s %d", source, calls)
}

// TestPlanCache asks a model once, and not again.
func TestPlanCache(t *testing.T) {
	p := newProvider(t)
	f := withPlanner(t, p, "order: [cache, model], retries: 3, cache: true")
	ana, ben := f.Connect(t, "ana"), f.Connect(t, "ben")
	want := table(t, f.Direct(t), "SELECT region, count(*) FROM accounts WHERE tenant_id = 1 GROUP BY region ORDER BY region")
	ask := func(conn *pgx.Conn, sql, from string) {
		t.Helper()
		got, err := tryTable(conn, sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if s := source(t, conn); s != from {
			t.Errorf("%s: %s, want %s", sql, s, from)
		}
		if conn == ana && from == "cache 0" && !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", sql, got, want)
		}
	}
	p.script(planned(accountsByRegion))
	ask(ana, "ASK 'how do our accounts spread over regions?'", "model 1")
	ask(ana, "ASK 'How do our  accounts spread over REGIONS'", "cache 0")
	ask(f.Connect(t, "ana"), "ASK 'how do our accounts spread over regions'", "cache 0")
	if _, err := ana.Prepare(t.Context(), "again", "ASK 'how do our accounts spread over regions!'"); err != nil {
		t.Error(err)
	}
	p.script(planned(accountsByRegion)) // another tenant sees something else
	ask(ben, "ASK 'how do our accounts spread over regions'", "model 1")
	ask(ben, "ASK 'how do our accounts spread over regions'", "cache 0")

	// A plan that took two attempts isn't kept, nor is one that failed or hasn't run.
	p.script(planned(unknownColumn), planned(accountsByRegion), planned(accountsByRegion))
	ask(ana, "ASK 'accounts by region, as a table'", "model 2")
	ask(ana, "ASK 'accounts by region, as a table'", "model 1")
	p.script(planned(failingPlan), planned(accountsByRegion))
	if e := failure(t, ana, "ASK 'a ratio of orders'"); e.Code != "22003" {
		t.Errorf("a number too large: %s", e.Code)
	}
	ask(ana, "ASK 'a ratio of orders'", "model 1")
	p.script(planned(accountsByRegion), planned(accountsByRegion))
	table(t, ana, "ASK SQL 'a question that is only explained'")
	ask(ana, "ASK 'a question that is only explained'", "model 1")

	clearPlans(t, f, "the plan cache is empty")
	p.script(planned(accountsByRegion))
	ask(ana, "ASK 'how do our accounts spread over regions'", "model 1")
	text := metrics(t, f)
	for _, series := range []string{`pgask_plan_cache_total{outcome="hit"} 4`, `pgask_plan_cache_clears_total 1`, `pgask_asks_total{source="cache"} 4`} {
		if !strings.Contains(text, "\n"+series+"\n") {
			t.Errorf("metrics lack %s", series)
		}
	}
}

// clearPlans runs the command and wants it to say something.
func clearPlans(t *testing.T, f *fixture, says string) {
	t.Helper()
	out, err := exec.Command(program(), "cache", "clear", "--config", f.Config).CombinedOutput()
	if err != nil || !strings.Contains(string(out), says) {
		t.Fatalf("cache clear: %v\n%s", err, out)
	}
}

// TestPlanCacheOff has the switch off.
func TestPlanCacheOff(t *testing.T) {
	p := newProvider(t)
	f := withPlanner(t, p, "order: [cache, model], cache: false")
	ana := f.Connect(t, "ana")
	p.script(planned(accountsByRegion), planned(accountsByRegion))
	for range 2 {
		table(t, ana, "ASK 'how do our accounts spread over regions'")
		if s := source(t, ana); s != "model 1" {
			t.Errorf("source %s", s)
		}
	}
	if err := f.Proxy.stop(); err != nil {
		t.Fatal(err)
	}
	f.Proxy.done <- nil // it is stopped once more when the test ends
	clearPlans(t, f, "no pgask runs at")
}

// TestSharedPlans has two instances that share plans, a month apart: what the model
// planned for one is right for the other, also after the first is gone.
func TestSharedPlans(t *testing.T) {
	p := newProvider(t)
	server := acme(t).Server
	dsn := server.DSN(server.CreateDatabase(t))
	at := func(today string) *fixture {
		return withPlanner(t, p, fmt.Sprintf("order: [cache, model], cache: true, store: postgres, dsn: %q, today: %s", dsn, today))
	}
	direct := acme(t).Direct(t)
	var latest string
	if err := direct.QueryRow(t.Context(), "SELECT to_char(max(ordered_at), 'YYYY-MM') FROM orders").Scan(&latest); err != nil {
		t.Fatal(err)
	}
	month := func(offset int) (day string, rows []string) {
		if err := direct.QueryRow(t.Context(), "SELECT to_char(date ($1 || '-15') + $2 * interval '1 month', 'YYYY-MM-DD')", latest, offset).Scan(&day); err != nil {
			t.Fatal(err)
		}
		return day, table(t, direct, fmt.Sprintf(`SELECT count(*) FROM orders WHERE tenant_id = 1 AND ordered_at >= date_trunc('month', date '%[1]s') - interval '1 month' AND ordered_at < date_trunc('month', date '%[1]s')`, day))
	}
	before, wantBefore := month(0)
	after, wantAfter := month(1)
	if slices.Equal(wantBefore, wantAfter) {
		t.Fatal("both months have as many orders: the comparison shows nothing")
	}
	first, second := at(before), at(after)
	const question = "ASK 'how did ordering go in the month before this one'"
	p.script(planned(ordersLastMonth))
	one := first.Connect(t, "ana")
	if got := table(t, one, question); !slices.Equal(got, wantBefore) || source(t, one) != "model 1" {
		t.Errorf("%v by %s, want %v", got, source(t, one), wantBefore)
	}
	store := connect(t, dsn)
	waitFor(t, func() bool {
		var n int
		return store.QueryRow(context.Background(), "SELECT count(*) FROM pgask.cached_plans").Scan(&n) == nil && n == 1
	})
	if err := first.Proxy.stop(); err != nil {
		t.Fatal(err)
	}
	first.Proxy.done <- nil // it is stopped once more when the test ends
	other := second.Connect(t, "ana")
	if got := table(t, other, question); !slices.Equal(got, wantAfter) || source(t, other) != "cache 0" {
		t.Errorf("a month later: %v by %s, want %v", got, source(t, other), wantAfter)
	}
	clearPlans(t, second, "1 plan forgotten")
	p.script(planned(ordersLastMonth))
	if table(t, other, question); source(t, other) != "model 1" {
		t.Errorf("after the plans were forgotten: %s", source(t, other))
	}
}

// TestPlanStoreDown answers without the store.
func TestPlanStoreDown(t *testing.T) {
	p := newProvider(t)
	f := withPlanner(t, p, `order: [cache, model], cache: true, store: postgres, dsn: "postgres://u:very-secret@127.0.0.1:1/none"`)
	ana := f.Connect(t, "ana")
	p.script(planned(accountsByRegion))
	if table(t, ana, "ASK 'how do our accounts spread over regions'"); source(t, ana) != "model 1" {
		t.Errorf("source %s", source(t, ana))
	}
	if log := f.Proxy.log.String(); !strings.Contains(log, "can't be looked up") || strings.Contains(log, "very-secret") {
		t.Error("the log doesn't say it, or says too much")
	}
	config := filepath.Join(t.TempDir(), "pgask.yaml")
	if err := os.WriteFile(config, []byte("planner: {store: postgres}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program(), "check", "--offline", "--config", config).CombinedOutput(); err == nil || !strings.Contains(string(out), "planner.store: postgres needs planner.dsn") {
		t.Errorf("a store without its dsn: %v\n%s", err, out)
	}
}
