package integration

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/cmd/pgask/demo"
	"github.com/pgask/pgask/cmd/pgask/demo/company"
)

// unstarted is the shared sample company with files of its own, without a
// proxy.
func unstarted(t *testing.T, change func(string) string) *fixture {
	t.Helper()
	f := *acme(t)
	dir := t.TempDir()
	f.Cert, f.HTTP = filepath.Join(dir, "server.crt"), freeAddress()
	f.Proxy = &proxy{addr: freeAddress()}
	var err error
	f.Config, err = demo.WriteConfig(dir, demo.Settings{Listen: f.Proxy.addr, HTTP: f.HTTP, DSN: f.Login(company.Proxy), Password: f.Password})
	if err != nil {
		t.Fatal(err)
	}
	edit(t, f.Config, change)
	return &f
}

// run starts the fixture's program, and ends it with the test.
func (f *fixture) run(t *testing.T, l launch) *proxy {
	t.Helper()
	l.config, l.addr = f.Config, f.Proxy.addr
	p, err := start(l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.end.Close() })
	f.Proxy = p
	return p
}

// up waits until a process accepts clients, by its /readyz.
func up(t *testing.T, http string) {
	t.Helper()
	waitFor(t, func() bool { return readyz(http) })
}

func readyz(address string) bool {
	r, err := http.Get("http://" + address + "/readyz")
	if err != nil {
		return false
	}
	defer r.Body.Close()
	return r.StatusCode == http.StatusOK
}

func (p *proxy) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// exit waits for the end of a process that was told to, and wants code 0.
func (p *proxy) exit(t *testing.T) {
	t.Helper()
	select {
	case err := <-p.done:
		if err != nil {
			t.Errorf("pgask serve: %v\n%s", err, p.log.String())
		}
	case <-time.After(30 * time.Second):
		t.Error("pgask serve does not end")
	}
}

// setting puts lines in front of pgask.yaml.
func setting(lines string) func(string) string {
	return func(text string) string { return lines + "\n" + text }
}

// limits replaces all limits of pgask.yaml.
func limits(values string) func(string) string {
	return func(text string) string {
		return dropBlock(text, "limits:") + "\nlimits: {" + values + "}\n"
	}
}

// dropBlock takes a top-level key out of a YAML text.
func dropBlock(text, key string) string {
	var out strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, " ") {
			inside = strings.HasPrefix(line, key)
		}
		if !inside {
			out.WriteString(line)
		}
	}
	return out.String()
}

// TestRestart: clients connect, ask and leave without a pause while a new
// process takes over from an old one. None of them fails.
func TestRestart(t *testing.T) {
	f := unstarted(t, setting("reuse_port: true"))
	old := f.run(t, launch{})
	up(t, f.HTTP)
	var asked atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	defer clients.Wait()
	defer stop()
	for i := range 4 {
		dsn := f.Through([]string{"ana", "dba"}[i%2]) // one address, whoever listens there
		clients.Go(func() {
			for ctx.Err() == nil {
				if err := visit(dsn); err != nil {
					t.Errorf("after %d visits: %v", asked.Load(), err)
					return
				}
				asked.Add(1)
			}
		})
	}
	more := func(n int64) {
		t.Helper()
		enough := asked.Load() + n
		waitFor(t, func() bool { return asked.Load() > enough || t.Failed() })
	}
	more(20)
	second := freeAddress()
	next := f.run(t, launch{env: []string{"PGASK_HTTP=" + second}})
	up(t, second)
	more(20)
	old.signal(t, syscall.SIGTERM)
	old.exit(t)
	more(20)
	stop()
	clients.Wait()
	t.Logf("%d visits", asked.Load())
	next.signal(t, syscall.SIGTERM)
	next.exit(t)
}

