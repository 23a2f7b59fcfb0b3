package integration

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const ordersThisYear = `{"version":1,"from":{"table":"public.orders"},"where":{"period":{"column":"orders.ordered_at","unit":"year","latest":true}},"select":[{"expr":{"aggregate":{"func":"count"}},"as":"n"}]}`

// TestLatestPeriod asks about "this year" while there is data of it, and two years later,
// when there is none: then the latest year is meant, and the answer says so. The rows are
// the asker's own. A model's plan that is kept follows the calendar in the same way.
func TestLatestPeriod(t *testing.T) {
	p := newProvider(t)
	server := acme(t).Server
	dsn := server.DSN(server.CreateDatabase(t))
	var year int
	if err := acme(t).Direct(t).QueryRow(t.Context(), "SELECT extract(year FROM max(ordered_at))::int FROM orders WHERE tenant_id = 1").Scan(&year); err != nil {
		t.Fatal(err)
	}
	want := table(t, acme(t).Direct(t), fmt.Sprintf("SELECT count(*) FROM orders WHERE tenant_id = 1 AND extract(year FROM ordered_at) = %d", year))
	for later, moved := range []bool{false, true} {
		today := fmt.Sprintf("%d-12-31", year+2*later)
		f := withPlanner(t, p, fmt.Sprintf("order: [cache, builtin, model], cache: true, store: postgres, dsn: %q, today: %q", dsn, today))
		ana := f.Connect(t, "ana")
		for _, question := range []string{"how many orders this year", "the yearly flow of the things that people order"} {
			p.script(planned(ordersThisYear))
			if got := table(t, ana, "ASK '"+question+"'"); !slices.Equal(got, want) {
				t.Errorf("on %s: %s: %v, want %v", today, question, got, want)
			}
			qualifiers := receipt(t, ana)["qualifiers"]
			if says := strings.Contains(qualifiers, "the latest year in it is meant"); moved && !says || says && strings.HasPrefix(question, "how many") && !moved {
				t.Errorf("on %s: %s: qualifiers %s", today, question, qualifiers)
			}
		}
		if s := source(t, ana); moved && s != "cache 0" {
			t.Errorf("on %s: %s", today, s)
		}
		clock := fmt.Sprintf("SELECT count(*) FROM orders WHERE tenant_id = 1 AND ordered_at::date = date '%s'", today)
		if got, want := table(t, ana, "ASK 'how many orders today'"), table(t, acme(t).Direct(t), clock); !slices.Equal(got, want) {
			t.Errorf("on %s: today is another day: %v, want %v", today, got, want)
		}
	}
}
