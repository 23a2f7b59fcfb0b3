package proxy_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/wire"
)

// session starts a session with a scripted backend.
func session(t testing.TB, d *decider) (client, backend *pgtest.Peer, key pgtest.Key) {
	return sessionWith(t, d, proxy.Options{})
}

func sessionWith(t testing.TB, d *decider, o proxy.Options) (client, backend *pgtest.Peer, key pgtest.Key) {
	t.Helper()
	var backends <-chan *pgtest.Peer
	var make func() proxy.Decider
	if d != nil {
		make = func() proxy.Decider { return d }
	}
	o.Gate, backends = scripted(t, make)
	_, addr := serve(t, o)
	client = pgtest.Dial(t, addr)
	key = client.Login(password, "user", "ana")
	return client, <-backends, key
}

// TestUntouched: what a relay carries arrives byte for byte, however it is cut
// into pieces, in both directions.
func TestUntouched(t *testing.T) {
	up := bytes.Join([][]byte{
		pgtest.Query("select 1"), pgtest.Parse("a", "select $1"), pgtest.Bind("p", "a", "x", strings.Repeat("y", 70000)),
		pgtest.Describe('S', "a"), pgtest.Describe('P', "p"), pgtest.Execute("p", 7), pgtest.Flush(), pgtest.Close('P', "p"), pgtest.Sync(),
		pgtest.Frame(wire.FunctionCall, int32(1), int16(0), int16(0), int16(0)), pgtest.Frame(wire.CopyData, []byte("data")),
		pgtest.Frame(wire.CopyDone), pgtest.Frame(wire.CopyFail, "no"), pgtest.Frame('?', "unheard of"), pgtest.Query(strings.Repeat("z", 200000)),
	}, nil)
	down := bytes.Join([][]byte{
		pgtest.Columns("a"), pgtest.Row("1"), pgtest.Row(strings.Repeat("r", 150000)), pgtest.Complete("SELECT 2"), pgtest.Ready('I'),
		pgtest.Frame(wire.ParseComplete), pgtest.Frame(wire.NotificationResponse, int32(1), "c", "p"),
		wire.AppendNoticeResponse(nil, wire.Report{Severity: "NOTICE", Code: "00000", Message: "n"}),
		pgtest.Frame(wire.CopyBothResponse, byte(0), int16(0)), pgtest.Frame(wire.CopyData, []byte("w")), pgtest.Frame('?', "unheard of"),
		pgtest.Error("ERROR", "42601", "syntax error"), pgtest.Ready('E'),
	}, nil)
	for _, piece := range []int{1, 3, 7, 1000, 1 << 20} {
		for name, d := range map[string]*decider{"relay": nil, "passthrough": {}} {
			if d != nil && piece == 1 {
				continue // '?' is refused there; the relay covers it
			}
			t.Run(fmt.Sprintf("%s/%d", name, piece), func(t *testing.T) {
				client, backend, _ := session(t, d)
				want := up
				if d != nil {
					want = bytes.ReplaceAll(up, pgtest.Frame('?', "unheard of"), nil)
				}
				go send(client, want, piece)
				backend.ExpectBytes(want)
				go send(backend, down, piece)
				client.ExpectBytes(down)
			})
		}
	}
}

func send(p *pgtest.Peer, all []byte, piece int) {
	for len(all) > 0 {
		n := min(piece, len(all))
		if _, err := p.Conn().Write(all[:n]); err != nil {
			return // the reader reports what is missing
		}
		all = all[n:]
	}
}

func TestUnknownFrame(t *testing.T) {
	for _, d := range []*decider{{}, {governed: true}} {
		client, backend, _ := session(t, d)
		client.Send(pgtest.Frame('?', "unheard of"))
		client.ExpectError("08P01")
		client.ExpectEnd()
		backend.ExpectEnd()
	}
}

func TestMalformedLength(t *testing.T) {
	client, backend, _ := session(t, nil)
	client.Send([]byte{'Q', 0, 0, 0, 3})
	client.ExpectError("08P01")
	backend.ExpectEnd()

	client, backend, _ = session(t, nil)
	backend.Send([]byte{'D', 0xff, 0xff, 0xff, 0xff})
	client.ExpectError("08P01")
	client.ExpectEnd()
}

