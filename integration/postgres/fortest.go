package postgres

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"
)

// TB is the part of testing.TB that is needed here. It keeps the testing
// package out of the program, which uses this package for its demo.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// shared starts the one server of a test binary when the first test asks. The
// watchdog ends it with the process. It logs every statement, so that tests can
// look at what arrived.
var shared = sync.OnceValues(func() (*Server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if dsn := os.Getenv("PGASK_TEST_DSN"); dsn != "" {
		return existing(dsn)
	}
	return Start(ctx, Options{TLS: false, Log: os.Stderr, Settings: map[string]string{"log_statement": "all"}})
})

// Shared is the server of ForTest for callers without a test at hand.
func Shared() (*Server, error) { return shared() }

// ForTest is the server that all tests of a test binary share: trusting, with
// no TLS, every statement in its log. It is started by the first call.
func ForTest(t TB) *Server {
	t.Helper()
	server, err := shared()
	if err != nil {
		t.Fatalf("postgres for tests: %v", err)
	}
	return server
}

// CreateDatabase creates an empty database for one test and returns its name.
// It is dropped when the test ends.
func (s *Server) CreateDatabase(t TB) string {
	t.Helper()
	suffix, err := random(6)
	if err != nil {
		t.Fatalf("database name: %v", err)
	}
	name := "test_" + suffix
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.NewDatabase(ctx, name); err != nil {
		t.Fatalf("create database %s: %v", name, err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.DropDatabase(ctx, name); err != nil {
			t.Fatalf("drop database %s: %v", name, err)
		}
	})
	return name
}

// existing describes a server that somebody else runs.
func existing(dsn string) (*Server, error) {
	u, err := url.Parse(dsn)
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("PGASK_TEST_DSN: want postgres://user:password@host:port/database")
	}
	port := 5432
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil {
			return nil, fmt.Errorf("PGASK_TEST_DSN: port: %w", err)
		}
	}
	return &Server{Host: u.Hostname(), Port: port, admin: u}, nil
}
