package proxy_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/wire"
)

// counts counts cancel requests.
type counts struct{ passed, dropped atomic.Int64 }

func (c *counts) SessionOpened()                  {}
func (c *counts) SessionClosed(string)            {}
func (c *counts) LoginFailed(string)              {}
func (c *counts) Moved(proxy.Direction, int, int) {}
func (c *counts) Judged(proxy.Verdict)            {}
func (c *counts) Cancelled(passed bool) {
	if passed {
		c.passed.Add(1)
	} else {
		c.dropped.Add(1)
	}
}

// cancellable is a gate whose backends say when they are cancelled.
func cancellable(t *testing.T) (g proxy.Gate, backends chan *pgtest.Peer, cancelled chan struct{}) {
	backends, cancelled = make(chan *pgtest.Peer, 1), make(chan struct{}, 1)
	return gate(func(context.Context, auth.Principal, proxy.Startup) (proxy.Admission, error) {
		return proxy.Admission{Connect: func(context.Context, *poll.Loop) (*proxy.Backend, error) {
			peer, conn := pgtest.Pair(t)
			backends <- peer
			return &proxy.Backend{Conn: conn, TxStatus: 'I', Release: func() { _ = conn.Close() },
				Cancel: func(context.Context) error { cancelled <- struct{}{}; return nil }}, nil
		}}, nil
	}), backends, cancelled
}

// TestCancelAcrossInstances cancels a session by a request to another instance,
// plain and over TLS, with short and long secrets.
func TestCancelAcrossInstances(t *testing.T) {
	a := newAuthority(t)
	certificates := func() *tls.Config { return &tls.Config{Certificates: []tls.Certificate{a.issue("localhost")}} }
	inTLS := proxy.TLS{Mode: proxy.TLSPrefer, Config: certificates}
	g, backends, cancelled := cancellable(t)
	_, own := serve(t, proxy.Options{Gate: g, TLS: inTLS, Cluster: proxy.Cluster{Instance: 200}})
	_, plain := serve(t, proxy.Options{Gate: g, TLS: inTLS, Cluster: proxy.Cluster{Instance: 1, Peers: map[uint8]string{200: own}}})
	_, encrypted := serve(t, proxy.Options{Gate: g, TLS: inTLS, Cluster: proxy.Cluster{Instance: 2,
		Peers: map[uint8]string{200: strings.Replace(own, "127.0.0.1", "localhost", 1)}, TLS: &tls.Config{RootCAs: a.pool}}})
	for _, version := range []uint32{wire.Version30, wire.Version32} {
		client := pgtest.Dial(t, own)
		client.Send(pgtest.Startup(version, "user", "ana"))
		client.Authenticate(password)
		key := client.Welcome()
		if key.PID>>23 != 200 {
			t.Errorf("pid %x has no instance 200", key.PID)
		}
		backend := <-backends
		client.Send(pgtest.Query("select 1"))
		backend.Expect("Q")
		for name, request := range map[string]*pgtest.Peer{
			"to itself": pgtest.Dial(t, own), "plain": pgtest.Dial(t, plain), "TLS, then plain": a.encrypt(plain),
			"plain, then TLS": pgtest.Dial(t, encrypted), "TLS": a.encrypt(encrypted),
		} {
			request.Send(pgtest.Cancel(key))
			if rest := readAll(request); len(rest) > 0 {
				t.Errorf("%s: got %q", name, rest)
			}
			select {
			case <-cancelled: // before the request's connection ended
			default:
				t.Errorf("%s, version %x: not cancelled", name, version)
			}
		}
		wrong := pgtest.Dial(t, plain)
		wrong.Send(pgtest.Cancel(pgtest.Key{PID: key.PID, Secret: make([]byte, len(key.Secret))}))
		wrong.ExpectEnd()
		backend.Send(pgtest.Complete("SELECT 1"), pgtest.Ready('I'))
		client.Expect("CZ")
		client.Send(pgtest.Terminate())
		client.ExpectEnd()
	}
	if len(cancelled) > 0 {
		t.Error("cancelled by a wrong secret")
	}
}

