package integration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// asked is what every client asks, and the SQL it is compared with.
const (
	asked    = "revenue by segment"
	askedSQL = `select a.segment, sum(i.quantity * i.unit_price * (1 - i.discount)) from order_items i join orders o on o.id = i.order_id
		join accounts a on a.id = o.account_id where o.status = 'completed' and o.tenant_id = 1 group by a.segment`
)

// TestJDBC and TestPsycopg run a program that connects over TLS with SCRAM,
// runs an ASK as a prepared statement twice, reads column names and types and
// cancels a long query.
func TestJDBC(t *testing.T) {
	checkClient(t, exec.Command("java", "-cp", "/usr/share/java/postgresql.jar", "testdata/Ask.java"), "segment VARCHAR text", "revenue NUMERIC numeric")
}

func TestPsycopg(t *testing.T) {
	checkClient(t, exec.Command("/usr/bin/python3", "testdata/ask.py"), "segment text", "revenue numeric")
}

func checkClient(t *testing.T, cmd *exec.Cmd, columns ...string) {
	t.Helper()
	f := acme(t)
	host, port, err := net.SplitHostPort(f.Proxy.addr)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Args = append(cmd.Args, host, port, f.Cert, asked)
	out, err := output(cmd)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string][]string{}
	for line := range strings.Lines(out) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		said[word] = append(said[word], rest)
	}
	checkAnswer(t, f, said, columns...)
}

// checkAnswer looks at what a client said of its columns, rows, notices and
// cancellation.
func checkAnswer(t *testing.T, f *fixture, said map[string][]string, columns ...string) {
	t.Helper()
	want := sorted(table(t, f.Direct(t), askedSQL))
	rows := said["row"]
	if len(rows) != 2*len(want) {
		t.Fatalf("said %q; want %d rows twice", said, len(want))
	}
	for _, execution := range [][]string{rows[:len(want)], rows[len(want):]} {
		if diff := cmp.Diff(want, sorted(plainNumbers(execution))); diff != "" {
			t.Error(diff)
		}
	}
	for word, want := range map[string][]string{
		"column": columns, "notice": {"00000", "00000"}, "cancel": {"57014"}, "after": {"still there"},
	} {
		if diff := cmp.Diff(want, said[word]); diff != "" {
			t.Errorf("%s: %s", word, diff)
		}
	}
}

func plainNumbers(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		cells := strings.Split(line, " | ")
		for j := range cells {
			cells[j] = plainNumber(cells[j])
		}
		out[i] = strings.Join(cells, " | ")
	}
	return out
}

// output runs a program and gives its standard output; its standard error is
// part of the error. A program that hangs is ended, so that its output is seen; one
// that is slow on a busy machine is not.
func output(cmd *exec.Cmd) (string, error) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		return "", err
	}
	watch := time.AfterFunc(10*time.Minute, func() { _ = cmd.Process.Kill() })
	defer watch.Stop()
	if err := cmd.Wait(); err != nil {
		return out.String(), fmt.Errorf("%s: %w\n%s%s", cmd.Path, err, out.String(), errs.String())
	}
	return out.String(), nil
}

// TestPgx does with pgx what TestJDBC does with JDBC.
func TestPgx(t *testing.T) {
	f := acme(t)
	conn, notices := noticing(t, f.Through("ana"))
	said := map[string][]string{}
	statement, err := conn.Prepare(t.Context(), "q", "ASK '"+asked+"'")
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range statement.Fields {
		name, _ := conn.TypeMap().TypeForOID(field.DataTypeOID)
		said["column"] = append(said["column"], field.Name+" "+name.Name)
	}
	for range 2 {
		rows, err := conn.Query(t.Context(), "q")
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
			var segment, revenue string
			err := row.Scan(&segment, &revenue)
			return segment + " | " + revenue, err
		})
		if err != nil {
			t.Fatal(err)
		}
		said["row"] = append(said["row"], lines...)
		said["notice"] = append(said["notice"], strings.Fields((*notices)[len(*notices)-1])[0])
	}
	said["cancel"], said["after"] = cancelWithPgx(t, f)
	checkAnswer(t, f, said, "segment text", "revenue numeric")
}

