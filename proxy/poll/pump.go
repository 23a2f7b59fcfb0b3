package poll

import (
	"net"
	"sync"
	"time"
)

// pumpBuffer is how many bytes a pump reads ahead.
const pumpBuffer = 16 << 10

// pump serves a connection that can't be watched: one goroutine reads ahead,
// another one writes, and both tell the loop.
type pump struct {
	conn *Conn
	raw  net.Conn
	run  sync.WaitGroup
	next chan struct{} // what was read has been taken
	kick chan struct{} // there is something to write

	mu      sync.Mutex
	loop    *Loop  // guarded by mu
	have    []byte // guarded by mu; read, not taken
	readErr error  // guarded by mu
	out     []byte // guarded by mu; not written
	sendErr error  // guarded by mu
	stopped bool   // guarded by mu
}

func newPump(c *Conn, raw net.Conn, l *Loop) *pump {
	p := &pump{conn: c, raw: raw, loop: l, next: make(chan struct{}, 1), kick: make(chan struct{}, 1)}
	p.run.Go(p.reads)
	p.run.Go(p.writes)
	return p
}

// reads fills have, and waits until it has been taken.
func (p *pump) reads() {
	buf := make([]byte, pumpBuffer)
	for {
		n, err := p.raw.Read(buf)
		if n == 0 && err == nil {
			continue // a pipe's empty write
		}
		p.mu.Lock()
		p.have, p.readErr = buf[:n], err
		stopped := p.stopped
		p.mu.Unlock()
		if stopped || !p.tell() || err != nil {
			return
		}
		if _, more := <-p.next; !more {
			return
		}
	}
}

// writes empties out.
func (p *pump) writes() {
	for range p.kick {
		p.mu.Lock()
		out := p.out
		p.mu.Unlock()
		n, err := p.raw.Write(out)
		p.mu.Lock()
		p.out, p.sendErr = p.out[n:], err
		if len(p.out) == 0 {
			p.out = nil
		}
		again := len(p.out) > 0 && err == nil && !p.stopped
		if again {
			p.signal(p.kick)
		}
		p.mu.Unlock()
		if !again && !p.tell() {
			return
		}
	}
}

// tell has the handler called.
func (p *pump) tell() bool {
	c := p.conn
	p.mu.Lock()
	l, stopped := p.loop, p.stopped
	p.mu.Unlock()
	return !stopped && l.Post(func() {
		if p.left(l) {
			p.tell()
			return
		}
		if c.pump == p && c.handler != nil {
			c.handler.Ready()
		}
	})
}

// left reports whether the connection has left a loop for another one.
func (p *pump) left(l *Loop) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.loop != l
}

// signal wakes a goroutine; mu is held, because stop closes the channels.
func (p *pump) signal(c chan struct{}) {
	if p.stopped {
		return
	}
	select {
	case c <- struct{}{}:
	default:
	}
}

func (p *pump) read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.have) == 0 {
		if p.readErr != nil {
			return 0, p.readErr
		}
		return 0, ErrAgain
	}
	n := copy(b, p.have)
	if p.have = p.have[n:]; len(p.have) == 0 && p.readErr == nil {
		p.have = nil
		p.signal(p.next)
	}
	return n, nil
}

func (p *pump) quiet() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.have) == 0 && p.readErr == nil
}

func (p *pump) write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sendErr != nil {
		return 0, p.sendErr
	}
	p.out = append(p.out, b...)
	p.signal(p.kick)
	return len(b), nil
}

func (p *pump) pending() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sendErr != nil {
		return 0
	}
	return len(p.out)
}

// halt keeps the goroutines from going on.
func (p *pump) halt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stopped {
		p.stopped = true
		close(p.next)
		close(p.kick)
	}
}

// stop ends the goroutines and returns what was read and not taken, behind
// what is left, and what was not written.
func (p *pump) stop(left []byte) (read, unwritten []byte) {
	p.halt()
	_ = p.raw.SetDeadline(time.Unix(1, 0))
	p.run.Wait()
	_ = p.raw.SetDeadline(time.Time{})
	return append(left, p.have...), p.out // an error comes again
}

// move has another loop told.
func (p *pump) move(to *Loop) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.loop = to
}

// abandon lets the goroutines of a closed connection end.
func (p *pump) abandon() { p.halt() }
