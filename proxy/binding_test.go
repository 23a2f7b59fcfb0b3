package proxy_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
)

// withTLS serves scripted backends, which are left alone, with certificates.
func withTLS(t *testing.T, mode proxy.TLSMode, certs ...tls.Certificate) string {
	t.Helper()
	g, _ := scripted(t, nil)
	config := &tls.Config{Certificates: certs}
	_, addr := serve(t, proxy.Options{Gate: g, TLS: proxy.TLS{Mode: mode, Config: func() *tls.Config { return config }}})
	return addr
}

// login is a whole login by pgx, which knows channel binding and direct TLS.
func (a *authority) login(addr, serverName, settings string) error {
	config, err := pgconn.ParseConfig("postgres://ana:" + password + "@" + addr + "/db?" + settings)
	if err != nil {
		return err
	}
	if config.TLSConfig != nil {
		config.TLSConfig.RootCAs, config.TLSConfig.ServerName, config.TLSConfig.InsecureSkipVerify = a.pool, serverName, false
		config.TLSConfig.VerifyPeerCertificate = nil
	}
	conn, err := pgconn.ConnectConfig(a.t.Context(), config)
	if err != nil {
		return err
	}
	// Nobody plays the backend here: leave without a word to it.
	return conn.Conn().Close()
}

func (a *authority) issueFor(names ...string) tls.Certificate {
	key := newKey(a.t)
	cert := a.sign(names[0], key, &x509.Certificate{DNSNames: names, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

// TestChannelBinding: SCRAM is bound to the certificate that the client was
// shown, whichever of several that is.
func TestChannelBinding(t *testing.T) {
	a := newAuthority(t)
	addr := withTLS(t, proxy.TLSPrefer, a.issueFor("one.example"), a.issueFor("two.example", "localhost"))
	for _, name := range []string{"one.example", "two.example", "localhost"} {
		for _, start := range []string{"postgres", "direct"} {
			if err := a.login(addr, name, "sslmode=require&channel_binding=require&sslnegotiation="+start); err != nil {
				t.Errorf("%s, %s: %v", name, start, err)
			}
		}
	}
	if err := a.login(addr, "one.example", "sslmode=require&channel_binding=disable"); err != nil {
		t.Errorf("without binding: %v", err)
	}
	if err := a.login(addr, "", "sslmode=disable"); err != nil {
		t.Errorf("without TLS: %v", err)
	}
}

// TestResumed: a connection that TLS resumes shows no certificate, and is
// bound all the same.
func TestResumed(t *testing.T) {
	a := newAuthority(t)
	addr := withTLS(t, proxy.TLSRequire, a.issueFor("one.example"), a.issueFor("two.example"))
	cache := tls.NewLRUClientSessionCache(1)
	for attempt := range 3 {
		config, err := pgconn.ParseConfig("postgres://ana:" + password + "@" + addr + "/db?sslmode=require&channel_binding=require")
		if err != nil {
			t.Fatal(err)
		}
		config.TLSConfig = &tls.Config{RootCAs: a.pool, ServerName: "two.example", ClientSessionCache: cache}
		conn, err := pgconn.ConnectConfig(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		if resumed := conn.Conn().(*tls.Conn).ConnectionState().DidResume; resumed != (attempt > 0) {
			t.Errorf("attempt %d: resumed: %t", attempt, resumed)
		}
		_ = conn.Conn().Close()
	}
}

// TestMiddleman: who ends the client's TLS and starts another is found out,
// though the client trusts his certificate.
func TestMiddleman(t *testing.T) {
	a := newAuthority(t)
	addr := withTLS(t, proxy.TLSRequire, a.issueFor("localhost"))
	middle := a.relay(addr)
	var refused *pgconn.PgError
	if err := a.login(middle, "localhost", "sslmode=require&channel_binding=require"); !errors.As(err, &refused) ||
		refused.Code != "28000" || refused.Message != "SCRAM channel binding check failed" {
		t.Errorf("through somebody: %v", err)
	}
	if err := a.login(middle, "localhost", "sslmode=require&channel_binding=disable"); err != nil {
		t.Errorf("the relay is no relay: %v", err)
	}
}

// relay ends TLS with its own certificate and starts TLS with addr.
func (a *authority) relay(addr string) string {
	a.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		a.t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{a.issueFor("localhost")}}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	a.t.Cleanup(func() { stop(); _ = ln.Close(); running.Wait() })
	running.Go(func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			running.Go(func() { a.between(ctx, client, addr, config) })
		}
	})
	return ln.Addr().String()
}

func (a *authority) between(ctx context.Context, client net.Conn, addr string, config *tls.Config) {
	defer client.Close()
	server, err := net.Dial("tcp", addr)
	if err != nil {
		return
	}
	defer server.Close()
	defer context.AfterFunc(ctx, func() { _ = client.Close(); _ = server.Close() })()
	var request [8]byte
	if _, err := io.ReadFull(client, request[:]); err != nil {
		return
	}
	_, _ = server.Write(request[:])
	_, _ = io.ReadFull(server, request[:1])
	_, _ = client.Write(request[:1])
	near := tls.Server(client, config)
	far := tls.Client(server, &tls.Config{RootCAs: a.pool, ServerName: "localhost"})
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(far, near); _ = server.Close() })
	both.Go(func() { _, _ = io.Copy(near, far); _ = client.Close() })
	both.Wait()
}

