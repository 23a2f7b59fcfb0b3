package proxy_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/redact"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
)

func dsn(addr string) string {
	return "postgres://ana:" + password + "@" + addr + "/db?sslmode=disable"
}

func open(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

// TestUnfinishedBatch: what a client did in a batch that it never ended with a
// Sync is undone when it leaves, whatever becomes of its backend.
func TestUnfinishedBatch(t *testing.T) {
	db := postgres.ForTest(t).CreateDatabase(t)
	_, addr := serve(t, proxy.Options{Gate: realBackend(t, db, nil)})
	c := open(t, dsn(addr))
	if _, err := c.Exec(t.Context(), "create table t (i int)"); err != nil {
		t.Fatal(err)
	}
	for _, leave := range []func(*pgtest.Peer){func(p *pgtest.Peer) { p.Send(pgtest.Terminate()) }, (*pgtest.Peer).Hangup} {
		p := pgtest.Dial(t, addr)
		p.Login(password, "user", "ana")
		p.Send(pgtest.Parse("", "insert into t values (1)"), pgtest.Bind("", ""), pgtest.Execute("", 0), pgtest.Flush())
		p.Expect("12C")
		leave(p)
		// The lock waits for the insert's transaction to end.
		var rows int
		if _, err := c.Exec(t.Context(), "begin; lock table t"); err != nil {
			t.Fatal(err)
		}
		if err := c.QueryRow(t.Context(), "select count(*) from t").Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%d rows of an unfinished batch, %v", rows, err)
		}
		if _, err := c.Exec(t.Context(), "rollback"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReuse: what a session was told of parameters that changed is not what the
// next one on the same backend is told.
func TestReuse(t *testing.T) {
	db := postgres.ForTest(t).CreateDatabase(t)
	_, addr := serve(t, proxy.Options{Gate: realBackend(t, db, nil)})
	watch := open(t, dsn(addr)+"&application_name=watch")
	run := func(sql string) (pid uint32, style string) {
		c := open(t, dsn(addr))
		if _, err := c.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
		if err := c.QueryRow(t.Context(), "select pg_backend_pid()").Scan(&pid); err != nil {
			t.Fatal(err)
		}
		style = c.PgConn().ParameterStatus("DateStyle")
		_ = c.Close(t.Context())
		reset := "select query = 'DISCARD ALL' and state = 'idle' from pg_stat_activity where pid = $1"
		for done := false; !done; {
			if err := watch.QueryRow(t.Context(), reset, pid).Scan(&done); err != nil {
				t.Fatalf("backend %d is gone: %v", pid, err)
			}
		}
		return pid, style
	}
	first, changed := run("set datestyle = 'German'; begin")
	if !strings.HasPrefix(changed, "German") {
		t.Fatalf("DateStyle after SET: %s", changed)
	}
	for range 10 { // until the pool has heard Postgres's last word
		second, style := run("select 1")
		if strings.HasPrefix(style, "German") {
			t.Errorf("the next session is told DateStyle %s", style)
		}
		if second == first {
			return
		}
	}
	t.Error("the backend was never used again")
}

func TestRelayWithPgx(t *testing.T) {
	db := postgres.ForTest(t).CreateDatabase(t)
	_, addr := serve(t, proxy.Options{Gate: realBackend(t, db, nil)})
	c := open(t, dsn(addr))
	ctx := t.Context()
	if _, err := c.Exec(ctx, "create table t (i int, s text)"); err != nil {
		t.Fatal(err)
	}
	n, err := c.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"i", "s"}, pgx.CopyFromSlice(50000, func(i int) ([]any, error) {
		return []any{i, strings.Repeat("x", i%300)}, nil
	}))
	if err != nil || n != 50000 {
		t.Fatalf("copy in: %d, %v", n, err)
	}
	var rows, bytes int64
	if err := c.QueryRow(ctx, "select count(*), sum(length(s)) from t where i >= $1", 10).Scan(&rows, &bytes); err != nil || rows != 49990 {
		t.Fatalf("query: %d, %v", rows, err)
	}
	tag, err := c.PgConn().CopyTo(ctx, io.Discard, "copy t to stdout")
	if err != nil || tag.RowsAffected() != 50000 {
		t.Fatalf("copy out: %v, %v", tag, err)
	}
	b := &pgx.Batch{}
	for i := range 200 {
		b.Queue("select $1::int + 1", i)
	}
	results := c.SendBatch(ctx, b)
	for i := range 200 {
		var got int
		if err := results.QueryRow().Scan(&got); err != nil || got != i+1 {
			t.Fatalf("batch %d: %d, %v", i, got, err)
		}
	}
	if err := results.Close(); err != nil {
		t.Fatal(err)
	}
	var pg *pgconn.PgError
	if _, err := c.Exec(ctx, "select 1/0"); !errors.As(err, &pg) || pg.Code != "22012" {
		t.Fatalf("error: %v", err)
	}
	var big string
	if err := c.QueryRow(ctx, "select repeat('y', 5000000) || $1", strings.Repeat("z", 3000000)).Scan(&big); err != nil || len(big) != 8000000 {
		t.Fatalf("large frames: %d, %v", len(big), err)
	}
}

func TestCancelWithPgx(t *testing.T) {
	db := postgres.ForTest(t).CreateDatabase(t)
	_, addr := serve(t, proxy.Options{Gate: realBackend(t, db, nil)})
	c := open(t, dsn(addr))
	done := make(chan error, 1)
	go func() {
		_, err := c.Exec(context.Background(), "select pg_sleep(60)")
		done <- err
	}()
	watch := open(t, postgres.ForTest(t).DSN(db))
	waitFor(t, func() bool {
		var n int
		return watch.QueryRow(t.Context(), "select count(*) from pg_stat_activity where datname = $1 and state = 'active' and query like '%pg_sleep(60)%' and pid <> pg_backend_pid()", db).Scan(&n) == nil && n == 1
	})
	if err := c.PgConn().CancelRequest(t.Context()); err != nil {
		t.Fatal(err)
	}
	var pg *pgconn.PgError
	if err := <-done; !errors.As(err, &pg) || pg.Code != "57014" {
		t.Fatalf("got %v", err)
	}
	if _, err := c.Exec(t.Context(), "select 1"); err != nil {
		t.Fatalf("after the cancel: %v", err)
	}
}

// waitFor polls something that another process does.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("it did not happen")
		}
	}
}

