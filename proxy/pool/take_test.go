package pool

import (
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/proxy/poll"
)

// take asks on the loop.
func take(p *Pool, r Request, killed func()) *Backend {
	got := make(chan *Backend)
	r.Loop.Post(func() { got <- p.Take(r.Prepared(), killed) })
	return <-got
}

// TestTake: a backend that is idle on the loop is there at once, and nobody gets
// one so that Borrow wouldn't give it to.
func TestTake(t *testing.T) {
	p := keeping(t, 2)
	one, two := startLoop(t), startLoop(t)
	r := Request{Loop: one}
	if take(p, r, nil) != nil {
		t.Fatal("a pool without backends has lent one")
	}
	s := borrow(t, p, r)
	s.ask(t, "SELECT 1")
	s.giveBack(false)
	if take(p, Request{Loop: two}, nil) != nil {
		t.Error("on another loop")
	}
	if take(p, Request{Loop: one, Governed: true}, nil) != nil || take(p, Request{Loop: one, Params: map[string]string{"timezone": "UTC"}}, nil) != nil {
		t.Error("to another kind of session")
	}
	if got := take(p, r, nil); got != s.b {
		t.Fatalf("%v, want the idle one", got)
	}
	if take(p, r, nil) != nil {
		t.Error("lent twice")
	}
	if st := p.Stats()[0]; st.Acquires != 2 || st.Active != 1 {
		t.Errorf("%+v", st)
	}
	other := borrow(t, p, r)
	other.ask(t, "SELECT 1")
	waits := make(chan *Backend, 1)
	p.Borrow(deadline(t), r, func(b *Backend, _ error) { waits <- b })
	s.giveBack(false) // to who waits
	if got := <-waits; got != s.b {
		t.Error("the waiter got something else")
	}
	s.giveBack(false)
	other.giveBack(false)
	killed := make(chan struct{})
	if take(p, r, func() { close(killed) }) == nil {
		t.Fatal("nothing idle")
	}
	p.Kill()
	<-killed
	if take(p, r, nil) != nil {
		t.Error("a killed pool lends")
	}
	p.Resume()
	other.giveBack(false)
}

// TestTakePaused: nothing is lent during a pause, and what is older than
// RECONNECT isn't lent again.
func TestTakePaused(t *testing.T) {
	p := keeping(t, 2)
	l := startLoop(t)
	r := Request{Loop: l}
	s := borrow(t, p, r)
	s.ask(t, "SELECT 1")
	if err := p.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.giveBack(false)
	if take(p, r, nil) != nil {
		t.Error("during a pause")
	}
	p.Resume()
	s = borrow(t, p, r)
	p.Reconnect()
	s.giveBack(false)
	if take(p, r, nil) != nil {
		t.Error("after RECONNECT")
	}
}

// silentServer does nothing after the login.
func silentServer(b *pgproto3.Backend, _ net.Conn) {
	for {
		if _, err := b.Receive(); err != nil {
			return
		}
	}
}

// BenchmarkTake is a transaction's part of the pool where a backend is idle on its
// loop: it is taken and returned there. It must not allocate.
func BenchmarkTake(b *testing.B) {
	s := &fake{play: silentServer}
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
	first, err := p.Acquire(b.Context(), r)
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	first.Attach(l, idler{}, func(error) {
		defer close(done)
		first.Return(false)
		b.ReportAllocs()
		b.ResetTimer()
		for range b.N {
			x := p.Take(r, nil)
			x.poll.Handle(idler{})
			x.Return(false)
		}
	})
	<-done
}
