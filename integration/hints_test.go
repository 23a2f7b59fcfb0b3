package integration

import (
	"strings"
	"testing"
)

// TestHintsWork pastes what refusals of questions offer.
func TestHintsWork(t *testing.T) {
	ana := acme(t).Connect(t, "ana")
	for _, c := range []struct{ asked, code string }{
		{"ASK 'how many unicorns per region'", "PA002"},
		{"ASK 'revenue by regoin'", "PA002"},
		{"ASK 'revenue by channel'", "PA002"},
		{"ASK 'largest account by revenue'", "PA002"},
		{"ASK 'tax ids of accounts'", "PA002"},
		{"ASK 'orders by region' READING 7", "PA002"},
		{"ASK 'orders by region' WITH (columns = 'foo text')", "PA002"},
		{"ASK NARRATE 'orders by region' WITH (columns = 'foo text')", "PA002"},
		{"ASK 'orders by region' READING 1 WITH (columns = 'foo text')", "PA002"},
		{"ASK CHART 'total arr over all months' WITH (format = text)", "PA006"},
		{"ASK 'products without orders'", "PA007"},
		{"ASK 'x' USING PLAN '{'", "PA005"},
		{"ASK NARRATE 'x' USING PLAN '{}'", "PA005"},
		{"ASK 'x' USING PLAN '{\"version\":1,\"from\":{\"table\":\"nope\"},\"select\":[{\"expr\":{\"column\":\"id\"}}]}'", "PA005"},
		{"ASK 'x' USING PLAN '{\"version\":1,\"from\":{\"table\":\"orders\"},\"select\":[{\"expr\":{\"column\":\"idd\"}}]}'", "PA005"},
		{"ASK APPROVE 'orders by region'", "42501"},
		{"SHOW pgask.everything", "42704"},
		{"ASK 'orders by region' WITH (columns = 'region')", "42601"},
		{"ASK orders by region", "42601"},
		{"ASK CHART 'orders by region' WITH (format = png)", "42601"},
		{"ASK SQL 'orders by region' AND THEN", "42601"},
		{"ASK 'orders by region' READING one", "42601"},
	} {
		e := failure(t, ana, c.asked)
		if e.Code != c.code || e.Hint == "" {
			t.Errorf("%s: %s %s, hint %q", c.asked, e.Code, e.Message, e.Hint)
			continue
		}
		for _, offer := range strings.Split(e.Hint, "\n") {
			if _, err := ana.Exec(t.Context(), offer); err != nil {
				t.Errorf("%s: %s offers %s: %v", c.asked, e.Message, offer, err)
			}
		}
	}
}

// TestStagesAreSpelled: ASK EXPLAIN says things as the notice does.
func TestStagesAreSpelled(t *testing.T) {
	ana := acme(t).Connect(t, "ana")
	stages := map[string]string{}
	for _, row := range table(t, ana, "ASK EXPLAIN 'orders by region'") {
		fields := strings.Split(row, " | ")
		stages[fields[0]] = fields[2]
	}
	table(t, ana, "ASK 'orders by region'")
	last := receipt(t, ana)
	for stage, want := range map[string]string{"builtin": "confidence 0.", "plan": "source builtin, plan " + last["plan_hash"][:12],
		"authorize": "scopes: public.accounts: tenant_id = :tenant_id, public.orders: tenant_id = :tenant_id; row cap 1000"} {
		if got := stages[stage]; got != want && (stage != "builtin" || !strings.HasPrefix(got, want) || strings.HasSuffix(got, "0")) {
			t.Errorf("%s: %q, want %q", stage, got, want)
		}
	}
	ambiguous := strings.Join(table(t, ana, "ASK EXPLAIN 'how many support conversations last month'"), "\n")
	if !strings.Contains(ambiguous, "1. count(*)") || !strings.Contains(ambiguous, "the start of last month") {
		t.Errorf("the readings aren't in %s", ambiguous)
	}
	if got := table(t, ana, "ASK PLAN 'orders last month'")[0]; strings.Contains(got, `\u00`) {
		t.Errorf("%s is written for browsers", got)
	}
}
