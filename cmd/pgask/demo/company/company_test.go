package company

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

// TestSameBytes holds the generator to the bytes it has always made. A change
// here changes every transcript and expectation that speaks of the company.
func TestSameBytes(t *testing.T) {
	var got strings.Builder
	for _, table := range Generate(Seed, day("2026-11-29")).Tables() {
		sum := sha256.Sum256(table.Text)
		fmt.Fprintf(&got, "%-22s %6d %s\n", table.Name, table.Rows, hex.EncodeToString(sum[:8]))
	}
	const file = "testdata/sums.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Error(diff)
	}
}

// TestSeed wants other rows for another seed and the same sizes.
func TestSeed(t *testing.T) {
	a, b := Generate(1, day("2026-11-29")), Generate(2, day("2026-11-29"))
	if cmp.Equal(a.Orders, b.Orders) || len(a.Orders) != len(b.Orders) {
		t.Error("seeds 1 and 2 make the same orders, or not as many")
	}
}

// TestAnyDay checks what must hold whatever the reference date: the first and
// last of a month, leap days, week-ends.
func TestAnyDay(t *testing.T) {
	for _, today := range []string{"2026-11-29", "2026-12-01", "2027-01-01", "2028-02-29", "2026-08-02", "2026-10-31"} {
		t.Run(today, func(t *testing.T) {
			c := Generate(Seed, day(today))
			sizes := []int{len(c.Accounts), len(c.Products), len(c.Orders), len(c.Items), len(c.Conversations), len(c.Payroll)}
			if want := []int{400, 40, 20000, 50000, 3000, 60}; !cmp.Equal(sizes, want) {
				t.Errorf("sizes %v, want %v", sizes, want)
			}
			if n := len(c.ARR); n < 7800 || n > 8200 {
				t.Errorf("monthly_account_arr has %d rows, want about 8,000", n)
			}
			checkTimes(t, c, newCalendar(day(today)))
			checkReferences(t, c)
			checkIdle(t, c)
		})
	}
}

func checkTimes(t *testing.T, c *Company, cal calendar) {
	t.Helper()
	within := func(what string, at, first time.Time) {
		if at.After(cal.today) || at.Before(first) {
			t.Errorf("%s at %v, history is %v to %v", what, at, first, cal.today)
		}
	}
	months := map[int]bool{}
	for _, o := range c.Orders {
		within("order", o.Ordered, cal.start)
		within("order before its account", o.Ordered, c.Accounts[o.Account-1].Created)
		months[cal.monthOf(o.Ordered)] = true
	}
	if len(months) != Months {
		t.Errorf("orders in %d months, want %d", len(months), Months)
	}
	for _, a := range c.Accounts {
		within("account", a.Created, time.Time{})
	}
	for _, a := range c.ARR {
		within("arr", a.Month, cal.start)
	}
	for _, s := range c.Conversations {
		within("conversation", s.Opened, c.Accounts[s.Account-1].Created)
		if !s.Closed.IsZero() {
			within("closing", s.Closed, s.Opened)
		}
	}
	for _, e := range c.Payroll {
		within("hiring", e.Hired, time.Time{})
	}
}

func checkReferences(t *testing.T, c *Company) {
	t.Helper()
	for i, o := range c.Orders {
		if o.ID != i+1 || o.Tenant != c.Accounts[o.Account-1].Tenant {
			t.Fatalf("order %d: %+v", i+1, o)
		}
	}
	lines := map[[2]int]bool{}
	ordered := map[int]bool{}
	for _, i := range c.Items {
		key := [2]int{i.Order, i.Product}
		if lines[key] || i.Order < 1 || i.Order > orderCount || i.Product < 1 || i.Product > productCount || i.Quantity < 1 || i.Cents < 1 {
			t.Fatalf("item %+v", i)
		}
		lines[key], ordered[i.Order] = true, true
	}
	if len(ordered) != orderCount {
		t.Errorf("%d orders have lines, want all", len(ordered))
	}
}

// checkIdle wants accounts without orders for both tenants in every region.
func checkIdle(t *testing.T, c *Company) {
	t.Helper()
	buys := map[int]bool{}
	for _, o := range c.Orders {
		buys[o.Account] = true
	}
	idle := map[string]int{}
	for _, a := range c.Accounts {
		if !buys[a.ID] {
			idle[fmt.Sprint(a.Tenant, a.Region)]++
		}
	}
	for _, tenant := range []int{1, 2} {
		for _, region := range []string{"AMER", "EMEA", "APAC"} {
			if n := idle[fmt.Sprint(tenant, region)]; n < 2 || n > 20 {
				t.Errorf("tenant %d has %d accounts without orders in %s", tenant, n, region)
			}
		}
	}
}
