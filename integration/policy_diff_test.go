package integration

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// diffed runs pgask policy diff and returns its exit code and what it said.
func diffed(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(program(), append([]string{"policy", "diff", "--config", acme(t).Config}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the exit code tells
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func TestPolicyDiff(t *testing.T) {
	old := filepath.Join(filepath.Dir(acme(t).Config), "policy.yaml")
	text, err := os.ReadFile(old)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	changed := func(name string, pairs ...string) string {
		out := strings.NewReplacer(pairs...).Replace(string(text))
		if out == string(text) {
			t.Fatalf("%s: nothing was changed", name)
		}
		return write(name, out)
	}
	sql := write("statements.sql", "SELECT name FROM products;\n\n-- one row\nSELECT count(*) FROM orders; SELECT email FROM accounts;\nSELECT 1;\nDELETE FROM orders;\n")
	audited := write("audit.jsonl", `{"user":"ana","database":"acme","text":"SELECT name FROM products","verdict":"allowed"}
{"user":"ana","database":"acme","text":"SELECT name FROM products"}
{"user":"ben","database":"acme","fingerprint":"ab"}
{"user":"gone","database":"acme","text":"SELECT name FROM products"}
`)
	for _, c := range []struct {
		name    string
		args    []string
		code    int
		want    []string
		unwants []string
	}{
		{"nothing", []string{old, old, "--statements", sql}, 0, []string{"nothing changes\n"}, nil},
		{"nothing but layout", []string{old, write("layout.yaml", "# a comment\n"+string(text))}, 0, []string{"nothing changes\n"}, nil},
		{"a table is denied", []string{old, changed("denied.yaml", "deny: [public.payroll]", "deny: [public.payroll, public.products]"), "--statements", sql}, 1,
			[]string{"ana, ben, finn, bot on acme:\n  - public.products\n",
				"statements.sql:1: SELECT name FROM products\n  ana, ben, finn, bot on acme: allowed → 42501: ",
				"curated query top_products: ASK 'top 5 products by revenue'\n"},
			[]string{"SELECT 1", "DELETE", "dba"}},
		{"a scope goes", []string{old, changed("scope.yaml", `{tables: [public.accounts, public.orders,`, `{tables: [public.accounts,`), "--statements", sql}, 1,
			[]string{"~ public.orders; scope tenant_id = :tenant_id → none", "statements.sql:3: -- one row SELECT count(*) FROM orders\n  ana, ben, bot on acme: scopes - public.orders: tenant_id = :tenant_id"}, nil},
		{"a partition key goes", []string{old, changed("partition.yaml", ", partition: tenant_id", ""), "--statements", write("ask.sql", "ASK 'accounts without orders';\n")}, 1,
			[]string{"~ public.orders; partition - tenant_id", "ask.sql:1: ASK 'accounts without orders'\n  ana, ben, bot on acme: allowed → PA007"}, []string{"finn"}},
		{"a mask changes", []string{old, changed("mask.yaml", "'***@'", "'?@'"), "--statements", sql}, 1,
			[]string{"~ public.accounts; mask of email '***@' ||", "SELECT email FROM accounts\n  ana, ben, bot on acme: what would be sent: …"}, nil},
		{"a column is shown", []string{old, changed("column.yaml", "deny: [tax_id], ", ""), "--statements", sql}, 1, []string{"~ public.accounts; columns + tax_id"}, nil},
		{"limits and more", []string{old, changed("limits.yaml", "rows: 100,", "rows: 0,", `model: "off"`, `model: "on"`, "mode: passthrough\n    ask: true", "mode: passthrough\n    ask: false\n    governed_as: agent"), "--statements", sql}, 1,
			[]string{"bot:\n  model off → on\n  rows 100 → none\n", "dba:\n  governed_as none → agent\n  ask true → false\n", "  bot on acme: row cap 100 → none"}, nil},
		{"a role goes", []string{old, changed("role.yaml", "  finance:", "  money:")}, 1, []string{"finn:\n  can't log in any more"}, nil},
		{"an audit log", []string{old, changed("denied2.yaml", "deny: [public.payroll]", "deny: [public.payroll, public.products]"), "--statements", audited}, 1,
			[]string{"audit.jsonl:1: SELECT name FROM products\n  ana on acme: allowed → 42501"}, []string{"audit.jsonl:2", "audit.jsonl:4"}},
		{"statements on one line", []string{old, changed("denied3.yaml", "deny: [public.payroll]", "deny: [public.payroll, public.products]"), "--statements",
			write("line.sql", "SELECT 1; SELECT name FROM products; SELECT 2; SELECT id FROM products; SELECT name FROM products;\n")}, 1,
			[]string{"line.sql:1: SELECT name FROM products\n  ana, ben, finn, bot on acme: allowed", "line.sql:1: SELECT id FROM products\n  ana, ben, finn, bot on acme: allowed"},
			[]string{"ana, ben, finn, bot on acme: allowed → 42501: permission denied for relation products\n  ana", "ana, ana"}},
		{"a faulty policy", []string{old, write("faulty.yaml", "roles: {a: {mode: open}}")}, 2, nil, []string{"a"}},
		{"no policy", []string{old, filepath.Join(dir, "none.yaml")}, 2, nil, []string{"a"}},
		{"statements that are none", []string{old, old, "--statements", write("bad.sql", "SELEC 1")}, 2, nil, []string{"a"}},
		{"lines that are none", []string{old, old, "--statements", write("bad.jsonl", "{\"user\":\n")}, 2, nil, []string{"a"}},
		{"one policy", []string{old}, 2, nil, []string{"a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := diffed(t, c.args...)
			if code != c.code || (code == 2) != (errs != "") {
				t.Errorf("exit %d, want %d: %s%s", code, c.code, out, errs)
			}
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			for _, unwanted := range c.unwants {
				if strings.Contains(out, unwanted) {
					t.Errorf("%q in\n%s", unwanted, out)
				}
			}
		})
	}
}

// TestPolicyDiffOfPlans judges the plans that are kept, approved and cached, and asks no
// model about anything.
func TestPolicyDiffOfPlans(t *testing.T) {
	p := newProvider(t)
	server := acme(t).Server
	f := unstarted(t, func(text string) string {
		return strings.Replace(text, demoPlanner, fmt.Sprintf("order: [cache, model], cache: true, store: postgres, dsn: %q", server.DSN(server.CreateDatabase(t))), 1) +
			fmt.Sprintf("\nllm: {base_url: %q, model: scripted, timeout: 5s}\n", p.URL+"/v1")
	})
	policy := filepath.Join(filepath.Dir(f.Config), "policy.yaml")
	serve(t, f)
	finn := f.Connect(t, "finn")
	table(t, finn, `ASK APPROVE 'what''s sold\ours' USING PLAN '{"version":1,"from":{"table":"public.products"},"select":[{"expr":{"column":"products.name"}}]}'`)
	p.script(planned(`{"version":1,"from":{"table":"public.products"},"select":[{"expr":{"aggregate":{"func":"count"}},"as":"goods"}]}`))
	table(t, finn, "ASK 'how large our range of goods is'")
	waitFor(t, func() bool {
		p.script()
		_, err := tryTable(finn, "ASK 'how large our range of goods is'")
		return err == nil && source(t, finn) == "cache 0"
	})
	denied := filepath.Join(t.TempDir(), "denied.yaml")
	text, err := os.ReadFile(policy)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(denied, []byte(strings.ReplaceAll(string(text), "deny: [public.payroll]", "deny: [public.payroll, public.products]")), 0o600); err != nil {
		t.Fatal(err)
	}
	p.script()
	out, err := f.command("policy", "diff", policy, denied, "--statements", os.DevNull)
	for _, want := range []string{`approved plan: ASK E'what''s sold\\ours'`, "cached plan: goods from public.products", "allowed → PA005"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in (%v)\n%s", want, err, out)
		}
	}
	if again, err := f.command("policy", "diff", policy, policy, "--statements", os.DevNull); err != nil || again != "nothing changes\n" {
		t.Errorf("the same policy: %v\n%s", err, again)
	}
	if n := len(p.prompts()); n != 0 {
		t.Errorf("a model was asked %d times", n)
	}
}
