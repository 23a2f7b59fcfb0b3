package integration

import (
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/integration/record"
	"github.com/pgask/pgask/proxy/pgtest"
)

// Sizes of TestAborted.
const (
	abortedSessions = 10000
	abortedBefore   = 1000 // fill caches and pools, and don't count
	aborters        = 8
)

// TestAborted breaks off sessions at random places, some at their ends and some
// by a reset. Nothing may be left of them: no goroutine, no descriptor, no
// memory.
func TestAborted(t *testing.T) {
	cert, key, err := postgres.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	b := listenScripted(t)
	b.on("aborted", busy)
	p := serveOver(t, passageOptions{backend: b.addr, size: aborters, wait: "30s", limits: "{login_failures: 0}",
		tls: "{mode: prefer, cert: server.crt, key: server.key}", files: map[string][]byte{"server.crt": cert, "server.key": key}})
	p.abort(t, 1, abortedBefore)
	before := p.settled(t)
	p.abort(t, 2, abortedSessions)
	p.abort(t, 3, abortedBefore) // lets the garbage collector run
	after := p.settled(t)
	t.Logf("before %+v, after %+v", before, after)
	// A backend that waits in the pool is a descriptor, and may be a goroutine.
	const spare = 2 * aborters
	if after.goroutines > before.goroutines+spare || after.descriptors > before.descriptors+spare {
		t.Errorf("left over: %+v; before %+v", after, before)
	}
	// 10,000 sessions that leave 300 bytes each are 6 MiB of it.
	if grown := after.heap - before.heap; grown > 4<<20 {
		t.Errorf("the heap has grown by %.1f MiB", grown/(1<<20))
	}
	if grown := after.resident - before.resident; grown > 48<<20 {
		t.Errorf("the process has grown by %.1f MiB", grown/(1<<20))
	}
}

// leftovers are what a process holds.
type leftovers struct {
	goroutines, descriptors float64
	heap                    float64 // bytes at which the collector runs next: twice what it last left
	resident                float64 // bytes
}

// settled waits until there is no session and gives what is held then.
func (p *passage) settled(t *testing.T) leftovers {
	t.Helper()
	var last float64
	waitFor(t, func() bool {
		now := p.sample(t, "go_goroutines")
		calm := p.sample(t, "pgask_sessions") == 0 && now <= last
		last = now
		return calm
	})
	return leftovers{last, p.sample(t, "process_open_fds"), p.sample(t, "go_memstats_next_gc_bytes"), p.sample(t, "process_resident_memory_bytes")}
}

// abort breaks off so many sessions, several at a time.
func (p *passage) abort(t *testing.T, seed uint64, sessions int) {
	t.Helper()
	t.Run(fmt.Sprint("round ", seed), func(t *testing.T) {
		for worker := range aborters {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(seed, uint64(worker)))
				for range sessions / aborters {
					p.abortOne(t, random)
				}
			})
		}
	})
}

// abortOne makes one connection, goes a random part of the way and hangs up.
func (p *passage) abortOne(t *testing.T, random *rand.Rand) {
	t.Helper()
	conn, err := net.DialTimeout("tcp", p.Proxy.addr, patience)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	var way func(*testing.T, net.Conn, *rand.Rand)
	switch n := random.IntN(100); {
	case n < 75: // a login costs more than all the rest
		way = beforeLogin[random.IntN(len(beforeLogin))]
	default:
		way = afterLoginWays[random.IntN(len(afterLoginWays))]
		peer := pgtest.On(unended{t}, conn)
		peer.Login("dba", "user", "dba", "database", "acme", "application_name", "aborted")
	}
	way(t, conn, random)
	if random.IntN(2) == 0 {
		reset(conn)
	} else {
		_ = conn.Close()
	}
}

// unended is a test that keeps no list of ten thousand connections to close.
type unended struct{ testing.TB }

func (unended) Cleanup(func()) {}

func throw(conn net.Conn, frames ...[]byte) { _, _ = conn.Write(join(frames...)) }

// part is a random part of bytes.
func part(random *rand.Rand, bytes []byte) []byte { return bytes[:random.IntN(len(bytes)+1)] }

