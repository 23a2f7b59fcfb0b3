package integration

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/pgask/pgask/proxy/pgtest"
)

// observer is a superuser's session that goes round pgask.
func (w *clientsWorld) observer(t testing.TB, database string) *pgx.Conn {
	t.Helper()
	return connect(t, w.server.DSN(database))
}

// freed waits until Postgres has nothing left of an application's sessions but,
// at most, idle connections without a lock.
func freed(t testing.TB, observer *pgx.Conn, application string) {
	t.Helper()
	waitFor(t, func() bool {
		var left int
		if err := observer.QueryRow(t.Context(), `select count(*) from pg_stat_activity a left join pg_locks l using (pid)
			where application_name = $1 and (state <> 'idle' or xact_start is not null or l.pid is not null)`, application).Scan(&left); err != nil {
			t.Fatal(err)
		}
		return left == 0
	})
}

// TestClientGone: clients vanish in every state. What they did not commit is
// undone and what they held is free.
func TestClientGone(t *testing.T) {
	w := newClientsWorld(t)
	w.reset(t)
	p := serveOver(t, passageOptions{backend: w.addr()})
	observer := w.observer(t, "acme")
	const insert = "insert into things (id) values (1)"
	copied := pgtest.Frame('d', []byte("1\tone\n"))
	for name, leave := range map[string]func(t testing.TB, c *pgtest.Peer){
		"in mid-message":                   func(t testing.TB, c *pgtest.Peer) { c.Send(pgtest.Query(insert)[:12]) },
		"in mid-header":                    func(t testing.TB, c *pgtest.Peer) { c.Send(pgtest.Query(insert)[:3]) },
		"in a transaction":                 func(t testing.TB, c *pgtest.Peer) { say(c, "begin; "+insert) },
		"in mid-message, in a transaction": func(t testing.TB, c *pgtest.Peer) { say(c, "begin; "+insert); c.Send(pgtest.Query("commit")[:10]) },
		"in a failed transaction":          func(t testing.TB, c *pgtest.Peer) { say(c, "begin; "+insert+"; select 1/0") },
		"in a batch": func(t testing.TB, c *pgtest.Peer) {
			c.Send(pgtest.Parse("", insert), pgtest.Bind("", ""), pgtest.Execute("", 0), pgtest.Flush())
			c.Expect("12C")
		},
		"in COPY in": func(t testing.TB, c *pgtest.Peer) {
			c.Send(pgtest.Query("copy things (id, name) from stdin"))
			c.Expect("G")
			c.Send(copied, copied[:8])
		},
		"in COPY in, between frames": func(t testing.TB, c *pgtest.Peer) {
			c.Send(pgtest.Query("copy things (id, name) from stdin"))
			c.Expect("G")
			c.Send(copied)
		},
		"in COPY out": func(t testing.TB, c *pgtest.Peer) {
			c.Send(pgtest.Query("copy (select generate_series(1, 100000000)) to stdout"))
			c.Expect("Hddd")
		},
		"in rows": func(t testing.TB, c *pgtest.Peer) {
			c.Send(pgtest.Query("begin; " + insert + "; select generate_series(1, 100000000)"))
			c.Expect("CCTDDD")
		},
		"while something runs": func(t testing.TB, c *pgtest.Peer) {
			c.Send(pgtest.Query("begin; " + insert + "; select pg_sleep(62)"))
			waitFor(t, func() bool { return sleeps(t, observer) })
		},
		"with a lock of the session": func(t testing.TB, c *pgtest.Peer) { say(c, "select pg_advisory_lock(7)") },
		"listening, with a temporary table": func(t testing.TB, c *pgtest.Peer) {
			say(c, "create temp table x (a int); listen x; set work_mem = '7MB'")
		},
	} {
		for how, hangUp := range map[string]func(*pgtest.Peer){"ends": (*pgtest.Peer).Hangup, "is cut": func(c *pgtest.Peer) { reset(c.Conn()) }} {
			t.Run(name+" "+how, func(t *testing.T) {
				application := strings.ReplaceAll(name, " ", "_")
				client := p.login(t, application)
				leave(t, client)
				hangUp(client)
				freed(t, observer, application)
				if got := table(t, observer, "select count(*) from things"); got[0] != "0" {
					t.Errorf("things has %s rows", got[0])
				}
				next := p.login(t, application)
				next.Send(pgtest.Query("select current_setting('work_mem'), to_regclass('x') is null and not exists " +
					"(select from pg_prepared_statements union all select from pg_cursors where is_holdable union all select from pg_listening_channels())"))
				if rows := next.Expect("TDCZ"); !strings.Contains(string(rows[1]), "4MB") || !strings.HasSuffix(string(rows[1]), "t") {
					t.Errorf("the next session sees %q", rows[1])
				}
				next.Send(pgtest.Terminate())
			})
		}
	}
}

