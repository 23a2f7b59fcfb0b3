package pool

import (
	"context"
	"time"
)

// Pause stops lending: new requests wait until Resume, and their pool.wait with
// them. Backends are closed as soon as they are idle. With transaction pools it
// returns when none is in use any more; sessions keep theirs for as long as they
// last, so with session pools it returns at once. A context that ends takes the
// pause back.
func (p *Pool) Pause(ctx context.Context) error {
	p.mu.Lock()
	p.paused = true
	do := p.shut()
	var quiet chan struct{}
	if p.set.Mode == "transaction" {
		if p.quiet == nil {
			p.quiet = make(chan struct{})
		}
		quiet = p.quiet
		p.hush()
	}
	p.mu.Unlock()
	run(do)
	if quiet == nil {
		return nil
	}
	select {
	case <-quiet:
		return nil
	case <-ctx.Done():
		p.Resume()
		return context.Cause(ctx)
	}
}

// Resume takes back Pause and Kill.
func (p *Pool) Resume() {
	p.mu.Lock()
	p.paused = false
	if !p.closed {
		p.refusal = nil
	}
	var do []func()
	for _, l := range p.lots {
		do = append(do, p.serve(l)...)
		do = append(do, p.fill(l)...)
		l.restart(p.set.Wait)
	}
	p.mu.Unlock()
	run(do)
}

// Reconnect closes idle backends now, and those in use when they come back.
func (p *Pool) Reconnect() {
	p.mu.Lock()
	p.generation++
	p.backoff = backoff{changed: time.Now()}
	do := p.shut()
	for _, l := range p.lots {
		do = append(do, p.serve(l)...)
		do = append(do, p.fill(l)...)
	}
	p.mu.Unlock()
	run(do)
}

// Kill ends every backend, those in use too, and refuses requests with 57P03
// until Resume.
func (p *Pool) Kill() {
	p.mu.Lock()
	p.generation++
	if !p.closed {
		p.refusal = &Killed{Database: p.name}
	}
	do := p.shut()
	for _, l := range p.lots {
		for b := range l.members {
			do = append(do, b.kill())
		}
		do = append(do, p.serve(l)...)
	}
	p.mu.Unlock()
	run(do)
}

// kill is what ends a backend that isn't idle.
func (b *Backend) kill() func() {
	b.killed = true
	switch {
	case b.state == resetting && b.poll != nil:
		return b.resetter.abort
	case b.onKill != nil:
		return b.onKill
	case b.poll != nil:
		return func() {} // OnKill will come
	}
	return b.close // whoever reads from it finds out
}

// shut closes what is idle. While the pool is closed or killed, it refuses who
// waits, too.
func (p *Pool) shut() []func() {
	var do []func()
	now := time.Now()
	for _, l := range p.lots {
		for len(l.idle) > 0 {
			b := l.idle[0]
			l.remove(b, now)
			do = append(do, b.quit)
		}
		if p.refusal != nil {
			do = append(do, p.serve(l)...)
		}
	}
	if p.sweeper != nil {
		p.sweeper.Stop()
		p.sweeper = nil
	}
	return do
}

// hush tells Pause that nothing is in use any more.
func (p *Pool) hush() {
	if p.quiet == nil || p.busy() > 0 {
		return
	}
	close(p.quiet)
	p.quiet = nil
}

// busy is how many backends are lent, being reset or being dialled.
func (p *Pool) busy() int {
	n := 0
	for _, l := range p.lots {
		n += l.places - len(l.idle)
	}
	return n
}