// TestNoCircles: two instances that take each other for a third forward a
// request once, and then it ends.
func TestNoCircles(t *testing.T) {
	var lns [2]net.Listener
	var metrics [2]counts
	for i := range lns {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		lns[i] = ln
	}
	for i := range lns {
		s := proxy.New(proxy.Options{TLS: proxy.TLS{Mode: proxy.TLSDisable}, Auth: func() proxy.Users { return users() }, Metrics: &metrics[i],
			Cluster: proxy.Cluster{Instance: uint8(i), Peers: map[uint8]string{3: lns[1-i].Addr().String()}}})
		served := make(chan error, 1)
		go func() { served <- s.Serve(lns[i]) }()
		t.Cleanup(func() { _ = s.Close(); <-served })
	}
	request := pgtest.Dial(t, lns[0].Addr().String())
	request.Send(pgtest.Cancel(pgtest.Key{PID: 3<<23 | 5, Secret: []byte("????")}))
	request.ExpectEnd()
	for i, want := range [][2]int64{{1, 0}, {0, 1}} {
		if got := [2]int64{metrics[i].passed.Load(), metrics[i].dropped.Load()}; got != want {
			t.Errorf("instance %d: passed, dropped %v, want %v", i, got, want)
		}
	}
}

// TestCancelStorm: a peer that doesn't answer gets few requests at a time, and
// one address has a part of all places; the rest is turned away at once.
func TestCancelStorm(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	arrived := make(chan net.Conn, 100)
	go func() {
		for {
			conn, err := silent.Accept()
			if err != nil {
				return
			}
			arrived <- conn
		}
	}()
	var metrics counts
	s, addr := serve(t, proxy.Options{Metrics: &metrics, Limits: proxy.Limits{Cancels: 16, Cancel: time.Hour},
		Cluster: proxy.Cluster{Peers: map[uint8]string{9: silent.Addr().String()}}})
	for range 40 {
		pgtest.Dial(t, addr).Send(pgtest.Cancel(pgtest.Key{PID: 9<<23 | 1, Secret: []byte("????")}))
	}
	for range 4 {
		conn := <-arrived
		defer conn.Close()
	}
	for metrics.dropped.Load() < 36 {
		late := pgtest.Dial(t, addr) // each is turned away, and takes the time that the others need
		late.Send(pgtest.Cancel(pgtest.Key{PID: 9<<23 | 1, Secret: []byte("????")}))
		late.ExpectEnd()
	}
	if len(arrived) > 0 {
		t.Errorf("%d more requests reached the peer", len(arrived))
	}
	_ = s.Close() // and it doesn't wait for an hour
	if n := metrics.passed.Load(); n > 0 {
		t.Errorf("%d passed", n)
	}
}

// TestServeCancels: the address for peers takes nothing but cancel requests,
// also while sessions drain, and doesn't forward them.
func TestServeCancels(t *testing.T) {
	g, backends, cancelled := cancellable(t)
	var metrics counts
	s, addr := serve(t, proxy.Options{Gate: g, Metrics: &metrics, Cluster: proxy.Cluster{Instance: 1, Peers: map[uint8]string{2: "127.0.0.1:1"}}})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.ServeCancels(ln) }()
	client := pgtest.Dial(t, addr)
	key := client.Login(password, "user", "ana")
	backend := <-backends
	client.Send(pgtest.Query("select 1"))
	backend.Expect("Q")
	stranger := pgtest.Dial(t, ln.Addr().String())
	stranger.Send(pgtest.Startup(wire.Version30, "user", "ana"))
	stranger.ExpectError("28000")
	stranger.ExpectEnd()
	done := make(chan error, 1)
	go func() { done <- s.Shutdown(context.Background()) }()
	for { // until clients are refused: it drains
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	for _, k := range []pgtest.Key{{PID: 2<<23 | 1, Secret: key.Secret}, {PID: key.PID | 1<<31, Secret: key.Secret}} {
		request := pgtest.Dial(t, ln.Addr().String())
		request.Send(pgtest.Cancel(k))
		request.ExpectEnd()
	}
	<-cancelled
	backend.Send(pgtest.Complete("SELECT 1"), pgtest.Ready('I'))
	client.Expect("CZ")
	client.ExpectError("57P01")
	client.Hangup()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := <-served; !errors.Is(err, proxy.ErrServerClosed) {
		t.Errorf("ServeCancels: %v", err)
	}
	if got := [2]int64{metrics.passed.Load(), metrics.dropped.Load()}; got != [2]int64{1, 1} {
		t.Errorf("passed, dropped %v", got)
	}
}