// beforeLogin are ways to get nowhere.
var beforeLogin = []func(*testing.T, net.Conn, *rand.Rand){
	func(_ *testing.T, conn net.Conn, random *rand.Rand) {
		throw(conn, part(random, pgtest.Startup(3<<16, "user", "dba", "database", "acme")))
	},
	func(_ *testing.T, conn net.Conn, random *rand.Rand) {
		throw(conn, pgtest.Cancel(pgtest.Key{PID: random.Uint32(), Secret: []byte("wxyz")}))
	},
	func(_ *testing.T, conn net.Conn, random *rand.Rand) { // a hello that breaks off
		throw(conn, pgtest.SSLRequest())
		_, _ = io.ReadFull(conn, make([]byte, 1))
		throw(conn, part(random, []byte("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")))
	},
	func(t *testing.T, conn net.Conn, random *rand.Rand) { // TLS, and not a word
		throw(conn, pgtest.SSLRequest())
		_, _ = io.ReadFull(conn, make([]byte, 1))
		if err := tls.Client(conn, &tls.Config{InsecureSkipVerify: true}).Handshake(); err != nil {
			t.Error(err)
		}
	},
	func(_ *testing.T, conn net.Conn, random *rand.Rand) { // SCRAM, up to some byte
		throw(conn, pgtest.Startup(3<<16, "user", "dba", "database", "acme"))
		_, _ = record.Read(conn, record.Server, true)
		first := "n,,n=,r=abcdefghijklmnop"
		throw(conn, part(random, pgtest.Frame('p', "SCRAM-SHA-256", len(first), []byte(first))))
	},
}

// afterLoginWays are ways to leave a session.
var afterLoginWays = []func(*testing.T, net.Conn, *rand.Rand){
	func(_ *testing.T, conn net.Conn, random *rand.Rand) {
		throw(conn, part(random, pgtest.Query("select 1")))
	},
	func(_ *testing.T, conn net.Conn, random *rand.Rand) { throw(conn, pgtest.Query("stall")) },
	func(_ *testing.T, conn net.Conn, random *rand.Rand) {
		throw(conn, pgtest.Query("rows"))
		_, _ = io.ReadFull(conn, make([]byte, random.IntN(100000)))
	},
	func(_ *testing.T, conn net.Conn, random *rand.Rand) { // COPY in, up to some byte
		throw(conn, pgtest.Query("copy"))
		_, _ = record.Read(conn, record.Server, true)
		data := pgtest.Frame('d', make([]byte, 5000))
		throw(conn, data, part(random, data))
	},
	func(_ *testing.T, conn net.Conn, random *rand.Rand) { throw(conn, pgtest.Terminate()) },
	func(_ *testing.T, conn net.Conn, random *rand.Rand) { // a batch without its end
		throw(conn, part(random, join(pgtest.Parse("s", "stall"), pgtest.Bind("", "s"), pgtest.Execute("", 0), pgtest.Sync())))
	},
}

// busy is a backend that stalls, streams and copies when it is told so.
func busy(conn net.Conn) {
	throw(conn, welcome())
	row := pgtest.Row(strings.Repeat("x", 1000))
	for {
		f, err := record.Read(conn, record.Client, true)
		if err != nil || f.Kind == 'X' {
			return
		}
		if f.Kind != 'Q' {
			continue
		}
		switch strings.TrimRight(string(f.Body), "\x00") {
		case "stall":
			_, _ = io.Copy(io.Discard, conn)
			return
		case "copy":
			throw(conn, pgtest.Frame('G', []byte{0, 0, 0}))
		case "rows":
			throw(conn, pgtest.Columns("x"))
			for range 1000 {
				if _, err := conn.Write(row); err != nil {
					return
				}
			}
			throw(conn, pgtest.Complete("SELECT 1000"), pgtest.Ready('I'))
		default:
			tag, _, _ := strings.Cut(strings.TrimRight(string(f.Body), "\x00;"), " ")
			throw(conn, pgtest.Complete(strings.ToUpper(tag)), pgtest.Ready('I'))
		}
	}
}
