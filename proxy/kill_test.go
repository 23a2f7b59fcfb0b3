package proxy_test

import (
	"context"
	"testing"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/poll"
)

// TestReadyBeforeItBegins: a backend that comes from another loop may have
// something to say before the session has begun, such as that it is gone.
func TestReadyBeforeItBegins(t *testing.T) {
	g := gate(func(context.Context, auth.Principal, proxy.Startup) (proxy.Admission, error) {
		return proxy.Admission{Connect: func(context.Context, *poll.Loop) (*proxy.Backend, error) {
			peer, conn := pgtest.Pair(t)
			peer.Hangup()
			watched := poll.New(conn)
			return &proxy.Backend{Conn: watched, PID: 42, TxStatus: 'I', Release: func() { _ = watched.Close() },
				Attach: func(l *poll.Loop, h poll.Handler, then func(error)) {
					l.Post(func() {
						err := watched.Attach(l, h)
						h.Ready()
						then(err)
					})
				}}, nil
		}}, nil
	})
	_, addr := serve(t, proxy.Options{Gate: g})
	client := pgtest.Dial(t, addr)
	client.Login(password, "user", "ana")
	client.ExpectError("08006")
	client.ExpectEnd()
}

// TestKillBeforeItBegins: a session is known by its key a moment before its
// backend has come to its loop. Whoever ends it then ends only this one.
func TestKillBeforeItBegins(t *testing.T) {
	killed := make(chan struct{})
	g := gate(func(context.Context, auth.Principal, proxy.Startup) (proxy.Admission, error) {
		return proxy.Admission{Connect: func(context.Context, *poll.Loop) (*proxy.Backend, error) {
			_, conn := pgtest.Pair(t)
			watched := poll.New(conn)
			return &proxy.Backend{Conn: watched, PID: 42, TxStatus: 'I', Release: func() { _ = watched.Close() },
				Attach: func(l *poll.Loop, h poll.Handler, then func(error)) {
					go func() {
						<-killed
						l.Post(func() { then(watched.Attach(l, h)) })
					}()
				}}, nil
		}}, nil
	})
	server, addr := serve(t, proxy.Options{Gate: g})
	client := pgtest.Dial(t, addr)
	key := client.Login(password, "user", "ana")
	if !server.Kill(key.PID) {
		t.Fatal("there is no such session")
	}
	close(killed)
	client.ExpectError("57P01")
	client.ExpectEnd()
}

// TestPanicInTheBeginning costs the session only.
func TestPanicInTheBeginning(t *testing.T) {
	_, addr := serve(t, proxy.Options{Gate: gate(func(context.Context, auth.Principal, proxy.Startup) (proxy.Admission, error) {
		return proxy.Admission{Connect: func(context.Context, *poll.Loop) (*proxy.Backend, error) {
			_, conn := pgtest.Pair(t)
			return &proxy.Backend{Conn: poll.New(conn), PID: 42, TxStatus: 'I', Release: func() {}, OnKill: func(func()) { panic("a bug") }}, nil
		}}, nil
	})})
	client := pgtest.Dial(t, addr)
	client.Login(password, "user", "ana")
	client.ExpectError("XX000")
	client.ExpectEnd()
}
