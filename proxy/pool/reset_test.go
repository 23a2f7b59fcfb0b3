package pool

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/proxy/poll"
)

// keeping is a pool that keeps backends.
func keeping(t *testing.T, size int) *Pool {
	t.Helper()
	server := postgres.ForTest(t)
	return newPool(t, configs.Database{Name: "acme", DSN: server.DSN(server.CreateDatabase(t)),
		Pool: configs.Pool{Mode: "session", Size: size, Wait: time.Minute, Idle: time.Minute, Lifetime: time.Hour}})
}

// settled waits until no backend of the pool is between two sessions.
func settled(p *Pool) { p.work.Wait() }

// TestRestore leaves everything behind that a session can, and wants none of it
// in the next session on the same backend.
func TestRestore(t *testing.T) {
	left := []struct{ name, do, ask, want string }{
		{"setting", "SET work_mem = '7MB'", "SHOW work_mem", "4MB"},
		{"reported setting", "SET DateStyle = 'German'", "SHOW DateStyle", "ISO, MDY"},
		{"encoding", "SET client_encoding = 'LATIN1'", "SHOW client_encoding", "UTF8"},
		{"start-up parameter", "SET application_name = 'mine'", "SHOW application_name", "start"},
		{"read only", "SET default_transaction_read_only = off", "SHOW default_transaction_read_only", "on"},
		{"prefixed setting", "SET my.tenant = '7'", "SELECT current_setting('my.tenant', true)", ""},
		{"transaction", "BEGIN", "SELECT (now() = statement_timestamp())::text", "true"},
		{"failed transaction", "BEGIN; SELECT 1/0", "SELECT 1", "1"},
		{"temporary table", "CREATE TEMP TABLE t (a int)", "SELECT count(*) FROM pg_class WHERE relname = 't'", "0"},
		{"prepared statement", "PREPARE p AS SELECT 1", "SELECT count(*) FROM pg_prepared_statements", "0"},
		{"cursor", "SET default_transaction_read_only = off; DECLARE c CURSOR WITH HOLD FOR SELECT 1", "SELECT count(*) FROM pg_cursors", "0"},
		{"channel", "LISTEN c", "SELECT count(*) FROM pg_listening_channels()", "0"},
		{"lock", "SELECT pg_advisory_lock(7)::text", "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()", "0"},
		{"role", "SET ROLE pg_monitor", "SELECT current_user = session_user", "t"},
		{"authorization", "SET SESSION AUTHORIZATION pg_monitor", "SELECT session_user <> 'pg_monitor'", "t"},
	}
	p := keeping(t, 1)
	request := Request{Params: map[string]string{"application_name": "start", "default_transaction_read_only": "on"}}
	first := acquire(t, p, request)
	pid, greeting := first.PID, maps.Clone(first.ParameterStatuses)
	first.Release()
	for _, c := range left {
		settled(p)
		b := acquire(t, p, request)
		_, _ = query(b, c.do) // that of a failed transaction fails
		b.Release()
		settled(p)
		b = acquire(t, p, request)
		if !maps.Equal(b.ParameterStatuses, greeting) {
			t.Errorf("%s: the next session is told %v, want %v", c.name, b.ParameterStatuses, greeting)
		}
		if b.PID != pid || b.TxStatus != 'I' {
			t.Errorf("%s: backend %d status %c, want %d", c.name, b.PID, b.TxStatus, pid)
		}
		if got := ask(t, b, c.ask); got != c.want {
			t.Errorf("%s: the next session has %s = %q, want %q", c.name, c.ask, got, c.want)
		}
		b.Release()
	}
}

// TestServerSettings: a new default that came while a session ran is what the
// next one is told.
func TestServerSettings(t *testing.T) {
	server := start(t)
	db := database(server.DSN("postgres"))
	db.Pool = configs.Pool{Size: 2, Wait: time.Minute, Idle: time.Minute}
	p := newPool(t, db)
	watch, b := acquire(t, p, Request{}), acquire(t, p, Request{})
	before := b.ParameterStatuses["TimeZone"]
	t.Cleanup(func() {
		ask(t, watch, "ALTER SYSTEM RESET TimeZone")
		ask(t, watch, "SELECT pg_reload_conf()::text")
	})
	ask(t, watch, "ALTER SYSTEM SET TimeZone = 'Asia/Tokyo'")
	ask(t, watch, "SELECT pg_reload_conf()::text")
	for b.ParameterStatuses["TimeZone"] == before {
		ask(t, b, "SELECT 1") // Postgres reports it before some ReadyForQuery
		if t.Context().Err() != nil {
			t.Fatal("Postgres never reported its new TimeZone")
		}
	}
	pid := b.PID
	b.Release()
	settled(p)
	if b = acquire(t, p, Request{}); b.PID != pid || b.ParameterStatuses["TimeZone"] != "Asia/Tokyo" {
		t.Errorf("backend %d is told TimeZone %s", b.PID, b.ParameterStatuses["TimeZone"])
	}
}

