package integration

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/integration/postgres"
)

// A passage is a pgask of its own in front of any backend, with one user, dba,
// who is a passthrough one. There is no TLS, so that a relay can listen in.
type passage struct {
	*fixture
}

// passageOptions say what is in front of what.
type passageOptions struct {
	backend string            // host:port
	mode    string            // pool.mode; empty is session
	size    int               // pool.size; 0 is 20
	wait    string            // pool.wait; empty is 5s
	dsn     string            // parameters of the dsn, behind sslmode
	limits  string            // the limits of pgask.yaml, as YAML's {…}
	tls     string            // as YAML's {…}; empty is no TLS
	files   map[string][]byte // beside pgask.yaml
}

// dbaVerifier is made once: it takes time.
var dbaVerifier = sync.OnceValues(func() (string, error) { return auth.Hash("dba") })

// serveOver starts a passage and stops it with the test.
func serveOver(t testing.TB, o passageOptions) *passage {
	t.Helper()
	p, err := startPassage(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Proxy.stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func startPassage(dir string, o passageOptions) (*passage, error) {
	verifier, err := dbaVerifier()
	if err != nil {
		return nil, err
	}
	listen, http := freeAddress(), freeAddress()
	if o.mode == "" {
		o.mode = "session"
	}
	if o.size == 0 {
		o.size = 20
	}
	if o.wait == "" {
		o.wait = "5s"
	}
	if o.limits == "" {
		o.limits = "{}"
	}
	if o.tls == "" {
		o.tls = "{mode: disable}"
	}
	files := map[string]string{
		"pgask.yaml": fmt.Sprintf("listen: %s\nhttp: %s\ntls: %s\nlimits: %s\ndatabases:\n  acme:\n    dsn: postgres://dba:dba@%s/acme?sslmode=disable%s\n    pool: {mode: %s, size: %d, wait: %s}\n",
			listen, http, o.tls, o.limits, o.backend, o.dsn, o.mode, o.size, o.wait),
		"users.yaml":  fmt.Sprintf("users:\n  - {name: dba, password: '%s', role: dba}\n", verifier),
		"policy.yaml": "version: 1\nroles:\n  dba: {mode: passthrough, databases: [acme]}\n",
	}
	for name, text := range o.files {
		files[name] = string(text)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	f := &fixture{Config: filepath.Join(dir, "pgask.yaml"), HTTP: http}
	f.Proxy, err = startServe(f.Config, listen)
	return &passage{f}, err
}

// clientsWorld is a server with passwords, on which the dba's database acme can
// be put back to its beginning.
type clientsWorld struct {
	server *postgres.Server
}

// newClientsWorld starts the server and makes the database's pattern.
func newClientsWorld(t *testing.T) *clientsWorld {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server, err := postgres.Start(ctx, postgres.Options{SCRAM: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := server.NewDatabase(ctx, "pattern"); err != nil {
		t.Fatal(err)
	}
	w := &clientsWorld{server}
	w.exec(t, "pattern", "create role dba superuser login password 'dba'",
		`create table things (id int primary key, name text, amount numeric(12, 2), at timestamptz, raw bytea,
			tags text[], doc jsonb, ok boolean, big bigint, ratio float8)`)
	return w
}

// addr is where the server listens.
func (w *clientsWorld) addr() string { return fmt.Sprintf("%s:%d", w.server.Host, w.server.Port) }

// reset makes acme anew. A copy of a database keeps the numbers of its tables.
func (w *clientsWorld) reset(t *testing.T) {
	t.Helper()
	w.exec(t, "postgres", "drop database if exists acme with (force)", "create database acme template pattern")
}

func (w *clientsWorld) exec(t *testing.T, database string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), w.server.DSN(database))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, sql := range statements {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}
