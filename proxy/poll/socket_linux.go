//go:build !portable

package poll

import (
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"
)

// socket is the descriptor of an attached connection.
type socket struct {
	fd int
	// readable is false once a read has found less than it asked for: until
	// the next event nothing is there. hungUp makes it stay true, because the
	// event of an end may have come with that of the last bytes.
	readable bool
	hungUp   bool
}

var noSocket = socket{fd: -1}

// watch takes a TCP or unix socket over. The descriptor is a duplicate: the
// runtime's poller, which would wake for every event as well, lets go of its
// own.
func (c *Conn) watch(l *Loop) (bool, error) {
	raw, ok := c.raw.(interface {
		SyscallConn() (syscall.RawConn, error)
	})
	if !ok {
		return false, nil
	}
	rc, err := raw.SyscallConn()
	if err != nil {
		return false, fmt.Errorf("attach: %w", err)
	}
	fd := -1
	if e := rc.Control(func(from uintptr) { fd, err = duplicate(from) }); e != nil || err != nil {
		return false, fmt.Errorf("attach: %w", firstOf(e, err))
	}
	c.socket = socket{fd: fd, readable: true}
	if err := c.enter(l); err != nil {
		_ = syscall.Close(fd)
		c.socket = noSocket
		return false, err
	}
	_ = c.raw.Close()
	c.raw = nil
	return true, nil
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func duplicate(fd uintptr) (int, error) {
	n, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_DUPFD_CLOEXEC, 0)
	if errno != 0 {
		return -1, os.NewSyscallError("fcntl", errno)
	}
	return int(n), nil
}

// enter puts the socket among those that the loop watches, leave takes it out.
func (c *Conn) enter(l *Loop) error {
	if c.pump != nil {
		return nil
	}
	if l.poller == nil {
		p, err := newPoller()
		if err != nil {
			return err
		}
		l.poller = p
		l.waker.Store(int32(p.waker))
	}
	c.socket.readable = true
	return l.poller.add(c)
}

func (c *Conn) leave(l *Loop) { l.poller.remove(c) }

// unwatch makes a blocking connection of the socket again.
func (c *Conn) unwatch(l *Loop) error {
	l.poller.remove(c)
	file := os.NewFile(uintptr(c.socket.fd), "socket")
	c.socket = noSocket
	raw, err := net.FileConn(file)
	_ = file.Close() // raw has a descriptor of its own
	if err != nil {
		return fmt.Errorf("detach: %w", err)
	}
	c.raw = raw
	return nil
}

// shut closes an attached socket.
func (c *Conn) shut(l *Loop) error {
	l.poller.remove(c)
	fd := c.socket.fd
	c.socket = noSocket
	return os.NewSyscallError("close", syscall.Close(fd))
}

// ready takes an event. It reports whether the handler has to know.
func (c *Conn) ready(events uint32) bool {
	read := c.note(events)
	wrote := c.stuck && events&(syscall.EPOLLOUT|over) != 0
	if wrote {
		c.push()
	}
	return read || (wrote && !c.stuck)
}

// over are the events of an end.
const over = syscall.EPOLLHUP | syscall.EPOLLERR | syscall.EPOLLRDHUP

// note notes what an event says about reading, and reports whether it says
// anything.
func (c *Conn) note(events uint32) bool {
	if events&over != 0 {
		c.socket.hungUp = true
	}
	read := events&(syscall.EPOLLIN|over) != 0
	if read {
		c.socket.readable = true
	}
	return read
}

// quietSocket reports whether nothing has come that was not read.
func (c *Conn) quietSocket() bool { return !c.socket.readable }

func (c *Conn) readSocket(b []byte) (int, error) {
	if !c.socket.readable {
		return 0, ErrAgain
	}
	if len(b) == 0 {
		return 0, nil
	}
	n, errno := call(syscall.SYS_READ, c.socket.fd, b)
	switch {
	case errno == syscall.EAGAIN:
		c.socket.readable = false
		return 0, ErrAgain
	case errno != 0:
		return 0, failed("read", errno)
	case n == 0:
		return 0, io.EOF
	case n < len(b) && !c.socket.hungUp:
		c.socket.readable = false
	}
	return n, nil
}

// send writes what the kernel takes of b. An error is in c.err afterwards.
func (c *Conn) send(b []byte) (n int) {
	stuck := false
	for n < len(b) && !stuck && c.err == nil {
		m, errno := call(syscall.SYS_WRITE, c.socket.fd, b[n:])
		switch errno {
		case 0:
			n += m
		case syscall.EAGAIN:
			stuck = true
		default:
			c.err = failed("write", errno)
		}
	}
	if stuck != c.stuck {
		c.stuck = stuck
		c.loop.poller.change(c)
	}
	return n
}

// failed words an error as package net does.
func failed(op string, errno syscall.Errno) error {
	return &net.OpError{Op: op, Net: "socket", Err: os.NewSyscallError(op, errno)}
}

// call is one read or write of a non-blocking descriptor; b is not empty. The
// scheduler isn't told, since it can't wait.
func call(trap uintptr, fd int, b []byte) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(trap, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		if errno != syscall.EINTR {
			return int(n), errno
		}
	}
}
