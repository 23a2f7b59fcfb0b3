package pool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
)

// pair runs two servers with the same login; the first takes no writes. It
// returns what a dsn says of their hosts, over TCP and over their sockets.
func pair(t *testing.T) (tcp, unix string) {
	t.Helper()
	var hosts, ports, sockets []string
	for i := range 2 {
		server, err := postgres.Start(deadline(t), postgres.Options{SCRAM: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = server.Stop() })
		admin, err := pgx.Connect(deadline(t), server.DSN("postgres"))
		if err != nil {
			t.Fatal(err)
		}
		sql := "CREATE ROLE pooler LOGIN SUPERUSER PASSWORD 'p'"
		if i == 0 {
			sql += "; ALTER ROLE pooler SET default_transaction_read_only = on"
		}
		if _, err := admin.Exec(deadline(t), sql); err != nil {
			t.Fatal(err)
		}
		var socket string
		if err := admin.QueryRow(deadline(t), "SHOW unix_socket_directories").Scan(&socket); err != nil {
			t.Fatal(err)
		}
		_ = admin.Close(deadline(t))
		u, err := url.Parse(server.DSN("postgres"))
		if err != nil {
			t.Fatal(err)
		}
		hosts, ports, sockets = append(hosts, u.Hostname()), append(ports, u.Port()), append(sockets, socket)
	}
	const rest = " port=%s user=pooler password=p dbname=postgres sslmode=disable "
	return "host=" + strings.Join(hosts, ",") + fmt.Sprintf(rest, strings.Join(ports, ",")),
		"host=" + strings.Join(sockets, ",") + fmt.Sprintf(rest, strings.Join(ports, ","))
}

// TestHosts: of several hosts that is taken which target_session_attrs wants, and
// a cancel goes there.
func TestHosts(t *testing.T) {
	tcp, unix := pair(t)
	for name, dsn := range map[string]string{"tcp": tcp, "unix": unix} {
		t.Run(name, func(t *testing.T) {
			two := configs.Pool{Size: 2, Wait: time.Minute}
			p := newPool(t, configs.Database{Name: "acme", DSN: dsn + "target_session_attrs=read-write", Pool: two})
			b := acquire(t, p, Request{})
			if got := ask(t, b, "SHOW default_transaction_read_only"); got != "off" {
				t.Errorf("read-write: read only is %s", got)
			}
			interrupt(t, b, acquire(t, p, Request{}))
			// A session that starts read-only asks for a server that takes writes all the same.
			reader := acquire(t, p, Request{Governed: true, Params: map[string]string{"default_transaction_read_only": "on"}})
			if got := ask(t, reader, "SHOW default_transaction_read_only"); got != "on" || reader.ParameterStatuses["default_transaction_read_only"] != "on" {
				t.Errorf("a reader on a server that takes writes: read only is %s", got)
			}
			p = newPool(t, configs.Database{Name: "acme", DSN: dsn + "target_session_attrs=read-only", Pool: two})
			if got := ask(t, acquire(t, p, Request{}), "SHOW default_transaction_read_only"); got != "on" {
				t.Errorf("read-only: read only is %s", got)
			}
			p = newPool(t, configs.Database{Name: "acme", DSN: dsn + "target_session_attrs=prefer-standby", Pool: two})
			acquire(t, p, Request{})
			p = newPool(t, configs.Database{Name: "acme", DSN: dsn + "target_session_attrs=standby", Pool: two})
			_, err := p.Acquire(deadline(t), Request{})
			if u, ok := errors.AsType[*Unreachable](err); !ok || u.Detail() != "No server is what target_session_attrs asks for." {
				t.Errorf("standby: %v", err)
			}
		})
	}
	down := strings.Replace(tcp, "host=", "host=127.0.0.1,", 1)
	down = strings.Replace(down, "port=", "port=1,", 1)
	acquire(t, newPool(t, configs.Database{Name: "acme", DSN: down, Pool: configs.Pool{Size: 1}}), Request{})
}

