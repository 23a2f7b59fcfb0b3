package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/cmd/pgask/demo"
	"github.com/pgask/pgask/cmd/pgask/demo/company"
)

// acmeMeaning is the sample company behind a pgask of its own whose semantic.yaml says more.
func acmeMeaning(t *testing.T, more string) *fixture {
	t.Helper()
	return acmeMeant(t, func(text string) string { return text + more })
}

// acmeMeant is the same with a semantic.yaml that is changed.
func acmeMeant(t *testing.T, change func(string) string) *fixture {
	t.Helper()
	shared := acme(t)
	f := &fixture{Server: shared.Server, Database: shared.Database, Password: shared.Password, HTTP: freeAddress()}
	dir, listen := t.TempDir(), freeAddress()
	var err error
	f.Config, err = demo.WriteConfig(dir, demo.Settings{Listen: listen, HTTP: f.HTTP, DSN: f.Login(company.Proxy), Password: f.Password})
	if err != nil {
		t.Fatal(err)
	}
	f.Cert = filepath.Join(dir, "server.crt")
	path := filepath.Join(dir, "semantic.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(change(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	if f.Proxy, err = startServe(f.Config, listen); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Proxy.stop(); err != nil {
			t.Error(err)
		}
	})
	return f
}

const companyDimensions = `
dimensions:
  - name: line size
    table: public.order_items
    expr: case when quantity >= 10 then 'large' when quantity >= 4 then 'medium' else 'small' end
    description: How many pieces a line has
    synonyms: [size of line]
    owner: sales
  - {name: mail domain, table: public.accounts, expr: "split_part(email, '@', 2)"}
  - {name: tax country, table: public.accounts, expr: "left(tax_id, 2)"}
  - {name: half year, table: public.monthly_account_arr, expr: "to_char(month, 'YYYY') || case when extract(month from month) < 7 then ' H1' else ' H2' end"}
  - {name: resolution days, table: public.support_conversations, expr: "closed_at::date - opened_at::date"}
`

// lineSize and halfYear are the dimensions as a person would write them.
const (
	lineSize = "CASE WHEN i.quantity >= 10 THEN 'large' WHEN i.quantity >= 4 THEN 'medium' ELSE 'small' END"
	halfYear = "extract(year FROM m.month) || CASE WHEN extract(month FROM m.month) < 7 THEN ' H1' ELSE ' H2' END"
)

