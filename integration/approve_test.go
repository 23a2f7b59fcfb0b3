package integration

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestApprove pins a plan to a question, for those who may see what it reads.
func TestApprove(t *testing.T) {
	server := acme(t).Server
	shared := fmt.Sprintf("order: [curated, cache, builtin, model], store: postgres, dsn: %q", server.DSN(server.CreateDatabase(t)))
	for name, settings := range map[string]string{"file": demoPlanner, "postgres": shared} {
		t.Run(name, func(t *testing.T) { approve(t, settings) })
	}
}

func approve(t *testing.T, settings string) {
	f := unstarted(t, func(text string) string { return strings.Replace(text, demoPlanner, settings, 1) })
	edit(t, filepath.Join(filepath.Dir(f.Config), "policy.yaml"), func(text string) string {
		return strings.ReplaceAll(text, "columns:\n      - {table: public.accounts, deny: [tax_id],", "columns:\n      - {table: public.accounts, deny: [tax_id, segment],")
	})
	run := func() {
		t.Helper()
		var err error
		if f.Proxy, err = startServe(f.Config, f.Proxy.addr); err != nil {
			t.Fatal(err)
		}
	}
	run()
	t.Cleanup(func() {
		if err := f.Proxy.stop(); err != nil {
			t.Error(err)
		}
	})
	finn, ana := f.Connect(t, "finn"), f.Connect(t, "ana")
	direct := f.Direct(t)
	const bySegment = `{"version":1,"from":{"table":"public.accounts"},"select":[{"expr":{"column":"accounts.segment"}},{"expr":{"aggregate":{"func":"count"}},"as":"n"}],"order_by":[{"item":"segment"}]}`
	byRegion := table(t, direct, "SELECT region, count(*) FROM accounts WHERE tenant_id = 1 GROUP BY region ORDER BY region")
	segments := table(t, direct, "SELECT segment, count(*) FROM accounts GROUP BY segment ORDER BY segment")

	for sql, state := range map[string]string{
		"ASK APPROVE 'orders by status'":           "42501",
		"ASK REVOKE 'orders by status'":            "42501",
		"ASK APPROVE 'how many unicorns'":          "42501",
		"PREPARE p AS ASK APPROVE 'orders status'": "42501",
	} {
		if e := failure(t, ana, sql); e.Code != state {
			t.Errorf("%s: %s", sql, e.Code)
		}
	}
	for sql, state := range map[string]string{
		"ASK APPROVE 'how many unicorns'":           "PA002",
		"PREPARE p AS ASK APPROVE 'orders'":         "0A000",
		"ASK REVOKE 'the shape of the clientele'":   "42704",
		"ASK APPROVE 'x' USING PLAN '{}'":           "PA005",
		"ASK APPROVE 'how many rows in payroll, x'": "PA002",
	} {
		if e := failure(t, finn, sql); e.Code != state {
			t.Errorf("%s: %s %s", sql, e.Code, e.Message)
		}
	}
	got := table(t, finn, "ASK APPROVE 'how we stand?' USING PLAN '"+accountsByRegion+"'")
	if len(got) != 1 || !strings.HasPrefix(got[0], "how we stand? | ") || !strings.HasSuffix(got[0], " | supplied") {
		t.Errorf("approved: %v", got)
	}
	table(t, finn, "ASK APPROVE 'the shape of the clientele' USING PLAN '"+bySegment+"'")
	check := func(when string) {
		t.Helper()
		if got := table(t, ana, "ASK 'How we stand'"); !slices.Equal(got, byRegion) || source(t, ana) != "approved 0" {
			t.Errorf("%s: %v by %s, want %v", when, got, source(t, ana), byRegion)
		}
		if got := table(t, finn, "ASK 'the shape of the clientele'"); !slices.Equal(got, segments) || source(t, finn) != "approved 0" {
			t.Errorf("%s: %v by %s", when, got, source(t, finn))
		}
		// ana may not read segments: for her the question has no plan, and none is mentioned.
		if e := failure(t, ana, "ASK 'the shape of the clientele'"); e.Code != "PA002" || strings.Contains(e.Message+e.Detail+e.Hint, "segment") {
			t.Errorf("%s: %s %s", when, e.Code, e.Message)
		}
		if got := strings.Join(table(t, ana, "ASK EXPLAIN 'the shape of the clientele'"), "\n"); strings.Contains(got, "segment") {
			t.Errorf("%s: stages of a plan for others: %s", when, got)
		}
		if mine, all := table(t, ana, "SHOW pgask.approved"), table(t, finn, "SHOW pgask.approved"); len(mine) != 1 || len(all) != 2 || !strings.Contains(all[0], " | finn | ") {
			t.Errorf("%s: ana sees %v, finn %v", when, mine, all)
		}
	}
	check("approved")
	if err := f.Proxy.stop(); err != nil {
		t.Fatal(err)
	}
	run()
	finn, ana = f.Connect(t, "finn"), f.Connect(t, "ana")
	check("after a restart")

	// By messages it is approved when it is bound, not when it is parsed.
	if _, err := finn.Prepare(t.Context(), "later", "ASK APPROVE 'orders by status'"); err != nil {
		t.Fatal(err)
	}
	if got := table(t, finn, "SHOW pgask.approved"); len(got) != 2 {
		t.Errorf("approved before it is bound: %v", got)
	}
	if _, err := finn.Exec(t.Context(), "later"); err != nil {
		t.Fatal(err)
	}
	if table(t, ana, "ASK 'orders by status'"); source(t, ana) != "approved 0" {
		t.Errorf("source %s", source(t, ana))
	}
	if got := table(t, finn, "ASK REVOKE 'Orders by status.'"); len(got) != 1 || !strings.HasPrefix(got[0], "orders by status | ") {
		t.Errorf("revoked: %v", got)
	}
	if table(t, ana, "ASK 'orders by status'"); source(t, ana) != "builtin 0" {
		t.Errorf("after it was taken back: source %s", source(t, ana))
	}
}