// interrupt cancels what a backend runs, and wants it to end.
func interrupt(t *testing.T, b, watch *Backend) {
	t.Helper()
	result := make(chan error, 1)
	go func() {
		_, err := query(b, "SELECT pg_sleep(50)")
		result <- err
	}()
	running := fmt.Sprintf("SELECT count(*) FROM pg_stat_activity WHERE pid = %d AND wait_event = 'PgSleep'", b.PID)
	for ask(t, watch, running) != "1" {
		if t.Context().Err() != nil {
			t.Fatal("the statement never ran")
		}
	}
	if err := Cancel(deadline(t), b); err != nil {
		t.Fatal(err)
	}
	if err := <-result; err == nil || !strings.HasPrefix(err.Error(), "57014") {
		t.Errorf("the statement ended with %v", err)
	}
}

// TestChannelBinding: backends are logged in to with SCRAM-SHA-256-PLUS, on loops
// and without, and not at all where that is required and can't be had.
func TestChannelBinding(t *testing.T) {
	server := start(t)
	require := set("channel_binding", "require")
	p := newPool(t, database(server.DSN("postgres"), require))
	acquire(t, p, Request{})
	l := startLoop(t)
	s := borrow(t, p, Request{Loop: l})
	if got := s.ask(t, "SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()"); got != "true" {
		t.Errorf("encrypted: %s", got)
	}
	s.giveBack(false)
	p = newPool(t, database(server.DSN("postgres"), require, set("sslmode", "disable")))
	if _, err := p.Acquire(deadline(t), Request{}); sqlstate(err) != "57P03" {
		t.Errorf("without TLS: %v", err)
	}
}

// TestProtocol: 3.2 is asked for unless the dsn has another, a server may
// negotiate, and a long cancel key is sent whole.
func TestProtocol(t *testing.T) {
	key := bytes.Repeat([]byte("key "), 64)
	for name, c := range map[string]struct {
		dsn       string
		want      uint32
		negotiate bool
	}{
		"3.2":        {"", pgproto3.ProtocolVersion32, false},
		"negotiated": {"", pgproto3.ProtocolVersion32, true},
		"3.0":        {"&max_protocol_version=3.0", pgproto3.ProtocolVersion30, false},
	} {
		t.Run(name, func(t *testing.T) {
			asked, cancelled := make(chan uint32, 1), make(chan []byte, 1)
			first := true
			address := listen(t, func(conn net.Conn) {
				if !first {
					got, _ := io.ReadAll(io.LimitReader(conn, int64(12+len(key))))
					cancelled <- got
					return
				}
				first = false
				b := pgproto3.NewBackend(conn, conn)
				m, err := b.ReceiveStartupMessage()
				if err != nil {
					return
				}
				asked <- m.(*pgproto3.StartupMessage).ProtocolVersion
				if c.negotiate {
					b.Send(&pgproto3.NegotiateProtocolVersion{NewestMinorProtocol: 0})
				}
				b.Send(&pgproto3.AuthenticationOk{})
				b.Send(&pgproto3.BackendKeyData{ProcessID: 7, SecretKey: key})
				b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
				_ = b.Flush()
			})
			p := newPool(t, configs.Database{DSN: "postgres://u@" + address + "/d?sslmode=disable" + c.dsn, Pool: configs.Pool{Size: 1}})
			b := acquire(t, p, Request{})
			if got := <-asked; got != c.want {
				t.Errorf("asked for %#x, want %#x", got, c.want)
			}
			if err := Cancel(deadline(t), b); err != nil {
				t.Fatal(err)
			}
			got := <-cancelled
			if len(got) != 12+len(key) || binary.BigEndian.Uint32(got[8:]) != 7 || !bytes.Equal(got[12:], key) {
				t.Errorf("the cancel request is %d bytes: %q", len(got), got)
			}
		})
	}
}
