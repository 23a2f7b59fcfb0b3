package poll_test

import (
	"errors"
	"net"
	"testing"

	"github.com/pgask/pgask/proxy/poll"
)

// asks is a handler that notes, before it reads, whether another connection is
// quiet.
type asks struct {
	conn, other *poll.Conn
	quiet       bool
	told        chan<- *asks
}

func (a *asks) Ready() {
	a.quiet = a.other.Quiet()
	if _, err := a.conn.Read(make([]byte, 16)); !errors.Is(err, poll.ErrAgain) {
		a.told <- a
	}
}

// TestQuiet: a connection isn't quiet from the events at hand on, whoever's turn
// is first, until what came was read.
func TestQuiet(t *testing.T) {
	far1, one, _ := plain(t, "tcp", "127.0.0.1:0")
	far2, two, _ := plain(t, "tcp", "127.0.0.1:0")
	l := poll.Start()
	t.Cleanup(l.Close)
	if one.Quiet() {
		t.Error("a connection that blocks is quiet")
	}
	told := make(chan *asks, 2)
	a, b := &asks{conn: one, other: two, told: told}, &asks{conn: two, other: one, told: told}
	on(t, l, func() error { return errors.Join(one.Attach(l, a), two.Attach(l, b)) })
	on(t, l, func() error { a.Ready(); b.Ready(); return nil })
	on(t, l, func() error {
		if !one.Quiet() || !two.Quiet() {
			t.Error("not quiet, and nothing has come")
		}
		for _, far := range []net.Conn{far1, far2} { // both before the loop looks
			if _, err := far.Write([]byte("x")); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	first, second := <-told, <-told
	if first.quiet {
		t.Error("the second was quiet in the turn of the first")
	}
	if !second.quiet {
		t.Error("the first, which has read, was not quiet in the turn of the second")
	}
}

// TestQuietKinds: every kind of connection is quiet while nothing comes.
func TestQuietKinds(t *testing.T) {
	each(t, func(t *testing.T, l *poll.Loop, far net.Conn, e *echo) {
		ping(t, far)
		for quiet := false; !quiet; {
			on(t, l, func() error { e.Ready(); quiet = e.conn.Quiet(); return nil })
		}
		_ = far.Close()
		if err := <-e.ended; err == nil {
			t.Error("no end")
		}
		on(t, l, func() error {
			if e.conn.Quiet() {
				t.Error("quiet at its end")
			}
			return nil
		})
	})
}

func ping(t *testing.T, far net.Conn) {
	t.Helper()
	var one [1]byte
	if _, err := far.Write([]byte("p")); err != nil {
		t.Fatal(err)
	}
	if _, err := far.Read(one[:]); err != nil {
		t.Fatal(err)
	}
}
