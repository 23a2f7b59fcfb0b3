package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
)

// A statement that needs nothing new of the schema doesn't wait for one that
// does, however long the catalog takes to read; and who waits can leave.
func TestKnownSchemaIsNotWaitedFor(t *testing.T) {
	f := newFixture(t)
	f.session("clerk") // has the schema read
	lock, err := f.conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Exec(t.Context(), "LOCK TABLE pg_catalog.pg_attribute IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	waiting, leave := context.WithCancel(t.Context())
	reading := make(chan struct{})
	left := make(chan error)
	f.db.now = func() time.Time {
		select {
		case <-reading:
		default:
			close(reading) // asked how old the schema is: it is somebody's turn
		}
		return time.Now().Add(2 * refreshAfter)
	}
	go func() {
		_, err := f.db.Refresh(waiting)
		left <- err
	}()
	<-reading
	if _, err := f.db.Snapshot(t.Context()); err != nil {
		t.Error(err)
	}
	second, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.db.Refresh(second); sqlState(err) != "57P03" {
		t.Errorf("a second reader: %v", err)
	}
	leave()
	if err := <-left; err == nil {
		t.Error("the catalog was read in spite of the lock")
	}
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.db.Refresh(t.Context()); err != nil {
		t.Errorf("after that: %v", err)
	}
}

// Our own questions share a few connections for each login, whoever they are
// for.
func TestOwnConnectionsAreShared(t *testing.T) {
	f := newFixture(t)
	f.pipe.Reload(testRules(t, strings.Replace(testPolicy, "  mute:\n", "  mute:\n    limits: {statement_timeout: 7s}\n", 1)))
	f.play(f.session("clerk").Query(t.Context(), "ASK 'how many shops in Lima'"))
	f.play(f.session("mute").Query(t.Context(), "SELECT count(*) FROM shops"))
	if n := len(f.db.pools); n != 1 {
		t.Errorf("%d pools of one login", n)
	}
	pool, err := f.db.pool(auth.Login{})
	if err != nil {
		t.Fatal(err)
	}
	for _, conn := range pool.AcquireAllIdle(t.Context()) {
		var timeout string
		if err := conn.QueryRow(t.Context(), "SHOW statement_timeout").Scan(&timeout); err != nil || timeout != "0" {
			t.Errorf("a sample's limit is left behind: %s, %v", timeout, err)
		}
		conn.Release()
	}
}

// What Postgres says to our own login is for the log.
func TestOurOwnLoginIsNotNamed(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	d := s.refused("ask", unreachable("shop", &pgconn.PgError{Code: "53300", Message: `too many connections for role "hidden"`}))
	if _, shown := errors.AsType[*pgconn.PgError](d.Err); shown || sqlState(d.Err) != "57P03" || strings.Contains(d.Err.Error(), "hidden") {
		t.Errorf("%v", d.Err)
	}
	f.db.now = func() time.Time { return time.Now().Add(time.Hour) }
	if _, err := f.conn.Exec(t.Context(), "REVOKE SELECT ON pg_catalog.pg_attribute FROM PUBLIC; CREATE ROLE blind LOGIN"); err != nil {
		t.Fatal(err)
	}
	pool, err := f.db.pool(auth.Login{User: "blind"})
	if err != nil {
		t.Fatal(err)
	}
	f.db.pools[auth.Login{}] = pool
	if _, err := f.db.Refresh(t.Context()); err == nil || sqlState(err) != "XX000" {
		t.Errorf("a catalog that can't be read: %v", err)
	}
}

// The schema is read over read-only sessions, on the server that the dsn asks for.
func TestSchemaOfTarget(t *testing.T) {
	f := newFixture(t)
	for target, fits := range map[string]bool{"read-write": true, "primary": true, "prefer-standby": true, "read-only": false, "standby": false} {
		dsn := f.db.dsn + "&target_session_attrs=" + target
		db := NewDatabase(&configs.Database{Name: "shop", DSN: dsn}, slog.New(slog.DiscardHandler), time.Now)
		if _, err := db.Snapshot(t.Context()); (err == nil) != fits {
			t.Errorf("%s: %v", target, err)
		}
		db.Close()
	}
}

// A table that is replaced by a view of its name isn't what the policy's wildcard
// allowed. Nobody is told of that by an error: the schema's age tells.
func TestSchemaIsLookedAtAgain(t *testing.T) {
	for name, age := range map[string]time.Duration{"old": 2 * lookAfter, "stale": 2 * staleAfter} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			s := f.session("clerk")
			const text = "SELECT count(*) FROM shops"
			prepared := s.Parse(t.Context(), text, nil)
			if prepared.Denial != nil {
				t.Fatal(prepared.Denial.Err)
			}
			if _, err := f.conn.Exec(t.Context(), "ALTER TABLE shops RENAME TO shops_before; CREATE VIEW shops AS TABLE shops_before"); err != nil {
				t.Fatal(err)
			}
			f.db.now = func() time.Time { return time.Now().Add(age) }
			f.pipe.now = f.db.now
			// What is old serves once more, while somebody looks; what is stale doesn't.
			if d, known := s.QueryNow(text); known != (name == "old") || known && d.Denial != nil {
				t.Errorf("known: %t, %v", known, d.Denial)
			}
			f.db.asides.Wait()
			if d := s.Query(t.Context(), text); d.Denial == nil {
				t.Error("the view is read")
			}
			if _, known := s.BindNow(&prepared, &Run{}); known {
				t.Error("the prepared statement was not judged again")
			}
			if b := s.Bind(t.Context(), &prepared); b.Denial == nil {
				t.Error("the prepared statement reads the view")
			}
		})
	}
}
