package integration

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgask/pgask/integration/record"
	"github.com/pgask/pgask/proxy/pgtest"
)

// patience is how long a step of a script may take. Nothing that works comes
// near it.
const patience = 30 * time.Second

// A script is what a backend does with a connection whose start-up packet it
// has read. The connection is closed when it returns.
type script func(conn net.Conn)

// scriptedBackend is a server that does with each session what its
// application_name stands for, and what Postgres would with all others.
type scriptedBackend struct {
	addr string

	mu      sync.Mutex
	scripts map[string]script // guarded by mu
}

func listenScripted(t testing.TB) *scriptedBackend {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &scriptedBackend{addr: ln.Addr().String(), scripts: map[string]script{}}
	var serving sync.WaitGroup
	ended := make(chan struct{})
	serving.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer conn.Close()
				served := make(chan struct{})
				defer close(served)
				go func() {
					select {
					case <-ended:
						_ = conn.Close()
					case <-served:
					}
				}()
				b.serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		close(ended)
		_ = ln.Close()
		serving.Wait()
	})
	return b
}

// on says what happens to the sessions of an application.
func (b *scriptedBackend) on(application string, s script) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.scripts[application] = s
}

func (b *scriptedBackend) serve(conn net.Conn) {
	packet, err := record.Read(conn, record.Client, false)
	if err != nil || packet.IsCancel() {
		return
	}
	fields := strings.Split(string(packet.Body[4:]), "\x00")
	s := script(polite)
	if at := slices.Index(fields, "application_name"); at >= 0 {
		b.mu.Lock()
		if found := b.scripts[fields[at+1]]; found != nil {
			s = found
		}
		b.mu.Unlock()
	}
	s(conn)
}

// welcome is what a server says that trusts whoever comes.
func welcome() []byte {
	return join(pgtest.Frame('R', 0), pgtest.Frame('S', "server_version", "15.0"), pgtest.Frame('S', "client_encoding", "UTF8"),
		pgtest.Frame('S', "standard_conforming_strings", "on"), pgtest.Frame('K', 77, 88), pgtest.Ready('I'))
}

// polite lets the session in and answers every Query.
func polite(conn net.Conn) {
	if _, err := conn.Write(welcome()); err == nil {
		afterLogin(conn)
	}
}

// afterLogin answers every Query.
func afterLogin(conn net.Conn) {
	for {
		f, err := record.Read(conn, record.Client, true)
		if err != nil || f.Kind == 'X' {
			return
		}
		if f.Kind != 'Q' {
			continue
		}
		tag, _, _ := strings.Cut(strings.TrimRight(string(f.Body), "\x00;"), " ")
		if _, err := conn.Write(join(pgtest.Complete(strings.ToUpper(tag)), pgtest.Ready('I'))); err != nil {
			return
		}
	}
}

// atQuery lets the session in, waits for a Query and answers it with bytes. Then
// it hangs up, or waits until pgask has had enough.
func atQuery(answer []byte, wait bool) script {
	return func(conn net.Conn) {
		if _, err := conn.Write(welcome()); err != nil {
			return
		}
		if f, err := record.Read(conn, record.Client, true); err != nil || f.Kind != 'Q' {
			return
		}
		if _, err := conn.Write(answer); err == nil && wait {
			_, _ = io.Copy(io.Discard, conn)
		}
	}
}

// atLogin answers the start-up packet with bytes.
func atLogin(answer ...[]byte) script {
	return func(conn net.Conn) {
		if _, err := conn.Write(join(answer...)); err == nil {
			_, _ = io.Copy(io.Discard, conn)
		}
	}
}

func join(frames ...[]byte) []byte { return bytes.Join(frames, nil) }

// login is a session of the dba under an application_name.
func (p *passage) login(t testing.TB, application string) *pgtest.Peer {
	t.Helper()
	peer := pgtest.Dial(t, p.Proxy.addr)
	peer.Login("dba", "user", "dba", "database", "acme", "application_name", application)
	return peer
}

// authenticated is a session that has shown its password and not heard anything
// since.
func (p *passage) authenticated(t testing.TB, application string) *pgtest.Peer {
	t.Helper()
	peer := pgtest.Dial(t, p.Proxy.addr)
	peer.Send(pgtest.Startup(3<<16, "user", "dba", "database", "acme", "application_name", application))
	peer.Authenticate("dba")
	return peer
}

// dsn is the dba's connection string.
func (p *passage) dsn(application string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword("dba", "dba"), Host: p.Proxy.addr, Path: "/acme",
		RawQuery: url.Values{"sslmode": {"disable"}, "application_name": {application}}.Encode()}
	return u.String()
}

// recover waits until a login works: after one that failed the pool gives the
// backend a moment.
func (p *passage) recover(t testing.TB) {
	t.Helper()
	waitFor(t, func() bool {
		conn, err := pgconn.Connect(t.Context(), p.dsn("recovered"))
		return err == nil && conn.Close(t.Context()) == nil
	})
}

// ending reads what is said to a client until its connection ends. Clean is an
// end between two frames.
func ending(t testing.TB, peer *pgtest.Peer) (frames []record.Frame, clean bool) {
	t.Helper()
	_ = peer.Conn().SetReadDeadline(time.Now().Add(patience))
	for {
		f, err := record.Read(peer.Conn(), record.Server, true)
		var slow net.Error
		if errors.As(err, &slow) && slow.Timeout() {
			t.Fatalf("the connection goes on after %s", kindsOf(frames))
		}
		if err != nil {
			return frames, !errors.Is(err, io.ErrUnexpectedEOF)
		}
		frames = append(frames, f)
	}
}

func kindsOf(frames []record.Frame) string {
	var kinds strings.Builder
	for _, f := range frames {
		kinds.WriteByte(f.Kind)
	}
	return kinds.String()
}

// errorsOf are the SQLSTATEs of the ErrorResponses among frames.
func errorsOf(frames []record.Frame) []string {
	var codes []string
	for _, f := range frames {
		if f.Kind == 'E' {
			codes = append(codes, errorField(f.Body, 'C'))
		}
	}
	return codes
}

// errorField is a field of an ErrorResponse.
func errorField(body []byte, field byte) string {
	for part := range strings.SplitSeq(string(body), "\x00") {
		if part != "" && part[0] == field {
			return part[1:]
		}
	}
	return ""
}

// expectEnd wants a session to end with one error, of one of the SQLSTATEs. An
// empty one stands for an end without a word.
func expectEnd(t testing.TB, peer *pgtest.Peer, codes ...string) {
	t.Helper()
	frames, clean := ending(t, peer)
	got := errorsOf(frames)
	if !clean || len(got) > 1 {
		t.Fatalf("ends with %q, errors %q, between frames: %v", kindsOf(frames), got, clean)
	}
	code := strings.Join(got, "")
	if !slices.Contains(codes, code) || (code != "" && frames[len(frames)-1].Kind != 'E') {
		t.Fatalf("ends with %q, error %q; want %q", kindsOf(frames), code, codes)
	}
}

// answers wants a session to go on as if nothing had happened to others.
func answers(t testing.TB, peer *pgtest.Peer) {
	t.Helper()
	peer.Send(pgtest.Query("select 1"))
	if kinds, _ := peer.Until('Z'); !strings.Contains(kinds, "C") || strings.Contains(kinds, "E") {
		t.Fatalf("a session that should go on says %q", kinds)
	}
}

// length is a frame's header that promises a body of its own.
func length(kind byte, size int32) []byte {
	return binary.BigEndian.AppendUint32([]byte{kind}, uint32(size))
}

// reset makes the other side's next read fail at once.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
