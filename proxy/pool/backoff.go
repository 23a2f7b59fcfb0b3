package pool

import (
	"math/rand/v2"
	"time"
)

// Pauses between attempts to reach a server that can't be reached.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

// backoff keeps clients from hammering a server that can't be reached. After a
// failure nobody dials for a while, and clients get that failure at once: they
// know better than the pool whether to try again. Then one of them may try,
// and the others wait for what comes of it.
type backoff struct {
	// last is why the server couldn't be reached; nil while it can.
	last    error
	pause   time.Duration
	until   time.Time
	changed time.Time
	probing bool
}

// allow reports whether somebody may dial now. If not, an error is for them to
// have, and without one they wait until the attempt under way has ended.
func (b *backoff) allow(now time.Time) (bool, error) {
	switch {
	case b.last == nil:
		return true, nil
	case now.Before(b.until):
		return false, b.last
	case b.probing:
		return false, nil
	}
	b.probing = true
	return true, nil
}

// failed notes an attempt that didn't reach the server. Of many that were
// under way together only the first makes the pause longer.
func (b *backoff) failed(err error, began, now time.Time) {
	b.last = err
	if began.Before(b.changed) {
		return
	}
	b.probing = false
	b.pause = min(max(2*b.pause, firstPause), lastPause)
	b.until = now.Add(jitter(b.pause, 0.2))
	b.changed = now
}

// reached notes that the server has answered.
func (b *backoff) reached(now time.Time) {
	if b.last != nil {
		*b = backoff{changed: now}
	}
}

// dropped notes an attempt that was given up: it says nothing about the server.
func (b *backoff) dropped() { b.probing = false }

// jitter is d, longer or shorter by up to a part of it.
func jitter(d time.Duration, part float64) time.Duration {
	return d + time.Duration((2*rand.Float64()-1)*part*float64(d))
}