// TestRestartCancel: a cancel request for a session of a process that drains
// reaches the new one, which passes it on.
func TestRestartCancel(t *testing.T) {
	peers := []string{freeAddress(), freeAddress()}
	f := unstarted(t, func(text string) string {
		return setting(fmt.Sprintf("reuse_port: true\ncluster: {peers: {1: %q, 2: %q}}", peers[0], peers[1]))(limits("drain: 6s")(text))
	})
	old := f.run(t, launch{env: []string{"PGASK_CLUSTER_INSTANCE=1"}})
	up(t, f.HTTP)
	dba := f.Connect(t, "dba")
	if pid := dba.PgConn().PID(); pid>>23 != 1 {
		t.Errorf("pid %x is not of instance 1", pid)
	}
	second := freeAddress()
	f.run(t, launch{env: []string{"PGASK_CLUSTER_INSTANCE=2", "PGASK_HTTP=" + second}})
	up(t, second)
	ended := make(chan error, 1)
	go func() {
		_, err := tryTable(dba, "SELECT pg_sleep(60)")
		ended <- err
	}()
	direct := f.Direct(t)
	waitFor(t, func() bool { return sleeping(t, direct) == 1 })
	old.signal(t, syscall.SIGTERM)
	inNew := 0
	waitFor(t, func() bool { // the old one takes nobody any more
		conn := connect(t, f.Through("dba"))
		defer conn.Close(t.Context())
		if inNew++; conn.PgConn().PID()>>23 != 2 {
			inNew = 0
		}
		return inNew == 8
	})
	if err := dba.PgConn().CancelRequest(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-ended; sqlState(err) != "57014" {
		t.Errorf("cancelled: %v", err)
	}
	g := *f
	g.HTTP = second
	if !strings.Contains(metrics(t, &g), "\npgask_cancels_total{passed=\"true\"} 1\n") {
		t.Error("the new process passed nothing on")
	}
	old.exit(t)
}

// sleeping is how many sessions of the test's database are in pg_sleep.
func sleeping(t *testing.T, conn *pgx.Conn) int {
	t.Helper()
	return len(table(t, conn, "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"))
}

// visit connects, asks once and leaves.
func visit(dsn string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	var n int
	if err := conn.QueryRow(ctx, "SELECT count(*) FROM products").Scan(&n); err != nil {
		return fmt.Errorf("query: %w", err)
	}
	return conn.Close(ctx)
}

// TestDrain: SIGTERM ends idle sessions at once and leaves the others in peace,
// for as long as limits.drain or until a second SIGTERM.
func TestDrain(t *testing.T) {
	for name, drain := range map[string]string{"limit": "2s", "second signal": "1h"} {
		t.Run(name, func(t *testing.T) {
			f := unstarted(t, limits("drain: "+drain))
			p := f.run(t, launch{})
			up(t, f.HTTP)
			idle, busy := f.Connect(t, "dba"), f.Connect(t, "dba")
			table(t, busy, "BEGIN")
			p.signal(t, syscall.SIGTERM)
			if _, err := idle.PgConn().ReceiveMessage(t.Context()); sqlState(err) != "57P01" {
				t.Errorf("an idle session: %v", err)
			}
			if got := table(t, busy, "SELECT 1"); len(got) != 1 {
				t.Errorf("in a transaction: %v", got)
			}
			if _, err := net.Dial("tcp", f.Proxy.addr); err == nil {
				t.Error("clients are accepted while sessions drain")
			}
			if name == "second signal" {
				p.signal(t, syscall.SIGTERM)
			}
			if _, err := busy.PgConn().ReceiveMessage(t.Context()); sqlState(err) != "57P01" {
				t.Errorf("a session that was cut: %v", err)
			}
			p.exit(t)
		})
	}
}

// TestOutOfDescriptors: a process that may open few files has fewer sessions
// than limits.clients. When others have taken all its files, it refuses clients by
// 53300, keeps the sessions it has, and takes new ones when there is room.
func TestOutOfDescriptors(t *testing.T) {
	f := unstarted(t, limits("clients: 200, login: 2m")) // who says nothing stays
	p := f.run(t, launch{shell: `ulimit -n 40; exec "$@"`})
	up(t, f.HTTP)
	open := []*pgx.Conn{f.Connect(t, "dba"), f.Connect(t, "dba")}
	for _, conn := range open { // they have begun, and need no more files
		table(t, conn, "SELECT 1")
	}
	var silent []net.Conn
	defer func() {
		for _, conn := range silent {
			_ = conn.Close()
		}
	}()
	for range 28 {
		conn, err := net.Dial("tcp", f.Proxy.addr)
		if err != nil {
			t.Fatal(err)
		}
		silent = append(silent, conn)
	}
	if got := sqlState(visit(f.Through("dba"))); got != "53300" {
		t.Errorf("without a file: %s", got)
	}
	for _, conn := range open {
		table(t, conn, "SELECT count(*) FROM products")
	}
	for _, conn := range silent {
		_ = conn.Close()
	}
	waitFor(t, func() bool { return visit(f.Through("dba")) == nil })
	for range 8 {
		f.Connect(t, "dba")
	}
	if got := sqlState(visit(f.Through("dba"))); got != "53300" {
		t.Errorf("an eleventh session: %s", got)
	}
	p.signal(t, syscall.SIGTERM)
	p.exit(t)
	for _, want := range []string{"allowed=40 needed=656 clients=10", "accept4: too many open files"} {
		if !strings.Contains(p.log.String(), want) {
			t.Errorf("the log has no %q", want)
		}
	}
}

// TestSoftLimit: of the limits on files, only the hard one counts.
func TestSoftLimit(t *testing.T) {
	f := unstarted(t, same)
	p := f.run(t, launch{shell: `ulimit -S -n 40; exec "$@"`})
	up(t, f.HTTP)
	for range 20 {
		f.Connect(t, "dba")
	}
	p.signal(t, syscall.SIGTERM)
	p.exit(t)
	if strings.Contains(p.log.String(), "too few open files") {
		t.Error("the soft limit was not raised")
	}
}

// TestUnixSocket: psql and its Ctrl-C over a Unix-domain socket, which needs no
// TLS where that is required.
func TestUnixSocket(t *testing.T) {
	dir := t.TempDir()
	f := unstarted(t, func(text string) string {
		text = regexp.MustCompile(`(?m)^listen: .*`).ReplaceAllString(text, "listen: "+dir+"/.s.PGSQL.6432")
		return strings.Replace(text, "mode: prefer", "mode: require", 1)
	})
	p := f.run(t, launch{})
	up(t, f.HTTP)
	dsn := fmt.Sprintf("host=%s port=6432 user=dba password=dba dbname=acme", dir)
	out, err := output(exec.Command("psql", dsn, "-X", "-A", "-t", "-c", "SELECT count(*) FROM products"))
	if err != nil || out != "40\n" {
		t.Errorf("%q %v", out, err)
	}
	waitFor(t, func() bool { return strings.Contains(p.log.String(), "remote=local ") })
	conn := connect(t, dsn)
	ended := make(chan error, 1)
	go func() {
		_, err := tryTable(conn, "SELECT pg_sleep(60)")
		ended <- err
	}()
	direct := f.Direct(t)
	waitFor(t, func() bool { return sleeping(t, direct) == 1 })
	if err := conn.PgConn().CancelRequest(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-ended; sqlState(err) != "57014" {
		t.Errorf("cancelled: %v", err)
	}
	_ = conn.Close(t.Context())
	p.signal(t, syscall.SIGTERM)
	p.exit(t)
	if _, err := os.Stat(dir + "/.s.PGSQL.6432"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket's file: %v", err)
	}
}

// TestUnwritableLog: sessions go on where the log can't be written: the disk is
// full, its reader is gone, or its reader has stopped reading.
func TestUnwritableLog(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	reader, gone, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = reader.Close()
	stuckReader, stuck, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stuckReader.Close()
	fill(t, stuck)
	for name, log := range map[string]*os.File{"full": full, "gone": gone, "stuck": stuck} {
		t.Run(name, func(t *testing.T) {
			f := unstarted(t, same)
			p := f.run(t, launch{stderr: log})
			up(t, f.HTTP)
			for range 3 {
				if err := visit(f.Through("ana")); err != nil {
					t.Error(err)
				}
			}
			p.signal(t, syscall.SIGTERM)
			p.exit(t)
		})
	}
}

// fill writes to a pipe until it holds no more.
func fill(t *testing.T, pipe *os.File) {
	t.Helper()
	_ = pipe.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
	for {
		if _, err := pipe.Write(make([]byte, 4096)); err != nil {
			return
		}
	}
}

// TestSystemd runs the program as a unit with a socket and a watchdog does.
func TestSystemd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	notified, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer notified.Close()
	expect := func(want string) {
		t.Helper()
		_ = notified.SetReadDeadline(time.Now().Add(30 * time.Second))
		for buf := make([]byte, 1000); ; {
			n, err := notified.Read(buf)
			if err != nil {
				t.Fatalf("waiting for %s: %v", want, err)
			}
			if strings.HasPrefix(string(buf[:n]), want) {
				return
			}
			if string(buf[:n]) != "WATCHDOG=1" {
				t.Errorf("%q, want %q", buf[:n], want)
			}
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	file, err := ln.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f := unstarted(t, same)
	f.Proxy.addr = ln.Addr().String()
	p := f.run(t, launch{shell: `LISTEN_PID=$$ exec "$@"`, files: []*os.File{file},
		env: []string{"LISTEN_FDS=1", "LISTEN_FDNAMES=clients", "NOTIFY_SOCKET=" + path, "WATCHDOG_USEC=1000000"}})
	expect("READY=1\nSTATUS=accepting clients on " + f.Proxy.addr)
	table(t, f.Connect(t, "ana"), "SELECT count(*) FROM products")
	expect("WATCHDOG=1")
	p.signal(t, syscall.SIGHUP)
	expect("RELOADING=1\nMONOTONIC_USEC=")
	expect("READY=1\nSTATUS=reload taken")
	p.signal(t, syscall.SIGTERM)
	expect("STOPPING=1")
	p.exit(t)
}
