package proxy_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/wire"
)

// lentClients logs clients in that share so many backends.
func lentClients(t *testing.T, clients, size int, wait time.Duration) (addr, db string, all []*pgtest.Peer) {
	t.Helper()
	db = postgres.ForTest(t).CreateDatabase(t)
	addr = transactions(t, db, size, wait, nil)
	for range clients {
		c := pgtest.Dial(t, addr)
		c.Login(password, "user", "ana", "database", db)
		all = append(all, c)
	}
	return addr, db, all
}

// run sends a Query and returns its reply: the last row's only value, or an
// error's code, and the status.
func run(c *pgtest.Peer, sql string) (reply string, status byte) {
	c.Send(pgtest.Query(sql))
	return heard(c)
}

func heard(c *pgtest.Peer) (reply string, status byte) {
	for {
		kind := c.Peek()
		body := c.Expect(string(kind))[0]
		switch kind {
		case 'D':
			reply = string(body[6:])
		case 'E':
			reply = field(body, 'C')
		case 'Z':
			return reply, body[0]
		}
	}
}

func expect(t *testing.T, c *pgtest.Peer, sql, reply string, status byte) {
	t.Helper()
	if got, s := run(c, sql); got != reply || s != status {
		t.Fatalf("%s: %q %c, want %q %c", sql, got, s, reply, status)
	}
}

// TestLentWithPgx: many clients prepare statements, under the same names, and run
// them in transactions over two backends.
func TestLentWithPgx(t *testing.T) {
	addr, db, _ := lentClients(t, 0, 2, 20*time.Second)
	var all sync.WaitGroup
	for client := range 8 {
		c := open(t, strings.Replace(dsn(addr), "/db?", "/"+db+"?", 1)+fmt.Sprintf("&application_name=client_%d", client))
		all.Go(func() {
			for i := range 50 {
				if err := oneTransaction(t.Context(), c, client, i); err != nil {
					t.Errorf("client %d: %v", client, err)
					return
				}
			}
		})
	}
	all.Wait()
}

func oneTransaction(ctx context.Context, c *pgx.Conn, client, i int) error {
	tx, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	var got int
	var name string
	sql := fmt.Sprintf("select $1::int + %d, current_setting('application_name')", (client+i)%5)
	if err := tx.QueryRow(ctx, sql, i).Scan(&got, &name); err != nil {
		return err
	}
	if got != i+(client+i)%5 || name != fmt.Sprintf("client_%d", client) {
		return fmt.Errorf("got %d as %s", got, name)
	}
	return tx.Commit(ctx)
}

// TestLentParameters: each client has its own, on whatever backend.
func TestLentParameters(t *testing.T) {
	_, _, c := lentClients(t, 2, 1, 20*time.Second)
	expect(t, c[0], "set timezone to 'Asia/Tokyo'", "", 'I')
	expect(t, c[1], "set timezone to 'Europe/Berlin'; set datestyle to 'German'", "", 'I')
	for range 3 {
		expect(t, c[0], "show timezone", "Asia/Tokyo", 'I')
		expect(t, c[1], "show timezone", "Europe/Berlin", 'I')
		expect(t, c[1], "select date '2026-11-30'", "30.11.2026", 'I')
		expect(t, c[0], "select date '2026-11-30'", "2026-11-30", 'I')
	}
}

// TestLentUnnamed: an unnamed statement outlives the loan it was parsed in.
func TestLentUnnamed(t *testing.T) {
	_, _, c := lentClients(t, 2, 1, 20*time.Second)
	c[0].Send(pgtest.Parse("", "select 'mine'"), pgtest.Sync())
	c[0].Expect("1Z")
	c[1].Send(pgtest.Bind("", ""), pgtest.Sync())
	c[1].ExpectError("26000") // it is not the other client's
	c[1].Expect("Z")
	c[1].Send(pgtest.Parse("", "select 'yours'"), pgtest.Sync())
	c[1].Expect("1Z")
	c[0].Send(pgtest.Bind("", ""), pgtest.Execute("", 0), pgtest.Sync())
	if rows := c[0].Expect("2DCZ"); string(rows[1][6:]) != "mine" {
		t.Errorf("got %q", rows[1])
	}
	expect(t, c[0], "select 1", "1", 'I')
	c[0].Send(pgtest.Bind("", ""), pgtest.Sync())
	c[0].ExpectError("26000") // a Query has dropped it
	c[0].Expect("Z")
}

// TestLentPinned: what a client leaves in its backend keeps that until a DISCARD
// ALL, and who gets none is told so, and may go on.
func TestLentPinned(t *testing.T) {
	_, _, c := lentClients(t, 2, 1, 100*time.Millisecond)
	for _, pin := range []string{"create temp table t as select 7 as n", "listen c", "select pg_advisory_lock(7)", "prepare p as select 7", "set work_mem = '1MB'"} {
		if reply, _ := run(c[0], pin); reply == "42601" {
			t.Fatal(pin)
		}
		expect(t, c[1], "select 1", "53300", 'I')
		c[1].Send(pgtest.Parse("", "select 1"), pgtest.Bind("", ""), pgtest.Execute("", 0), pgtest.Sync())
		c[1].ExpectError("53300")
		c[1].Expect("Z")
		expect(t, c[0], "discard all", "", 'I')
		expect(t, c[1], "select 1", "1", 'I')
	}
}

