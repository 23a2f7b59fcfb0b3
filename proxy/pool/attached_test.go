package pool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"runtime"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/wire"
)

// loopSession borrows a backend and uses it on a loop.
type loopSession struct {
	b    *Backend
	loop *poll.Loop
	in   []byte
	// whole gets what came up to a ReadyForQuery, or the end.
	whole chan []byte
}

// Ready reads what is there.
func (s *loopSession) Ready() {
	var chunk [4096]byte
	for {
		n, err := s.b.Conn.Read(chunk[:])
		s.in = append(s.in, chunk[:n]...)
		if z := len(s.in) - 6; z >= 0 && bytes.HasPrefix(s.in[z:], []byte{wire.ReadyForQuery, 0, 0, 0, 5}) {
			s.b.TxStatus = s.in[z+5]
			s.whole <- s.in
			s.in = nil
		}
		if errors.Is(err, poll.ErrAgain) {
			return
		}
		if err != nil {
			close(s.whole)
			s.b.Discard()
			return
		}
	}
}

func borrow(t *testing.T, p *Pool, r Request) *loopSession {
	t.Helper()
	s := &loopSession{loop: r.Loop, whole: make(chan []byte, 1)}
	got := make(chan error, 1)
	p.Borrow(deadline(t), r, func(b *Backend, err error) {
		s.b = b
		if err != nil {
			got <- err
			return
		}
		b.Attach(r.Loop, s, func(err error) { got <- err })
	})
	if err := <-got; err != nil {
		t.Fatal(err)
	}
	return s
}

// ask runs a query and returns the first column of the last row.
func (s *loopSession) ask(t *testing.T, sql string) (value string) {
	t.Helper()
	s.loop.Post(func() {
		frame, _ := wire.AppendQuery(nil, sql)
		_, _ = s.b.Conn.Write(frame) // Ready sees the error
	})
	reply, ok := <-s.whole
	if !ok {
		t.Fatalf("%s: the backend is gone", sql)
	}
	f := pgproto3.NewFrontend(bytes.NewReader(reply), nil)
	for {
		m, err := f.Receive()
		if err != nil {
			return value
		}
		switch m := m.(type) {
		case *pgproto3.DataRow:
			value = string(m.Values[0])
		case *pgproto3.ParameterStatus:
			s.b.ParameterStatuses[m.Name] = m.Value
		}
	}
}

// giveBack returns the backend on its loop.
func (s *loopSession) giveBack(reset bool) {
	done := make(chan struct{})
	s.loop.Post(func() { s.b.Return(reset); close(done) })
	<-done
}

func startLoop(t *testing.T) *poll.Loop {
	t.Helper()
	l := poll.Start()
	t.Cleanup(l.Close)
	return l
}

// until waits for something that is about to happen.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for !ok() {
		if t.Context().Err() != nil {
			t.Fatal("never: " + what)
		}
		runtime.Gosched()
	}
}

// TestLoops lends backends to sessions on two loops, with TLS and without.
func TestLoops(t *testing.T) {
	server := start(t)
	for _, mode := range []string{"disable", "require"} {
		t.Run(mode, func(t *testing.T) {
			db := database(server.DSN("postgres"), set("sslmode", mode))
			db.Pool = configs.Pool{Mode: "transaction", Size: 2, Wait: time.Minute, Idle: time.Minute}
			one, two := startLoop(t), startLoop(t)
			p := newPool(t, db)
			first := borrow(t, p, Request{Loop: one})
			pid, greeting := first.b.PID, maps.Clone(first.b.ParameterStatuses)
			first.b.Keep = "mine"
			if got := first.ask(t, "SELECT pg_backend_pid()"); got != fmt.Sprint(pid) {
				t.Fatalf("backend %s, want %d", got, pid)
			}
			first.giveBack(false)
			for _, l := range []*poll.Loop{one, two, two, one} {
				s := borrow(t, p, Request{Loop: l})
				if got := s.ask(t, "SELECT pg_backend_pid()"); got != fmt.Sprint(pid) || s.b.Keep != "mine" {
					t.Errorf("backend %s, kept %v, want %d", got, s.b.Keep, pid)
				}
				s.giveBack(false)
			}
			s := borrow(t, p, Request{Loop: two})
			s.ask(t, "SET DateStyle = 'German'")
			s.ask(t, "BEGIN")
			s.giveBack(true)
			settled(p)
			s = borrow(t, p, Request{Loop: one})
			if got := s.ask(t, "SHOW DateStyle"); got != "ISO, MDY" || s.b.PID != pid || s.b.TxStatus != 'I' || s.b.Keep != nil || !maps.Equal(s.b.ParameterStatuses, greeting) {
				t.Errorf("after a reset: backend %d, DateStyle %s, %v", s.b.PID, got, s.b.ParameterStatuses)
			}
			watch := borrow(t, p, Request{Loop: two})
			s.giveBack(false)
			watch.ask(t, fmt.Sprintf("SELECT pg_terminate_backend(%d)", pid))
			until(t, "the idle backend's end is seen", func() bool { return p.InUse() == 1 })
			again := borrow(t, p, Request{Loop: one})
			if again.b.PID == pid {
				t.Error("a dead backend was lent")
			}
			// What the last word makes blocking comes back all the same.
			detached := make(chan error, 1)
			one.Post(func() { detached <- again.b.poll.Detach() })
			if err := <-detached; err != nil {
				t.Fatal(err)
			}
			pid = again.b.PID
			again.b.Return(true)
			settled(p)
			again = borrow(t, p, Request{Loop: one})
			if got := again.ask(t, "SELECT pg_backend_pid()"); got != fmt.Sprint(pid) {
				t.Errorf("backend %s, want %d", got, pid)
			}
			again.giveBack(false)
			watch.giveBack(false)
		})
	}
}

