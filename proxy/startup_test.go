package proxy_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/pool"
	"github.com/pgask/pgask/proxy/wire"
)

// scripted is a Gate whose sessions get a scripted backend: each arrives on
// the channel.
func scripted(t testing.TB, d func() proxy.Decider) (proxy.Gate, <-chan *pgtest.Peer) {
	backends := make(chan *pgtest.Peer, 16)
	return gate(func(_ context.Context, who auth.Principal, s proxy.Startup) (proxy.Admission, error) {
		a := proxy.Admission{Repeat: repeats, Connect: func(context.Context, *poll.Loop) (*proxy.Backend, error) {
			peer, conn := pgtest.Pair(t)
			backends <- peer
			return &proxy.Backend{
				Conn: conn, PID: 42, SecretKey: []byte("beef"), TxStatus: 'I',
				ParameterStatuses: map[string]string{"server_version": "15.0", "client_encoding": "UTF8"},
				Cancel:            func(context.Context) error { return nil },
				Release:           func() { _ = conn.Close() },
			}, nil
		}}
		if d != nil {
			a.Decider = d()
		}
		return a, nil
	}), backends
}

func TestStartup(t *testing.T) {
	hello := pgtest.Startup(wire.Version30, "user", "ana", "database", "db")
	refused := func(code string) func(*pgtest.Peer) {
		return func(p *pgtest.Peer) { p.ExpectError(code); p.ExpectEnd() }
	}
	ready := func(p *pgtest.Peer) { p.Authenticate(password); p.Welcome() }
	tests := []struct {
		name string
		do   func(*pgtest.Peer)
		then func(*pgtest.Peer)
	}{
		{"plain", func(p *pgtest.Peer) { p.Send(hello) }, ready},
		{"one byte at a time", func(p *pgtest.Peer) { p.Drip(hello) }, ready},
		{"SSL declined", func(p *pgtest.Peer) { p.Send(pgtest.SSLRequest()); p.ExpectBytes([]byte("N")); p.Send(hello) }, ready},
		{"GSS, then SSL", func(p *pgtest.Peer) {
			p.Send(pgtest.GSSRequest())
			p.ExpectBytes([]byte("N"))
			p.Send(pgtest.SSLRequest())
			p.ExpectBytes([]byte("N"))
			p.Send(hello)
		}, ready},
		{"SSL twice", func(p *pgtest.Peer) {
			p.Send(pgtest.SSLRequest())
			p.ExpectBytes([]byte("N"))
			p.Send(pgtest.SSLRequest())
		}, refused("08P01")},
		{"too long", func(p *pgtest.Peer) { p.Send(binary.BigEndian.AppendUint32(nil, 10001)) }, refused("08P01")},
		{"negative length", func(p *pgtest.Peer) { p.Send([]byte{0xff, 0xff, 0xff, 0xff}) }, refused("08P01")},
		{"too short", func(p *pgtest.Peer) { p.Send(pgtest.Packet([]byte{0, 3})) }, refused("08P01")},
		{"no terminator", func(p *pgtest.Peer) { p.Send(pgtest.Packet([]byte("\x00\x03\x00\x00user\x00ana\x00"))) }, refused("08P01")},
		{"bytes behind the terminator", func(p *pgtest.Peer) { p.Send(pgtest.Packet([]byte("\x00\x03\x00\x00user\x00ana\x00\x00x"))) }, refused("08P01")},
		{"no parameters", func(p *pgtest.Peer) { p.Send(pgtest.Startup(wire.Version30)) }, refused("28000")},
		{"no user", func(p *pgtest.Peer) { p.Send(pgtest.Startup(wire.Version30, "database", "db")) }, refused("28000")},
		{"protocol 2", func(p *pgtest.Peer) { p.Send(pgtest.Packet([]byte{0, 2, 0, 0, 0, 0})) }, refused("0A000")},
		{"protocol 4", func(p *pgtest.Peer) { p.Send(pgtest.Startup(4<<16, "user", "ana")) }, refused("0A000")},
		{"not SASL", func(p *pgtest.Peer) { p.Send(hello); p.Expect("R"); p.Send(pgtest.Query("select 1")) }, refused("08P01")},
		{"another mechanism", func(p *pgtest.Peer) {
			p.Send(hello)
			p.Expect("R")
			p.Send(pgtest.Frame(wire.Password, "PLAIN", int32(0)))
		}, refused("08P01")},
		{"broken SASL", func(p *pgtest.Peer) {
			p.Send(hello)
			p.Expect("R")
			p.Send(pgtest.Frame(wire.Password, "SCRAM-SHA-256", int32(900)))
		}, refused("08P01")},
		{"client leaves", func(p *pgtest.Peer) { p.Send(hello[:5]); p.Hangup() }, func(*pgtest.Peer) {}},
	}
	g, _ := scripted(t, nil)
	_, addr := serve(t, proxy.Options{Gate: g})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := pgtest.Dial(t, addr)
			test.do(p)
			test.then(p)
		})
	}
}

