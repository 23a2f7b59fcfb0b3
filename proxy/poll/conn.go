package poll

import (
	"errors"
	"net"
	"slices"
	"sync"
	"time"
)

// maxGathered is how many bytes are gathered before they are written.
const maxGathered = 64 << 10

// Conn is a net.Conn that can be attached to a [Loop]. While it is attached, only
// the loop may call its methods, deadlines and addresses excepted.
type Conn struct {
	mu  sync.Mutex
	raw net.Conn // what it blocks on; nil while a socket is attached. Written under mu

	local, remote net.Addr

	loop    *Loop
	handler Handler
	socket  socket
	pump    *pump

	// out is taken from a writer and not written yet. gather says that writes
	// are held back until the handler returns, stuck that the kernel took
	// no more.
	out    []byte
	gather bool
	listed bool // in loop.unsent
	stuck  bool
	err    error // of writing

	// left was read ahead, and is read first after Detach.
	left []byte
}

// New makes a connection that behaves as c does until it is attached.
func New(c net.Conn) *Conn {
	return &Conn{raw: c, local: c.LocalAddr(), remote: c.RemoteAddr(), socket: noSocket}
}

// Of is the Conn that c is or has beneath it; nil where there is none. Writes
// of something above a Conn are gathered: a TLS record more in the same turn
// costs no system call more.
func Of(c net.Conn) *Conn {
	gather := false
	for {
		switch v := c.(type) {
		case *Conn:
			v.gather = v.gather || gather
			return v
		case interface{ NetConn() net.Conn }:
			c, gather = v.NetConn(), true
		default:
			return nil
		}
	}
}