// TestDirectTLS: what PostgreSQL 17 accepts of clients that start TLS without
// asking.
func TestDirectTLS(t *testing.T) {
	a := newAuthority(t)
	direct := func(addr string, protocols ...string) (*tls.Conn, error) {
		plain := pgtest.Dial(t, addr)
		conn := tls.Client(plain.Conn(), &tls.Config{RootCAs: a.pool, ServerName: "localhost", NextProtos: protocols})
		return conn, conn.Handshake()
	}
	addr := withTLS(t, proxy.TLSRequire, a.issueFor("localhost"))
	t.Run("with ALPN", func(t *testing.T) {
		conn, err := direct(addr, "postgresql")
		if err != nil {
			t.Fatal(err)
		}
		pgtest.On(t, conn).Login(password, "user", "ana")
	})
	t.Run("without ALPN", func(t *testing.T) {
		conn, err := direct(addr)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := conn.Read(make([]byte, 1)); err == nil {
			t.Errorf("%d bytes came", n)
		}
	})
	t.Run("another protocol", func(t *testing.T) {
		if _, err := direct(addr, "http/1.1"); err == nil {
			t.Error("a browser is welcome")
		}
	})
	t.Run("a request inside", func(t *testing.T) {
		for _, request := range [][]byte{pgtest.SSLRequest(), pgtest.GSSRequest()} {
			conn, err := direct(addr, "postgresql")
			if err != nil {
				t.Fatal(err)
			}
			p := pgtest.On(t, conn)
			p.Send(request)
			p.ExpectError("08P01")
		}
	})
	t.Run("TLS behind a declined request", func(t *testing.T) {
		p := pgtest.Dial(t, addr)
		p.Send(pgtest.GSSRequest())
		p.ExpectBytes([]byte("N"))
		if err := tls.Client(p.Conn(), &tls.Config{RootCAs: a.pool, ServerName: "localhost", NextProtos: []string{"postgresql"}}).Handshake(); err == nil {
			t.Error("direct TLS where Postgres reads a start-up packet")
		}
	})
	t.Run("no TLS", func(t *testing.T) {
		if _, err := direct(withTLS(t, proxy.TLSDisable, a.issueFor("localhost")), "postgresql"); err == nil {
			t.Error("tls.mode disable has TLS")
		}
		g, _ := scripted(t, nil)
		_, bare := serve(t, proxy.Options{Gate: g, TLS: proxy.TLS{Mode: proxy.TLSPrefer, Config: func() *tls.Config { return nil }}})
		if _, err := direct(bare, "postgresql"); err == nil {
			t.Error("TLS without a certificate")
		}
	})
}

// TestALPN: where a client offers protocols on the long way, Postgres's is
// chosen.
func TestALPN(t *testing.T) {
	a := newAuthority(t)
	addr := withTLS(t, proxy.TLSPrefer, a.issueFor("localhost"))
	for _, c := range []struct {
		offered []string
		want    string
	}{{nil, ""}, {[]string{"postgresql"}, "postgresql"}, {[]string{"h2", "postgresql"}, "postgresql"}, {[]string{"h2"}, "refused"}} {
		p := pgtest.Dial(t, addr)
		p.Send(pgtest.SSLRequest())
		p.ExpectBytes([]byte("S"))
		conn := tls.Client(p.Conn(), &tls.Config{RootCAs: a.pool, ServerName: "localhost", NextProtos: c.offered})
		got := "refused"
		if err := conn.Handshake(); err == nil {
			got = conn.ConnectionState().NegotiatedProtocol
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.offered, got, c.want)
		}
	}
	if err := a.login(addr, "localhost", "sslmode=require"); err != nil {
		t.Error(err)
	}
}
