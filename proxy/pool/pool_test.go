package pool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(stopping{m}, goleak.IgnoreCurrent()) }

// stopping stops the shared server when the tests are over.
type stopping struct{ *testing.M }

func (s stopping) Run() int {
	code := s.M.Run()
	if server, err := secure(); err == nil {
		_ = server.Stop()
	}
	return code
}

// secure is a server with TLS and passwords, and logins of its own.
var secure = sync.OnceValues(func() (*postgres.Server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, err := postgres.Start(ctx, postgres.Options{TLS: true, SCRAM: true})
	if err != nil {
		return nil, err
	}
	admin, err := pgx.Connect(ctx, server.DSN("postgres"))
	if err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	defer admin.Close(ctx)
	_, err = admin.Exec(ctx, `CREATE ROLE reader LOGIN PASSWORD 'p:w/d@?'; CREATE ROLE other LOGIN CONNECTION LIMIT 1 PASSWORD 'o'`)
	if err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	return server, nil
})

func start(t *testing.T) *postgres.Server {
	t.Helper()
	server, err := secure()
	if err != nil {
		t.Fatal(err)
	}
	return server
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// database is a configuration for the DSN, changed as a test needs.
func database(dsn string, change ...func(url.Values)) configs.Database {
	u, err := url.Parse(dsn)
	if err != nil {
		panic(err)
	}
	q := u.Query()
	for _, c := range change {
		c(q)
	}
	u.RawQuery = q.Encode()
	return configs.Database{Name: "acme", DSN: u.String(), Pool: configs.Pool{Size: 2, Wait: time.Minute}}
}

func set(key, value string) func(url.Values) { return func(q url.Values) { q.Set(key, value) } }

func newPool(t *testing.T, db configs.Database) *Pool {
	t.Helper()
	p, err := New(db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func acquire(t *testing.T, p *Pool, r Request) *Backend {
	t.Helper()
	b, err := p.Acquire(deadline(t), r)
	if err != nil {
		t.Fatalf("acquire: %v: %v", err, errors.Unwrap(err))
	}
	t.Cleanup(b.Release)
	return b
}

// ask runs a query on a bare backend connection and returns its only value.
func ask(t *testing.T, b *Backend, sql string) string {
	t.Helper()
	value, err := query(b, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

func query(b *Backend, sql string) (value string, err error) {
	f := pgproto3.NewFrontend(b.Conn, b.Conn)
	f.Send(&pgproto3.Query{String: sql})
	if err := f.Flush(); err != nil {
		return "", err
	}
	for {
		m, e := f.Receive()
		switch m := m.(type) {
		case nil:
			return "", e
		case *pgproto3.DataRow:
			value = string(m.Values[0])
		case *pgproto3.ErrorResponse:
			err = fmt.Errorf("%s: %s", m.Code, m.Message)
		case *pgproto3.ParameterStatus: // a session notes these
			b.ParameterStatuses[m.Name] = m.Value
		case *pgproto3.ReadyForQuery:
			b.TxStatus = m.TxStatus
			return value, err
		}
	}
}

func sqlstate(err error) string {
	if coded, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		return coded.SQLState()
	}
	return ""
}

func TestBackend(t *testing.T) {
	server := start(t)
	t.Run("parameters", func(t *testing.T) { parameters(t, server) })
	t.Run("tls", func(t *testing.T) { verifiedTLS(t, server) })
	t.Run("refused", func(t *testing.T) { refused(t, server) })
	t.Run("cancel", func(t *testing.T) { cancels(t, server) })
	t.Run("full", func(t *testing.T) { full(t, server) })
}

// parameters go into the start-up message as they are, whatever they hold.
func parameters(t *testing.T, server *postgres.Server) {
	p := newPool(t, database(server.DSN("postgres"), set("application_name", "from_dsn"), set("TimeZone", "UTC")))
	params := map[string]string{
		"search_path":                   `pg_catalog, "Odd, ""Name""", pg_temp`,
		"application_name":              "it's a \\ test",
		"default_transaction_read_only": "on",
		"options":                       "-c work_mem=5MB",
		"client_encoding":               "UTF8",
	}
	b := acquire(t, p, Request{Login: &auth.Login{User: "reader", Password: "p:w/d@?"}, Params: params, Governed: true})
	for sql, want := range map[string]string{
		"SHOW search_path":                   params["search_path"],
		"SHOW application_name":              params["application_name"],
		"SHOW default_transaction_read_only": "on",
		"SHOW work_mem":                      "5MB",
		"SHOW TimeZone":                      "UTC",
		"SELECT current_user":                "reader",
		"SELECT pg_backend_pid()":            fmt.Sprint(b.PID),
	} {
		if got := ask(t, b, sql); got != want {
			t.Errorf("%s = %s, want %s", sql, got, want)
		}
	}
	key := 4
	if v, err := strconv.Atoi(ask(t, b, "SHOW server_version_num")); err != nil || v >= 180000 {
		key = 32 // where protocol 3.2 is spoken
	}
	if b.TxStatus != 'I' || len(b.SecretKey) != key || b.ParameterStatuses["application_name"] != params["application_name"] ||
		b.ParameterStatuses["server_version"] == "" || len(b.Buffered) != 0 {
		t.Errorf("backend: %c %v %v %q", b.TxStatus, b.SecretKey, b.ParameterStatuses, b.Buffered)
	}
	own := acquire(t, p, Request{})
	if got := ask(t, own, "SELECT current_user"); got != "postgres" {
		t.Errorf("without a login: %s", got)
	}
	if got := ask(t, own, "SHOW application_name"); got != "from_dsn" {
		t.Errorf("without parameters: %s", got)
	}
}

// verifiedTLS uses the dsn's sslmode: the server's certificate is self-signed.
func verifiedTLS(t *testing.T, server *postgres.Server) {
	const encrypted = "SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
	b := acquire(t, newPool(t, database(server.DSN("postgres"))), Request{})
	if got := ask(t, b, encrypted); got != "true" {
		t.Errorf("sslmode=require: encrypted = %s", got)
	}
	plain := acquire(t, newPool(t, database(server.DSN("postgres"), set("sslmode", "disable"))), Request{})
	if got := ask(t, plain, encrypted); got != "false" {
		t.Errorf("sslmode=disable: encrypted = %s", got)
	}
	cert := filepath.Join(filepath.Dir(server.LogFile()), "server.crt")
	if _, err := os.Stat(cert); err != nil {
		matches, _ := filepath.Glob(filepath.Join(filepath.Dir(server.LogFile()), "*", "server.crt"))
		if len(matches) != 1 {
			t.Fatalf("the server's certificate: %v", err)
		}
		cert = matches[0]
	}
	trusted := newPool(t, database(server.DSN("postgres"), set("sslmode", "verify-full"), set("sslrootcert", cert)))
	if got := ask(t, acquire(t, trusted, Request{}), encrypted); got != "true" {
		t.Errorf("verify-full: encrypted = %s", got)
	}
	other, _, err := postgres.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	stranger := filepath.Join(t.TempDir(), "other.crt")
	if err := os.WriteFile(stranger, other, 0o600); err != nil {
		t.Fatal(err)
	}
	distrusted := newPool(t, database(server.DSN("postgres"), set("sslmode", "verify-full"), set("sslrootcert", stranger)))
	_, err = distrusted.Acquire(deadline(t), Request{})
	if u, ok := errors.AsType[*Unreachable](err); !ok || u.Detail() != "The server's TLS certificate could not be verified." {
		t.Errorf("verify-full with another authority: %v", err)
	}
}

// refused passes Postgres's own errors on.
func refused(t *testing.T, server *postgres.Server) {
	p := newPool(t, database(server.DSN("postgres")))
	for name, c := range map[string]struct {
		request  Request
		database string
		code     string
	}{
		"wrong password":   {Request{Login: &auth.Login{User: "reader", Password: "hunter2"}}, "", "28P01"},
		"no password":      {Request{Login: &auth.Login{User: "reader"}}, "", "28P01"},
		"unknown login":    {Request{Login: &auth.Login{User: "nobody", Password: "hunter2"}}, "", "28P01"},
		"unknown database": {Request{}, "no_such_db", "3D000"},
		"bad parameter":    {Request{Params: map[string]string{"work_mem": "lots"}}, "", "22023"},
	} {
		pool := p
		if c.database != "" {
			pool = newPool(t, database(server.DSN(c.database)))
		}
		_, err := pool.Acquire(deadline(t), c.request)
		r, ok := errors.AsType[*Refused](err)
		if !ok || r.SQLState() != c.code || r.Error() == "" {
			t.Errorf("%s: %v (%s), want %s", name, err, sqlstate(err), c.code)
			continue
		}
		for _, secret := range []string{"hunter2", "postgres://", "127.0.0.1"} {
			if strings.Contains(r.Error()+r.Detail()+r.Hint(), secret) {
				t.Errorf("%s: the error holds %s: %v", name, secret, err)
			}
		}
	}
	until(t, "the login's connection is free", func() bool { return otherFree(t, server) })
	one := Request{Login: &auth.Login{User: "other", Password: "o"}}
	acquire(t, p, one)
	if _, err := p.Acquire(deadline(t), one); sqlstate(err) != "53300" {
		t.Errorf("over the role's connection limit: %v", err)
	}
	for _, s := range p.Stats() {
		if s.User == "other" && (s.Active != 1 || s.Dialling != 0 || s.DialFailures != 1) {
			t.Errorf("after a refusal: %+v", s)
		}
	}
}

// cancels stops a running statement, over TLS and without.
func cancels(t *testing.T, server *postgres.Server) {
	for _, mode := range []string{"require", "disable"} {
		p := newPool(t, database(server.DSN("postgres"), set("sslmode", mode)))
		b, watch := acquire(t, p, Request{}), acquire(t, p, Request{})
		interrupt(t, b, watch)
		if got := ask(t, b, "SELECT 1"); got != "1" {
			t.Errorf("%s: the backend is of no use after a cancel: %s", mode, got)
		}
	}
	if err := Cancel(deadline(t), &Backend{}); err == nil {
		t.Error("a backend from nowhere was cancelled")
	}
}

// full bounds backends by login and mode.
func full(t *testing.T, server *postgres.Server) {
	db := database(server.DSN("postgres"))
	db.Pool = configs.Pool{Size: 1, Wait: 0}
	p := newPool(t, db)
	first := acquire(t, p, Request{})
	_, err := p.Acquire(deadline(t), Request{})
	if f, ok := errors.AsType[*Full](err); !ok || f.SQLState() != "53300" || f.Detail() == "" || f.Hint() == "" {
		t.Fatalf("beyond the size: %v", err)
	}
	acquire(t, p, Request{Governed: true})                                          // another mode
	acquire(t, p, Request{Login: &auth.Login{User: "reader", Password: "p:w/d@?"}}) // another login
	if p.InUse() != 3 {
		t.Errorf("%d in use, want 3", p.InUse())
	}
	first.Release()
	first.Release()
	if p.InUse() != 2 {
		t.Errorf("%d in use after a release, want 2", p.InUse())
	}
	acquire(t, p, Request{})

	db.Pool.Wait = time.Minute
	p = newPool(t, db)
	held := acquire(t, p, Request{})
	got := make(chan error, 1)
	go func() {
		b, err := p.Acquire(deadline(t), Request{})
		if err == nil {
			b.Release()
		}
		got <- err
	}()
	held.Release()
	if err := <-got; err != nil {
		t.Errorf("a waiter got %v when a place became free", err)
	}
	held = acquire(t, p, Request{})
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the client has gone")
	cancel(gone)
	if _, err := p.Acquire(ctx, Request{}); !errors.Is(err, gone) {
		t.Errorf("waiting with an ended context: %v", err)
	}
	held.Release()
}

// listen runs a server that handles one connection as told.
func listen(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			handle(c)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String()
}

func TestUnreachable(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	down := closed.Addr().String()
	_ = closed.Close()
	for name, c := range map[string]struct{ dsn, detail string }{
		"down":      {"postgres://u:hunter2@" + down + "/d?sslmode=disable", "The connection was refused."},
		"no host":   {"postgres://u:hunter2@nowhere.invalid/d", "The host name was not found."},
		"no socket": {"host=/no/such/folder user=u password=hunter2", "The server's socket does not exist."},
		"silent": {"postgres://u:hunter2@" + listen(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }) +
			"/d?sslmode=disable&connect_timeout=1", "There was no answer in time."},
		"gone":    {"postgres://u:hunter2@" + listen(t, func(net.Conn) {}) + "/d?sslmode=disable", "The connection failed."},
		"no tls":  {"postgres://u:hunter2@" + listen(t, say("N")) + "/d?sslmode=require", "The connection failed."},
		"garbage": {"postgres://u:hunter2@" + listen(t, say("HTTP/1.1 400 Bad Request\r\n\r\n")) + "/d?sslmode=disable", "The connection failed."},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPool(t, configs.Database{Name: "acme", DSN: c.dsn, Pool: configs.Pool{Size: 1}})
			_, err := p.Acquire(deadline(t), Request{})
			u, ok := errors.AsType[*Unreachable](err)
			if !ok || u.SQLState() != "57P03" || u.Error() != `cannot reach the server of database "acme"` || u.Detail() != c.detail {
				t.Fatalf("%v: %v", err, errors.Unwrap(err))
			}
			if strings.Contains(u.Cause.Error(), "hunter2") {
				t.Errorf("even the log must not know the password: %v", u.Cause)
			}
			if p.InUse() != 0 {
				t.Error("a place was lost")
			}
		})
	}
}

// say reads the client's first message and answers with a text.
func say(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = c.Read(make([]byte, 1024))
		_, _ = io.WriteString(c, text)
	}
}

