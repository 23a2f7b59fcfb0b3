//go:build !portable

package poll

import (
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// poller is the loop's epoll instance. Events are edge-triggered.
//
// While there are none, the loop is parked and the runtime's own poller watches
// ours. An epoll_wait that blocks would wake up cheaper, but the scheduler then
// takes the loop for one that never lets go: its monitor takes the processor out
// of every such call, and looks every 20 µs whether it can. While much data
// moves that was a tenth of all processor time.
type poller struct {
	fd     int
	file   *os.File // owns fd
	parked syscall.RawConn
	try    func(uintptr) bool // looks, and reports whether there were events
	found  int                // by try
	waker  int                // an eventfd, which ends a wait
	conns  []*Conn
	events [128]syscall.EpollEvent
}

const edge = 1 << 31 // EPOLLET, which package syscall has as a negative number

func newPoller() (*poller, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	waker, _, errno := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errno != 0 {
		_ = syscall.Close(fd)
		return nil, os.NewSyscallError("eventfd2", errno)
	}
	p := &poller{fd: fd, waker: int(waker)}
	if err := p.own(); err != nil {
		p.close()
		return nil, fmt.Errorf("epoll: %w", err)
	}
	wake := syscall.EpollEvent{Events: syscall.EPOLLIN | edge, Fd: int32(waker)}
	if err := syscall.EpollCtl(fd, syscall.EPOLL_CTL_ADD, p.waker, &wake); err != nil {
		p.close()
		return nil, os.NewSyscallError("epoll_ctl", err)
	}
	return p, nil
}

// own has the runtime's poller watch the descriptor.
func (p *poller) own() (err error) {
	// Descriptors that are watched are known by being non-blocking.
	err = syscall.SetNonblock(p.fd, true)
	p.file = os.NewFile(uintptr(p.fd), "epoll")
	if err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	if err = p.file.SetDeadline(time.Time{}); err != nil { // where it isn't watched
		return err
	}
	p.try = func(uintptr) bool {
		p.found = p.look()
		return p.found > 0
	}
	p.parked, err = p.file.SyscallConn()
	return err
}

func (p *poller) close() {
	_ = p.file.Close()
	_ = syscall.Close(p.waker)
}

// signal ends the wait of the poller with this waker. The counter is never
// read: an edge comes with every write.
func signal(waker int) {
	one := [8]byte{0: 1}
	_, _ = call(syscall.SYS_WRITE, waker, one[:])
}

func (p *poller) add(c *Conn) error {
	fd := c.socket.fd
	if fd >= len(p.conns) {
		p.conns = append(p.conns, make([]*Conn, fd+1-len(p.conns))...)
	}
	p.conns[fd] = c
	e := event(c)
	if err := syscall.EpollCtl(p.fd, syscall.EPOLL_CTL_ADD, fd, &e); err != nil {
		p.conns[fd] = nil
		return os.NewSyscallError("epoll_ctl", err)
	}
	return nil
}

// change has the kernel tell when there is room again, or not any more.
func (p *poller) change(c *Conn) {
	e := event(c)
	if err := syscall.EpollCtl(p.fd, syscall.EPOLL_CTL_MOD, c.socket.fd, &e); err != nil {
		c.err = os.NewSyscallError("epoll_ctl", err)
	}
}

func (p *poller) remove(c *Conn) {
	fd := c.socket.fd
	if fd < len(p.conns) && p.conns[fd] == c {
		p.conns[fd] = nil
		_ = syscall.EpollCtl(p.fd, syscall.EPOLL_CTL_DEL, fd, nil) // the descriptor is about to go anyway
	}
}

// event is what a connection waits for. Room to write is only asked for where
// there was none, since unix sockets announce it after every read.
func event(c *Conn) syscall.EpollEvent {
	e := syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLRDHUP | edge, Fd: int32(c.socket.fd)}
	if c.stuck {
		e.Events |= syscall.EPOLLOUT
	}
	return e
}

// poll calls the handlers of what has happened. With wait, it waits for
// something to happen.
func (l *Loop) poll(wait bool) {
	p := l.poller
	if p == nil {
		return
	}
	n := p.wait(wait)
	l.asleep.Store(false)
	l.now = time.Time{}
	p.note(n)
	for _, e := range p.events[:n] {
		fd := int(e.Fd)
		if fd >= len(p.conns) || p.conns[fd] == nil {
			continue // the waker, or a connection that has left meanwhile
		}
		if c := p.conns[fd]; c.ready(e.Events) && c.handler != nil {
			c.handler.Ready()
			l.send()
		}
	}
}

// note lets the connections know of their events before the first handler runs,
// which may ask another connection whether it is quiet.
func (p *poller) note(n int) {
	if n < 2 {
		return
	}
	for _, e := range p.events[:n] {
		if fd := int(e.Fd); fd < len(p.conns) && p.conns[fd] != nil {
			p.conns[fd].note(e.Events)
		}
	}
}

// wait returns how many events there are. A look doesn't block, so the scheduler
// needn't know of it.
func (p *poller) wait(wait bool) int {
	if !wait {
		return p.look()
	}
	p.found = 0
	_ = p.parked.Read(p.try) // fails where it is closed, which the loop does at its end
	return p.found
}

func (p *poller) look() int {
	for {
		n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(p.fd), uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), 0, 0, 0)
		switch errno {
		case 0:
			return int(n)
		case syscall.EINTR:
		default:
			return 0
		}
	}
}
