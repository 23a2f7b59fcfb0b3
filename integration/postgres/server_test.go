package postgres

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestForTest walks through what tests use: a database that is there, the log
// that shows what arrived, and the database gone when the test is over.
func TestForTest(t *testing.T) {
	ctx := context.Background()
	server := ForTest(t)
	var name string
	t.Run("database", func(t *testing.T) {
		name = server.CreateDatabase(t)
		conn, err := pgx.Connect(ctx, server.DSN(name))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, "select 'a mark in the log'"); err != nil {
			t.Fatal(err)
		}
	})
	log, err := server.Log(ctx)
	if err != nil || !strings.Contains(log, "a mark in the log") {
		t.Errorf("log lacks the statement (error %v)", err)
	}
	if _, err := pgx.Connect(ctx, server.DSN(name)); err == nil {
		t.Errorf("database %s is still there", name)
	}
}

// TestOptions starts a server with TLS and passwords and sees that it asks for
// them, obeys settings, and leaves nothing behind.
func TestOptions(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	for _, parent := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(parent, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	server, err := Start(ctx, Options{Dir: dir, TLS: true, SCRAM: true, Settings: map[string]string{"application_name": "it's"}})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(ctx, server.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	var ssl bool
	var name string
	err = conn.QueryRow(ctx, "select ssl, current_setting('application_name') from pg_stat_ssl where pid = pg_backend_pid()").Scan(&ssl, &name)
	if err != nil || !ssl || name != "it's" {
		t.Errorf("ssl %v, application_name %q, error %v", ssl, name, err)
	}
	conn.Close(ctx)
	if _, err := pgx.Connect(ctx, server.UserDSN("postgres", "postgres", "wrong")); err == nil {
		t.Error("a wrong password was accepted")
	}
	if err := server.Stop(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestOrphan shows that the server does not outlive its starter: the closing
// of the pipe is all that the death of a process is to the watchdog.
func TestOrphan(t *testing.T) {
	server, err := Start(context.Background(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.process.alive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := server.process.cmd.Wait(); err != nil {
		t.Errorf("watchdog: %v", err)
	}
	if _, err := os.Stat(server.dir); !os.IsNotExist(err) {
		t.Errorf("folder is still there: %v", err)
	}
}

// TestFaultyStart wants Postgres's own words when it does not start.
func TestFaultyStart(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, err := Start(ctx, Options{Settings: map[string]string{"shared_buffers": "no"}})
	if err == nil || !strings.Contains(err.Error(), "shared_buffers") {
		t.Errorf("got %v", err)
	}
}
