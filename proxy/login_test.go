package proxy_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/wire"
)

var verifier = sync.OnceValue(func() string {
	v, err := auth.Hash(password)
	if err != nil {
		panic(err)
	}
	return v
})

// storeOf is a users.yaml, in which $ stands for the test users' verifier.
func storeOf(t *testing.T, text string) func() proxy.Users {
	t.Helper()
	u, faults := configs.DecodeUsers("users.yaml", []byte(strings.ReplaceAll(text, "$", verifier())))
	if configs.Faulty(faults) {
		t.Fatal(faults)
	}
	s, faults := auth.NewStore(u)
	if configs.Faulty(faults) {
		t.Fatal(faults)
	}
	return func() proxy.Users { return s }
}

// TestAccessRules: who is kept out is never asked for a password, and learns
// the same whether it exists or not.
func TestAccessRules(t *testing.T) {
	a := newAuthority(t)
	g, _ := scripted(t, nil)
	config := &tls.Config{Certificates: []tls.Certificate{a.issue("localhost")}, ClientCAs: a.pool, ClientAuth: tls.VerifyClientCertIfGiven}
	_, addr := serve(t, proxy.Options{Gate: g, TLS: proxy.TLS{Mode: proxy.TLSPrefer, Config: func() *tls.Config { return config }}, Auth: storeOf(t, `
users:
  - {name: ana, password: "$", role: r}
  - {name: ben, password: "$", role: r}
  - {name: carl, password: "$", role: r}
access:
  - {users: [ana], databases: [acme], addresses: [127.0.0.0/8], action: allow}
  - {users: [carl], tls: certificate, action: allow}
  - {users: [ben], addresses: [192.0.2.0/24, local], action: allow}
`)})
	kept := func(p *pgtest.Peer, user, database string) string {
		p.Send(pgtest.Startup(wire.Version30, "user", user, "database", database))
		r := p.ExpectError("28000")
		p.ExpectEnd()
		return r.Message
	}
	pgtest.Dial(t, addr).Login(password, "user", "ana", "database", "acme")
	for _, user := range []string{"ana", "ben", "nobody"} {
		want := fmt.Sprintf(`no access rule for host "127.0.0.1", user %q, database "other", no encryption`, user)
		if got := kept(pgtest.Dial(t, addr), user, "other"); got != want {
			t.Errorf("%s: %s, want %s", user, got, want)
		}
	}
	if got := kept(a.encrypt(addr, a.issue("ana")), "carl", "acme"); !strings.HasSuffix(got, "SSL encryption") {
		t.Errorf("with another's certificate: %s", got)
	}
	a.encrypt(addr, a.issue("carl")).Login(password, "user", "carl", "database", "acme")
}

// TestWhoseCertificate: with verify-full the certificate is the user's own,
// whose name may be one of several.
func TestWhoseCertificate(t *testing.T) {
	a := newAuthority(t)
	g, _ := scripted(t, nil)
	config := &tls.Config{Certificates: []tls.Certificate{a.issue("localhost")}, ClientCAs: a.pool, ClientAuth: tls.RequireAndVerifyClientCert}
	_, addr := serve(t, proxy.Options{Gate: g, TLS: proxy.TLS{Mode: proxy.TLSVerifyFull, Config: func() *tls.Config { return config }}})
	for _, user := range []string{"ana", "nobody"} {
		p := a.encrypt(addr, a.issue("somebody"))
		p.Send(pgtest.Startup(wire.Version30, "user", user))
		if r := p.ExpectError("28000"); r.Message != fmt.Sprintf("certificate authentication failed for user %q", user) {
			t.Errorf("%s: %s", user, r.Message)
		}
	}
	p := a.encrypt(addr, a.issue("nobody"))
	p.Send(pgtest.Startup(wire.Version30, "user", "nobody"))
	p.Authenticate(password)
	p.ExpectError("28P01")
	a.encrypt(addr, a.issue("somebody", "ana")).Login(password, "user", "ana")
	for _, names := range [][]string{{"carl"}, {"carl", "somebody"}, {"somebody", "carl"}} {
		p := a.encrypt(addr, a.issue(names...))
		p.Send(pgtest.Startup(wire.Version30, "user", "carl"))
		if ok := p.Expect("R")[0]; string(ok) != "\x00\x00\x00\x00" {
			t.Errorf("%q: a password is asked for", names)
		}
		p.Until('Z')
	}
}