// TestPsqlDirectAndThrough runs one script both ways and compares what psql
// prints.
func TestPsqlDirectAndThrough(t *testing.T) {
	server := postgres.ForTest(t)
	script := `
create table p (id int primary key, t text);
insert into p select i, 'row ' || i from generate_series(1, 1000) i;
select * from p order by id limit 5;
\d p
\set FETCH_COUNT 100
select count(*), min(t) from p;
select * from p where id < 300 order by id;
begin; select broken; select 1; rollback;
copy p to stdout;
copy p from stdin;
5001	five
5002	six
\.
select 1; select 'two' \; select 3;
do $$ begin raise notice 'hello'; raise warning 'there'; end $$;
listen x; notify x, 'payload'; select 1;
select $$a$$ \gdesc
\bind_nothing
;
`
	run := func(dsn string) string {
		cmd := exec.Command("psql", "-X", "-v", "ON_ERROR_STOP=0", dsn)
		cmd.Stdin = strings.NewReader(script)
		cmd.Env = append(os.Environ(), "LC_ALL=C")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("psql: %v\n%s", err, out)
		}
		return string(out)
	}
	direct := run(server.DSN(server.CreateDatabase(t)))
	_, addr := serve(t, proxy.Options{Gate: realBackend(t, server.CreateDatabase(t), nil)})
	through := run(dsn(addr))
	normal := func(s string) string {
		lines := strings.Split(s, "\n")
		for i, l := range lines {
			if strings.Contains(l, "server process with PID") {
				lines[i] = "notification"
			}
		}
		return strings.Join(lines, "\n")
	}
	if d, th := normal(direct), normal(through); d != th {
		t.Errorf("direct:\n%s\nthrough:\n%s", d, th)
	}
}

// TestLargePipeline: a batch and Queries of more bytes than may be owed at once are
// carried out, also where one fails.
func TestLargePipeline(t *testing.T) {
	judge := func(text string) pipeline.Decision {
		sent := strings.TrimRight(text, "- ")
		return pipeline.Decision{Text: sent, Own: &redact.Own{Client: text, Sent: sent}}
	}
	d := &decider{governed: true, knows: true, parse: judge, query: func(_ context.Context, text string) pipeline.Decision { return judge(text) }}
	db := postgres.ForTest(t).CreateDatabase(t)
	_, addr := serve(t, proxy.Options{Gate: realBackend(t, db, func() proxy.Decider { return d }), Limits: proxy.Limits{StatementBytes: 2 << 20}})
	client := pgtest.Dial(t, addr)
	client.Login(password, "user", "ana")
	const n = 12
	padding := "--" + strings.Repeat(" ", 1<<20)
	batch := func(bad int) (all []byte) {
		for i := range n {
			text := "select 1"
			if i == bad {
				text = "select broken"
			}
			all = append(append(append(all, pgtest.Parse("", text+padding)...), pgtest.Bind("", "")...), pgtest.Execute("", 0)...)
		}
		return append(all, pgtest.Sync()...)
	}
	go send(client, bytes.Join([][]byte{batch(-1), batch(2), batch(n - 1), bytes.Repeat(pgtest.Query("select 1"+padding), n)}, nil), 1<<16)
	client.Expect(strings.Repeat("12DC", n) + "Z")
	client.Expect("12DC12DC")
	client.ExpectError("42703")
	client.Expect("Z" + strings.Repeat("12DC", n-1))
	client.ExpectError("42703")
	client.Expect("Z" + strings.Repeat("TDCZ", n))
}

// TestLongPipeline: more replies owed than the queue may hold, while the client
// reads only later what the kernel's buffers have no room for.
func TestLongPipeline(t *testing.T) {
	db := postgres.ForTest(t).CreateDatabase(t)
	_, addr := serve(t, proxy.Options{Gate: realBackend(t, db, func() proxy.Decider { return &decider{governed: true} })})
	client := pgtest.Dial(t, addr)
	client.Login(password, "user", "ana")
	const n = 40000
	go send(client, bytes.Repeat(pgtest.Sync(), n), 1<<16)
	for range n {
		client.Expect("Z")
	}
	client.Send(pgtest.Query("select 1"))
	client.Expect("TDCZ")
}
