package integration

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/cmd/pgask/demo"
	"github.com/pgask/pgask/cmd/pgask/demo/company"
	"github.com/pgask/pgask/integration/postgres"
)

// fixture is the sample company behind a running pgask serve. All tests share
// one.
type fixture struct {
	Server   *postgres.Server
	Database string // its name in Postgres; clients call it acme
	Password string // of the company's logins
	Config   string // path of pgask.yaml
	HTTP     string // address of metrics and health
	Cert     string // path of the proxy's certificate, which is its own authority
	Proxy    *proxy
}

// sharedFixture is made by the first test that asks. Its error is every
// test's.
var sharedFixture = sync.OnceValues(newFixture)

// acme is the shared fixture.
func acme(t testing.TB) *fixture {
	t.Helper()
	f, err := sharedFixture()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// stopShared stops the shared proxy and wants a clean end: drained, exit code
// 0, no data race.
func stopShared() error {
	if !sharedStarted() {
		return nil
	}
	f, err := sharedFixture()
	if err != nil {
		return nil // the tests have said so
	}
	return errors.Join(f.Proxy.stop(), os.RemoveAll(filepath.Dir(f.Config)), f.Server.DropDatabase(context.Background(), f.Database), f.dropLogins(), f.Server.Stop())
}

func newFixture() (*fixture, error) {
	started.Store(true)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	server, err := postgres.Shared()
	if err != nil {
		return nil, err
	}
	f := &fixture{Server: server, Database: fmt.Sprintf("acme_%d", os.Getpid()), Password: "it's a secret"}
	if err := f.load(ctx); err != nil {
		return nil, fmt.Errorf("load the sample company: %w", err)
	}
	dir, err := os.MkdirTemp("", "pgask-acme-")
	if err != nil {
		return nil, err
	}
	f.Cert, f.HTTP = filepath.Join(dir, "server.crt"), freeAddress()
	listen := freeAddress()
	f.Config, err = demo.WriteConfig(dir, demo.Settings{Listen: listen, HTTP: f.HTTP, DSN: f.Login(company.Proxy), Password: f.Password})
	if err != nil {
		return nil, err
	}
	f.Proxy, err = startServe(f.Config, listen)
	return f, err
}

func (f *fixture) load(ctx context.Context) error {
	if err := f.Server.NewDatabase(ctx, f.Database); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, f.Server.DSN(f.Database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if err := company.CreateLogins(ctx, conn, f.Password); err != nil {
		return err
	}
	return company.Generate(company.Seed, time.Now().UTC()).Load(ctx, conn)
}

// dropLogins leaves a server that is not ours as it was.
func (f *fixture) dropLogins() error {
	conn, err := pgx.Connect(context.Background(), f.Server.DSN("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(context.Background())
	return company.DropLogins(context.Background(), conn)
}

// Login is the DSN of one of the company's logins, direct.
func (f *fixture) Login(login string) string {
	return f.Server.UserDSN(f.Database, login, f.Password)
}

// Through is the DSN of a user of pgask, over TLS with the certificate
// checked.
func (f *fixture) Through(user string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(user, user), Host: f.Proxy.addr, Path: "/acme",
		RawQuery: url.Values{"sslmode": {"verify-full"}, "sslrootcert": {f.Cert}}.Encode()}
	return u.String()
}

// Connect is a session of a user through pgask, closed when the test ends.
func (f *fixture) Connect(t testing.TB, user string) *pgx.Conn {
	t.Helper()
	return connect(t, f.Through(user))
}

// Direct is a superuser's session that goes round pgask.
func (f *fixture) Direct(t testing.TB) *pgx.Conn {
	t.Helper()
	return connect(t, f.Server.DSN(f.Database))
}

func connect(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// freeAddress is a port that nobody uses at this moment. The program is told a
// number, because tests can't ask it which one it took.
func freeAddress() string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "127.0.0.1:0"
	}
	defer ln.Close()
	return ln.Addr().String()
}
