package poll

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Handler is told about a connection. Handlers can be compared.
type Handler interface {
	// Ready runs on the loop: something may be there to read, or what was
	// pending has been written, or the other side is gone. It may be called
	// for nothing, so it tries.
	Ready()
}

// Loop runs functions and handlers one at a time on a goroutine of its own.
// None of them may block.
type Loop struct {
	mu     sync.Mutex
	posted []func() // guarded by mu
	closed bool     // guarded by mu

	// has says that something was posted, asleep that somebody who posts has
	// to wake the loop.
	has    atomic.Bool
	asleep atomic.Bool
	wake   chan struct{} // how to wake it while there is no poller
	waker  atomic.Int32  // the poller's, -1 without

	// The loop's own.
	poller   *poller // made for the first socket
	conns    map[*Conn]struct{}
	again    []Handler // to be called in the next turn
	unsent   []*Conn   // have gathered writes
	spare    []func()
	handlers []Handler
	buffers  [][]byte // to gather writes in
	lent     []byte
	now      time.Time // zero until somebody asks
	stopping bool
	done     chan struct{}
}

// Start starts a loop. Close ends it.
func Start() *Loop {
	l := &Loop{wake: make(chan struct{}, 1), done: make(chan struct{}), conns: map[*Conn]struct{}{}}
	l.waker.Store(-1)
	go l.run()
	return l
}

// Post has f called on the loop, after everything that was posted before. It
// reports false, and f is not called, when the loop has been closed.
func (l *Loop) Post(f func()) bool {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return false
	}
	l.posted = append(l.posted, f)
	l.mu.Unlock()
	l.rouse()
	return true
}

// rouse ends the loop's sleep.
func (l *Loop) rouse() {
	l.has.Store(true)
	if !l.asleep.CompareAndSwap(true, false) {
		return
	}
	// A poller that is there now was there before the loop fell asleep.
	if fd := l.waker.Load(); fd >= 0 {
		signal(int(fd))
		return
	}
	select {
	case l.wake <- struct{}{}:
	default: // it has been woken already
	}
}

// Later has the handler called again, once, after the others had their turn.
// Only the loop may call it.
func (l *Loop) Later(h Handler) {
	if !slices.Contains(l.again, h) { // few have more to do at a time
		l.again = append(l.again, h)
	}
}

// loanBytes is the size of [Loop.Buffer].
const loanBytes = 64 << 10

// Buffer is memory of 64 KiB for the function or handler that the loop is
// running: the next one gets the same.
func (l *Loop) Buffer() []byte {
	if l.lent == nil {
		l.lent = make([]byte, loanBytes)
	}
	return l.lent
}

// Now is when the events at hand were found, or somebody first asked since: the
// clock is read once for all of them.
func (l *Loop) Now() time.Time {
	if l.now.IsZero() {
		l.now = time.Now()
	}
	return l.now
}

// Close runs what was posted, closes the connections that are still attached,
// tells their handlers, and returns when the loop has ended.
func (l *Loop) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.rouse()
	<-l.done
}

func (l *Loop) run() {
	defer close(l.done)
	for !l.stopping {
		l.runPosted()
		l.runAgain()
		l.sleep()
	}
	l.runPosted()
	for c := range l.conns {
		h := c.handler
		_ = c.Close() // nothing could use the error
		if h != nil {
			h.Ready()
		}
	}
	l.runPosted()
	if l.poller != nil {
		l.poller.close()
	}
}

// runPosted runs what others have posted.
func (l *Loop) runPosted() {
	if !l.has.Load() {
		return
	}
	l.has.Store(false)
	l.now = time.Time{}
	l.mu.Lock()
	batch := l.posted
	l.posted, l.spare = l.spare[:0], nil
	l.stopping = l.closed
	l.mu.Unlock()
	for i, f := range batch {
		batch[i] = nil
		f()
		l.send()
	}
	l.spare = batch[:0]
}

// runAgain calls the handlers that had more to do than one turn allows.
func (l *Loop) runAgain() {
	if len(l.again) == 0 {
		return
	}
	batch := l.again
	l.again, l.handlers = l.handlers[:0], nil
	for i, h := range batch {
		batch[i] = nil
		h.Ready()
		l.send()
	}
	l.handlers = batch[:0]
}

// sleep waits for an event or a post, unless there is something to do.
func (l *Loop) sleep() {
	if len(l.again) > 0 || l.stopping {
		l.poll(false)
		return
	}
	l.asleep.Store(true)
	if l.has.Load() {
		l.asleep.Store(false)
		l.poll(false)
		return
	}
	if l.poller == nil {
		<-l.wake
	} else {
		l.poll(true)
	}
	l.asleep.Store(false)
}

// send writes what the last handler has gathered.
func (l *Loop) send() {
	for i, c := range l.unsent {
		l.unsent[i] = nil
		if c != nil {
			c.gathered()
		}
	}
	l.unsent = l.unsent[:0]
}

// unlist forgets a connection that leaves the loop.
func (l *Loop) unlist(c *Conn) {
	delete(l.conns, c)
	if c.listed {
		l.unsent[slices.Index(l.unsent, c)] = nil
		c.listed = false
	}
}

// Bounds of the buffers that a loop keeps.
const (
	maxBuffers = 4
	maxBuffer  = 2 * maxGathered
)

// buffer is an empty buffer for what waits to be written. Few connections of a
// loop have something waiting at a time, so they share.
func (l *Loop) buffer() []byte {
	n := len(l.buffers)
	if n == 0 {
		return make([]byte, 0, maxGathered)
	}
	b := l.buffers[n-1]
	l.buffers = l.buffers[:n-1]
	return b
}

func (l *Loop) giveBack(b []byte) {
	if len(l.buffers) < maxBuffers && cap(b) <= maxBuffer {
		l.buffers = append(l.buffers, b[:0])
	}
}
