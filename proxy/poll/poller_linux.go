//go:build !portable

package poll

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

// poller is the loop's epoll instance. Events are edge-triggered.
type poller struct {
	fd     int
	waker  int // an eventfd, which ends a wait
	conns  []*Conn
	events [128]syscall.EpollEvent
	// crowded is after a wait that found much: the next one may well find
	// something at once.
	crowded bool
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
	wake := syscall.EpollEvent{Events: syscall.EPOLLIN | edge, Fd: int32(waker)}
	if err := syscall.EpollCtl(fd, syscall.EPOLL_CTL_ADD, p.waker, &wake); err != nil {
		p.close()
		return nil, os.NewSyscallError("epoll_ctl", err)
	}
	return p, nil
}

func (p *poller) close() {
	_ = syscall.Close(p.fd)
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

// wait returns how many events there are. A call that doesn't wait needn't be
// told to the scheduler; one that does is a plain one, so that others can run
// meanwhile.
func (p *poller) wait(wait bool) int {
	n := 0
	if !wait || p.crowded {
		n = p.look()
	}
	if wait && n == 0 {
		var err error
		for n, err = syscall.EpollWait(p.fd, p.events[:], -1); err == syscall.EINTR; {
			n, err = syscall.EpollWait(p.fd, p.events[:], -1)
		}
		n = max(n, 0)
	}
	p.crowded = n > 1
	return n
}

func (p *poller) look() int {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(p.fd), uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), 0, 0, 0)
	if errno != 0 {
		return 0 // interrupted: the next call tells
	}
	return int(n)
}
