package integration

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/integration/record"
	"github.com/pgask/pgask/proxy/pgtest"
)

// The benchmarks of memory build the program with the race detector, as the
// tests do, unless PGASK_INTEGRATION_PROGRAM names one without: only then do
// their figures mean anything.

// idleClients is how many clients BenchmarkIdleClients has.
const idleClients = 5000

// BenchmarkIdleClients measures what clients cost that are logged in over TLS
// and do nothing.
func BenchmarkIdleClients(b *testing.B) {
	for _, mode := range poolModes {
		b.Run(mode, func(b *testing.B) { benchmarkIdle(b, mode) })
	}
}

func benchmarkIdle(b *testing.B, mode string) {
	cert, key, err := postgres.Certificate()
	if err != nil {
		b.Fatal(err)
	}
	backend := listenScripted(b)
	p := serveOver(b, passageOptions{mode: mode, backend: backend.addr, size: idleClients, limits: "{clients: 6000, login_failures: 0}",
		tls: "{mode: require, cert: server.crt, key: server.key}", files: map[string][]byte{"server.crt": cert, "server.key": key}})
	before := p.sample(b, "process_resident_memory_bytes")
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for range idleClients / 8 {
				p.loginTLS(b)
			}
		})
	}
	clients.Wait()
	if n := p.sample(b, "pgask_sessions"); n != idleClients {
		b.Fatalf("%.0f sessions", n)
	}
	for b.Loop() { // the collector has run when memory doesn't grow any more
		p.sample(b, "process_resident_memory_bytes")
	}
	after := p.sample(b, "process_resident_memory_bytes")
	b.ReportMetric((after-before)/idleClients/1024, "KiB/client")
	b.ReportMetric(after/(1<<20), "MiB")
	b.ReportMetric(p.sample(b, "go_goroutines"), "goroutines")
}

// loginTLS is a session of the dba over TLS, which stays.
func (p *passage) loginTLS(t testing.TB) {
	conn, err := net.DialTimeout("tcp", p.Proxy.addr, patience)
	if err != nil {
		t.Error(err)
		return
	}
	pgtest.On(t, conn).Send(pgtest.SSLRequest())
	if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
		t.Error(err)
		return
	}
	pgtest.On(t, tls.Client(conn, &tls.Config{InsecureSkipVerify: true})).Login("dba", "user", "dba", "database", "acme")
}

// Sizes of BenchmarkSlowClient, in bytes.
const (
	largeResult = 2 << 30
	largeRow    = 4 << 10
	sip         = 4 << 20 // what the client reads at a time
)

// BenchmarkSlowClient measures what a large result costs whose client is slower
// than its backend.
func BenchmarkSlowClient(b *testing.B) {
	backend := listenScripted(b)
	backend.on("large", func(conn net.Conn) {
		rows := bytes.Repeat(pgtest.Row(string(make([]byte, largeRow))), 64)
		if _, err := conn.Write(welcome()); err != nil {
			return
		}
		if f, err := record.Read(conn, record.Client, true); err != nil || f.Kind != 'Q' {
			return
		}
		for sent := 0; sent < largeResult; sent += len(rows) {
			if _, err := conn.Write(rows); err != nil {
				return
			}
		}
		_, _ = conn.Write(join(pgtest.Complete("SELECT 1"), pgtest.Ready('I')))
		afterLogin(conn)
	})
	p := serveOver(b, passageOptions{backend: backend.addr})
	for b.Loop() {
		client := p.login(b, "large")
		client.Send(pgtest.Query("select"))
		most := 0.0
		tick := time.NewTicker(30 * time.Millisecond)
		for read, n := int64(0), int64(1); n > 0 && read < largeResult; read += n {
			<-tick.C
			var err error
			if n, err = io.CopyN(io.Discard, client.Conn(), sip); err != nil {
				b.Fatal(err)
			}
			if (read/sip)%16 == 0 {
				most = max(most, p.sample(b, "process_resident_memory_bytes"))
			}
		}
		tick.Stop()
		b.ReportMetric(most/(1<<20), "MiB-resident")
	}
}
