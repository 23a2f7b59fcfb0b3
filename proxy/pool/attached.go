package pool

import (
	"errors"
	"log/slog"
	"net"
	"runtime/debug"
	"time"

	"github.com/pgask/pgask/proxy/poll"
)

// A borrower that runs on an event loop (Request.Loop) gets backends whose
// connections are attached to one, unless they are new. While such a backend is
// idle or being reset it stays attached, and what comes is the pool's to read.

// Attach gets the connection of a backend that was just lent to a loop and
// handler, from wherever it is, and calls then on that loop.
func (b *Backend) Attach(l *poll.Loop, h poll.Handler, then func(error)) {
	var posted bool
	switch at := b.poll.Loop(); at {
	case nil:
		posted = l.Post(func() { then(b.poll.Attach(l, h)) })
	case l:
		posted = l.Post(func() { then(b.handle(h)) })
	default:
		posted = at.Post(func() {
			err := b.poll.Move(l, h)
			if !l.Post(func() { then(err) }) {
				then(net.ErrClosed)
			}
		})
	}
	if !posted {
		then(net.ErrClosed)
	}
}

// handle gives the attached connection a new handler, which is told about what
// may have come before.
func (b *Backend) handle(h poll.Handler) error {
	l := b.poll.Loop()
	if l == nil {
		return net.ErrClosed
	}
	b.poll.Handle(h)
	l.Later(h)
	return nil
}

// on runs f where the connection may be touched. It reports false where that is
// a loop that has ended, and has closed its connections.
func (b *Backend) on(f func()) bool {
	if b.poll != nil {
		if l := b.poll.Loop(); l != nil {
			return l.Post(f)
		}
	}
	f()
	return true
}

// watcher is the handler of an idle backend's connection: anything that comes
// while nobody has asked is a reason to close it.
type watcher struct{ b *Backend }

// Ready is on the loop of the connection, unless that has been lent.
func (w watcher) Ready() {
	b := w.b
	defer b.contain()
	if b.spoke() {
		_ = b.poll.Close()
		b.pool.forget(b)
	}
}

// spoke reports whether something has come on an idle backend, which nobody gets
// then.
func (b *Backend) spoke() bool {
	b.pool.mu.Lock()
	defer b.pool.mu.Unlock()
	if b.state != idling {
		return false
	}
	var one [1]byte
	if _, err := b.poll.Read(one[:]); errors.Is(err, poll.ErrAgain) {
		return false
	}
	b.lot.remove(b, time.Now())
	return true
}

// contain, deferred, has a panic on the loop cost this backend and no other.
func (b *Backend) contain() {
	if p := recover(); p != nil {
		slog.Error("a backend is closed after a panic", "panic", p, "stack", string(debug.Stack()))
		b.close()
		b.pool.forget(b)
	}
}

// evict forgets an idle backend. It unlocks mu.
func (p *Pool) evict(b *Backend) {
	b.lot.remove(b, time.Now())
	do := append(p.serve(b.lot), p.fill(b.lot)...)
	p.hush()
	p.mu.Unlock()
	run(do)
}

// watch attaches the connection of an idle backend that is not attached.
func watch(b *Backend, home *poll.Loop) func() {
	attach := func() {
		b.pool.mu.Lock()
		if b.state != idling || b.poll.Loop() != nil {
			b.pool.mu.Unlock()
			return
		}
		if b.poll.Attach(home, watcher{b}) == nil {
			b.pool.mu.Unlock()
			return
		}
		b.pool.evict(b)
		b.close()
	}
	return func() { home.Post(attach) } // where the loop has ended, so will the next loan
}

// resetter is the handler of a connection that is being reset.
type resetter struct {
	*reset
	late *time.Timer
}

// begin resets the backend on its loop, without waiting for anything.
func (r *resetter) begin() {
	b := r.b
	r.late = time.AfterFunc(resetTimeout, r.abort)
	start := func() {
		defer b.contain()
		var err error
		if b.poll.Loop() == nil { // it has been made blocking for a last word
			err = b.poll.Attach(b.home, r)
		} else {
			err = b.handle(r)
		}
		if err == nil {
			err = r.ask(b.Conn)
		}
		if err != nil {
			r.fail()
		}
	}
	if !b.home.Post(start) {
		r.fail()
	}
}

// Ready reads replies.
func (r *resetter) Ready() {
	defer r.b.contain()
	if !r.current() {
		return
	}
	for {
		done, err := r.read(r.b.Conn)
		switch {
		case errors.Is(err, poll.ErrAgain):
			return
		case err != nil, done && len(r.in) > 0:
			r.fail()
			return
		case done:
			r.late.Stop()
			r.b.poll.Handle(watcher{r.b})
			r.b.pool.restored(r.b)
			return
		}
	}
}

// current reports whether the reset is still under way.
func (r *resetter) current() bool {
	r.b.pool.mu.Lock()
	defer r.b.pool.mu.Unlock()
	return r.b.state == resetting && r.b.resetter == r
}

// abort ends a reset that is under way, from any goroutine.
func (r *resetter) abort() {
	end := func() {
		if r.current() {
			r.b.Discard()
		}
	}
	if !r.b.home.Post(end) {
		end()
	}
}

func (r *resetter) fail() {
	r.late.Stop()
	r.b.Discard()
}