// TestGreeting is the same with a backend and without, and costs no login while
// there is one.
func TestGreeting(t *testing.T) {
	p := keeping(t, 3)
	l := startLoop(t)
	r := Request{Loop: l, Params: map[string]string{"application_name": "g"}}
	greeting, err := p.Greeting(deadline(t), r)
	if err != nil || greeting["application_name"] != "g" || greeting["server_version"] == "" {
		t.Fatalf("%v, %v", greeting, err)
	}
	s := borrow(t, p, r)
	s.ask(t, "SET application_name = 'other'")
	again, err := p.Greeting(deadline(t), r)
	if err != nil || !maps.Equal(again, greeting) {
		t.Errorf("%v, %v", again, err)
	}
	if dials := p.Stats()[0].Dials; dials != 1 {
		t.Errorf("%d dials", dials)
	}
	s.giveBack(true)
	settled(p)
	if u, err := url.Parse(postgres.ForTest(t).DSN("no_such_db")); err == nil {
		missing := newPool(t, configs.Database{Name: "missing", DSN: u.String(), Pool: configs.Pool{Size: 1}})
		if _, err := missing.Greeting(deadline(t), r); sqlstate(err) != "3D000" {
			t.Errorf("of a database that isn't there: %v", err)
		}
	}
}

// TestLeavingWaiter: an ended context takes a request out of the queue, and the
// next gets what it would have had.
func TestLeavingWaiter(t *testing.T) {
	p := keeping(t, 1)
	l := startLoop(t)
	held := borrow(t, p, Request{Loop: l})
	ctx, cancel := context.WithCancel(t.Context())
	left, got := make(chan error, 1), make(chan *Backend, 1)
	p.Borrow(ctx, Request{Loop: l}, func(_ *Backend, err error) { left <- err })
	p.Borrow(deadline(t), Request{Loop: l}, func(b *Backend, err error) { got <- b })
	if n := p.Stats()[0].Waiting; n != 2 {
		t.Errorf("%d wait, want 2", n)
	}
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the one that left: %v", err)
	}
	held.giveBack(false)
	b := <-got
	if b != held.b {
		t.Error("the next one got something else")
	}
	(&loopSession{b: b, loop: l}).giveBack(false)
}

// BenchmarkLend is a transaction's part of the pool: a backend is borrowed on its
// loop and returned there.
func BenchmarkLend(b *testing.B) {
	s := &fake{play: obey}
	p, err := New(configs.Database{Name: "acme", DSN: "postgres://u@127.0.0.1:1/d?sslmode=disable",
		Pool: configs.Pool{Mode: "transaction", Size: 1, Idle: time.Minute, Lifetime: time.Hour}})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	p.config.DialFunc = s.dial
	l := poll.Start()
	defer l.Close()
	r := Request{Loop: l, Params: map[string]string{"application_name": "bench"}}.Prepared()
	ctx := b.Context()
	first, err := p.Acquire(ctx, r)
	if err != nil {
		b.Fatal(err)
	}
	first.Attach(l, idler{}, func(error) { first.Return(false) })
	got := func(x *Backend, err error) {
		if err != nil {
			b.Error(err)
			return
		}
		x.poll.Handle(idler{})
		x.Return(false)
	}
	done := make(chan struct{})
	l.Post(func() {
		defer close(done)
		b.ReportAllocs()
		b.ResetTimer()
		for range b.N {
			p.Borrow(ctx, r, got)
		}
	})
	<-done
}
