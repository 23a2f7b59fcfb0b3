package pool

import (
	"context"
	"sync"
	"time"
)

// slotKey is what backends are counted by: login and mode. Empty is the dsn's
// own login.
type slotKey struct {
	user     string
	governed bool
}

// slots are the places of one login and mode; holding a place is having a
// value in the channel. Waiters are served in the order they came.
type slots chan struct{}

func keyOf(r Request) slotKey {
	k := slotKey{governed: r.Governed}
	if r.Login != nil {
		k.user = r.Login.User
	}
	return k
}

// places gives the places of a key. They are kept for good: there are as many
// keys as logins in the configuration.
func (p *Pool) places(k slotKey) slots {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, ok := p.slots[k]
	if !ok {
		s = make(slots, p.size)
		p.slots[k] = s
	}
	return s
}

// take waits for a place and returns what gives it back.
func (p *Pool) take(ctx context.Context, k slotKey) (release func(), err error) {
	s := p.places(k)
	release = sync.OnceFunc(func() { <-s })
	select {
	case s <- struct{}{}:
		return release, nil
	default:
	}
	timer := time.NewTimer(p.wait)
	defer timer.Stop()
	select {
	case s <- struct{}{}:
		return release, nil
	case <-timer.C:
		return nil, &Full{Database: p.name, Size: p.size, Waited: p.wait}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// InUse is the number of backends that exist or are being dialled, for
// metrics.
func (p *Pool) InUse() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, s := range p.slots {
		n += len(s)
	}
	return n
}
