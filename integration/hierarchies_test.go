package integration

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCheckHierarchies holds that check looks at the rows of levels: it warns of values that
// belong to several of the level above, counted and not named, and of what it can't look at.
func TestCheckHierarchies(t *testing.T) {
	direct := acme(t).Direct(t)
	f := unstarted(t, func(text string) string { return text })
	hierarchies := func(list string) string {
		edit(t, filepath.Join(filepath.Dir(f.Config), "semantic.yaml"), func(string) string { return "hierarchies:\n" + list })
		out, err := f.command("check", "--offline=false")
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return out
	}
	out := hierarchies(`  - {name: geography, levels: [public.accounts.region, public.accounts.country]}
  - {name: places of orders, levels: [public.accounts.region, public.accounts.country, public.orders.id]}
`)
	if strings.Contains(out, "hierarchies.") {
		t.Errorf("levels that nest: %s", out)
	}
	out = hierarchies("  - {name: upside down, levels: [public.accounts.country, public.accounts.region]}\n" +
		"  - {name: over tables, levels: [public.accounts.segment, public.orders.status]}\n")
	for _, c := range []struct{ key, fine, coarse string }{
		{"upside down", "SELECT region, count(DISTINCT country) n FROM accounts GROUP BY 1", "public.accounts.country"},
		{"over tables", "SELECT status, count(DISTINCT segment) n FROM orders JOIN accounts a ON a.id = account_id GROUP BY 1", "public.accounts.segment"},
	} {
		n := table(t, direct, "SELECT count(*) FILTER (WHERE n > 1) || ' of its ' || count(*) || ' values' FROM ("+c.fine+") x")[0]
		want := "hierarchies." + c.key + ".levels[1]: database acme: " + n + " belong to more than one value of " + c.coarse + ", the level above"
		if !strings.Contains(out, "warning: ") || !strings.Contains(out, want) || strings.Contains(out, "EMEA") {
			t.Errorf("want %s, got %s", want, out)
		}
	}
	table(t, direct, "CREATE TABLE unread (a text, b text)")
	t.Cleanup(func() { table(t, direct, "DROP TABLE unread") })
	if out = hierarchies("  - {name: none, levels: [public.unread.a, public.unread.b]}\n"); !strings.Contains(out, "can't be found out: ERROR: permission denied for table unread") {
		t.Errorf("what can't be read: %s", out)
	}
}

// TestShowHierarchies lists what a user may group by.
func TestShowHierarchies(t *testing.T) {
	f := acme(t)
	for _, user := range []string{"ana", "finn", "bot"} {
		if got := table(t, f.Connect(t, user), "SHOW pgask.hierarchies"); !slices.Equal(got, []string{"geography | Where an account is | {public.accounts.region,public.accounts.country} | {location}"}) {
			t.Errorf("%s: %v", user, got)
		}
	}
}