// TestStrangerAndWrongPassword: who exists can't be found out.
func TestStrangerAndWrongPassword(t *testing.T) {
	g, _ := scripted(t, nil)
	_, addr := serve(t, proxy.Options{Gate: g})
	for _, user := range []string{"ana", "nobody", "carl", `we"ird`} {
		p := pgtest.Dial(t, addr)
		p.Send(pgtest.Startup(wire.Version30, "user", user))
		p.Authenticate("wrong")
		r := p.ExpectError("28P01")
		if want := fmt.Sprintf("password authentication failed for user %q", user); r.Message != want || r.Severity != "FATAL" {
			t.Errorf("got %+v, want %s", r, want)
		}
		p.ExpectEnd()
	}
}

func TestNegotiateProtocol(t *testing.T) {
	g, _ := scripted(t, nil)
	_, addr := serve(t, proxy.Options{Gate: g})
	tests := []struct {
		ask     uint32
		options []string
		answer  uint32 // 0 for none
		key     int
	}{
		{wire.Version30, nil, 0, 4},
		{wire.Version32, nil, 0, 32},
		{3<<16 | 9999, nil, wire.Version32, 32},
		{wire.Version30, []string{"_pq_.a", "1", "_pq_.b", "2"}, wire.Version30, 4},
		{3<<16 | 9999, []string{"_pq_.test_protocol_negotiation", ""}, wire.Version32, 32},
	}
	for _, test := range tests {
		p := pgtest.Dial(t, addr)
		p.Send(pgtest.Startup(test.ask, append([]string{"user", "ana"}, test.options...)...))
		if test.answer != 0 {
			body := p.Expect("v")[0]
			if v := binary.BigEndian.Uint32(body); v != test.answer {
				t.Errorf("%x: answered %x", test.ask, v)
			}
			if n := binary.BigEndian.Uint32(body[4:]); int(n) != len(test.options)/2 {
				t.Errorf("%x: %d options", test.ask, n)
			}
		}
		p.Authenticate(password)
		key := p.Welcome()
		if len(key.Secret) != test.key || int32(key.PID) <= 0 {
			t.Errorf("%x: key %+v", test.ask, key)
		}
	}
}

func TestTooManyClients(t *testing.T) {
	g, _ := scripted(t, nil)
	_, addr := serve(t, proxy.Options{Gate: g, Limits: proxy.Limits{Clients: 1}})
	first := pgtest.Dial(t, addr)
	first.Login(password, "user", "ana")
	second := pgtest.Dial(t, addr)
	second.Send(pgtest.Startup(wire.Version30, "user", "ana"))
	second.ExpectError("53300")
	first.Send(pgtest.Terminate())
	first.ExpectEnd()
	waitFor(t, func() bool {
		p := pgtest.Dial(t, addr)
		p.Send(pgtest.Startup(wire.Version30, "user", "ana"))
		defer p.Hangup()
		return p.Peek() == 'R'
	})
}

func TestLoginTimeout(t *testing.T) {
	g, _ := scripted(t, nil)
	_, addr := serve(t, proxy.Options{Gate: g, Limits: proxy.Limits{Login: 50 * time.Millisecond}})
	for name, begin := range map[string][]byte{
		"silent": nil, "half a packet": {0, 0, 0}, "half authenticated": pgtest.Startup(wire.Version30, "user", "ana"),
	} {
		t.Run(name, func(t *testing.T) {
			p := pgtest.Dial(t, addr)
			p.Send(begin)
			if strings.HasPrefix(name, "half auth") {
				p.Expect("R")
			}
			p.ExpectError("57014")
			p.ExpectEnd()
		})
	}
}