// TestLentNames: SQL may use the names of the protocol's prepared statements.
func TestLentNames(t *testing.T) {
	_, _, c := lentClients(t, 2, 2, 20*time.Second)
	for _, peer := range c {
		peer.Send(pgtest.Parse("a", "select 'from a'"), pgtest.Sync())
		peer.Expect("1Z")
		expect(t, peer, "execute a", "from a", 'I')
		expect(t, peer, "deallocate a", "", 'I')
		expect(t, peer, "execute a", "26000", 'I')
		expect(t, peer, "discard all", "", 'I')
	}
}

// cancelled sends cancel requests until the client hears of it: the first may be
// there before what they are about.
func cancelled(t *testing.T, addr string, key pgtest.Key, client *pgtest.Peer) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 20*time.Second; {
		c := pgtest.Dial(t, addr)
		c.Send(pgtest.Cancel(key))
		c.ExpectEnd()
		_ = client.Conn().SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if kind, body, err := wire.ReadMessage(client.Conn(), 1<<16); err == nil && kind == 'E' {
			if code := field(body, 'C'); code != "57014" {
				t.Fatalf("heard %s", code)
			}
			return
		}
	}
	t.Fatal("never heard of a cancel")
}

// TestLentCancelQueued: a client that waits for a backend can be cancelled, and
// goes on.
func TestLentCancelQueued(t *testing.T) {
	addr, db, c := lentClients(t, 1, 1, 20*time.Second)
	expect(t, c[0], "begin", "", 'T')
	waiting := pgtest.Dial(t, addr)
	key := waiting.Login(password, "user", "ana", "database", db)
	waiting.Send(pgtest.Query("select 1"))
	cancelled(t, addr, key, waiting)
	waiting.Expect("Z")
	expect(t, c[0], "commit", "", 'I')
	expect(t, waiting, "select 2", "2", 'I')
}

// TestLentCancel reaches the backend that runs the statement.
func TestLentCancel(t *testing.T) {
	addr, db, c := lentClients(t, 1, 2, 20*time.Second)
	client := pgtest.Dial(t, addr)
	key := client.Login(password, "user", "ana", "database", db)
	client.Send(pgtest.Query("begin"), pgtest.Query("select 'runs' from generate_series(1, 2) g, pg_sleep(60 * (g - 1))"))
	client.Expect("CZ")
	cancelled(t, addr, key, client)
	if status := client.Expect("Z")[0]; status[0] != 'E' {
		t.Fatalf("%c", status)
	}
	expect(t, client, "rollback", "", 'I')
	expect(t, c[0], "select 1", "1", 'I')
}

// TestLentClientGone: a transaction that is left behind is undone, and the
// backend used again or closed.
func TestLentClientGone(t *testing.T) {
	for name, leave := range map[string]func(c *pgtest.Peer){
		"in a transaction": func(c *pgtest.Peer) {},
		"in a statement":   func(c *pgtest.Peer) { c.Send(pgtest.Query("select pg_sleep(100)")) },
		"in mid-message":   func(c *pgtest.Peer) { c.Send(pgtest.Query("insert into t values (2)")[:9]) },
		"in a batch":       func(c *pgtest.Peer) { c.Send(pgtest.Parse("x", "select 1"), pgtest.Flush()); c.Expect("1") },
	} {
		t.Run(name, func(t *testing.T) {
			_, _, c := lentClients(t, 2, 1, 20*time.Second)
			expect(t, c[1], "create table t (i int)", "", 'I')
			expect(t, c[0], "begin", "", 'T')
			expect(t, c[0], "insert into t values (1)", "", 'T')
			leave(c[0])
			c[0].Hangup()
			expect(t, c[1], "select count(*) from t", "0", 'I')
		})
	}
}

// TestLentBackendKilled: idle ones are replaced unseen; one in use costs its
// client the session.
func TestLentBackendKilled(t *testing.T) {
	_, db, c := lentClients(t, 2, 1, 20*time.Second)
	other := direct(t, db)
	pid, _ := run(c[0], "select pg_backend_pid()")
	expect(t, other, "select pg_terminate_backend("+pid+")", "t", 'I')
	for left := "1"; left != "0"; { // pg_terminate_backend of Postgres 13 doesn't wait
		left, _ = run(other, "select count(*) from pg_stat_activity where pid = "+pid)
	}
	expect(t, c[0], "select 1", "1", 'I')
	expect(t, c[0], "begin", "", 'T')
	pid, _ = run(c[0], "select pg_backend_pid()")
	expect(t, other, "select pg_terminate_backend("+pid+")", "t", 'I')
	c[0].ExpectError("57P01")
	c[0].ExpectEnd()
	expect(t, c[1], "select 1", "1", 'I')
}

// TestLentCopy: a copy from the client, one that fails, and one that the client
// breaks off.
func TestLentCopy(t *testing.T) {
	_, _, c := lentClients(t, 2, 1, 20*time.Second)
	expect(t, c[0], "create table t (i int)", "", 'I')
	data := func(s string) []byte { return pgtest.Frame(wire.CopyData, []byte(s)) }
	for _, end := range []struct {
		frames [][]byte
		code   string
	}{
		{[][]byte{data("1\n"), data("2\n"), pgtest.Frame(wire.CopyDone)}, ""},
		{[][]byte{data("x\n"), pgtest.Frame(wire.CopyDone)}, "22P02"},
		{[][]byte{data("3\n"), pgtest.Frame(wire.CopyFail, "no")}, "57014"},
	} {
		c[0].Send(pgtest.Query("copy t from stdin"))
		c[0].Expect("G")
		c[0].Send(end.frames...)
		if reply, status := heard(c[0]); reply != end.code || status != 'I' {
			t.Errorf("%s %c", reply, status)
		}
		expect(t, c[1], "select count(*) from t", "2", 'I')
	}
}