// TestBuffered holds that what a server sends in one piece with its first
// ReadyForQuery is kept.
func TestBuffered(t *testing.T) {
	after, err := (&pgproto3.NoticeResponse{Severity: "NOTICE", Message: strings.Repeat("later ", 100)}).Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	rest := make(chan []byte, 1)
	address := listen(t, func(c net.Conn) {
		b := pgproto3.NewBackend(c, c)
		if _, err := b.ReceiveStartupMessage(); err != nil {
			return
		}
		b.Send(&pgproto3.AuthenticationOk{})
		b.Send(&pgproto3.ParameterStatus{Name: "server_version", Value: "15.1"})
		b.Send(&pgproto3.BackendKeyData{ProcessID: 7, SecretKey: []byte("a key of sixteen")})
		b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		b.Send(&pgproto3.NoticeResponse{Severity: "NOTICE", Message: strings.Repeat("later ", 100)})
		_ = b.Flush()
		got, _ := io.ReadAll(c)
		rest <- got
	})
	p := newPool(t, configs.Database{DSN: "postgres://u@" + address + "/d?sslmode=disable", Pool: configs.Pool{Size: 1}})
	b := acquire(t, p, Request{})
	if string(b.Buffered) != string(after) || b.PID != 7 || string(b.SecretKey) != "a key of sixteen" {
		t.Errorf("%d %q, buffered %q", b.PID, b.SecretKey, b.Buffered)
	}
	b.Release()
	if got := <-rest; string(got) != "X\x00\x00\x00\x04" {
		t.Errorf("the server was sent %q, want a Terminate", got)
	}
}

// TestEndedContext ends a dial that hangs.
func TestEndedContext(t *testing.T) {
	connected := make(chan struct{})
	address := listen(t, func(c net.Conn) { close(connected); _, _ = io.Copy(io.Discard, c) })
	p := newPool(t, configs.Database{DSN: "postgres://u@" + address + "/d?sslmode=disable", Pool: configs.Pool{Size: 1}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-connected; cancel() }()
	if _, err := p.Acquire(ctx, Request{}); !errors.Is(err, context.Canceled) || sqlstate(err) != "" {
		t.Errorf("got %v", err)
	}
	if p.InUse() != 0 {
		t.Error("a place was lost")
	}
}

func TestFaultyDSN(t *testing.T) {
	for _, dsn := range []string{"postgres://u:hunter2@h:port/d", "postgres://u:hunt/er2@h/d", "password=hunter2 port=hunter2", "nonsense hunter2"} {
		_, err := New(configs.Database{Name: "acme", DSN: dsn})
		if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "er2") {
			t.Errorf("%s: %v", dsn, err)
		}
	}
}
