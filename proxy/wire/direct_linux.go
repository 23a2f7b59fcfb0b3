package wire

import (
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"
)

// direct reads or writes a plain socket by system calls that the Go scheduler
// isn't told of. The socket is non-blocking, so they can't wait; but a write to
// a local peer takes long enough for the runtime to take the processor away
// from the goroutine meanwhile, and handing it over and back costs a quarter of
// what a relay takes, or more. Where a call would wait, the runtime's poller waits, so
// deadlines and Close work as ever.
//
// The price: a thread that the kernel preempts inside a call keeps its
// processor from the other goroutines. On a machine with more to run than
// cores, throughput at 8 clients of the extended protocol was lower for it.
//
// One goroutine uses it. The callback is made once, so that a call allocates
// nothing.
type direct struct {
	wait func(f func(fd uintptr) bool) error
	step func(fd uintptr) bool
	b    []byte
	n    int
	err  error
}

// reader is conn or, where it is a plain socket, a direct way to read it.
func reader(conn net.Conn) io.Reader {
	raw := socket(conn)
	if raw == nil {
		return conn
	}
	d := &directReader{direct{wait: raw.Read}}
	d.step = d.read
	return d
}

// writer is reader's counterpart.
func writer(conn net.Conn) io.Writer {
	raw := socket(conn)
	if raw == nil {
		return conn
	}
	d := &directWriter{direct{wait: raw.Write}}
	d.step = d.write
	return d
}

// socket is nil for everything that is not bytes on a socket as they are.
func socket(conn net.Conn) syscall.RawConn {
	var raw syscall.RawConn
	var err error
	switch c := conn.(type) {
	case *net.TCPConn:
		raw, err = c.SyscallConn()
	case *net.UnixConn:
		raw, err = c.SyscallConn()
	}
	if err != nil {
		return nil
	}
	return raw
}

type directReader struct{ direct }

// Read is as a net.Conn's.
func (d *directReader) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	err := d.run(b)
	if err == nil && d.n == 0 {
		err = io.EOF
	}
	return d.n, err
}

func (d *directReader) read(fd uintptr) bool {
	n, errno := call(syscall.SYS_READ, fd, d.b)
	switch errno {
	case 0:
		d.n = n
	case syscall.EAGAIN:
		return false
	default:
		d.err = failed("read", errno)
	}
	return true
}

type directWriter struct{ direct }

// Write is as a net.Conn's.
func (d *directWriter) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	err := d.run(b)
	return d.n, err
}

func (d *directWriter) write(fd uintptr) bool {
	for d.n < len(d.b) {
		n, errno := call(syscall.SYS_WRITE, fd, d.b[d.n:])
		switch errno {
		case 0:
			d.n += n
		case syscall.EAGAIN:
			return false
		default:
			d.err = failed("write", errno)
			return true
		}
	}
	return true
}

// failed words an error as package net does.
func failed(op string, errno syscall.Errno) error {
	return &net.OpError{Op: op, Net: "socket", Err: os.NewSyscallError(op, errno)}
}

// run has step called until it is done.
func (d *direct) run(b []byte) error {
	d.b, d.n, d.err = b, 0, nil
	err := d.wait(d.step)
	d.b = nil
	if err == nil {
		err = d.err
	}
	return err
}

// call is one read or write; b is not empty.
func call(trap, fd uintptr, b []byte) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(trap, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		if errno != syscall.EINTR {
			return int(n), errno
		}
	}
}
