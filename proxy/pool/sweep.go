package pool

import (
	"context"
	"time"
)

// due is when an idle backend is to be closed, zero for never.
func (b *Backend) due(idle time.Duration) time.Time {
	end := b.since.Add(idle)
	if !b.expires.IsZero() && b.expires.Before(end) {
		return b.expires
	}
	return end
}

// schedule sees to it that a sweep comes at a time, or before.
func (p *Pool) schedule(at time.Time) {
	if p.closed || at.IsZero() || p.sweeper != nil && !at.Before(p.sweepAt) {
		return
	}
	if p.sweeper != nil {
		p.sweeper.Stop()
	}
	p.sweepAt = at
	p.sweeper = time.AfterFunc(time.Until(at), p.sweep)
}

// sweep closes what has been idle or has lived too long.
func (p *Pool) sweep() {
	p.mu.Lock()
	p.sweeper = nil
	now := time.Now()
	var do []func()
	for _, l := range p.lots {
		for _, b := range l.overdue(now, p.set.Idle, p.set.Min) {
			l.remove(b, now)
			do = append(do, b.quit)
		}
		do = append(do, p.fill(l)...)
		for _, b := range l.idle {
			if at := b.due(p.set.Idle); at.After(now) {
				p.schedule(at)
			} else {
				p.schedule(b.expires) // kept by pool.min
			}
		}
	}
	p.mu.Unlock()
	run(do)
}

// overdue are the idle backends that are to be closed; least are kept from
// ending because nobody uses them.
func (l *lot) overdue(now time.Time, idle time.Duration, least int) []*Backend {
	var out []*Backend
	for _, b := range l.idle {
		spare := l.places - len(out) - least
		if b.old(now) || spare > 0 && !now.Before(b.since.Add(idle)) {
			out = append(out, b)
		}
	}
	return out
}

// fill dials what a lot that has been used lacks of pool.min.
func (p *Pool) fill(l *lot) []func() {
	var do []func()
	least := min(p.set.Min, p.set.Size)
	for l.last != nil && l.places < least && p.refusal == nil && !p.paused && p.backoff.last == nil {
		l.places++
		l.dialling++
		r := *l.last
		p.work.Add(1)
		do = append(do, func() { go p.fillOne(l, r) })
	}
	return do
}

// fillOne adds an idle backend. A failure is not repeated: the next session
// will see what is the matter.
func (p *Pool) fillOne(l *lot, r Request) {
	defer p.work.Done()
	ctx, cancel := context.WithTimeout(p.ctx, p.config.ConnectTimeout)
	defer cancel()
	if b, err := p.connect(ctx, l, r, false); err == nil {
		b.Return(false)
	}
}