func TestAdmissionErrors(t *testing.T) {
	unreachable := &proxy.Failure{Code: "57P03", Message: "the database is not reachable"}
	tests := []struct {
		name    string
		admit   error
		connect error
		code    string
		text    string
	}{
		{"refused by the gate", refused{}, nil, "42501", "permission denied for table secrets"},
		{"wrapped", fmt.Errorf("gate: %w", refused{}), nil, "42501", "permission denied for table secrets"},
		{"unknown", fmt.Errorf("secret: /etc/passwd"), nil, "XX000", "internal error (incident "},
		{"backend down", nil, unreachable, "57P03", "the database is not reachable"},
		{"dial refused", nil, errors.Join(unreachable, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), "57P03", "the database is not reachable"},
		{"dial timed out", nil, errors.Join(unreachable, os.ErrDeadlineExceeded), "57P03", "the database is not reachable"},
		{"backend hung up", nil, errors.Join(unreachable, io.EOF), "57P03", "the database is not reachable"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, addr := serve(t, proxy.Options{Gate: gate(func(context.Context, auth.Principal, proxy.Startup) (proxy.Admission, error) {
				return proxy.Admission{Connect: func(context.Context, *poll.Loop) (*proxy.Backend, error) { return nil, test.connect }}, test.admit
			})})
			p := pgtest.Dial(t, addr)
			p.Send(pgtest.Startup(wire.Version30, "user", "ana"))
			p.Authenticate(password)
			r := p.ExpectError(test.code)
			if !strings.HasPrefix(r.Message, test.text) || r.Severity != "FATAL" {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// TestUnreachableLogged wants the network's own words in the log and nowhere else.
func TestUnreachableLogged(t *testing.T) {
	cause := errors.New("dial tcp 10.1.2.3:5432: no route to host")
	var log bytes.Buffer
	s, addr := serve(t, proxy.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Gate: gate(func(context.Context, auth.Principal, proxy.Startup) (proxy.Admission, error) {
			return proxy.Admission{}, &pool.Unreachable{Database: "acme", Cause: cause}
		})})
	p := pgtest.Dial(t, addr)
	p.Send(pgtest.Startup(wire.Version30, "user", "ana"))
	p.Authenticate(password)
	if r := p.ExpectError("57P03"); strings.Contains(fmt.Sprint(r), "10.1.2.3") {
		t.Errorf("the client read %+v", r)
	}
	if err := s.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "10.1.2.3") {
		t.Errorf("no cause in %s", log.String())
	}
}

func TestBackendDialTimeout(t *testing.T) {
	_, addr := serve(t, proxy.Options{Limits: proxy.Limits{Connect: 30 * time.Millisecond},
		Gate: gate(func(context.Context, auth.Principal, proxy.Startup) (proxy.Admission, error) {
			return proxy.Admission{Connect: func(ctx context.Context, _ *poll.Loop) (*proxy.Backend, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}}, nil
		})})
	p := pgtest.Dial(t, addr)
	p.Send(pgtest.Startup(wire.Version30, "user", "ana"))
	p.Authenticate(password)
	p.ExpectError("57P03")
}

func TestReplication(t *testing.T) {
	for value, code := range map[string]string{"database": "42501", "true": "42501", "yes": "42501"} {
		g, _ := scripted(t, func() proxy.Decider { return &decider{governed: true} })
		_, addr := serve(t, proxy.Options{Gate: g})
		p := pgtest.Dial(t, addr)
		p.Send(pgtest.Startup(wire.Version30, "user", "ana", "replication", value))
		p.Authenticate(password)
		p.ExpectError(code)
	}
}

// TestCancelConnection: nothing is ever written to it.
func TestCancelConnection(t *testing.T) {
	g, _ := scripted(t, nil)
	_, addr := serve(t, proxy.Options{Gate: g, TLS: proxy.TLS{Mode: proxy.TLSRequire}})
	for _, secret := range []int{4, 32, 256} {
		p := pgtest.Dial(t, addr)
		p.Send(pgtest.Cancel(pgtest.Key{PID: 1, Secret: make([]byte, secret)}))
		p.ExpectEnd()
	}
}
