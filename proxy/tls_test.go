package proxy_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"testing"
	"time"

	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/wire"
)

// authority signs the certificates of a test.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, pool: x509.NewCertPool()}
	a.key = newKey(t)
	a.cert = a.sign("the authority", a.key, &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	a.pool.AddCert(a.cert)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a *authority) sign(cn string, key *ecdsa.PrivateKey, template *x509.Certificate) *x509.Certificate {
	a.t.Helper()
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.Subject.CommonName = cn
	if len(template.Subject.ExtraNames) > 0 { // they take the place of the one that has a field
		template.Subject.ExtraNames = append(template.Subject.ExtraNames, pkix.AttributeTypeAndValue{Type: asn1.ObjectIdentifier{2, 5, 4, 3}, Value: cn})
	}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent := a.cert
	if parent == nil {
		parent = template
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert
}

// issue makes a certificate of one or more common names, for both sides.
func (a *authority) issue(cn ...string) tls.Certificate {
	key := newKey(a.t)
	var names []pkix.AttributeTypeAndValue
	for _, name := range cn[1:] {
		names = append(names, pkix.AttributeTypeAndValue{Type: asn1.ObjectIdentifier{2, 5, 4, 3}, Value: name})
	}
	cert := a.sign(cn[0], key, &x509.Certificate{Subject: pkix.Name{ExtraNames: names}, DNSNames: []string{"localhost"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}})
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

// encrypt asks for TLS and does the handshake.
func (a *authority) encrypt(addr string, certs ...tls.Certificate) *pgtest.Peer {
	a.t.Helper()
	plain := pgtest.Dial(a.t, addr)
	plain.Send(pgtest.SSLRequest())
	plain.ExpectBytes([]byte("S"))
	conn := tls.Client(plain.Conn(), &tls.Config{RootCAs: a.pool, ServerName: "localhost", Certificates: certs})
	if err := conn.Handshake(); err != nil {
		a.t.Fatal(err)
	}
	return pgtest.On(a.t, conn)
}

func TestTLS(t *testing.T) {
	a := newAuthority(t)
	config := &tls.Config{Certificates: []tls.Certificate{a.issue("localhost")}, ClientCAs: a.pool, ClientAuth: tls.VerifyClientCertIfGiven}
	at := func(mode proxy.TLSMode) string {
		g, _ := scripted(t, nil)
		_, addr := serve(t, proxy.Options{Gate: g, TLS: proxy.TLS{Mode: mode, Config: func() *tls.Config { return config }}})
		return addr
	}
	ana, carl := pgtest.Startup(wire.Version30, "user", "ana"), pgtest.Startup(wire.Version30, "user", "carl")
	t.Run("GSS, SSL, password", func(t *testing.T) {
		p := pgtest.Dial(t, at(proxy.TLSPrefer))
		p.Send(pgtest.GSSRequest())
		p.ExpectBytes([]byte("N"))
		p.Send(pgtest.SSLRequest())
		p.ExpectBytes([]byte("S"))
		conn := tls.Client(p.Conn(), &tls.Config{RootCAs: a.pool, ServerName: "localhost"})
		pgtest.On(t, conn).Login(password, "user", "ana")
	})
	t.Run("plain where TLS is preferred", func(t *testing.T) {
		pgtest.Dial(t, at(proxy.TLSPrefer)).Login(password, "user", "ana")
	})
	t.Run("plain where TLS is required", func(t *testing.T) {
		p := pgtest.Dial(t, at(proxy.TLSRequire))
		p.Send(ana)
		p.ExpectError("28000")
		p.ExpectEnd()
	})
	t.Run("disabled", func(t *testing.T) {
		p := pgtest.Dial(t, at(proxy.TLSDisable))
		p.Send(pgtest.SSLRequest())
		p.ExpectBytes([]byte("N"))
		p.Login(password, "user", "ana")
	})
	t.Run("no mode", func(t *testing.T) {
		p := pgtest.Dial(t, at("unset"))
		p.Send(ana)
		p.ExpectError("28000")
	})
	t.Run("certificate instead of password", func(t *testing.T) {
		p := a.encrypt(at(proxy.TLSRequire), a.issue("carl"))
		p.Send(carl)
		if kind := p.Peek(); kind != 'R' {
			t.Fatalf("came %q", kind)
		}
		if ok := p.Expect("R")[0]; string(ok) != "\x00\x00\x00\x00" {
			t.Errorf("a password is asked for: %q", ok)
		}
		p.Until('Z')
	})
	t.Run("another's certificate", func(t *testing.T) {
		p := a.encrypt(at(proxy.TLSRequire), a.issue("carl"))
		p.Send(ana)
		p.Authenticate("wrong")
		p.ExpectError("28P01")
	})
	t.Run("verify-full without a certificate", func(t *testing.T) {
		p := a.encrypt(at(proxy.TLSVerifyFull))
		p.Send(ana)
		p.ExpectError("28000")
	})
	t.Run("verify-full", func(t *testing.T) {
		a.encrypt(at(proxy.TLSVerifyFull), a.issue("ana")).Login(password, "user", "ana")
	})
	t.Run("a request inside TLS", func(t *testing.T) {
		for _, request := range [][]byte{pgtest.SSLRequest(), pgtest.GSSRequest()} {
			p := a.encrypt(at(proxy.TLSPrefer))
			p.Send(request)
			p.ExpectError("08P01")
		}
	})
	t.Run("cancel over TLS and without", func(t *testing.T) {
		addr := at(proxy.TLSRequire)
		for _, p := range []*pgtest.Peer{a.encrypt(addr), pgtest.Dial(t, addr)} {
			p.Send(pgtest.Cancel(pgtest.Key{PID: 1, Secret: []byte("none")}))
			if rest := readAll(p); len(rest) > 0 {
				t.Errorf("got %q", rest)
			}
		}
	})
}

// TestAhead: a client may go on before its login is over. TLS has read what came
// in the same record, so that nothing is left in the socket to wake anybody for.
func TestAhead(t *testing.T) {
	a := newAuthority(t)
	g, backends := scripted(t, nil)
	config := &tls.Config{Certificates: []tls.Certificate{a.issue("localhost")}, ClientCAs: a.pool, ClientAuth: tls.VerifyClientCertIfGiven}
	_, addr := serve(t, proxy.Options{Gate: g, TLS: proxy.TLS{Mode: proxy.TLSPrefer, Config: func() *tls.Config { return config }}})
	p := a.encrypt(addr, a.issue("carl"))
	p.Send(pgtest.Startup(wire.Version30, "user", "carl"), pgtest.Query("select 1"))
	backend := <-backends
	backend.Expect("Q")
	backend.Send(pgtest.Complete("SELECT 1"), pgtest.Ready('I'))
	p.Until('Z')
	p.Expect("CZ")
}

// closings are Metrics that know how sessions ended.
type closings struct {
	counts
	states chan string
}

func (c *closings) SessionClosed(sqlstate string) { c.states <- sqlstate }
func (c *closings) LoginFailed(sqlstate string)   { c.states <- sqlstate }

// TestNoRecord: bytes that are no TLS are the client's fault, not ours.
func TestNoRecord(t *testing.T) {
	a := newAuthority(t)
	g, backends := scripted(t, nil)
	config := &tls.Config{Certificates: []tls.Certificate{a.issue("localhost")}}
	closed := &closings{states: make(chan string, 1)}
	_, addr := serve(t, proxy.Options{Gate: g, Metrics: closed, TLS: proxy.TLS{Mode: proxy.TLSPrefer, Config: func() *tls.Config { return config }}})
	for _, login := range []bool{false, true} {
		p := a.encrypt(addr)
		if login {
			p.Login(password, "user", "ana")
		}
		if _, err := p.Conn().(*tls.Conn).NetConn().Write(pgtest.Query("select 1")); err != nil {
			t.Fatal(err)
		}
		if state := <-closed.states; state != "08P01" {
			t.Errorf("it ended with %s", state)
		}
	}
	(<-backends).ExpectEnd()
}

// TestStuffing: bytes that were put behind an SSLRequest are never taken for
// the client's (CVE-2021-3935).
func TestStuffing(t *testing.T) {
	a := newAuthority(t)
	g, backends := scripted(t, nil)
	config := &tls.Config{Certificates: []tls.Certificate{a.issue("localhost")}}
	_, addr := serve(t, proxy.Options{Gate: g, TLS: proxy.TLS{Mode: proxy.TLSPrefer, Config: func() *tls.Config { return config }}})
	for name, stuffed := range map[string][]byte{
		"a start-up packet and a query": append(pgtest.Startup(wire.Version30, "user", "ana"), pgtest.Query("drop table t")...),
		"a second request":              pgtest.SSLRequest(),
		"a request for GSS":             pgtest.GSSRequest(),
		"one byte":                      {0},
	} {
		p := pgtest.Dial(t, addr)
		p.Send(append(pgtest.SSLRequest(), stuffed...))
		p.ExpectBytes([]byte("S"))
		conn := tls.Client(p.Conn(), &tls.Config{RootCAs: a.pool, ServerName: "localhost"})
		if err := conn.Handshake(); err == nil {
			t.Errorf("%s: the handshake went through", name)
		}
	}
	select {
	case <-backends:
		t.Error("a session was opened")
	default:
	}
}
