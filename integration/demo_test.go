package integration

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgask/pgask/integration/postgres"
)

// demoCommand is pgask demo on free ports, working in dir.
func demoCommand(dir string, args ...string) *exec.Cmd {
	return exec.Command(program(), append([]string{"demo", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", dir}, args...)...)
}

// openFolder is a temporary folder that any user may enter: as root the server
// runs as another user.
func openFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, parent := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(parent, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (error %v)", left, err)
	}
}

// TestDemo runs the tour, today and on a date of its own. Every step checks
// itself.
func TestDemo(t *testing.T) {
	for _, args := range [][]string{{"--once"}, {"--once", "--today", "2026-03-31"}} {
		dir := openFolder(t)
		out, err := output(demoCommand(dir, args...))
		if err != nil {
			t.Error(err)
		}
		if !strings.Contains(out, "ASK 'how many completed orders per region last month'") || strings.Contains(out, "\x1b[") {
			t.Errorf("%v printed %s", args, out)
		}
		wantEmpty(t, dir)
	}
}

// TestDemoDSN runs the tour on a server that is there already, and wants it left
// as it was. A database of the same name that is somebody else's stays.
func TestDemoDSN(t *testing.T) {
	server, err := postgres.Start(t.Context(), postgres.Options{SCRAM: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	direct := connect(t, server.DSN("postgres"))
	const state = "select datname from pg_database union all select rolname from pg_roles order by 1"
	before := table(t, direct, state)
	if _, err := output(demoCommand(openFolder(t), "--once", "--dsn", server.DSN("postgres"))); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, table(t, direct, state)); diff != "" {
		t.Errorf("the demo changed the server: %s", diff)
	}
	if err := server.NewDatabase(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	if out, err := output(demoCommand(openFolder(t), "--once", "--dsn", server.DSN("postgres"))); err == nil {
		t.Errorf("the demo used somebody else's database: %s", out)
	}
	if got := table(t, direct, "select count(*) from pg_database where datname = 'acme'"); got[0] != "1" {
		t.Error("the demo dropped somebody else's database")
	}
}

// TestDemoStops lets the demo stay up, uses it as it says and as README.md
// shows, and stops it.
func TestDemoStops(t *testing.T) {
	dir := openFolder(t)
	cmd := watchedCommand(demoCommand(dir, "--today", transcriptDate).Args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watch := time.AfterFunc(90*time.Second, func() { _ = stdin.Close() })
	defer watch.Stop()
	tried := tryInvitation(t, stdout)
	_ = stdin.Close() // which sends SIGTERM
	_, _ = io.Copy(io.Discard, stdout)
	if err := cmd.Wait(); err != nil || !tried {
		t.Errorf("tried what it says: %v; exit %v, said %s", tried, err, errs.String())
	}
	wantEmpty(t, dir)
}

// tryInvitation runs the psql line that the demo ends with.
func tryInvitation(t *testing.T, stdout io.Reader) bool {
	t.Helper()
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if !strings.HasPrefix(line, "PGPASSWORD=ana psql") {
			continue
		}
		out, err := output(exec.Command("/bin/sh", "-c", line+` -X -A -t -c "ASK 'orders by status'"`))
		if err != nil || strings.Count(out, "\n") != 3 {
			t.Errorf("%s: %q, error %v", line, out, err)
		}
		checkTranscript(t, line)
		checkTold(t, line)
		return true
	}
	return false
}

// TestHTTP reads health and metrics of the shared proxy.
func TestHTTP(t *testing.T) {
	f := acme(t)
	table(t, f.Connect(t, "ana"), "ASK 'orders by status'")
	for path, want := range map[string]string{"/healthz": "", "/readyz": "", "/metrics": "\npgask_"} {
		response, err := http.Get("http://" + f.HTTP + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: status %s, error %v, body %.200s", path, response.Status, err, body)
		}
	}
}

// TestCommands runs the subcommands that need no session.
func TestCommands(t *testing.T) {
	f := acme(t)
	for _, c := range []struct {
		args  []string
		input string
		want  string
		fails bool
	}{
		{args: []string{"version"}, want: "go1."},
		{args: []string{"check", "--config", f.Config}, want: ": 0 faults, 0 warnings\n"},
		{args: []string{"check", "--config", "../configs/demo/pgask.yaml", "--offline"}},
		{args: []string{"check", "--config", "testdata/faulty/pgask.yaml", "--offline"}, want: "pgask.yaml:2", fails: true},
		{args: []string{"explain", "--config", f.Config, "--user", "ana", "SELECT count(*) FROM orders"}, want: "tenant_id"},
		{args: []string{"explain", "--config", f.Config, "--user", "ana", "SELECT * FROM payroll"}, want: "42501"},
		{args: []string{"explain", "--config", f.Config, "--user", "ana", "ASK 'orders by status'"}, want: "builtin"},
		{args: []string{"policy", "test", "--config", f.Config, filepath.Join(filepath.Dir(f.Config), "policy_test.yaml")}, want: "1..11\n# 11 cases: 11 held, 0 failed\n"},
		{args: []string{"policy", "test", "--offline", "--config", "../configs/demo/pgask.yaml", "../configs/demo/policy_test.yaml"}, want: ", 0 failed, 9 skipped\n"},
		{args: []string{"users", "hash"}, input: "secret\n", want: "SCRAM-SHA-256$"},
		{args: []string{"no-such-command"}, want: "no-such-command", fails: true},
	} {
		cmd := exec.Command(program(), c.args...)
		cmd.Stdin = strings.NewReader(c.input)
		out, err := cmd.CombinedOutput()
		if c.args[0] == "explain" {
			err = nil // its exit code tells the verdict
		}
		if (err != nil) != c.fails || !strings.Contains(string(out), c.want) {
			t.Errorf("pgask %s: error %v, printed %s", strings.Join(c.args, " "), err, out)
		}
	}
}
