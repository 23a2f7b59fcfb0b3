package poll

import (
	"net"
	"time"
)

// LocalAddr is the address of our side.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr is the address of the other side.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline limits blocking reads and writes. An attached connection has no
// deadlines.
func (c *Conn) SetDeadline(t time.Time) error {
	return c.deadline(func(raw net.Conn) error { return raw.SetDeadline(t) })
}

// SetReadDeadline limits blocking reads.
func (c *Conn) SetReadDeadline(t time.Time) error {
	return c.deadline(func(raw net.Conn) error { return raw.SetReadDeadline(t) })
}

// SetWriteDeadline limits blocking writes.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	return c.deadline(func(raw net.Conn) error { return raw.SetWriteDeadline(t) })
}

func (c *Conn) deadline(set func(net.Conn) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.loop != nil:
		return nil
	case c.raw == nil:
		return net.ErrClosed
	}
	return set(c.raw)
}
