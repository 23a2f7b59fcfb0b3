package pool

import "time"

// Return gives a backend back that is usable: everything that was owed has been
// read, Postgres waits for the next message, and TxStatus says in which state.
// With reset, what the borrower left behind is undone first, and the backend
// closed if Postgres doesn't say that it was. Without, TxStatus is 'I'.
//
// Return never waits for Postgres. The borrower must not touch the backend any
// more.
func (b *Backend) Return(reset bool) {
	p := b.pool
	b.Buffered = nil
	p.mu.Lock()
	b.onKill = nil
	if b.state != lent {
		p.mu.Unlock()
		return
	}
	now := time.Now()
	switch {
	case !p.keeps(b, now), !reset && b.TxStatus != 'I':
		p.mu.Unlock()
		b.quit()
		p.forget(b)
	case reset:
		b.state, b.since = resetting, now
		p.work.Add(1)
		p.mu.Unlock()
		go p.reset(b)
	default:
		do := p.shelve(b, now)
		p.mu.Unlock()
		run(do)
	}
}

// Discard closes a backend that can't be used again; its place is free.
func (b *Backend) Discard() {
	b.close()
	b.pool.forget(b)
}

// keeps reports whether a backend that comes back may be lent again.
func (p *Pool) keeps(b *Backend, now time.Time) bool {
	return p.refusal == nil && !b.single && b.generation == p.generation && !b.old(now) &&
		(p.set.Idle > 0 || p.set.Min > 0 || b.lot.queue.Len() > 0)
}

// old reports whether a backend's lifetime is over.
func (b *Backend) old(now time.Time) bool { return !b.expires.IsZero() && !now.Before(b.expires) }

// reset undoes what a session left behind and makes its backend idle.
func (p *Pool) reset(b *Backend) {
	defer p.work.Done()
	if err := b.restore(); err != nil {
		b.Discard()
		return
	}
	p.mu.Lock()
	now := time.Now()
	if !p.keeps(b, now) {
		p.mu.Unlock()
		b.quit()
		p.forget(b)
		return
	}
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
	b.lot.remove(b, time.Now())
	do := append(p.serve(b.lot), p.fill(b.lot)...)
	p.hush()
	p.mu.Unlock()
	run(do)
}
