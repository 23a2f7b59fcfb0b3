package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/pipeline/audit"
)

// auditing runs a pgask over the sample company with these audit settings, and
// gives the path of the log.
func auditing(t *testing.T, settings string) (f *fixture, path string) {
	t.Helper()
	f = secondProxy(t, func(text string) string { return text + "\naudit: " + settings + "\n" })
	return f, filepath.Join(filepath.Dir(f.Config), "audit.jsonl")
}

// auditLines are the lines about statements; the last one may be under way.
func auditLines(t *testing.T, path string) []audit.Line {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var out []audit.Line
	for line := range bytes.Lines(text[:bytes.LastIndexByte(text, '\n')+1]) {
		var l audit.Line
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if l.Event == "" {
			out = append(out, l)
		}
	}
	return out
}

// told is what a line says of an execution, in short.
func told(l audit.Line) string {
	return fmt.Sprintf("%s %s %s%s rows %d: %s", l.User, l.Kind, l.Verdict, l.SQLState, l.Rows, l.Text)
}

// TestAudit plays ana's and others' statements by both protocols, and reads
// what the log says of them.
func TestAudit(t *testing.T) {
	f, path := auditing(t, "{path: audit.jsonl, chain: true, rotate: {size: 0}}")
	ana, dba := f.Connect(t, "ana"), f.Connect(t, "dba")
	simple := func(sql string) { _, _ = ana.PgConn().Exec(t.Context(), sql).ReadAll() }
	extended := func(sql string) { ana.PgConn().ExecParams(t.Context(), sql, nil, nil, nil, nil).Read() }
	var want []string
	for kind, send := range map[string]func(string){"simple": simple, "extended": extended} {
		before := len(want)
		for _, s := range []struct{ sql, line string }{
			{"SELECT name FROM products ORDER BY id LIMIT 3", "ana select allowed rows 3: "},
			{"SELECT id FROM orders", "ana select allowed rows 1000: "},
			{"SELECT salary FROM payroll", "ana sql 42501 rows 0: "},
			{"SELECT id / (id - id) FROM products", "ana select allowed22012 rows 0: "},
			{"DELETE FROM orders", "ana sql 25006 rows 0: "},
			{"SELEC", "ana unparsed 42601 rows 0: "},
			{"ASK 'how many accounts'", "ana ask allowed rows 1: "},
			{"ASK 'how many unicorns'", "ana ask PA002 rows 0: "},
			{"SHOW pgask.last", "ana told allowed rows 1: "},
		} {
			send(s.sql)
			want = append(want, s.line+s.sql)
		}
		waitFor(t, func() bool { return len(auditLines(t, path)) >= len(want) })
		var got []string
		for _, l := range auditLines(t, path)[before:] {
			got = append(got, told(l))
		}
		if diff := cmp.Diff(want[before:], got); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
	n := len(want)
	next := func(want string) audit.Line {
		t.Helper()
		n++
		waitFor(t, func() bool { return len(auditLines(t, path)) >= n })
		l := auditLines(t, path)[n-1]
		if got := told(l); got != want {
			t.Errorf("line %d says %s, want %s", n, got, want)
		}
		return l
	}
	first := auditLines(t, path)[0]
	if first.Database != "acme" || first.Roles[0] != "analyst" || !strings.HasPrefix(first.Client, "127.0.0.1:") || first.Tables[0] != "public.products" || first.PolicyVersion == "" || first.MS <= 0 {
		t.Errorf("the first line: %+v", first)
	}
	if cut := auditLines(t, path)[1]; !cut.Truncated || cmp.Diff(cut.Scopes, []string{"public.orders: tenant_id = :tenant_id"}) != "" {
		t.Errorf("the cut one: %+v", cut)
	}

	// The same statement prepared, with a parameter, portal in pieces.
	if _, err := ana.Prepare(t.Context(), "p", "SELECT email FROM accounts WHERE id < $1 ORDER BY id"); err != nil {
		t.Fatal(err)
	}
	table := func(conn *pgx.Conn, sql string, args ...any) int {
		rows, err := conn.Query(t.Context(), sql, args...)
		if err != nil {
			t.Fatal(err)
		}
		all, err := pgx.CollectRows(rows, func(pgx.CollectableRow) (int, error) { return 0, nil })
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	shown := table(ana, "p", 47)
	l := next(fmt.Sprintf("ana select allowed rows %d: SELECT email FROM accounts WHERE id < $1 ORDER BY id", shown))
	if cmp.Diff(l.Masked, []string{"public.accounts.email"}) != "" {
		t.Errorf("masked %v", l.Masked)
	}

	// Cancelled while Postgres runs it, and left by its client.
	direct, locker := f.Direct(t), f.Direct(t)
	if _, err := ana.Prepare(t.Context(), "locked", "SELECT count(*) FROM products"); err != nil {
		t.Fatal(err)
	}
	gone := f.Connect(t, "ana")
	if _, err := gone.Prepare(t.Context(), "locked", "SELECT count(*) FROM products"); err != nil {
		t.Fatal(err)
	}
	runAll(t, locker, "BEGIN", "LOCK TABLE products IN ACCESS EXCLUSIVE MODE")
	waiting := func() bool {
		var waits bool
		err := direct.QueryRow(t.Context(), "select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')").Scan(&waits)
		return err == nil && waits
	}
	for _, how := range []func(*pgx.Conn){
		func(c *pgx.Conn) { _ = c.PgConn().CancelRequest(t.Context()) },
		func(c *pgx.Conn) { _ = c.PgConn().Conn().Close() },
	} {
		conn := ana
		if n > len(want)+1 {
			conn = gone
		}
		ended := make(chan error, 1)
		go func() {
			_, err := conn.Exec(t.Context(), "locked")
			ended <- err
		}()
		waitFor(t, waiting)
		how(conn)
		<-ended
		if conn == ana {
			next("ana select allowed57014 rows 0: SELECT count(*) FROM products")
		} else if l := next("ana select allowed rows 0: SELECT count(*) FROM products"); !l.Unfinished {
			t.Errorf("it ended: %+v", l)
		}
	}
	runAll(t, locker, "ROLLBACK")

	// A passthrough user's questions and tags, and nothing else of hers.
	runAll(t, dba, "SELECT count(*) FROM payroll", "/* pgask: governed */ SELECT 1", "ASK 'how many products'")
	next("dba select allowed rows 1: /* pgask: governed */ SELECT 1")
	if l := next("dba ask allowed rows 1: ASK 'how many products'"); l.Question != "how many products" || !strings.Contains(l.SQL, "products") || l.Source != "builtin" {
		t.Errorf("asked: %+v", l)
	}
	cmd := psql(f, "ana", "-c", "SELECT 1 AS a; SELECT 2 AS b")
	cmd.Env = append(cmd.Env, "PGAPPNAME=nightly \u2713")
	if _, err := output(cmd); err != nil {
		t.Fatal(err)
	}
	next("ana select allowed rows 1: SELECT 1 AS a")
	if l := next("ana select allowed rows 1: SELECT 2 AS b"); l.Application != "nightly ???" {
		t.Errorf("application_name %q", l.Application)
	}

	// Put aside by logrotate, which tells us.
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	if err := f.Proxy.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { _, err := os.Stat(path); return err == nil })
	runAll(t, ana, "SELECT 3 AS c")
	waitFor(t, func() bool { return len(auditLines(t, path)) == 1 })
	if text := metrics(t, f); !strings.Contains(text, "\npgask_audit_lines_lost_total 0\n") || !strings.Contains(text, "\npgask_audit_writable 1\n") {
		t.Error("the metrics don't say that all is well")
	}
	if err := f.Proxy.stop(); err != nil {
		t.Fatal(err)
	}
	f.Proxy.done <- nil // its test ends it once more
	out, err := exec.Command(program(), "audit", "verify", path+".1", path).CombinedOutput()
	if err != nil || strings.Count(string(out), "all good") != 2 || !strings.Contains(string(out), "\nhead ") {
		t.Errorf("verify: %v\n%s", err, out)
	}
	edit(t, path+".1", func(text string) string { return strings.Replace(text, `"rows":1000`, `"rows":10`, 1) })
	out, err = exec.Command(program(), "audit", "verify", path+".1", path).CombinedOutput()
	if err == nil || !strings.Contains(string(out), ".1:2: it was changed") {
		t.Errorf("verify of an edited log: %v\n%s", err, out)
	}
}

// runAll runs statements that must succeed, by the simple protocol.
func runAll(t *testing.T, conn *pgx.Conn, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := conn.PgConn().Exec(t.Context(), sql).ReadAll(); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// TestAuditRequired refuses governed statements while the log can't be written.
func TestAuditRequired(t *testing.T) {
	f, _ := auditing(t, "{path: logs/audit.jsonl, required: true, sync: 0}")
	logs := filepath.Join(filepath.Dir(f.Config), "logs")
	ana, dba := f.Connect(t, "ana"), f.Connect(t, "dba")
	const sql = "SELECT count(*) FROM products"
	answers := func() string {
		_, err := tryTable(ana, sql)
		return sqlState(err)
	}
	if got := answers(); got != "58030" {
		t.Errorf("without a folder: %s", got)
	}
	for range 2 {
		if err := os.Mkdir(logs, 0o700); err != nil {
			t.Fatal(err)
		}
		waitFor(t, func() bool { return answers() == "success" })
		if err := os.RemoveAll(logs); err != nil {
			t.Fatal(err)
		}
		waitFor(t, func() bool { return answers() == "58030" })
		if e := failure(t, ana, sql); !strings.Contains(e.Message, "incident") {
			t.Errorf("it says %s", e.Message)
		}
		runAll(t, dba, "SELECT 1") // isn't judged
	}
	if text := metrics(t, f); !strings.Contains(text, "\npgask_audit_writable 0\n") || strings.Contains(text, "\npgask_audit_statements_refused_total 0\n") {
		t.Error("the metrics don't say that the log can't be written")
	}
	if got := strings.Count(f.Proxy.log.String(), "the audit log can't be written"); got != 3 {
		t.Errorf("the program's log says so %d times", got)
	}
	if err := os.Mkdir(logs, 0o700); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return answers() == "success" })
}
