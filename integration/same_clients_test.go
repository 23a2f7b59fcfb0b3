package integration

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/integration/record"
)

// driver is a client library and how to run its script in clients/.
type driver struct {
	name    string // also the application_name of its session
	command []string
	env     []string
}

func drivers(t *testing.T) []driver {
	t.Helper()
	node := []string{"NODE_PATH=" + nodeModules(t)}
	python := "/usr/bin/python3" // where Debian's packages of the drivers are
	return []driver{
		{"psycopg2", []string{python, "clients/psycopg2_script.py"}, nil},
		{"psycopg", []string{python, "clients/psycopg_script.py"}, nil},
		{"pyodbc", []string{python, "clients/pyodbc_script.py"}, nil},
		{"jdbc", []string{"java", "-cp", "/usr/share/java/postgresql.jar", "clients/Script.java"}, nil},
		{"pg", []string{"node", "clients/pg_script.js"}, node},
		{"postgres", []string{"node", "clients/postgres_script.js"}, node},
	}
}

// nodeModules is where needs.sh puts the packages of clients/package.json.
func nodeModules(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(cache, "pgask", "clients", "node_modules")
}

// poolModes are the modes that must give the same frames as Postgres itself.
var poolModes = []string{"session", "transaction"}

// TestSameClients runs a script in each of the clients direct and through
// pgask and compares what both sides said, frame by frame. What may differ is
// in sameDifferences. Then the sessions are played again in other pieces.
func TestSameClients(t *testing.T) {
	w := newClientsWorld(t)
	proxies := map[string]*passage{}
	for _, mode := range poolModes {
		proxies[mode] = serveOver(t, passageOptions{backend: w.addr(), mode: mode})
	}
	d := &differences{used: map[int]bool{}}
	kinds := map[record.Side]string{}
	for _, c := range drivers(t) {
		t.Run(c.name, func(t *testing.T) {
			want := w.record(t, c, w.addr())
			noteKinds(kinds, want)
			for _, mode := range poolModes {
				got := w.record(t, c, proxies[mode].Proxy.addr)
				compareSessions(t, d, mode, want, got)
			}
			replay(t, want)
		})
	}
	d.check(t)
	for side, all := range map[record.Side]string{record.Client: "QPBDECSHdcfpX", record.Server: "RSKZTDCIEN123tnsAGHdc"} {
		for i := range len(all) {
			if strings.IndexByte(kinds[side], all[i]) < 0 {
				t.Errorf("no client brings a frame %c of %c", all[i], side)
			}
		}
	}
}

// noteKinds adds the kinds of frames that came up.
func noteKinds(kinds map[record.Side]string, sessions []*record.Session) {
	for _, s := range sessions {
		for _, f := range s.Frames() {
			if strings.IndexByte(kinds[f.From], f.Kind) < 0 {
				kinds[f.From] += string(f.Kind)
			}
		}
	}
}

// record runs a client's script against a server and gives the sessions that it
// had.
func (w *clientsWorld) record(t *testing.T, c driver, addr string) []*record.Session {
	t.Helper()
	w.reset(t)
	relay, err := record.Listen(addr)
	if err != nil {
		t.Fatal(err)
	}
	w.run(t, c, relay.Addr)
	if err := relay.Close(); err != nil {
		t.Fatal(err)
	}
	return relay.Sessions()
}

// run runs a script and, when the statement runs that it wants to cancel, tells
// it so by a line.
func (w *clientsWorld) run(t *testing.T, c driver, addr string) {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(c.command[0], append(c.command[1:], host, port)...)
	cmd.Env = append(append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1"), c.env...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan error, 1)
	go func() { told <- w.tellRunning(ctx, c.name, stdin) }()
	out, err := output(cmd)
	cancel()
	if told := <-told; err == nil && told != nil {
		t.Fatal(told)
	}
	if err != nil || out != "done\n" {
		t.Fatalf("said %q, error %v", out, err)
	}
}

// tellRunning writes a line when a session of the application sleeps.
func (w *clientsWorld) tellRunning(ctx context.Context, application string, to io.WriteCloser) error {
	defer to.Close()
	conn, err := pgx.Connect(ctx, w.server.DSN("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(context.Background())
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		var runs bool
		err := conn.QueryRow(ctx, `select exists (select from pg_stat_activity where state = 'active' and wait_event = 'PgSleep'
			and query like '%pg_sleep(61)%' and application_name = $1)`, application).Scan(&runs)
		if err != nil {
			return err
		}
		if runs {
			_, err := io.WriteString(to, "\n")
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// compareSessions compares each connection with the one that was made in the
// same place.
func compareSessions(t *testing.T, d *differences, mode string, want, got []*record.Session) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%s: %d connections, direct %d", mode, len(got), len(want))
	}
	for i := range min(len(want), len(got)) {
		for _, side := range []record.Side{record.Client, record.Server} {
			if diff := cmp.Diff(d.lines(want[i].From(side)), d.lines(got[i].From(side))); diff != "" {
				t.Errorf("%s: connection %d, %c: %s", mode, i, side, diff)
			}
		}
	}
}

// line is a frame as text. Long ones are told by their hash.
func line(f record.Frame) string {
	const shown = 300
	if len(f.Body) > shown {
		return fmt.Sprintf("%c %d %q… %x", f.Kind, len(f.Body), f.Body[:shown/3], sha256.Sum256(f.Body))
	}
	return fmt.Sprintf("%c %q", f.Kind, f.Body)
}