// say runs statements to their end.
func say(c *pgtest.Peer, sql string) string {
	c.Send(pgtest.Query(sql))
	kinds, _ := c.Until('Z')
	return kinds
}

func sleeps(t testing.TB, observer *pgx.Conn) bool {
	var runs bool
	if err := observer.QueryRow(t.Context(), "select exists (select from pg_stat_activity where wait_event = 'PgSleep')").Scan(&runs); err != nil {
		t.Fatal(err)
	}
	return runs
}

// pid is the process of a session's backend.
func pid(t testing.TB, c *pgtest.Peer) int {
	t.Helper()
	c.Send(pgtest.Query("select pg_backend_pid()"))
	row := c.Expect("TDCZ")[1]
	n, err := strconv.Atoi(string(row[6:]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// slowRows brings most of a row at once and the next a minute later.
const slowRows = "select repeat('x', 100000), pg_sleep(60 * g) from generate_series(0, 1) g"

// TestBackendKilled: Postgres ends sessions, or dies. The client hears of it
// once, and others go on.
func TestBackendKilled(t *testing.T) {
	w := newClientsWorld(t)
	w.reset(t)
	p := serveOver(t, passageOptions{backend: w.addr()})
	observer := w.observer(t, "acme")
	bystander := p.login(t, "bystander")
	for name, before := range map[string]func(c *pgtest.Peer){
		"idle":             func(*pgtest.Peer) {},
		"in a transaction": func(c *pgtest.Peer) { say(c, "begin") },
		"in mid-row":       func(c *pgtest.Peer) { c.Send(pgtest.Query(slowRows)); c.Expect("T") },
		"in COPY in":       func(c *pgtest.Peer) { c.Send(pgtest.Query("copy things from stdin")); c.Expect("G") },
		"in a batch":       func(c *pgtest.Peer) { c.Send(pgtest.Parse("", "select 1"), pgtest.Flush()); c.Expect("1") },
	} {
		t.Run(name, func(t *testing.T) {
			client := p.login(t, "victim")
			process := pid(t, client)
			before(client)
			terminate(t, observer, process)
			if name == "in COPY in" { // Postgres looks up when something comes
				_, _ = client.Conn().Write(pgtest.Frame('c'))
			}
			expectEnd(t, client, "57P01")
			answers(t, bystander)
			freed(t, observer, "victim")
		})
	}
	t.Run("idle in the pool", func(t *testing.T) {
		var processes []int
		for range 3 {
			client := p.login(t, "pooled")
			processes = append(processes, pid(t, client))
			client.Send(pgtest.Terminate())
			client.ExpectEnd()
		}
		for _, process := range processes { // it may be the same one, or gone
			table(t, observer, "select pg_terminate_backend("+strconv.Itoa(process)+")")
		}
		waitFor(t, func() bool { // a signal takes a moment
			var left int
			if err := observer.QueryRow(t.Context(), "select count(*) from pg_stat_activity where pid = any($1)", processes).Scan(&left); err != nil {
				t.Fatal(err)
			}
			return left == 0
		})
		waitFor(t, func() bool { return !p.hasIdle(t) }) // and so does hearing of it
		for range 3 {
			answers(t, p.login(t, "pooled"))
		}
		answers(t, bystander)
	})
	t.Run("in a flood of rows", func(t *testing.T) {
		client := p.login(t, "victim")
		process := pid(t, client)
		client.Send(pgtest.Query("select generate_series(1, 3000000), repeat('x', 1000)"))
		client.Expect("TDD")
		terminate(t, observer, process)
		endsInRows(t, client)
		answers(t, bystander)
	})
	t.Run("killed", func(t *testing.T) {
		client, idle := p.login(t, "victim"), p.login(t, "idle")
		process := pid(t, client)
		client.Send(pgtest.Query(slowRows))
		client.Expect("T")
		if err := syscall.Kill(process, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		// Postgres ends all sessions when one process crashes.
		endsInRows(t, client)
		expectEnd(t, idle, "08006", "57P02")
		p.recover(t)
		answers(t, p.login(t, "afterwards"))
	})
}

// endsInRows wants one error between frames, or none where a frame was cut off:
// an error inside of one would be taken for data.
func endsInRows(t testing.TB, client *pgtest.Peer) {
	t.Helper()
	frames, clean := ending(t, client)
	if got := errorsOf(frames); (clean && len(got) != 1) || (!clean && len(got) != 0) {
		t.Errorf("errors %q, between frames: %v", got, clean)
	}
}

func terminate(t testing.TB, observer *pgx.Conn, process int) {
	t.Helper()
	var done bool
	if err := observer.QueryRow(t.Context(), "select pg_terminate_backend($1)", process).Scan(&done); err != nil || !done {
		t.Fatalf("terminate: %v, %v", done, err)
	}
}

// TestQueued: with one place in the pool, a client waits for it. It gets it
// when the backend of the other dies or the other leaves, and leaves no trace
// where it gives up.
func TestQueued(t *testing.T) {
	w := newClientsWorld(t)
	w.reset(t)
	p := serveOver(t, passageOptions{backend: w.addr(), size: 1, wait: "30s"})
	observer := w.observer(t, "acme")
	for name, c := range map[string]struct {
		free func(holder *pgtest.Peer, process int)
		code string
	}{
		"backend terminated": {func(_ *pgtest.Peer, process int) { terminate(t, observer, process) }, "57P01"},
		"holder leaves":      {func(holder *pgtest.Peer, _ int) { holder.Send(pgtest.Terminate()) }, ""},
		"holder is cut":      {func(holder *pgtest.Peer, _ int) { reset(holder.Conn()) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			holder := p.login(t, "holder")
			process := pid(t, holder)
			impatient := p.authenticated(t, "queued")
			queued := p.authenticated(t, "queued")
			impatient.Hangup()
			c.free(holder, process)
			if c.code != "" {
				expectEnd(t, holder, c.code)
			}
			queued.Welcome()
			answers(t, queued)
			queued.Send(pgtest.Terminate())
			freed(t, observer, "queued")
		})
	}
	t.Run("in vain", func(t *testing.T) {
		p := serveOver(t, passageOptions{backend: w.addr(), size: 1, wait: "200ms"})
		holder := p.login(t, "holder")
		expectEnd(t, p.authenticated(t, "queued"), "53300")
		answers(t, holder)
	})
}

// TestBothWays: a client sends large parameters without a pause while it reads
// rows as large, slowly at first. Neither direction may wait for the other.
func TestBothWays(t *testing.T) {
	w := newClientsWorld(t)
	w.reset(t)
	p := serveOver(t, passageOptions{backend: w.addr()})
	client, observer := p.login(t, "both"), w.observer(t, "acme")
	const rounds, size = 64, 1 << 20
	var sent errgroup.Group
	sent.Go(func() error {
		batch := join(pgtest.Bind("", "s", strings.Repeat("x", size)), pgtest.Execute("", 0))
		frames := append([][]byte{pgtest.Parse("s", "select $1::text")}, slices.Repeat([][]byte{batch}, rounds)...)
		_, err := client.Conn().Write(join(append(frames, pgtest.Sync())...))
		return err
	})
	waitFor(t, func() bool { // Postgres waits until somebody reads
		return table(t, observer, "select count(*) from pg_stat_activity where application_name = 'both' and wait_event = 'ClientWrite'")[0] == "1"
	})
	client.Expect("1" + strings.Repeat("2DC", rounds) + "Z")
	if err := sent.Wait(); err != nil {
		t.Error(err)
	}
}

// TestBackendPID: a client is told its backend's process number, which it also
// hears in its own notifications.
func TestBackendPID(t *testing.T) {
	w := newClientsWorld(t)
	w.reset(t)
	p := serveOver(t, passageOptions{backend: w.addr()})
	client := pgtest.Dial(t, p.Proxy.addr)
	key := client.Login("dba", "user", "dba", "database", "acme")
	if got := pid(t, client); got != int(key.PID) {
		t.Errorf("told %d, is %d", key.PID, got)
	}
	say(client, "listen told")
	client.Send(pgtest.Query("notify told"))
	if note := client.Expect("CAZ")[1]; binary.BigEndian.Uint32(note) != key.PID {
		t.Errorf("notified by %d, is %d", binary.BigEndian.Uint32(note), key.PID)
	}
}

// TestCancelAfterEnd: a cancel request for a session that is over does nothing
// to the one that has its backend now.
func TestCancelAfterEnd(t *testing.T) {
	w := newClientsWorld(t)
	w.reset(t)
	p := serveOver(t, passageOptions{backend: w.addr(), size: 1})
	first := pgtest.Dial(t, p.Proxy.addr)
	key := first.Login("dba", "user", "dba", "database", "acme")
	if key.PID == 0 || key.PID > math.MaxInt32 {
		t.Errorf("process number %d, which some clients take for negative", key.PID)
	}
	first.Send(pgtest.Terminate())
	second := p.login(t, "second")
	second.Send(pgtest.Query("select pg_sleep(1)"))
	canceller := pgtest.Dial(t, p.Proxy.addr)
	canceller.Send(pgtest.Cancel(key))
	canceller.ExpectEnd()
	if kinds, _ := second.Until('Z'); kinds != "TDCZ" {
		t.Errorf("the next session got %q", kinds)
	}
}
