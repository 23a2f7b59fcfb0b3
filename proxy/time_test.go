package proxy_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/wire"
)

// pipes is a listener whose connections have no network, so that time can be
// faked.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	select {
	case <-p.done:
	default:
		close(p.done)
	}
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (p *pipes) dial(t testing.TB) *pgtest.Peer {
	far, near := net.Pipe()
	p.conns <- near
	return pgtest.On(t, far)
}

// inNoTime runs a script against a server with the contract's time-outs, whose
// backends are at the other end of a pipe.
func inNoTime(t *testing.T, script func(t *testing.T, ln *pipes, backends <-chan *pgtest.Peer)) {
	users() // hashing the password is not part of it
	synctest.Test(t, func(t *testing.T) {
		ln := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
		backends := make(chan *pgtest.Peer, 4)
		server := proxy.New(proxy.Options{
			TLS:  proxy.TLS{Mode: proxy.TLSDisable},
			Auth: func() proxy.Users { return users() },
			Gate: gate(func(_ context.Context, _ auth.Principal, s proxy.Startup) (proxy.Admission, error) {
				return proxy.Admission{Connect: func(ctx context.Context, _ *poll.Loop) (*proxy.Backend, error) {
					if s.Database == "slow" {
						<-ctx.Done()
						return nil, ctx.Err()
					}
					far, near := net.Pipe()
					backends <- pgtest.On(t, far)
					return &proxy.Backend{Conn: near, TxStatus: 'I', Release: func() { _ = near.Close() },
						Cancel: func(context.Context) error { return nil }}, nil
				}}, nil
			}),
		})
		served := make(chan error, 1)
		go func() { served <- server.Serve(ln) }()
		script(t, ln, backends)
		_ = server.Close()
		<-served
	})
}

func TestTimeouts(t *testing.T) {
	hello := pgtest.Startup(wire.Version30, "user", "ana")
	t.Run("idle", func(t *testing.T) {
		inNoTime(t, func(t *testing.T, ln *pipes, backends <-chan *pgtest.Peer) {
			client := ln.dial(t)
			client.Login(password, "user", "ana")
			backend := <-backends
			time.Sleep(59 * time.Minute)
			client.Send(pgtest.Query("begin"))
			backend.Expect("Q")
			time.Sleep(3 * time.Hour) // a statement at work is not idle
			backend.Send(pgtest.Complete("BEGIN"), pgtest.Ready('T'))
			client.Expect("CZ")
			time.Sleep(time.Hour)
			client.ExpectError("57P05")
			client.Hangup()
			backend.ExpectEnd()
		})
	})
	t.Run("silent", func(t *testing.T) {
		inNoTime(t, func(t *testing.T, ln *pipes, _ <-chan *pgtest.Peer) {
			client := ln.dial(t)
			time.Sleep(15 * time.Second)
			client.ExpectError("57014")
			client.ExpectEnd()
		})
	})
	t.Run("half authenticated", func(t *testing.T) {
		inNoTime(t, func(t *testing.T, ln *pipes, _ <-chan *pgtest.Peer) {
			client := ln.dial(t)
			time.Sleep(10 * time.Second)
			client.Send(hello)
			client.Expect("R")
			time.Sleep(5 * time.Second)
			client.ExpectError("57014")
			client.ExpectEnd()
		})
	})
	t.Run("backend does not answer", func(t *testing.T) {
		inNoTime(t, func(t *testing.T, ln *pipes, _ <-chan *pgtest.Peer) {
			client := ln.dial(t)
			client.Send(pgtest.Startup(wire.Version30, "user", "ana", "database", "slow"))
			client.Authenticate(password)
			time.Sleep(15 * time.Second)
			client.ExpectError("57P03")
			client.ExpectEnd()
		})
	})
	t.Run("client does not read", func(t *testing.T) {
		inNoTime(t, func(t *testing.T, ln *pipes, backends <-chan *pgtest.Peer) {
			client := ln.dial(t)
			client.Login(password, "user", "ana")
			backend := <-backends
			client.Send(pgtest.Query("select 1"))
			backend.Expect("Q")
			backend.Send(pgtest.Columns("a"))
			time.Sleep(3 * time.Hour)
			backend.ExpectEnd()
		})
	})
}
