package pool

import (
	"context"
	"maps"
	"time"
)

// Borrow gets a backend as Acquire does, without keeping a goroutine waiting:
// got is called once, before Borrow returns where a backend is idle, else on
// any goroutine. Requests are served in the order they came. An ended context
// counts as long as there is no backend.
func (p *Pool) Borrow(ctx context.Context, r Request, got func(*Backend, error)) {
	r = r.Prepared()
	now := time.Now()
	p.mu.Lock()
	l := p.lotOf(r)
	if b := p.ready(l, r); b != nil {
		l.lend(b, now)
		p.mu.Unlock()
		if b.alive() {
			got(b, nil)
			return
		}
		b.Discard()
		p.mu.Lock()
	}
	w := &waiter{ctx: ctx, request: r, lot: l, got: got, since: now}
	w.place = l.queue.PushBack(w)
	p.settle(w)
}

// Take lends the backend that Borrow would, where one is idle on the request's
// loop and nobody waits before it; else it returns nil, and Borrow knows what
// else can be done. It costs no allocation, and the backend is there at once:
// killed is what OnKill would be given, and the connection still has the pool's
// handler. Take is called on the loop, with a Prepared request.
func (p *Pool) Take(r Request, killed func()) *Backend {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lotOf(r)
	if l.queue.Len() > 0 || p.paused || p.refusal != nil {
		return nil
	}
	b := l.here(r.shape, r.Loop)
	if b != nil {
		l.lend(b, r.Loop.Now())
		b.onKill = killed
	}
	return b
}

// ready is an idle backend for a request that has nobody before it.
func (p *Pool) ready(l *lot, r Request) *Backend {
	if l.queue.Len() > 0 || p.paused || p.refusal != nil {
		return nil
	}
	return l.newest(r.shape, r.Loop)
}

// lotOf is the lot of a request.
func (p *Pool) lotOf(r Request) *lot {
	key := keyOf(r)
	l := p.lots[key]
	if l == nil {
		l = &lot{key: key, members: map[*Backend]struct{}{}}
		p.lots[key] = l
	}
	if l.last == nil || l.last.shape != r.shape {
		last := r
		l.last = &last
	}
	return l
}

// lend marks a backend as in use.
func (l *lot) lend(b *Backend, now time.Time) {
	b.state, b.since, b.Waited = lent, now, 0
	l.totals.acquires++
}

// settle serves a request that has just been queued, or starts its clocks. It
// unlocks mu.
func (p *Pool) settle(w *waiter) {
	do := p.serve(w.lot)
	if w.place != nil {
		wait := p.set.Wait
		if w.lot.resets() {
			wait = max(wait, resetTimeout) // a place is about to be free
		}
		w.timer = time.AfterFunc(wait, func() { p.late(w) })
		w.stop = context.AfterFunc(w.ctx, func() { p.leave(w, func() error { return context.Cause(w.ctx) }) })
	}
	p.mu.Unlock()
	run(do)
}

// serve gives the waiters of a lot what there is, in their order. It returns
// what is to be done when mu is unlocked.
func (p *Pool) serve(l *lot) []func() {
	if l.queue.Len() == 0 {
		return nil
	}
	var do []func()
	now := time.Now()
	for e := l.queue.Front(); e != nil; e = l.queue.Front() {
		w := e.Value.(*waiter)
		next := p.chance(l, w, now)
		if next == nil {
			break
		}
		l.dequeue(w, now)
		do = append(do, next)
	}
	return do
}

// chance is what the first waiter of a lot gets now, nil when it must wait.
func (p *Pool) chance(l *lot, w *waiter, now time.Time) func() {
	if err := p.refusal; err != nil {
		return func() { w.got(nil, err) }
	}
	if p.paused {
		return nil
	}
	if b := l.newest(w.request.shape, w.request.Loop); b != nil {
		l.lend(b, now)
		return func() { p.hand(w, b) }
	}
	full := l.places >= p.set.Size
	if full && len(l.idle) == 0 {
		return nil
	}
	probe := p.backoff.last != nil
	ok, err := p.backoff.allow(now)
	if err != nil {
		return func() { w.got(nil, err) }
	}
	if !ok {
		return nil
	}
	var old *Backend
	if full { // with backends of other start-up parameters
		old = l.idle[0]
		l.remove(old, now)
	}
	l.places++
	l.dialling++
	return func() {
		if old != nil {
			old.quit()
		}
		go p.dialFor(w, probe)
	}
}

// hand gives a backend that was idle to a waiter, unless it has died meanwhile.
func (p *Pool) hand(w *waiter, b *Backend) {
	if b.alive() {
		b.Waited = w.waited
		w.got(b, nil)
		return
	}
	b.Discard()
	p.mu.Lock()
	w.place = w.lot.queue.PushFront(w)
	p.settle(w)
}

// dialFor makes a new backend for a waiter, which has a place already.
func (p *Pool) dialFor(w *waiter, probe bool) {
	b, err := p.connect(w.ctx, w.lot, w.request, probe)
	if err != nil {
		w.got(nil, err)
		return
	}
	b.Waited = w.waited
	w.got(b, nil)
}

// late ends the wait of a waiter. While the pool is paused it waits on, and its
// clock starts anew with Resume.
func (p *Pool) late(w *waiter) {
	p.mu.Lock()
	if w.place != nil && p.paused {
		w.paused = true
		p.mu.Unlock()
		return
	}
	unreached := p.backoff.last
	p.mu.Unlock()
	p.leave(w, func() error {
		if unreached != nil {
			return unreached
		}
		return &Full{Database: p.name, Size: p.set.Size, Waited: roughly(time.Since(w.since))}
	})
}

// roughly is a time as people would say it.
func roughly(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

// leave takes a waiter out of its queue with an error, unless it has been
// served.
func (p *Pool) leave(w *waiter, why func() error) {
	p.mu.Lock()
	if w.place == nil {
		p.mu.Unlock()
		return
	}
	w.lot.dequeue(w, time.Now())
	do := p.serve(w.lot)
	p.mu.Unlock()
	w.got(nil, why())
	run(do)
}

// Greeting is what Postgres reports at the start of a session of this kind, for
// a client that has no backend yet. It is known while there is a backend of
// the kind; else one is borrowed, and its error is as Acquire's.
func (p *Pool) Greeting(ctx context.Context, r Request) (map[string]string, error) {
	r = r.Prepared()
	p.mu.Lock()
	for b := range p.lotOf(r).members {
		if b.shape == r.shape && b.generation == p.generation {
			p.mu.Unlock()
			return maps.Clone(b.greeting), nil
		}
	}
	p.mu.Unlock()
	b, err := p.Acquire(ctx, r)
	if err != nil {
		return nil, err
	}
	greeting := maps.Clone(b.greeting)
	b.Return(false)
	return greeting, nil
}

// run does what was found to be done under the lock.
func run(do []func()) {
	for _, f := range do {
		f()
	}
}
