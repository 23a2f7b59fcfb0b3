package proxy_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/pool"
	"github.com/pgask/pgask/proxy/repeat"
)

// password is every test user's; its verifier is made once.
const password = "secret"

var users = sync.OnceValue(func() *auth.Store {
	verifier, err := auth.Hash(password)
	if err != nil {
		panic(err)
	}
	s, faults := auth.NewStore(&configs.Users{Users: []configs.User{
		{Name: "ana", Password: verifier, Roles: []string{"r"}},
		{Name: "carl", Cert: "CN=carl", Roles: []string{"r"}},
	}})
	if len(faults) > 0 {
		panic(faults)
	}
	return s
})

// gate is a Gate made of a function.
type gate func(ctx context.Context, who auth.Principal, s proxy.Startup) (proxy.Admission, error)

func (g gate) Admit(ctx context.Context, who auth.Principal, s proxy.Startup) (proxy.Admission, error) {
	return g(ctx, who, s)
}

// serve starts a server on a free port and stops it with the test.
func serve(t testing.TB, o proxy.Options) (*proxy.Server, string) {
	t.Helper()
	if o.TLS.Mode == "" {
		o.TLS.Mode = proxy.TLSDisable
	}
	if o.Auth == nil {
		o.Auth = func() proxy.Users { return users() }
	}
	if o.Logger == nil && testing.Verbose() {
		o.Logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := proxy.New(o)
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	t.Cleanup(func() {
		_ = s.Close()
		if err := <-served; !errors.Is(err, proxy.ErrServerClosed) {
			t.Errorf("Serve: %v", err)
		}
	})
	return s, ln.Addr().String()
}

// repeats has a text executed by a prepared statement from its first time on, and
// others forgotten soon.
var repeats = repeat.Options{Most: 3, After: 1}

// realBackend connects sessions to the database of the tests' Postgres.
func realBackend(t testing.TB, database string, decider func() proxy.Decider) proxy.Gate {
	t.Helper()
	p, err := pool.New(configs.Database{Name: database, DSN: postgres.ForTest(t).DSN(database), Pool: configs.Pool{Size: 100, Wait: 5 * time.Second, Idle: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return gate(func(_ context.Context, _ auth.Principal, s proxy.Startup) (proxy.Admission, error) {
		a := proxy.Admission{Connect: func(ctx context.Context, l *poll.Loop) (*proxy.Backend, error) { return connect(ctx, p, s, l) }, Repeat: repeats}
		if decider != nil {
			a.Decider = decider()
		}
		return a, nil
	})
}

func connect(ctx context.Context, p *pool.Pool, s proxy.Startup, l *poll.Loop) (*proxy.Backend, error) {
	params := s.Params
	if s.Options != "" {
		params["options"] = s.Options
	}
	b, err := p.Acquire(ctx, pool.Request{Params: params, Loop: l})
	if err != nil {
		return nil, err
	}
	shown := &proxy.Backend{
		Conn: b.Conn, PID: b.PID, SecretKey: b.SecretKey, ParameterStatuses: b.ParameterStatuses, TxStatus: b.TxStatus,
		Buffered: b.Buffered, Attach: b.Attach, OnKill: b.OnKill,
		Cancel: func(ctx context.Context) error { return pool.Cancel(ctx, b) },
	}
	shown.Release = func() {
		b.TxStatus = shown.TxStatus
		b.Release()
	}
	return shown, nil
}