// TestBackendSays: one error for one end.
func TestBackendSays(t *testing.T) {
	t.Run("FATAL while idle", func(t *testing.T) {
		client, backend, _ := session(t, nil)
		backend.Send(pgtest.Error("FATAL", "57P01", "terminating connection due to administrator command"))
		backend.Hangup()
		client.ExpectError("57P01")
		client.ExpectEnd()
	})
	t.Run("nothing while idle", func(t *testing.T) {
		client, backend, _ := session(t, nil)
		backend.Hangup()
		client.ExpectError("08006")
		client.ExpectEnd()
	})
	t.Run("half a row", func(t *testing.T) {
		client, backend, _ := session(t, nil)
		client.Send(pgtest.Query("select 1"))
		backend.Expect("Q")
		half := pgtest.Row("a long value")[:12]
		backend.Send(pgtest.Columns("a"), half)
		backend.Hangup()
		client.Expect("T")
		client.ExpectBytes(half) // and no error inside the row
		client.ExpectEnd()
	})
}

// TestLastWordLogged: the log has Postgres's code, and none of its words.
func TestLastWordLogged(t *testing.T) {
	var log bytes.Buffer
	g, backends := scripted(t, nil)
	s, addr := serve(t, proxy.Options{Gate: g, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	client := pgtest.Dial(t, addr)
	client.Login(password, "user", "ana")
	backend := <-backends
	backend.Send(pgtest.Error("FATAL", "57P01", "hunter2"))
	backend.Hangup()
	client.ExpectError("57P01")
	client.ExpectEnd()
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := log.String(); !strings.Contains(got, "backend ended the session: SQLSTATE 57P01") || strings.Contains(got, "hunter2") {
		t.Error(got)
	}
}

// TestClientGone: the backend isn't left with half a message, or running.
func TestClientGone(t *testing.T) {
	t.Run("in mid-message", func(t *testing.T) {
		client, backend, _ := session(t, nil)
		client.Send(pgtest.Query("select 1")[:8])
		client.Hangup()
		backend.ExpectBytes(nil)
		if rest := readAll(backend); len(rest) > 8 {
			t.Errorf("the backend got %q", rest)
		}
	})
	t.Run("while a reply is owed", func(t *testing.T) {
		client, backend, _ := session(t, nil)
		client.Send(pgtest.Query("select 1"))
		backend.Expect("Q")
		client.Hangup()
		backend.ExpectEnd()
	})
	t.Run("Terminate behind a query", func(t *testing.T) {
		client, backend, _ := session(t, nil)
		client.Send(pgtest.Query("insert"), pgtest.Terminate())
		backend.Expect("QX") // Postgres does the one and then the other
		backend.Send(pgtest.Complete("INSERT 0 1"), pgtest.Ready('I'))
		backend.Hangup()
		client.Expect("CZ")
		client.ExpectEnd()
	})
}

func readAll(p *pgtest.Peer) []byte {
	var all bytes.Buffer
	_, _ = all.ReadFrom(p.Conn())
	return all.Bytes()
}

func TestCancelWhileDeciding(t *testing.T) {
	asked := make(chan struct{})
	d := &decider{governed: true, query: func(ctx context.Context, _ string) pipeline.Decision {
		close(asked)
		<-ctx.Done()
		return pipeline.Decision{Text: "select 'too late'"}
	}}
	var backends <-chan *pgtest.Peer
	g, backends := scripted(t, func() proxy.Decider { return d })
	_, addr := serve(t, proxy.Options{Gate: g})
	client := pgtest.Dial(t, addr)
	key := client.Login(password, "user", "ana")
	backend := <-backends
	client.Send(pgtest.Query("ask 'something long'"))
	<-asked
	wrong := pgtest.Dial(t, addr)
	wrong.Send(pgtest.Cancel(pgtest.Key{PID: key.PID, Secret: []byte("????")}))
	wrong.ExpectEnd()
	right := pgtest.Dial(t, addr)
	right.Send(pgtest.Cancel(key))
	right.ExpectEnd()
	word := strings.TrimRight(string(backend.Expect("Q")[0]), "\x00")
	if !strings.HasPrefix(word, "denied_") {
		t.Fatalf("the backend got %q", word)
	}
	backend.Send(pgtest.Error("ERROR", "42601", `syntax error at or near "`+word+`"`), pgtest.Ready('I'))
	client.ExpectError("57014")
	client.Expect("Z")
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cancelled != 1 {
		t.Errorf("the decider was told %d times", d.cancelled)
	}
}

func TestShutdown(t *testing.T) {
	g, backends := scripted(t, nil)
	server, addr := serve(t, proxy.Options{Gate: g})
	idle, busy, stuck := pgtest.Dial(t, addr), pgtest.Dial(t, addr), pgtest.Dial(t, addr)
	idle.Login(password, "user", "ana")
	<-backends
	busy.Login(password, "user", "ana")
	busyBackend := <-backends
	stuck.Login(password, "user", "ana")
	stuckBackend := <-backends
	busy.Send(pgtest.Query("begin"))
	busyBackend.Expect("Q")
	stuck.Send(pgtest.Query("select pg_sleep(1000)"))
	stuckBackend.Expect("Q")

	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Shutdown(ctx) }()
	idle.ExpectError("57P01")
	idle.ExpectEnd()
	busyBackend.Send(pgtest.Complete("BEGIN"), pgtest.Ready('T'))
	busy.Expect("CZ")
	busy.Send(pgtest.Query("commit"))
	busyBackend.Expect("Q")
	busyBackend.Send(pgtest.Complete("COMMIT"), pgtest.Ready('I'))
	busy.Expect("CZ")
	busy.ExpectError("57P01")
	busy.ExpectEnd()
	cancel()
	stuck.ExpectError("57P01")
	if err := <-done; err != context.Canceled {
		t.Errorf("Shutdown: %v", err)
	}
}

// TestShutdownWhileDeciding: a statement that is being judged has not been sent,
// and its session isn't idle all the same.
func TestShutdownWhileDeciding(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	d := &decider{governed: true, query: func(context.Context, string) pipeline.Decision {
		close(asked)
		<-answer
		return pipeline.Decision{Untouched: true}
	}}
	g, backends := scripted(t, func() proxy.Decider { return d })
	server, addr := serve(t, proxy.Options{Gate: g})
	idle, busy := pgtest.Dial(t, addr), pgtest.Dial(t, addr)
	idle.Login(password, "user", "ana")
	<-backends
	busy.Login(password, "user", "ana")
	backend := <-backends
	busy.Send(pgtest.Query("select 1"))
	<-asked
	if all := server.Clients(); len(all) != 2 || all[0].State != "idle" || all[1].State != "active" {
		t.Errorf("clients are said to be %v", all)
	}
	done := make(chan error, 1)
	go func() { done <- server.Shutdown(t.Context()) }()
	idle.ExpectError("57P01")
	idle.ExpectEnd()
	server.Clients() // has waited for the loop
	close(answer)
	backend.Expect("Q")
	backend.Send(pgtest.Complete("SELECT 1"), pgtest.Ready('I'))
	busy.Expect("CZ")
	busy.ExpectError("57P01")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestIdleTimeout(t *testing.T) {
	client, _, _ := sessionWith(t, nil, proxy.Options{Limits: proxy.Limits{Idle: 50 * time.Millisecond}})
	client.ExpectError("57P05")
	client.ExpectEnd()
}

func TestFlushAndSuspended(t *testing.T) {
	client, backend, _ := session(t, &decider{governed: true})
	client.Send(pgtest.Parse("", "select"), pgtest.Bind("", ""), pgtest.Describe('P', ""), pgtest.Flush())
	backend.Expect("PBDH")
	backend.Send(pgtest.Frame('1'), pgtest.Frame('2'), pgtest.Columns("a"))
	client.Expect("12T")
	client.Send(pgtest.Execute("", 1), pgtest.Flush())
	backend.Expect("EH")
	backend.Send(pgtest.Row("1"), pgtest.Frame('s'))
	client.Expect("Ds")
	client.Send(pgtest.Execute("", 0), pgtest.Sync())
	backend.Expect("ES")
	backend.Send(pgtest.Row("2"), pgtest.Complete("SELECT 1"), pgtest.Ready('I'))
	client.Expect("DCZ")
}

// TestPanic costs one session.
func TestPanic(t *testing.T) {
	d := &decider{governed: true, query: func(context.Context, string) pipeline.Decision { panic("a bug") }}
	client, backend, _ := session(t, d)
	client.Send(pgtest.Query("select 1"))
	if r := client.ExpectError("XX000"); strings.Contains(r.Message, "bug") {
		t.Errorf("the client was told %q", r.Message)
	}
	client.ExpectEnd()
	backend.ExpectEnd()
}

// explodes is Metrics with a bug in what the loop calls itself.
type explodes struct{ counts }

func (*explodes) Judged(proxy.Verdict) { panic("a bug") }

// TestPanicOnTheLoop: a bug in what others have posted for a session ends that
// session only.
func TestPanicOnTheLoop(t *testing.T) {
	client, backend, _ := sessionWith(t, &decider{governed: true}, proxy.Options{Metrics: &explodes{}})
	client.Send(pgtest.Query("select 1"))
	client.ExpectError("XX000")
	client.ExpectEnd()
	backend.ExpectEnd()
}

// TestAbandoned: whoever follows executions hears of those that the end of a
// session leaves without one, and of refusals that it wasn't asked about.
func TestAbandoned(t *testing.T) {
	heard := make(chan pipeline.Outcome, 10)
	note := func(o pipeline.Outcome) []pipeline.Notice {
		heard <- o
		return nil
	}
	d := &decider{governed: true, query: func(context.Context, string) pipeline.Decision {
		return pipeline.Decision{Text: "select 1; select 2; select 3", Runs: []*pipeline.Run{capped(9, note), capped(9, note), nil}}
	}}
	d.parse = func(text string) pipeline.Decision { return pipeline.Decision{Text: text, Runs: []*pipeline.Run{nil}} }
	d.bind = func(*pipeline.Decision) pipeline.Binding { return pipeline.Binding{Run: capped(9, note)} }
	client, backend, _ := session(t, d)
	extended := bytes.Join([][]byte{pgtest.Parse("", "select"), pgtest.Bind("", ""), pgtest.Execute("", 0)}, nil)
	client.Send(pgtest.Frame(wire.FunctionCall, int32(1), int16(0), int16(0), int16(0)))
	word := strings.TrimRight(string(backend.Expect("Q")[0]), "\x00")
	backend.Send(pgtest.Error("ERROR", "42601", `syntax error at or near "`+word+`"`), pgtest.Ready('I'))
	client.ExpectError("42501")
	client.Expect("Z")
	d.mu.Lock()
	if len(d.refused) != 1 {
		t.Errorf("it heard of %d refusals", len(d.refused))
	}
	d.mu.Unlock()
	client.Send(pgtest.Query("q"), extended, pgtest.Sync(), extended)
	backend.Expect("QPBESPBE")
	backend.Send(pgtest.Columns("a"), pgtest.Row("1"), pgtest.Complete("SELECT 1"), pgtest.Columns("a"), pgtest.Row("1"), pgtest.Row("2"))
	client.Expect("TDCTDD")
	if o := <-heard; o.Unfinished || o.Shown != 1 {
		t.Errorf("the first has %+v", o)
	}
	backend.Send(pgtest.Error("FATAL", "57P01", "terminating connection"))
	client.ExpectError("57P01")
	backend.Hangup()
	client.ExpectEnd()
	for i, shown := range []int64{2, 0, 0} {
		if o := <-heard; !o.Unfinished || o.Shown != shown || o.SQLState != "57P01" {
			t.Errorf("the %d. left has %+v", i+1, o)
		}
	}
	if len(heard) > 0 {
		t.Errorf("%d too many", len(heard))
	}
}