// TestShares: no user and no address takes more than its share, and what ends
// is given back.
func TestShares(t *testing.T) {
	g, _ := scripted(t, nil)
	users := storeOf(t, `
users:
  - {name: ana, password: "$", role: r}
  - {name: ben, password: "$", role: r, connections: 1}
`)
	start := func(limits proxy.Limits) string {
		_, addr := serve(t, proxy.Options{Gate: g, Limits: limits, Auth: users})
		return addr
	}
	t.Run("user", func(t *testing.T) {
		addr := start(proxy.Limits{UserClients: 2})
		for user, most := range map[string]int{"ana": 2, "ben": 1} {
			var open []*pgtest.Peer
			for range most {
				p := pgtest.Dial(t, addr)
				p.Login(password, "user", user)
				open = append(open, p)
			}
			p := pgtest.Dial(t, addr)
			p.Send(pgtest.Startup(wire.Version30, "user", user))
			p.Authenticate(password)
			if r := p.ExpectError("53300"); r.Message != fmt.Sprintf("too many connections for role %q", user) {
				t.Error(r.Message)
			}
			// Whoever doesn't know the password learns nothing of it.
			p = pgtest.Dial(t, addr)
			p.Send(pgtest.Startup(wire.Version30, "user", user))
			p.Authenticate("wrong")
			p.ExpectError("28P01")
			open[0].Send(pgtest.Terminate())
			open[0].ExpectEnd()
			waitFor(t, func() bool {
				p := pgtest.Dial(t, addr)
				p.Send(pgtest.Startup(wire.Version30, "user", user))
				p.Authenticate(password)
				defer p.Hangup()
				return p.Peek() == 'R'
			})
		}
	})
	t.Run("address", func(t *testing.T) {
		addr := start(proxy.Limits{AddressClients: 2})
		one, two := pgtest.Dial(t, addr), pgtest.Dial(t, addr)
		one.Login(password, "user", "ana")
		two.Send(pgtest.Startup(wire.Version30, "user", "ana")) // one that is logging in counts
		two.Expect("R")
		p := pgtest.Dial(t, addr)
		p.Send(pgtest.Startup(wire.Version30, "user", "ben"))
		if r := p.ExpectError("53300"); r.Message != "sorry, too many clients already" || r.Detail == "" {
			t.Errorf("%+v", r)
		}
		cancel := pgtest.Dial(t, addr) // cancelling is always possible
		cancel.Send(pgtest.Cancel(pgtest.Key{PID: 1, Secret: []byte("none")}))
		if rest := readAll(cancel); len(rest) > 0 {
			t.Errorf("got %q", rest)
		}
		two.Hangup()
		waitFor(t, func() bool {
			p := pgtest.Dial(t, addr)
			p.Send(pgtest.Startup(wire.Version30, "user", "ana"))
			defer p.Hangup()
			return p.Peek() == 'R'
		})
	})
}

// TestSilentAddress: connections that say nothing don't keep others from
// connecting.
func TestSilentAddress(t *testing.T) {
	g, _ := scripted(t, nil)
	_, addr := serve(t, proxy.Options{Gate: g, Limits: proxy.Limits{AddressClients: 2, Cancels: 3}})
	silent := make([]*pgtest.Peer, 5)
	for i := range silent {
		silent[i] = pgtest.Dial(t, addr)
		silent[i].Send(pgtest.SSLRequest())
		silent[i].ExpectBytes([]byte("N")) // so that it is known to have come
	}
	pgtest.Dial(t, addr).ExpectError("53300")
	for _, p := range silent {
		p.Hangup()
	}
	waitFor(t, func() bool {
		p := pgtest.Dial(t, addr)
		p.Send(pgtest.Startup(wire.Version30, "user", "ana"))
		defer p.Hangup()
		return p.Peek() == 'R'
	})
}

// from is a connection that comes from an address.
type from struct {
	net.Conn
	addr net.Addr
}

func (f from) RemoteAddr() net.Addr { return f.addr }

