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
	if out = hierarchies(`  - {name: size, levels: [public.orders.half, public.orders."quarter of the year"]}
  - {name: other size, levels: [public.orders.half, public.orders.currency]}
dimensions:
  - {name: half, table: public.orders, expr: "case when extract(month from orders.ordered_at) > 6 then 2 else 1 end"}
  - {name: quarter of the year, table: public.orders, expr: "extract(quarter from ordered_at)::int"}
`); strings.Contains(out, "hierarchies.size") || !strings.Contains(out, "hierarchies.other size.levels[1]: database acme: ") || !strings.Contains(out, "belong to more than one value of public.orders.half") {
		t.Errorf("levels that are dimensions: %s", out)
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

// TestLevels asks by hierarchies and moves along their levels, and compares with SQL run
// direct: of what adds up, of what doesn't, and of a stock.
func TestLevels(t *testing.T) {
	f := acme(t)
	direct := f.Direct(t)
	for user, tenant := range map[string]string{"ana": "a.tenant_id = 1", "finn": "true"} {
		conn := f.Connect(t, user)
		sales := func(columns, where, group string) string {
			return "SELECT " + columns + ", sum(i.quantity * i.unit_price * (1 - i.discount)) FROM order_items i JOIN orders o ON o.id = i.order_id JOIN accounts a ON a.id = o.account_id WHERE o.status = 'completed' AND " +
				tenant + where + group
		}
		average := func(columns, group string) string {
			return strings.Replace(sales(columns, "", group), "sum(i.quantity * i.unit_price * (1 - i.discount))", "sum(i.quantity * i.unit_price * (1 - i.discount)) / count(DISTINCT o.id)", 1)
		}
		arr := func(columns, from, where, group string) string {
			return "SELECT " + columns + "sum(m.arr) FROM monthly_account_arr m JOIN accounts a ON a.id = m.account_id" + from + " WHERE " + tenant + where + group
		}
		parts := func(columns, same string) string {
			group := " GROUP BY 1"
			if strings.Contains(columns, ",") {
				group = " GROUP BY 1, 2"
			}
			return "SELECT r.*, x.conversations FROM (" + sales(columns, "", group) + ") r JOIN (SELECT " + columns + ", count(*) AS conversations FROM support_conversations c JOIN accounts a ON a.id = c.account_id WHERE " +
				tenant + group + ") x ON " + same
		}
		versus := func(columns string) string {
			in := func(year string) string {
				return "sum(i.quantity * i.unit_price * (1 - i.discount)) FILTER (WHERE date_part('year', o.ordered_at) = " + year + ")"
			}
			group := " GROUP BY 1"
			if strings.Contains(columns, ",") {
				group = " GROUP BY 1, 2"
			}
			return strings.Replace(sales(columns, "", group), "sum(i.quantity * i.unit_price * (1 - i.discount))", in("2025")+", "+in("2026"), 1)
		}
		lastOf := func(unit string) string {
			return " AND m.month IN (SELECT max(m.month) FROM monthly_account_arr m JOIN accounts a ON a.id = m.account_id WHERE " + tenant + " GROUP BY date_trunc('" + unit + "', m.month))"
		}
		const lastMonth = " AND m.month = (SELECT max(month) FROM monthly_account_arr)"
		for _, step := range []struct{ ask, sql string }{
			{"ASK 'revenue by geography'", sales("a.region", "", " GROUP BY 1")},
			{"ASK MORE 'drill down'", sales("a.region, a.country", "", " GROUP BY 1, 2")},
			{"ASK MORE 'roll up'", sales("a.region", "", " GROUP BY 1")},
			{"ASK MORE 'drill into EMEA'", sales("a.country", " AND a.region = 'EMEA'", " GROUP BY 1")},
			{"ASK MORE 'roll up'", sales("a.region", " AND a.region = 'EMEA'", " GROUP BY 1")},
			{"ASK MORE 'drill into APAC'", sales("a.country", " AND a.region = 'APAC'", " GROUP BY 1")},
			{"ASK 'revenue by location down to country'", sales("a.region, a.country", "", " GROUP BY 1, 2")},
			{"ASK MORE 'roll up to region'", sales("a.region", "", " GROUP BY 1")},
			{"ASK MORE 'roll up'", strings.Replace(sales("1", "", ""), "1, ", "", 1)},
			{"ASK MORE 'drill down to country'", sales("a.country", "", " GROUP BY 1")},
			{"ASK 'revenue by geography and quarter'", sales("a.region, date_trunc('quarter', o.ordered_at)", "", " GROUP BY 1, 2")},
			{"ASK MORE 'drill down time'", sales("a.region, date_trunc('month', o.ordered_at)", "", " GROUP BY 1, 2")},
			{"ASK MORE 'drill down geography'", sales("a.region, a.country, date_trunc('month', o.ordered_at)", "", " GROUP BY 1, 2, 3")},
			{"ASK MORE 'roll up to year'", sales("a.region, a.country, date_trunc('year', o.ordered_at)", "", " GROUP BY 1, 2, 3")},
			{"ASK 'revenue and support conversations by geography'", parts("a.region", "r.region = x.region")},
			{"ASK MORE 'drill down'", parts("a.region, a.country", "r.region = x.region AND r.country = x.country")},
			{"ASK MORE 'roll up'", parts("a.region", "r.region = x.region")},
			{"ASK 'revenue by geography 2025 vs 2026'", versus("a.region")},
			{"ASK MORE 'drill down'", versus("a.region, a.country")},
			{"ASK 'average order value by geography'", average("a.region", " GROUP BY 1")},
			{"ASK MORE 'drill down'", average("a.region, a.country", " GROUP BY 1, 2")},
			{"ASK MORE 'roll up'", average("a.region", " GROUP BY 1")},
			{"ASK MORE 'roll up'", strings.Replace(average("1", ""), "1, ", "", 1)},
			{"ASK 'arr by geography'", arr("a.region, ", "", lastMonth, " GROUP BY 1")},
			{"ASK MORE 'drill down'", arr("a.region, a.country, ", "", lastMonth, " GROUP BY 1, 2")},
			{"ASK MORE 'roll up'", arr("a.region, ", "", lastMonth, " GROUP BY 1")},
			{"ASK MORE 'roll up'", arr("", "", lastMonth, "")},
			{"ASK 'arr by year'", arr("date_trunc('year', m.month)::date, ", "", lastOf("year"), " GROUP BY 1")},
			{"ASK MORE 'drill down'", arr("date_trunc('quarter', m.month)::date, ", "", lastOf("quarter"), " GROUP BY 1")},
			{"ASK MORE 'drill down'", arr("m.month, ", "", "", " GROUP BY 1")},
			{"ASK MORE 'roll up to year'", arr("date_trunc('year', m.month)::date, ", "", lastOf("year"), " GROUP BY 1")},
			{"ASK 'arr by month'", arr("m.month, ", "", "", " GROUP BY 1")},
			{"ASK MORE 'roll up'", arr("date_trunc('quarter', m.month)::date, ", "", lastOf("quarter"), " GROUP BY 1")},
			{"ASK MORE 'drill into Q1 2026'", arr("date_trunc('month', m.month)::date, ", "", " AND m.month >= '2026-01-01' AND m.month < '2026-04-01'", " GROUP BY 1")},
		} {
			got, err := tryTable(conn, step.ask)
			if err != nil {
				t.Errorf("%s: %s: %v", user, step.ask, err)
				continue
			}
			if want := table(t, direct, step.sql); !slices.Equal(sorted(got), sorted(want)) || len(want) == 0 {
				t.Errorf("%s: %s: %v, want %v", user, step.ask, got, want)
			}
		}
	}
}

// TestLevelsSaid holds what is said of levels, and what is refused with what can be typed.
func TestLevelsSaid(t *testing.T) {
	f := acme(t)
	ana := f.Connect(t, "ana")
	qualifiers := func(ask string) string {
		table(t, ana, ask)
		return strings.Join(table(t, ana, "SHOW pgask.last"), "")
	}
	const read = `"geography" was read as accounts.region; country is finer`
	if got := qualifiers("ASK 'revenue by geography'"); !strings.Contains(strings.ReplaceAll(got, `\`, ""), read) {
		t.Errorf("without %s: %s", read, got)
	}
	if got := qualifiers("ASK 'revenue by geography, all levels'"); strings.Contains(got, "was read as") {
		t.Error(got)
	}
	table(t, ana, "ASK 'revenue by geography'")
	table(t, ana, "ASK MORE 'drill into EMEA'")
	table(t, ana, "ASK MORE 'roll up'")
	if got := qualifiers("ASK MORE 'roll up'"); !strings.Contains(got, "the condition on accounts.region still holds") {
		t.Error(got)
	}
	for _, step := range []struct{ before, ask, code, message, hint string }{
		{"ASK 'revenue by country'", "ASK MORE 'drill down'", "PA002", "country is the finest level of geography", "ASK MORE 'roll up'"},
		{"ASK 'revenue by segment'", "ASK MORE 'drill down'", "PA002", "has other levels", "ASK MORE 'by geography'"},
		{"ASK 'revenue'", "ASK MORE 'roll up'", "PA002", "of no groups", "ASK MORE 'by geography'"},
		{"ASK 'revenue by week'", "ASK MORE 'roll up'", "PA002", "weeks are part of no one month", "ASK MORE 'by month'"},
		{"ASK 'arr by month'", "ASK MORE 'drill down'", "PA002", "month is the finest level of time", "ASK MORE 'roll up'"},
		{"ASK 'top 3 countries by revenue'", "ASK MORE 'roll up'", "PA002", "first rows only", "ASK MORE 'all'"},
		{"ASK 'revenue by region'", "ASK MORE 'drill into unicorns'", "PA002", `"unicorns"`, "ASK 'revenue by region'"},
		{"ASK 'revenue by region and quarter'", "ASK MORE 'drill down'", "PA003", "2 readings", "ASK MORE 'drill down geography'\nASK MORE 'drill down time'"},
	} {
		table(t, ana, step.before)
		e := failure(t, ana, step.ask)
		if e.Code != step.code || !strings.Contains(e.Message, step.message) || e.Hint != step.hint {
			t.Errorf("%s, %s: %s %s, hint %s", step.before, step.ask, e.Code, e.Message, e.Hint)
			continue
		}
		for hint := range strings.SplitSeq(e.Hint, "\n") {
			table(t, ana, step.before)
			table(t, ana, hint)
		}
	}
	// Prepared, a move is described before it runs, with the columns that it gives.
	table(t, ana, "ASK 'revenue by geography'")
	want := table(t, ana, "ASK MORE 'drill down'")
	table(t, ana, "ASK 'revenue by geography'")
	move, err := ana.Prepare(t.Context(), "down", "ASK MORE 'drill down'")
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, c := range move.Fields {
		columns = append(columns, c.Name)
	}
	if !slices.Equal(columns, []string{"region", "country", "revenue"}) {
		t.Errorf("columns %v", columns)
	}
	if got := textRows(ana.PgConn().ExecPrepared(t.Context(), "down", nil, nil, nil).Read()); !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("prepared: %v, want %v", got, want)
	}
	// A level that a role may not read is none: what remains is a hierarchy of one.
	g := unstarted(t, func(text string) string { return text })
	edit(t, filepath.Join(filepath.Dir(g.Config), "policy.yaml"), func(text string) string {
		return strings.Replace(text, "deny: [tax_id], mask", "deny: [tax_id, country], mask", 1)
	})
	if err := g.run(t, launch{}).ready(); err != nil {
		t.Fatal(err)
	}
	ana = g.Connect(t, "ana")
	if got := qualifiers("ASK 'revenue by geography'"); strings.Contains(got, "country") {
		t.Errorf("a hidden level is told: %s", got)
	}
	if e := failure(t, ana, "ASK MORE 'drill down'"); e.Code != "PA002" || strings.Contains(e.Message+e.Hint, "country") {
		t.Errorf("to a hidden level: %s %s, %s", e.Code, e.Message, e.Hint)
	}
}
