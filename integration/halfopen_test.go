package integration

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pgask/pgask/integration/record"
	"github.com/pgask/pgask/proxy/pgtest"
)

// sample is the value of a series that has no labels.
func (p *passage) sample(t testing.TB, series string) float64 {
	t.Helper()
	for line := range strings.Lines(metrics(t, p.fixture)) {
		if rest, found := strings.CutPrefix(line, series+" "); found {
			value, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				t.Fatal(err)
			}
			return value
		}
	}
	t.Fatalf("/metrics has no %s", series)
	return 0
}

// hasIdle reports whether the pool has a backend that nobody uses.
func (p *passage) hasIdle(t testing.TB) bool {
	t.Helper()
	for line := range strings.Lines(metrics(t, p.fixture)) {
		if strings.HasPrefix(line, "pgask_pool_backends{") && strings.Contains(line, `state="idle"`) && !strings.HasSuffix(line, " 0\n") {
			return true
		}
	}
	return false
}

// TestSilence: clients that say nothing, or stop in the middle of a login, are
// let go; so is a session whose client stops reading, once it is gone, and
// memory doesn't grow with what it leaves unread.
func TestSilence(t *testing.T) {
	w := newClientsWorld(t)
	w.reset(t)
	p := serveOver(t, passageOptions{backend: w.addr(), limits: "{login: 1s}"})
	bystander := p.login(t, "bystander")
	startup := pgtest.Startup(3<<16, "user", "dba", "database", "acme")
	for name, said := range map[string][]byte{
		"nothing": nil, "half a start-up packet": startup[:9], "a request for TLS": pgtest.SSLRequest(),
		"no password": startup, "half a password": join(startup, length('p', 100), []byte("SCRAM")),
	} {
		t.Run(name, func(t *testing.T) {
			client := pgtest.Dial(t, p.Proxy.addr)
			client.Send(said)
			if name == "a request for TLS" {
				client.ExpectBytes([]byte("N"))
			}
			expectEnd(t, client, "57014")
			answers(t, bystander)
		})
	}
	t.Run("unread rows", func(t *testing.T) {
		observer := w.observer(t, "acme")
		before := p.sample(t, "process_resident_memory_bytes")
		client := p.login(t, "reader")
		client.Send(pgtest.Query("select generate_series(1, 100000000), repeat('x', 1000)"))
		client.Expect("TD")
		// Postgres waits for pgask, which waits for the client.
		waitFor(t, func() bool {
			return table(t, observer, "select count(*) from pg_stat_activity where application_name = 'reader' and wait_event = 'ClientWrite'")[0] == "1"
		})
		if grown := p.sample(t, "process_resident_memory_bytes") - before; grown > 64<<20 {
			t.Errorf("memory grew by %.0f MiB", grown/(1<<20))
		}
		answers(t, bystander)
		reset(client.Conn())
		freed(t, observer, "reader")
	})
}

// TestLargeThenIdle: sessions that have each carried a large message both ways
// keep nothing of it.
func TestLargeThenIdle(t *testing.T) {
	const sessions, size = 16, 16 << 20
	b := listenScripted(t)
	b.on("large", func(conn net.Conn) {
		if _, err := conn.Write(welcome()); err != nil {
			return
		}
		if f, err := record.Read(conn, record.Client, true); err == nil && f.Kind == 'Q' && len(f.Body) > size {
			throw(conn, pgtest.Columns("a"), pgtest.Row(string(f.Body)), pgtest.Complete("SELECT 1"), pgtest.Ready('I'))
			afterLogin(conn)
		}
	})
	p := serveOver(t, passageOptions{backend: b.addr})
	before := p.sample(t, "process_resident_memory_bytes")
	query := pgtest.Query("select '" + strings.Repeat("x", size) + "'")
	for range sessions {
		client := p.login(t, "large")
		client.Send(query)
		client.Expect("TDCZ")
	}
	if grown := p.sample(t, "process_resident_memory_bytes") - before; grown > 64<<20 {
		t.Errorf("%d sessions keep %.0f MiB", sessions, grown/(1<<20))
	}
}

// TestKeepAlive: the kernel asks both peers of an idle session whether they are
// still there.
func TestKeepAlive(t *testing.T) {
	b := listenScripted(t)
	backend := make(chan net.Addr, 1)
	b.on("idle", func(conn net.Conn) {
		backend <- conn.RemoteAddr()
		polite(conn)
	})
	p := serveOver(t, passageOptions{backend: b.addr})
	client := p.login(t, "idle")
	answers(t, client)
	for side, ends := range map[string][2]string{
		"client":  {p.Proxy.addr, client.Conn().LocalAddr().String()},
		"backend": {(<-backend).String(), b.addr},
	} {
		waitFor(t, func() bool { return timer(t, side, ends[0], ends[1]) == keepAlive })
	}
}

// keepAlive is the kernel's number of the timer that an idle connection with
// keep-alive has.
const keepAlive = "02"

// timer is which timer the connection from local to remote has.
func timer(t testing.TB, side, local, remote string) string {
	t.Helper()
	text, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) > 5 && fields[1] == kernelAddress(t, local) && fields[2] == kernelAddress(t, remote) {
			timer, _, _ := strings.Cut(fields[5], ":")
			return timer
		}
	}
	t.Fatalf("%s: the kernel knows no connection %s %s", side, local, remote)
	return ""
}

// kernelAddress is an IPv4 address and port as /proc/net/tcp has them.
func kernelAddress(t testing.TB, addr string) string {
	t.Helper()
	a, err := net.ResolveTCPAddr("tcp4", addr)
	if err != nil {
		t.Fatal(err)
	}
	ip := a.IP.To4()
	slices.Reverse(ip)
	return strings.ToUpper(hex.EncodeToString(ip)) + fmt.Sprintf(":%04X", a.Port)
}

// TestAsynchronous: what a backend says while nothing runs reaches the client
// at once.
func TestAsynchronous(t *testing.T) {
	b := listenScripted(t)
	told := join(pgtest.Frame('A', 5, "told", "payload"), pgtest.Frame('S', "TimeZone", "UTC"),
		pgtest.Frame('N', []byte("SNOTICE\x00C00000\x00Mhello\x00\x00")))
	say := make(chan struct{})
	b.on("idle", func(conn net.Conn) {
		if _, err := conn.Write(welcome()); err != nil {
			return
		}
		<-say
		if _, err := conn.Write(told); err == nil {
			afterLogin(conn)
		}
	})
	p := serveOver(t, passageOptions{backend: b.addr})
	client := p.login(t, "idle")
	close(say)
	_ = client.Conn().SetReadDeadline(time.Now().Add(patience))
	for rest := told; len(rest) > 0; {
		f, err := record.Read(client.Conn(), record.Server, true)
		if err != nil || !bytes.HasPrefix(rest, f.Bytes()) {
			t.Fatalf("came %q, %v; want %q", f.Bytes(), err, rest)
		}
		rest = rest[len(f.Bytes()):]
	}
	answers(t, client)
}
