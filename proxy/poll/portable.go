//go:build !linux || portable

package poll

import "net"

// socket and poller are Linux's; elsewhere every connection has a pump.
type (
	socket struct{}
	poller struct{}
)

var noSocket socket

func (c *Conn) watch(*Loop) (bool, error) { return false, nil }

func (c *Conn) enter(*Loop) error { return nil }

func (c *Conn) leave(*Loop) {}

func (c *Conn) unwatch(*Loop) error { return nil }

func (c *Conn) shut(*Loop) error { return nil }

func (c *Conn) quietSocket() bool { return false }

func (c *Conn) readSocket([]byte) (int, error) { return 0, net.ErrClosed }

func (c *Conn) send([]byte) int { return 0 }

func (l *Loop) poll(bool) {}

func (p *poller) close() {}

func signal(int) {}