// TestDimensions groups and chooses rows by registered expressions and compares with SQL run direct, as
// somebody who sees one tenant's rows, and as somebody who sees all.
func TestDimensions(t *testing.T) {
	f := acmeMeaning(t, companyDimensions)
	direct := f.Direct(t)
	users := map[string]*pgx.Conn{"ana": f.Connect(t, "ana"), "finn": f.Connect(t, "finn")}
	const items = " FROM order_items i JOIN orders o ON o.id = i.order_id JOIN accounts a ON a.id = o.account_id WHERE o.status = 'completed' AND TENANT(o)"
	const arr = " FROM monthly_account_arr m JOIN accounts a ON a.id = m.account_id WHERE TENANT(a) AND m.month IN (SELECT max(m.month) FROM monthly_account_arr m GROUP BY " + halfYear + ")"
	const revenue = "sum(i.quantity * i.unit_price * (1 - i.discount))"
	for _, step := range []struct{ ask, sql string }{
		{usingPlan(`{"version":1,"from":{"table":"order_items"},"select":[{"expr":{"dimension":"line size"}},{"expr":{"metric":"revenue"}}]}`), "SELECT " + lineSize + ", " + revenue + items + " GROUP BY 1"},
		{usingPlan(`{"version":1,"from":{"table":"monthly_account_arr"},"select":[{"expr":{"dimension":"half year"}},{"expr":{"metric":"arr"}}]}`), "SELECT " + halfYear + ", sum(m.arr)" + arr + " GROUP BY 1"},
		{usingPlan(`{"version":1,"from":{"table":"support_conversations"},"where":{"op":{"op":">","args":[{"dimension":"resolution days"},{"literal":{"value":2}}]}},"select":[{"expr":{"aggregate":{"func":"count"}}},
			{"expr":{"aggregate":{"func":"max","arg":{"dimension":"resolution days"}}}}]}`), "SELECT count(*), max(closed_at::date - opened_at::date) FROM support_conversations c WHERE closed_at::date - opened_at::date > 2 AND TENANT(c)"},
		{"ASK 'revenue by line size'", "SELECT " + lineSize + ", " + revenue + items + " GROUP BY 1"},
		{"ASK 'revenue by size of line and region'", "SELECT " + lineSize + ", a.region, " + revenue + items + " GROUP BY 1, 2"},
		{"ASK 'revenue per region for large order lines'", "SELECT a.region, " + revenue + items + " AND i.quantity >= 10 GROUP BY 1"},
		{"ASK 'revenue by region where line size is large or medium'", "SELECT a.region, " + revenue + items + " AND i.quantity >= 4 GROUP BY 1"},
		{"ASK 'how many order items by line size'", "SELECT " + lineSize + ", count(*) FROM order_items i JOIN orders o ON o.id = i.order_id WHERE TENANT(o) GROUP BY 1"},
		{"ASK 'top 2 line sizes by revenue'", "SELECT " + lineSize + ", " + revenue + items + " GROUP BY 1 ORDER BY 2 DESC LIMIT 2"},
		{"ASK 'arr by half year'", "SELECT " + halfYear + ", sum(m.arr)" + arr + " GROUP BY 1"},
		{"ASK 'average resolution days per channel'", "SELECT c.channel, avg(c.closed_at::date - c.opened_at::date) FROM support_conversations c WHERE TENANT(c) GROUP BY 1"},
		{"ASK 'how many conversations have resolution days over 3'", "SELECT count(*) FROM support_conversations c WHERE c.closed_at::date - c.opened_at::date > 3 AND TENANT(c)"},
		{"ASK 'revenue by region'", "SELECT a.region, " + revenue + items + " GROUP BY 1"},
		{"ASK MORE 'by line size'", "SELECT " + lineSize + ", " + revenue + items + " GROUP BY 1"},
		{"ASK MORE 'only large'", "SELECT " + lineSize + ", " + revenue + items + " AND i.quantity >= 10 GROUP BY 1"},
		{"ASK MORE 'only small'", "SELECT " + lineSize + ", " + revenue + items + " AND i.quantity < 4 GROUP BY 1"},
		{"ASK MORE 'by region'", "SELECT a.region, " + revenue + items + " AND i.quantity < 4 GROUP BY 1"},
	} {
		for user, conn := range users {
			got, err := tryTable(conn, step.ask)
			if err != nil {
				t.Errorf("%s: %s: %v", user, step.ask, err)
				continue
			}
			scope := map[string]string{"ana": "$1.tenant_id = 1", "finn": "true"}[user]
			want := table(t, direct, regexp.MustCompile(`TENANT\((\w)\)`).ReplaceAllString(step.sql, scope))
			if !slices.Equal(sorted(got), sorted(want)) || len(want) == 0 {
				t.Errorf("%s: %s: %v, want %v", user, step.ask, got, want)
			}
		}
	}

	// One that is made of a column that somebody may not read isn't there; of a mask nothing is told.
	for user, want := range map[string]string{"ana": "half year line size mail domain resolution days", "finn": "half year line size mail domain resolution days tax country"} {
		var names []string
		for _, row := range table(t, users[user], "SHOW pgask.dimensions") {
			name, _, _ := strings.Cut(row, " | ")
			names = append(names, name)
		}
		if strings.Join(names, " ") != want {
			t.Errorf("%s has the dimensions %s, want %s", user, names, want)
		}
	}
	taxes := usingPlan(`{"version":1,"from":{"table":"accounts"},"select":[{"expr":{"dimension":"tax country"}},{"expr":{"aggregate":{"func":"count"}}}]}`)
	if got, want := table(t, users["finn"], taxes), table(t, direct, "SELECT left(tax_id, 2), count(*) FROM accounts GROUP BY 1"); !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("tax countries: %v, want %v", got, want)
	}
	if e := failure(t, users["ana"], taxes); e.Code != "PA005" || !strings.Contains(e.Message, "there is no dimension tax country") {
		t.Errorf("a hidden dimension: %s %s", e.Code, e.Message)
	}
	domains := usingPlan(`{"version":1,"from":{"table":"accounts"},"select":[{"expr":{"dimension":"mail domain"}},{"expr":{"aggregate":{"func":"count"}}}]}`)
	if e := failure(t, users["ana"], domains); e.Code != "PA008" {
		t.Errorf("groups by a masked dimension: %s %s", e.Code, e.Message)
	}
}

func usingPlan(plan string) string {
	return "ASK 'x' USING PLAN '" + strings.ReplaceAll(plan, "'", "''") + "'"
}

// TestDefinitionsChecked: check finds what Postgres doesn't take of the file's SQL, by its place.
func TestDefinitionsChecked(t *testing.T) {
	f := acmeMeaning(t, companyDimensions+`  - {name: odd, table: public.accounts, expr: "case when name > 3 then 'x' else 'y' end"}
  - {name: random, table: public.accounts, expr: "id * random()"}
`)
	path := filepath.Join(filepath.Dir(f.Config), "semantic.yaml")
	edit(t, path, func(text string) string {
		return strings.Replace(text, "metrics:\n", "metrics:\n  - {name: odder, table: public.orders, expr: sum(status), filter: {public.orders: currency = 3}, additivity: {kind: additive}, owner: sales}\n", 1)
	})
	out, err := f.command("check", "--offline=false")
	if err == nil {
		t.Error("the faults pass")
	}
	for _, want := range []string{
		"dimensions.odd.expr: database acme: ERROR: operator does not exist: text > integer (SQLSTATE 42883)",
		"dimensions.random.expr: random isn't among the functions that a dimension may call; make it a column of a view",
		"metrics.odder.expr: database acme: ERROR: function sum(text) does not exist (SQLSTATE 42883)",
		"metrics.odder.filter.public.orders: database acme: ERROR: operator does not exist: text = integer (SQLSTATE 42883)",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("check doesn't say %s\n%s", want, out)
		}
	}
	if got := strings.Count(out, "semantic.yaml:"); got != 4 {
		t.Errorf("%d faults of semantic.yaml\n%s", got, out)
	}
}
