package integration

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// administered is a proxy of its own, whose dba may use the admin database.
func administered(t *testing.T) *fixture {
	t.Helper()
	f := unstarted(t, limits("drain: 1h"))
	f.run(t, launch{})
	up(t, f.HTTP)
	return f
}

// toAdmin is the DSN of the admin database.
func (f *fixture) toAdmin(user string) string {
	return strings.Replace(f.Through(user), "/acme?", "/pgask?", 1)
}

// TestAdminDoor: who may not use the admin database can't tell that there is
// one.
func TestAdminDoor(t *testing.T) {
	f := administered(t)
	_, refused := pgx.Connect(t.Context(), f.toAdmin("ana"))
	_, unknown := pgx.Connect(t.Context(), strings.Replace(f.Through("ana"), "/acme?", "/nowhere?", 1))
	if sqlState(refused) != "28000" || strings.ReplaceAll(refused.Error(), "pgask", "nowhere") != unknown.Error() {
		t.Errorf("%v, but for a database that isn't there %v", refused, unknown)
	}
	connect(t, f.toAdmin("dba"))
}

// TestAdminClients looks through psql, psycopg and JDBC.
func TestAdminClients(t *testing.T) {
	f := administered(t)
	ana := f.Connect(t, "ana")
	table(t, ana, "SELECT count(*) FROM products")
	host, port, err := net.SplitHostPort(f.Proxy.addr)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		cmd  *exec.Cmd
		want string
	}{
		"psycopg": {exec.Command("/usr/bin/python3", "testdata/admin.py", host, port, f.Cert),
			"client dba active True 1\nclient dba active True 1\nerror 42601\nversion pgask\ndatabase acme\n"},
		"JDBC": {exec.Command("java", "-cp", "/usr/share/java/postgresql.jar", "testdata/Admin.java", host, port, f.Cert),
			"client dba active true\nmine 1\nerror 42601\nvalid true\nversion pgask\n"},
	} {
		out, err := output(c.cmd)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, out); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	cmd := psql(f, "dba", "-v", "VERBOSITY=verbose")
	cmd.Args[1] = f.toAdmin("dba")
	cmd.Stdin = strings.NewReader("show pools; select * from databases;\nSHOW CONFIG;\nSHOW CLIENTS;\nSHOW SERVERS\\; SHOW STATS;\nSHOW HELP;\nvacuum;\nPAUSE nowhere;\n;\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("psql: %v", err)
	}
	for _, want := range []string{
		`(?m)^acme \| pgask_reader \| true \| active \| 100 \| 1 \| 0 `,
		`(?m)^acme \| 127\.0\.0\.1 \| \d+ \| acme_\d+ \| pgask \| session \| 100 \| `,
		`(?m)^databases\.acme\.dsn \| \(hidden\)$`, `(?m)^limits\.drain \| 1h0m0s$`, `(?m)^limits\.clients \| `,
		`(?m)^\d+ \| ana \| acme \| idle \| 127\.0\.0\.1:\d+ \| true \| 2`, `(?m)^acme \| pgask_reader \| true \| \d+ \| active \| 2`,
		`(?m)^KILL_CLIENT pid \| end one session$`,
		`ERROR:  42601: unknown command "vacuum"`, `HINT:  Commands: SHOW HELP, .*SHUTDOWN`, `ERROR:  3D000: database "nowhere" does not exist`,
	} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("psql: no %s in\n%s", want, out)
		}
	}
	if strings.Contains(string(out), f.Password) {
		t.Error("a password is shown")
	}
}

// TestAdminCommands changes what the proxy does, and finds it in the log.
func TestAdminCommands(t *testing.T) {
	f := administered(t)
	console := connect(t, f.toAdmin("dba"))
	do := func(command, want string) {
		t.Helper()
		_, err := tryTable(console, command)
		if got := sqlState(err); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
	ana, dba := f.Connect(t, "ana"), f.Connect(t, "dba")
	do(fmt.Sprintf("KILL_CLIENT %d", ana.PgConn().PID()), "success")
	if _, err := ana.PgConn().ReceiveMessage(t.Context()); sqlState(err) != "57P01" {
		t.Errorf("a killed client: %v", err)
	}
	waitFor(t, func() bool {
		_, err := tryTable(console, fmt.Sprintf("KILL_CLIENT %d", ana.PgConn().PID()))
		return sqlState(err) == "42704"
	})
	do("KILL acme", "success")
	if _, err := tryTable(dba, "SELECT 1"); err == nil {
		t.Error("a session outlives KILL")
	}
	if got := sqlState(visit(f.Through("dba"))); got != "57P03" {
		t.Errorf("after KILL: %s", got)
	}
	if got := table(t, console, "SHOW DATABASES"); !strings.Contains(got[0], "killed") {
		t.Errorf("after KILL: %v", got)
	}
	do("RESUME", "success")
	do("PAUSE acme", "success")
	visited := make(chan error, 1)
	go func() { visited <- visit(f.Through("dba")) }()
	waitFor(t, func() bool {
		return regexp.MustCompile(`\b1 \d+$|\| 1 \|`).MatchString(strings.Join(table(t, console, "SHOW POOLS"), "\n"))
	})
	do("RESUME acme", "success")
	if err := <-visited; err != nil {
		t.Errorf("after PAUSE and RESUME: %v", err)
	}
	do("RECONNECT", "success")
	policy := filepath.Join(filepath.Dir(f.Config), "policy.yaml")
	edit(t, policy, func(text string) string { return text + "\nbroken: [" })
	do("RELOAD", "F0000")
	edit(t, policy, func(text string) string { return strings.TrimSuffix(text, "\nbroken: [") })
	do("RELOAD", "success")
	busy := f.Connect(t, "dba")
	table(t, busy, "BEGIN")
	do("SHUTDOWN", "success")
	if _, err := console.PgConn().ReceiveMessage(t.Context()); sqlState(err) != "57P01" {
		t.Errorf("the console at the end: %v", err)
	}
	f.Proxy.signal(t, syscall.SIGTERM) // sessions have an hour otherwise
	f.Proxy.exit(t)
	for _, want := range []string{`user=dba command="kill acme"`, `user=dba command=shutdown`, `user=dba command=reload error="the old`} {
		if !strings.Contains(f.Proxy.log.String(), want) {
			t.Errorf("no %s in the log:\n%s", want, f.Proxy.log.String())
		}
	}
}

// TestShutdownImmediate cuts a session in a transaction.
func TestShutdownImmediate(t *testing.T) {
	f := administered(t)
	busy := f.Connect(t, "dba")
	table(t, busy, "BEGIN")
	if _, err := tryTable(connect(t, f.toAdmin("dba")), "SHUTDOWN IMMEDIATE"); err != nil && sqlState(err) != "57P01" {
		t.Error(err)
	}
	f.Proxy.exit(t)
}