func cancelWithPgx(t *testing.T, f *fixture) (cancelled, after []string) {
	t.Helper()
	dba := f.Connect(t, "dba")
	ended := make(chan error, 1)
	go func() {
		_, err := dba.Exec(context.Background(), "SELECT pg_sleep(63)")
		ended <- err
	}()
	awaitActive(t, f, "SELECT pg_sleep(63)")
	if err := dba.PgConn().CancelRequest(t.Context()); err != nil {
		t.Fatal(err)
	}
	cancelled = []string{sqlState(<-ended)}
	return cancelled, table(t, dba, "SELECT 'still there'")
}

// awaitActive returns when Postgres runs a statement that begins so.
func awaitActive(t *testing.T, f *fixture, sql string) {
	t.Helper()
	direct := f.Direct(t)
	deadline := time.Now().Add(30 * time.Second)
	for time.Now().Before(deadline) {
		var running bool
		err := direct.QueryRow(t.Context(), "select exists (select from pg_stat_activity where state = 'active' and query like $1 || '%' and pid <> pg_backend_pid())", sql).Scan(&running)
		if err != nil {
			t.Fatal(err)
		}
		if running {
			return
		}
	}
	t.Fatalf("%s does not run", sql)
}

// psql is psql as a user over TLS, unaligned, with no start-up file.
func psql(f *fixture, user string, args ...string) *exec.Cmd {
	cmd := exec.Command("psql", append([]string{f.Through(user), "-X", "-A", "-F", " | ", "-P", "footer=off"}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	return cmd
}

// TestPsql asks with psql: rows, a cursor over an answer, a refusal's parts.
func TestPsql(t *testing.T) {
	f := acme(t)
	want := sorted(table(t, f.Direct(t), askedSQL))
	out, err := output(psql(f, "ana", "-t", "-c", "ASK '"+asked+"'"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, sorted(plainNumbers(strings.Split(strings.TrimSpace(out), "\n")))); diff != "" {
		t.Error(diff)
	}
	cmd := psql(f, "ana")
	cmd.Stdin = strings.NewReader("BEGIN;\nDECLARE c CURSOR FOR SELECT * FROM ask('orders by status') AS a;\nFETCH ALL FROM c;\nCOMMIT;\n\\conninfo\n")
	if out, err = output(cmd); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"completed | ", "protocol: TLSv1.3"} {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in %s", part, out)
		}
	}
	_, err = output(psql(f, "ana", "-v", "VERBOSITY=verbose", "-v", "ON_ERROR_STOP=1", "-c", "ASK 'how many unicorns are there'"))
	if err == nil || !strings.Contains(err.Error(), "PA002") || !strings.Contains(err.Error(), "unicorns") {
		t.Errorf("unicorns: %v", err)
	}
}

// TestPsqlCancel presses Ctrl-C in psql.
func TestPsqlCancel(t *testing.T) {
	f := acme(t)
	cmd := psql(f, "dba", "-v", "VERBOSITY=verbose", "-c", "SELECT pg_sleep(64)")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitActive(t, f, "SELECT pg_sleep(64)")
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(errs.String(), "57014") {
		t.Errorf("exit %v, said %q", err, errs.String())
	}
}

// TestLogin refuses wrong passwords and unknown users alike.
func TestLogin(t *testing.T) {
	f := acme(t)
	var messages []string
	for _, user := range []string{"ana:wrong@", "nobody:nobody@"} {
		name, _, _ := strings.Cut(user, ":")
		dsn := strings.Replace(f.Through(name), name+":"+name+"@", user, 1)
		conn, err := pgx.Connect(t.Context(), dsn)
		if err == nil {
			_ = conn.Close(t.Context())
			t.Fatalf("%s got in", user)
		}
		if got := sqlState(err); got != "28P01" {
			t.Errorf("%s: SQLSTATE %s", user, got)
		}
		messages = append(messages, strings.ReplaceAll(lastError(err), name, "USER"))
	}
	if messages[0] != messages[1] {
		t.Errorf("a wrong password and an unknown user can be told apart: %q", messages)
	}
}

func lastError(err error) string {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err.Error()
}