// Attach makes the connection non-blocking and has the handler told about it.
// It is called on the loop. After an error the connection is as it was.
func (c *Conn) Attach(l *Loop, h Handler) error {
	if c.loop != nil {
		return errors.New("poll: the connection is attached already")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.raw == nil {
		return net.ErrClosed
	}
	if err := c.begin(l); err != nil {
		return err
	}
	c.loop, c.handler = l, h
	l.conns[c] = struct{}{}
	if len(c.left) > 0 {
		l.Later(h)
	}
	return nil
}

// begin starts watching, as a socket where that can be.
func (c *Conn) begin(l *Loop) error {
	if watched, err := c.watch(l); watched || err != nil {
		return err
	}
	_ = c.raw.SetDeadline(time.Time{}) // of the conversation that is over
	c.pump = newPump(c, c.raw, l)
	return nil
}

// Handle gives the attached connection another handler.
func (c *Conn) Handle(h Handler) { c.handler = h }

// Loop is the loop that the connection is attached to, or nil.
func (c *Conn) Loop() *Loop { return c.loop }

// Pending is how many bytes the other side has not taken yet. While there are
// any, nothing more should be written. The handler is called when they are
// gone.
func (c *Conn) Pending() int {
	if c.pump != nil {
		return c.pump.pending()
	}
	if !c.stuck {
		return 0
	}
	return len(c.out)
}

// Detach makes the connection block again. It is called on the loop, which
// forgets it. What is pending goes in front of the next Write, or with Flush.
func (c *Conn) Detach() error {
	if c.loop == nil {
		return nil
	}
	l := c.loop
	c.mu.Lock()
	defer c.mu.Unlock()
	l.unlist(c)
	c.loop, c.handler, c.stuck = nil, nil, false
	if c.pump != nil {
		c.left, c.out = c.pump.stop(c.left)
		c.pump = nil
		return nil
	}
	return c.unwatch(l)
}

// Move hands an attached connection to another loop, where the handler is told
// about it. It is called on the loop that the connection is attached to.
func (c *Conn) Move(to *Loop, h Handler) error {
	if c.loop == nil {
		return net.ErrClosed
	}
	if c.loop == to {
		c.handler = h
		to.Later(h)
		return nil
	}
	from := c.loop
	from.send()
	from.unlist(c)
	if c.pump == nil {
		c.leave(from)
	}
	c.mu.Lock()
	c.loop, c.handler = to, h
	c.mu.Unlock()
	if c.pump != nil {
		c.pump.move(to)
	}
	to.Post(func() {
		if c.loop != to {
			return // closed on the way
		}
		to.conns[c] = struct{}{}
		if err := c.enter(to); err != nil {
			c.err = err
			_ = c.Close() // the handler finds out
		}
		h.Ready()
	})
	return nil
}

// Quiet reports whether the connection is attached and, as far as its loop has
// heard, Read would find nothing. It asks no system call.
func (c *Conn) Quiet() bool {
	switch {
	case c.loop == nil, len(c.left) > 0:
		return false
	case c.pump != nil:
		return c.pump.quiet()
	}
	return c.quietSocket()
}

// Read is as a net.Conn's. While the connection is attached it doesn't block:
// where nothing is there it returns ErrAgain.
func (c *Conn) Read(b []byte) (int, error) {
	if len(c.left) > 0 {
		n := copy(b, c.left)
		if c.left = c.left[n:]; len(c.left) == 0 {
			c.left = nil
		}
		return n, nil
	}
	switch {
	case c.pump != nil:
		return c.pump.read(b)
	case c.loop != nil:
		return c.readSocket(b)
	case c.raw == nil:
		return 0, net.ErrClosed
	}
	return c.raw.Read(b)
}

// Write is as a net.Conn's. While the connection is attached it takes
// everything at once; see Pending.
func (c *Conn) Write(b []byte) (int, error) {
	switch {
	case c.err != nil:
		return 0, c.err
	case len(b) == 0:
		return 0, nil
	case c.pump != nil:
		return c.pump.write(b)
	case c.loop != nil:
		return c.writeSocket(b)
	case c.raw == nil:
		return 0, net.ErrClosed
	}
	if err := c.Flush(); err != nil {
		return 0, err
	}
	return c.raw.Write(b)
}

// writeSocket writes, or puts behind what waits already.
func (c *Conn) writeSocket(b []byte) (int, error) {
	if len(c.out) == 0 && !c.gather {
		n := c.send(b)
		if c.err != nil {
			return n, c.err
		}
		if n < len(b) {
			c.out = append(c.loop.buffer(), b[n:]...)
		}
		return len(b), nil
	}
	if c.out == nil {
		c.out = c.loop.buffer()
	}
	c.out = append(c.out, b...)
	switch {
	case c.stuck:
	case len(c.out) >= maxGathered:
		c.push()
	case !c.listed:
		c.listed = true
		c.loop.unsent = append(c.loop.unsent, c)
	}
	return len(b), c.err
}

// gathered writes what a handler has left to be written.
func (c *Conn) gathered() {
	c.listed = false
	if !c.stuck && c.loop != nil && len(c.out) > 0 {
		c.push()
	}
}

// push writes what is waiting.
func (c *Conn) push() {
	n := c.send(c.out)
	if c.err != nil || n == len(c.out) {
		c.loop.giveBack(c.out)
		c.out = nil
		return
	}
	c.out = slices.Delete(c.out, 0, n)
}

// Flush writes, blocking, what was pending when the connection was detached.
func (c *Conn) Flush() error {
	if len(c.out) == 0 || c.loop != nil {
		return c.err
	}
	if c.raw == nil {
		return net.ErrClosed
	}
	out := c.out
	c.out = nil
	_, err := c.raw.Write(out)
	return err
}

// Close closes the connection. What is pending is lost. Where it is not
// attached, anybody may call it, as with every net.Conn.
func (c *Conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, p := c.loop, c.pump
	if l == nil {
		if c.raw == nil {
			return net.ErrClosed
		}
		return c.raw.Close()
	}
	l.unlist(c)
	c.loop, c.handler, c.out, c.stuck = nil, nil, nil, false
	if p == nil {
		return c.shut(l)
	}
	err := c.raw.Close()
	p.abandon()
	c.pump = nil
	return err
}

// CloseWrite tells the other side that nothing more will come, where the
// connection can. It is for blocking connections.
func (c *Conn) CloseWrite() error {
	half, ok := c.raw.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}
