package pool

import "time"

// Return gives a backend back that is usable: everything that was owed has been
// read, Postgres waits for the next message, and TxStatus says in which state.
// With reset, what the borrower left behind is undone first, and the backend
// closed if Postgres doesn't say that it was. Without, TxStatus is 'I'.
//
// Return never waits for Postgres. Where the connection is attached to a loop,
// Return is called there. The borrower must not touch the backend any more.
func (b *Backend) Return(reset bool) {
	p := b.pool
	b.Buffered = nil
	attached := false
	var now time.Time
	if b.poll != nil {
		if at := b.poll.Loop(); at != nil {
			b.home, attached, now = at, true, at.Now()
			b.poll.Handle(watcher{b})
		}
	}
	p.mu.Lock()
	b.onKill = nil
	if b.state != lent {
		p.mu.Unlock()
		return
	}
	if !attached {
		now = time.Now()
	}
	switch {
	case !p.keeps(b, now), !reset && b.TxStatus != 'I':
		p.mu.Unlock()
		b.quit()
		p.forget(b)
	case reset:
		p.restore(b, now)
	default:
		do := p.shelve(b, now)
		if b.poll != nil && !attached && b.state == idling {
			do = append(do, watch(b, b.home))
		}
		p.mu.Unlock()
		run(do)
	}
}

// restore begins a reset. It unlocks mu.
func (p *Pool) restore(b *Backend, now time.Time) {
	b.state, b.since = resetting, now
	p.work.Add(1)
	if b.poll == nil {
		p.mu.Unlock()
		go func() {
			if err := b.restore(); err != nil {
				b.Discard()
			} else {
				p.restored(b)
			}
		}()
		return
	}
	r := &resetter{reset: newReset(b)}
	b.resetter = r
	p.mu.Unlock()
	r.begin()
}

// Discard closes a backend that can't be used again; its place is free.
func (b *Backend) Discard() {
	b.on(b.close)
	b.pool.forget(b)
}

// keeps reports whether a backend that comes back may be lent again.
func (p *Pool) keeps(b *Backend, now time.Time) bool {
	return p.refusal == nil && !p.paused && !b.single && b.generation == p.generation && !b.old(now) &&
		(p.set.Idle > 0 || p.set.Min > 0 || b.lot.queue.Len() > 0)
}

// old reports whether a backend's lifetime is over.
func (b *Backend) old(now time.Time) bool { return !b.expires.IsZero() && !now.Before(b.expires) }

// restored makes a backend idle that has been reset.
func (p *Pool) restored(b *Backend) {
	p.mu.Lock()
	now := time.Now()
	if b.state != resetting {
		p.mu.Unlock()
		return
	}
	if !p.keeps(b, now) {
		p.mu.Unlock()
		b.quit()
		p.forget(b)
		return
	}
	p.work.Done()
	b.Keep = nil // DISCARD ALL has made it untrue
	do := p.shelve(b, now)
	p.mu.Unlock()
	run(do)
}

// shelve makes a backend idle, or gives it to who has waited longest.
func (p *Pool) shelve(b *Backend, now time.Time) []func() {
	b.state, b.since = idling, now
	l := b.lot
	l.idle = append(l.idle, b)
	do := p.serve(l)
	p.schedule(b.due(p.set.Idle))
	p.hush()
	return do
}

// forget frees the place of a backend that has been closed.
func (p *Pool) forget(b *Backend) {
	p.mu.Lock()
	if b.state == resetting {
		p.work.Done()
	}
	b.lot.remove(b, time.Now())
	do := append(p.serve(b.lot), p.fill(b.lot)...)
	p.hush()
	p.mu.Unlock()
	run(do)
}