// TestSharing: only the same login, password, mode and start-up parameters get a
// backend that was in use.
func TestSharing(t *testing.T) {
	server := start(t)
	db := database(server.DSN("postgres"))
	db.Pool = configs.Pool{Size: 2, Wait: time.Minute, Idle: time.Minute}
	p := newPool(t, db)
	reader := &auth.Login{User: "reader", Password: "p:w/d@?"}
	base := Request{Login: reader, Params: map[string]string{"application_name": "a"}}
	used := func(r Request) uint32 {
		b := acquire(t, p, r)
		b.Release()
		settled(p)
		return b.PID
	}
	pid := used(base)
	for name, r := range map[string]Request{
		"parameters":   {Login: reader, Params: map[string]string{"application_name": "b"}},
		"no parameter": {Login: reader},
		"mode":         {Login: reader, Params: base.Params, Governed: true},
		"login":        {Params: base.Params},
		"replication":  {Params: map[string]string{"replication": "database"}},
	} {
		if got := used(r); got == pid {
			t.Errorf("%s: shared the backend of another", name)
		}
	}
	again := Request{Login: &auth.Login{User: "reader", Password: "p:w/d@?"}, Params: map[string]string{"application_name": "a"}}
	if got := used(again); got == pid {
		t.Error("the backend should have made room for other parameters: the pool has two places")
	} else if used(again) != got {
		t.Error("an equal request got a new backend")
	}
	if _, err := p.Acquire(deadline(t), Request{Login: &auth.Login{User: "reader", Password: "old"}, Params: base.Params}); sqlstate(err) != "28P01" {
		t.Errorf("with another password: %v", err)
	}
	replica := Request{Params: map[string]string{"replication": "true"}}
	if one := used(replica); used(replica) == one {
		t.Error("a WAL sender was used twice")
	}
}

// TestDeadBackends are not handed out.
func TestDeadBackends(t *testing.T) {
	p := keeping(t, 5)
	watch := acquire(t, p, Request{})
	var pids []uint32
	var used []*Backend
	for range 3 {
		b := acquire(t, p, Request{})
		used, pids = append(used, b), append(pids, b.PID)
	}
	for _, b := range used {
		b.Release()
	}
	settled(p)
	for _, pid := range pids {
		ask(t, watch, fmt.Sprintf("SELECT pg_terminate_backend(%d)::text", pid))
		running := fmt.Sprintf("SELECT count(*) FROM pg_stat_activity WHERE pid = %d", pid)
		until(t, "the backend has ended", func() bool { return ask(t, watch, running) == "0" })
	}
	b := acquire(t, p, Request{})
	for _, pid := range pids {
		if b.PID == pid {
			t.Errorf("backend %d is dead and was handed out", pid)
		}
	}
	if got := ask(t, b, "SELECT 1"); got != "1" {
		t.Errorf("the new backend says %q", got)
	}
}

// TestCrowded: idle backends of one kind don't take the connections that Postgres
// allows from another.
func TestCrowded(t *testing.T) {
	server := start(t)
	for _, l := range []*poll.Loop{nil, startLoop(t)} {
		until(t, "the login's connection is free", func() bool { return otherFree(t, server) })
		db := database(server.DSN("postgres"))
		db.Pool = configs.Pool{Size: 5, Wait: time.Minute, Idle: time.Minute}
		p := newPool(t, db)
		for n := range 3 {
			b := acquire(t, p, Request{Login: &auth.Login{User: "other", Password: "o"}, Loop: l,
				Params: map[string]string{"application_name": fmt.Sprint(n)}})
			b.Release()
			settled(p)
		}
		p.Close()
	}
}

// otherFree tells whether the login that may have one connection can have it. A
// backend leaves pg_stat_activity before it frees its place, and hangs up after.
func otherFree(t *testing.T, server *postgres.Server) bool {
	t.Helper()
	config, err := pgconn.ParseConfig(server.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	config.User, config.Password = "other", "o"
	conn, err := pgconn.ConnectConfig(deadline(t), config)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "53300" {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	bare, err := conn.Hijack()
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Conn.Close()
	if _, err := bare.Conn.Write([]byte{'X', 0, 0, 0, 4}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, bare.Conn); err != nil {
		t.Fatal(err)
	}
	return true
}

// TestNoWait: with pool.wait 0 a place that is being reset is waited for all the
// same.
func TestNoWait(t *testing.T) {
	server := postgres.ForTest(t)
	p := newPool(t, configs.Database{DSN: server.DSN(server.CreateDatabase(t)), Pool: configs.Pool{Size: 1, Idle: time.Minute}})
	b := acquire(t, p, Request{})
	pid := b.PID
	b.Release()
	for range 20 {
		b := acquire(t, p, Request{})
		if b.PID != pid {
			t.Errorf("backend %d, want %d", b.PID, pid)
		}
		b.Release()
	}
}