// TestGuessing: who guesses is refused before anything is computed for it,
// whichever users it guesses at, and its victims still get in.
func TestGuessing(t *testing.T) {
	store := storeOf(t, `users: [{name: ana, password: "$", role: r}]`)
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		ln := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
		g := gate(func(context.Context, auth.Principal, proxy.Startup) (proxy.Admission, error) {
			return proxy.Admission{Connect: func(context.Context, *poll.Loop) (*proxy.Backend, error) {
				far, near := net.Pipe()
				return &proxy.Backend{Conn: near, TxStatus: 'I', Release: func() { _ = near.Close(); _ = far.Close() },
					Cancel: func(context.Context) error { return nil }}, nil
			}}, nil
		})
		server := proxy.New(proxy.Options{TLS: proxy.TLS{Mode: proxy.TLSDisable}, Limits: proxy.Limits{LoginFailures: 10}, Auth: store, Gate: g,
			Logger: slog.New(slog.NewTextHandler(&log, nil))})
		served := make(chan error, 1)
		go func() { served <- server.Serve(ln) }()
		dial := func(ip string) *pgtest.Peer {
			far, near := net.Pipe()
			ln.conns <- from{near, &net.TCPAddr{IP: net.ParseIP(ip), Port: 1}}
			return pgtest.On(t, far)
		}
		attempt := func(ip, user, password string) (code string, took time.Duration) {
			began := time.Now()
			p := dial(ip)
			defer p.Hangup()
			p.Send(pgtest.Startup(wire.Version30, "user", user))
			if p.Peek() == 'E' {
				return p.ExpectError("28000").Code, time.Since(began)
			}
			p.Authenticate(password)
			if p.Peek() == 'E' {
				return p.ExpectError("28P01").Code, time.Since(began)
			}
			return "", time.Since(began)
		}
		for i := range 20 {
			user := []string{"ana", "nobody"}[i%2]
			if code, took := attempt("192.0.2.1", user, "wrong"); code != "28P01" || took > 0 {
				t.Fatalf("attempt %d: %s after %s", i, code, took)
			}
		}
		for _, user := range []string{"ana", "nobody"} {
			if code, took := attempt("192.0.2.1", user, password); code != "28000" || took > 0 {
				t.Errorf("%s after 10 failures each: %q after %s", user, code, took)
			}
		}
		// Others at the address are not, until there are ten times as many.
		for i := range 80 {
			if code, took := attempt("192.0.2.1", fmt.Sprint("name", i), "wrong"); code != "28P01" || took > 0 {
				t.Fatalf("name %d: %s after %s", i, code, took)
			}
		}
		if code, took := attempt("192.0.2.1", "ben", "wrong"); code != "28000" || took > 0 {
			t.Errorf("after 100 failures: %q after %s", code, took)
		}
		if got := strings.Count(log.String(), "refused unseen"); got != 3 || !strings.Contains(log.String(), "user=nobody database=nobody everybody=false") {
			t.Errorf("%d blocks are logged in\n%s", got, log.String())
		}
		for i := range 10 {
			attempt(fmt.Sprintf("192.0.2.%d", 10+i), "everywhere", "wrong")
		}
		for user, want := range map[string]string{"ana": "", "nobody": "28P01", "everywhere": "28P01"} {
			if code, took := attempt("192.0.2.3", user, password); code != want || took != time.Second {
				t.Errorf("%s, whom everybody guesses at: %q after %s", user, code, took)
			}
		}
		time.Sleep(time.Minute)
		if code, took := attempt("192.0.2.1", "ana", password); code != "" || took > 0 {
			t.Errorf("a minute later: %q after %s", code, took)
		}
		_ = server.Close()
		<-served
	})
}

// TestGuessingAtOnce: exchanges that began together don't get round the limit.
func TestGuessingAtOnce(t *testing.T) {
	g, _ := scripted(t, nil)
	_, addr := serve(t, proxy.Options{Gate: g, Limits: proxy.Limits{LoginFailures: 3}})
	type begun struct {
		*pgtest.Peer
		prove func()
	}
	var all []begun
	for range 6 {
		p := pgtest.Dial(t, addr)
		p.Send(pgtest.Startup(wire.Version30, "user", "ana"))
		all = append(all, begun{p, p.Challenge("wrong")})
	}
	for i, p := range all {
		p.prove()
		p.ExpectError(map[bool]string{true: "28P01", false: "28000"}[i < 3])
	}
}

// TestCauseLogged: the log says why a login failed, and the client doesn't.
func TestCauseLogged(t *testing.T) {
	var log bytes.Buffer
	g, _ := scripted(t, nil)
	s, addr := serve(t, proxy.Options{Gate: g, Logger: slog.New(slog.NewTextHandler(&log, nil)), Auth: storeOf(t, `
users:
  - {name: old, password: "$", role: r, expires: 2020-01-01}
  - {name: ana, password: "$", role: r}
`)})
	for user, password := range map[string]string{"old": password, "nobody": password, "ana": "wrong"} {
		p := pgtest.Dial(t, addr)
		p.Send(pgtest.Startup(wire.Version30, "user", user))
		p.Authenticate(password)
		if r := p.ExpectError("28P01"); r.Message != fmt.Sprintf("password authentication failed for user %q", user) || r.Detail != "" || r.Hint != "" {
			t.Errorf("%+v", r)
		}
		p.ExpectEnd()
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"the user has expired", "there is no such user", "wrong password"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in\n%s", want, log.String())
		}
	}
}
