package plans

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/integration/postgres"
	"pgregory.net/rapid"
)

// TestMemory compares with a map that forgets nothing: what is there is what was put
// there last, and there is never too much.
func TestMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m Memory
		all := map[string][]byte{}
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			key := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "key")
			plan := bytes.Repeat([]byte{byte(i)}, rapid.SampledFrom([]int{0, 1, MemoryBytes / 3, MemoryBytes / 2, 2 * MemoryBytes}).Draw(t, "size"))
			m.Keep(key, plan)
			all[key] = plan
			kept := 0
			for key, want := range all {
				got, _ := m.Get(t.Context(), []string{"none", key})
				if got != nil && !bytes.Equal(got, want) {
					t.Fatalf("%s is an old plan", key)
				}
				if got != nil {
					kept += len(key) + len(got)
				}
			}
			if kept > MemoryBytes || m.bytes != kept {
				t.Fatalf("%d bytes kept, counted %d", kept, m.bytes)
			}
		}
	})
}

func TestMemoryForgetsTheOldest(t *testing.T) {
	var m Memory
	half := make([]byte, MemoryBytes/2-1)
	m.Keep("a", half)
	m.Keep("b", half)
	_, _ = m.Get(t.Context(), []string{"a"})
	m.Keep("c", half)
	for key, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if got, _ := m.Get(t.Context(), []string{key}); (got != nil) != want {
			t.Errorf("%s is there: %t", key, got != nil)
		}
	}
	if n, _ := m.Clear(t.Context()); n != 2 || m.bytes != 0 {
		t.Errorf("%d were forgotten, %d bytes are left", n, m.bytes)
	}
	if got, _ := m.Get(t.Context(), []string{"a"}); got != nil {
		t.Error("a is there after all were forgotten")
	}
}

func stored(t *testing.T, dsn string) *Postgres {
	t.Helper()
	p, err := NewPostgres(dsn, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPostgres has two instances that come first at once, and a third later.
func TestPostgres(t *testing.T) {
	server := postgres.ForTest(t)
	dsn := server.DSN(server.CreateDatabase(t))
	var both sync.WaitGroup
	for i := range 2 {
		both.Go(func() {
			p := stored(t, dsn)
			defer p.Close()
			for n := range 5 {
				if err := p.put(t.Context(), fmt.Sprintf("%d/%d", i, n), []byte(`{"n":1}`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	both.Wait()
	p := stored(t, dsn)
	defer p.Close()
	p.Keep("second", []byte(`{"n":2}`))
	p.Keep("second", []byte(`{"n":2}`))
	q := stored(t, dsn)
	p.Close() // it waits for what is kept
	defer q.Close()
	for keys, want := range map[string]string{"none second 0/0": `{"n":2}`, "0/0 second": `{"n":1}`, "none": ""} {
		got, err := q.Get(t.Context(), strings.Fields(keys))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q %v, want %q", keys, got, err, want)
		}
	}
	if n, err := q.Clear(t.Context()); n != 11 || err != nil {
		t.Errorf("%d forgotten, %v", n, err)
	}
}

func TestPostgresIsBounded(t *testing.T) {
	server := postgres.ForTest(t)
	dsn := server.DSN(server.CreateDatabase(t))
	p := stored(t, dsn)
	defer p.Close()
	if err := p.ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), `INSERT INTO pgask.cached_plans SELECT i, '{}', now() - i * interval '1 minute' FROM generate_series(1, $1) i`, PostgresPlans); err != nil {
		t.Fatal(err)
	}
	if err := p.put(t.Context(), "new", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	var n int
	var oldest string
	if err := conn.QueryRow(t.Context(), `SELECT count(*), (SELECT key FROM pgask.cached_plans ORDER BY made_at LIMIT 1) FROM pgask.cached_plans`).Scan(&n, &oldest); err != nil {
		t.Fatal(err)
	}
	if n != PostgresPlans || oldest != fmt.Sprint(PostgresPlans-1) {
		t.Errorf("%d plans are kept, the oldest is %s", n, oldest)
	}
}

// TestPostgresErrors has logins that may create nothing, and one that isn't there.
func TestPostgresErrors(t *testing.T) {
	server := postgres.ForTest(t)
	p := stored(t, "postgres://127.0.0.1:1/none?connect_timeout=1")
	defer p.Close()
	if _, err := p.Get(t.Context(), []string{"a"}); err == nil {
		t.Error("a server that isn't there has no plans")
	}
	p.Keep("a", []byte("{}")) // is logged
	if _, err := NewPostgres("host=h password=secret port=x", nil); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a dsn that can't be parsed: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	q := stored(t, server.DSN(server.CreateDatabase(t)))
	defer q.Close()
	if _, err := q.Get(ctx, []string{"a"}); err == nil {
		t.Error("who doesn't wait has an answer")
	}
	if _, err := q.Get(t.Context(), []string{"a"}); err != nil {
		t.Errorf("after somebody who didn't wait: %v", err)
	}
}
