package pool

import (
	"container/list"
	"context"
	"time"

	"github.com/pgask/pgask/proxy/poll"
)

// lot is the backends of one login and mode, and who waits for one. All of it
// is guarded by the pool's mu. Lots are kept for good: there are as many as
// logins in the configuration.
type lot struct {
	key lotKey
	// places counts backends that exist or are being dialled.
	places   int
	dialling int
	members  map[*Backend]struct{}
	idle     []*Backend // the one that has been idle longest is first
	queue    list.List  // of *waiter, the first to be served is in front
	// last is the request that was made last, nil before: pool.min is filled
	// with its like.
	last   *Request
	totals totals
}

// totals are what a lot has counted since the start.
type totals struct {
	acquires, waits, dials, dialFailures int64
	waited                               time.Duration
}

// waiter is a request that has not got its backend.
type waiter struct {
	ctx     context.Context
	request Request
	lot     *lot
	got     func(*Backend, error)
	since   time.Time
	waited  time.Duration // in the queue
	// Set while it is queued.
	place *list.Element
	timer *time.Timer
	stop  func() bool
	// paused says that its time has run out during a pause.
	paused bool
}

// restart gives those another time who have waited through a pause.
func (l *lot) restart(wait time.Duration) {
	for e := l.queue.Front(); e != nil; e = e.Next() {
		if w := e.Value.(*waiter); w.paused {
			w.paused = false
			w.timer.Reset(wait)
		}
	}
}

// dequeue takes a waiter out of the queue.
func (l *lot) dequeue(w *waiter, now time.Time) {
	l.queue.Remove(w.place)
	w.place = nil
	if w.timer != nil {
		w.timer.Stop()
		w.stop()
		w.timer, w.stop = nil, nil
		w.waited = now.Sub(w.since)
		l.totals.waits++
		l.totals.waited += w.waited
	}
}

// newest takes the backend out that became idle last and fits, if possible one
// on the loop.
func (l *lot) newest(shape string, on *poll.Loop) *Backend {
	found := -1
	for i := len(l.idle) - 1; i >= 0; i-- {
		b := l.idle[i]
		if b.shape != shape {
			continue
		}
		if b.home == on {
			found = i
			break
		}
		found = max(found, i)
	}
	if found < 0 {
		return nil
	}
	b := l.idle[found]
	l.unshelve(found)
	return b
}

// here takes the backend out that became idle last, fits, is on the loop that
// asks, and has said nothing since: what has is the watcher's.
func (l *lot) here(shape string, on *poll.Loop) *Backend {
	for i := len(l.idle) - 1; i >= 0; i-- {
		b := l.idle[i]
		if b.home == on && b.shape == shape && b.poll.Loop() == on && b.poll.Quiet() {
			l.unshelve(i)
			return b
		}
	}
	return nil
}

func (l *lot) unshelve(i int) {
	copy(l.idle[i:], l.idle[i+1:])
	l.idle[len(l.idle)-1] = nil
	l.idle = l.idle[:len(l.idle)-1]
}

// resets reports whether a backend is between two sessions.
func (l *lot) resets() bool {
	for b := range l.members {
		if b.state == resetting {
			return true
		}
	}
	return false
}

// remove forgets a backend, whatever it is doing.
func (l *lot) remove(b *Backend, now time.Time) {
	if b.state == gone {
		return
	}
	if b.state == idling {
		for i, other := range l.idle {
			if other == b {
				l.unshelve(i)
				break
			}
		}
	}
	b.state, b.since = gone, now
	delete(l.members, b)
	l.places--
}
