package proxy_test

import (
	"context"
	"testing"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/poll"
)

// TestCancelAndRelease: a backend isn't given back while a cancel is on its
// way to it, and an idle one is never cancelled: both would hit a later
// statement.
func TestCancelAndRelease(t *testing.T) {
	cancelling, read, released := make(chan struct{}), make(chan struct{}), make(chan struct{})
	backends := make(chan *pgtest.Peer, 1)
	_, addr := serve(t, proxy.Options{Gate: gate(func(context.Context, auth.Principal, proxy.Startup) (proxy.Admission, error) {
		return proxy.Admission{Connect: func(context.Context, *poll.Loop) (*proxy.Backend, error) {
			peer, conn := pgtest.Pair(t)
			backends <- peer
			return &proxy.Backend{Conn: conn, TxStatus: 'I',
				Cancel:  func(context.Context) error { close(cancelling); <-read; return nil },
				Release: func() { close(released) }}, nil
		}}, nil
	})})
	client := pgtest.Dial(t, addr)
	key := client.Login(password, "user", "ana")
	backend := <-backends
	idle := pgtest.Dial(t, addr)
	idle.Send(pgtest.Cancel(key))
	idle.ExpectEnd()
	select {
	case <-cancelling:
		t.Fatal("an idle backend was cancelled")
	default:
	}
	client.Send(pgtest.Query("select 1"))
	backend.Expect("Q")
	late := pgtest.Dial(t, addr)
	late.Send(pgtest.Cancel(key))
	<-cancelling
	backend.Send(pgtest.Complete("SELECT 1"), pgtest.Ready('I'))
	client.Expect("CZ")
	client.Send(pgtest.Terminate())
	second := pgtest.Dial(t, addr)
	second.Send(pgtest.Cancel(pgtest.Key{PID: key.PID, Secret: []byte("????")})) // time for a wrong release
	second.ExpectEnd()
	select {
	case <-released:
		t.Fatal("released before the cancel was read")
	default:
	}
	close(read)
	late.ExpectEnd()
	<-released
}

// TestCancelPlain sends the request itself where a backend has no way of its
// own.
func TestCancelPlain(t *testing.T) {
	server, addr := pgtest.Listen(t)
	_, proxied := serve(t, proxy.Options{Gate: gate(func(context.Context, auth.Principal, proxy.Startup) (proxy.Admission, error) {
		return proxy.Admission{Connect: func(context.Context, *poll.Loop) (*proxy.Backend, error) {
			dialled := pgtest.Dial(t, addr).Conn()
			return &proxy.Backend{Conn: dialled, PID: 7, SecretKey: []byte("a longer secret"), TxStatus: 'I', Release: func() { _ = dialled.Close() }}, nil
		}}, nil
	})})
	client := pgtest.Dial(t, proxied)
	key := client.Login(password, "user", "ana")
	backend := server()
	client.Send(pgtest.Query("select 1"))
	backend.Expect("Q")
	request := pgtest.Dial(t, proxied)
	request.Send(pgtest.Cancel(key))
	cancel := server()
	cancel.ExpectBytes(pgtest.Cancel(pgtest.Key{PID: 7, Secret: []byte("a longer secret")}))
	cancel.Hangup()
	request.ExpectEnd()
	backend.Send(pgtest.Error("ERROR", "57014", "canceling statement due to user request"), pgtest.Ready('I'))
	client.ExpectError("57014")
	client.Expect("Z")
}
