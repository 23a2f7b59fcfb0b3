package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// wrote is a reply with SQL.
func wrote(sql string) func(http.ResponseWriter) {
	text, _ := json.Marshal(sql)
	return func(w http.ResponseWriter) {
		_, _ = w.Write([]byte(chatReply(`{"answerable":true,"missing":null,"sql":` + string(text) + `}`)))
	}
}

// TestModelWritesSQL lets analysts be answered by a model's SQL: it gives the rows
// that the same SQL gives them, says what it is, and gets past no wall.
func TestModelWritesSQL(t *testing.T) {
	p := newProvider(t)
	f := withPlanner(t, p, "order: [cache, model], retries: 1, mode: sql")
	edit(t, filepath.Join(filepath.Dir(f.Config), "policy.yaml"), func(text string) string {
		return strings.Replace(text, "  finance:\n    mode: governed\n", "  finance:\n    mode: governed\n    planner_mode: plan\n", 1)
	})
	if err := f.Proxy.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return strings.Contains(metrics(t, f), "\npgask_reloads_total{outcome=\"taken\"} 1\n") })
	ana := f.Connect(t, "ana")
	const question = "ASK 'how do our accounts spread over regions'"
	const sql = "SELECT region, count(*) AS n FROM public.accounts GROUP BY region ORDER BY region"
	want := table(t, f.Direct(t), "SELECT region, count(*) FROM accounts WHERE tenant_id = 1 GROUP BY region ORDER BY region")
	for _, round := range []string{"asked", "asked again, since SQL isn't kept"} {
		p.script(wrote(sql))
		if got := table(t, ana, question); !slices.Equal(got, want) || len(p.prompts()) != 1 {
			t.Errorf("%s: %v after %d calls, want %v", round, got, len(p.prompts()), want)
		}
		if last := fmt.Sprint(table(t, ana, "SHOW pgask.last")); !strings.Contains(last, "model_sql") || !strings.Contains(last, "written by a model") {
			t.Errorf("receipt %s", last)
		}
	}
	prompt := p.prompts()[0]
	for _, part := range []string{"max_rows", "1000", "tenant_id = :tenant_id", "CURRENT_DATE", "PostgreSQL 1"} {
		if !strings.Contains(prompt, part) {
			t.Errorf("the prompt lacks %q", part)
		}
	}
	for _, hidden := range []string{"tax_id", "payroll", "salary"} {
		if strings.Contains(prompt, hidden) {
			t.Errorf("the prompt names %s", hidden)
		}
	}

	p.script(wrote("SELECT colour FROM public.accounts"), wrote(sql))
	if got := table(t, ana, question); !slices.Equal(got, want) || !strings.Contains(p.prompts()[1], "colour") {
		t.Errorf("after a mistake: %v", got)
	}
	p.script(planned(accountsByRegion))
	if got := fmt.Sprint(table(t, ana, "ASK PLAN 'how do our accounts spread over regions'")); !strings.Contains(got, "accounts.region") {
		t.Errorf("a plan: %s", got)
	}
	p.script(planned(accountsByRegion))
	finn := f.Connect(t, "finn")
	table(t, finn, question)
	if last := fmt.Sprint(table(t, finn, "SHOW pgask.last")); strings.Contains(last, "model_sql") {
		t.Errorf("a role of mode plan: %s", last)
	}

	for _, c := range []struct{ sql, state, detail string }{
		{"SELECT sum(salary) FROM payroll", "PA001", "TABLE_NOT_FOUND"},
		{"SELECT sum(salary) FROM public.wages", "PA001", "TABLE_NOT_FOUND"},
		{"SELECT tax_id FROM public.accounts", "PA001", "INVALID_SQL"},
		{"SELECT tax_code FROM public.accounts", "PA001", "INVALID_SQL"},
		{"SELECT usename FROM pg_catalog.pg_shadow", "PA001", "TABLE_NOT_FOUND"},
		{"SELECT * FROM postgres.public.accounts", "PA001", "INVALID_SQL"},
		{"DELETE FROM public.accounts", "PA001", "INVALID_SQL"},
		{"WITH d AS (DELETE FROM public.accounts RETURNING 1) SELECT * FROM d", "25006", ""},
		{"SELECT 1; DROP TABLE public.accounts", "PA001", "INVALID_SQL"},
		{"SELECT * INTO t FROM public.accounts", "25006", ""},
		{"SELECT id FROM public.accounts FOR UPDATE", "25006", ""},
		{"SELECT pg_read_file('/etc/passwd')", "42501", ""},
		{"SELECT pg_sleep(3600)", "42501", ""},
		{"SELECT * FROM dblink('dbname=postgres', 'SELECT 1') AS d(x int)", "42501", ""},
		{"SELECT set_config('search_path', 'x', false)", "42501", ""},
		{"SELECT * FROM ask('how many accounts') AS a", "PA001", "INVALID_SQL"},
		{"SELECT region + 1 AS r FROM public.accounts", "PA001", "INVALID_SQL"},
		{"SELECT region, count(*) FROM public.accounts", "PA001", "INVALID_SQL"},
	} {
		p.script(wrote(c.sql), wrote(c.sql))
		e := failure(t, ana, question)
		if e.Code != c.state || !strings.Contains(e.Detail, c.detail) {
			t.Errorf("%s: %s %q, detail %q; want %s %s", c.sql, e.Code, e.Message, e.Detail, c.state, c.detail)
		}
		leaksNothing(t, e, p.URL)
	}
	if got := table(t, ana, "SELECT region, count(*) FROM accounts GROUP BY region ORDER BY region"); !slices.Equal(got, want) {
		t.Errorf("the session afterwards: %v", got)
	}
}
