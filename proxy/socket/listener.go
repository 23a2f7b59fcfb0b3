package socket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// settle is how long a shared listener goes on after Close: long enough for
// handshakes that are half done, and shorter than the second after which a
// client repeats the first packet that got no answer.
const settle = 500 * time.Millisecond

// Options are how a socket listens.
type Options struct {
	// ReusePort lets other sockets listen on the same address.
	ReusePort bool
	// Keepalive is how long a peer of an accepted connection may be
	// unreachable; 0 leaves it to the system.
	Keepalive time.Duration
}

// Listener accepts connections. Where it shares its address, its first Close
// sends new clients elsewhere; Accept still gives those that wait already, then
// net.ErrClosed. A second Close ends it at once.
type Listener struct {
	net.Listener
	keepalive time.Duration
	// shared is the socket, where others may listen on its address.
	shared *net.TCPListener

	mu      sync.Mutex
	closing bool // guarded by mu
}

// Listen opens address: host:port, or the path of a Unix-domain socket, which
// starts with a slash.
func Listen(ctx context.Context, address string, o Options) (*Listener, error) {
	if strings.HasPrefix(address, "/") {
		return listenUnix(ctx, address, o)
	}
	var config net.ListenConfig
	config.SetMultipathTCP(false) // it has no filters, and Postgres's clients don't speak it
	if o.ReusePort {
		config.Control = func(_, _ string, c syscall.RawConn) error { return set(c, reusePort) }
	}
	ln, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	l := &Listener{Listener: ln, keepalive: o.Keepalive}
	if o.ReusePort {
		l.shared = ln.(*net.TCPListener)
	}
	return l, nil
}

// listenUnix takes over the file of a server that is gone.
func listenUnix(ctx context.Context, path string, o Options) (*Listener, error) {
	var config net.ListenConfig
	ln, err := config.Listen(ctx, "unix", path)
	if errors.Is(err, syscall.EADDRINUSE) && abandoned(path) {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("remove an abandoned socket: %w", err)
		}
		ln, err = config.Listen(ctx, "unix", path)
	}
	if err != nil {
		return nil, err
	}
	// As with Postgres, everybody may connect: passwords say who gets in.
	if err := os.Chmod(path, 0o777); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	return &Listener{Listener: ln, keepalive: o.Keepalive}, nil
}

func abandoned(path string) bool {
	conn, err := net.Dial("unix", path)
	if err == nil {
		_ = conn.Close() // somebody listens
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// Accept waits for the next client.
func (l *Listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		// A connection that can't be tuned is broken already: its first read
		// will say so.
		_ = Tune(conn, l.keepalive)
		return conn, nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) && l.isClosing() {
		return nil, errors.Join(net.ErrClosed, l.Listener.Close())
	}
	return nil, err
}

// Close stops listening; see [Listener].
func (l *Listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing || l.shared == nil {
		return l.Listener.Close()
	}
	l.closing = true
	raw, err := l.shared.SyscallConn()
	if err == nil {
		err = set(raw, refuseNew)
	}
	if err != nil {
		return errors.Join(err, l.Listener.Close())
	}
	return l.shared.SetDeadline(time.Now().Add(settle))
}

func (l *Listener) isClosing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closing
}

// Tune makes the system notice a peer that can't be reached within limit,
// whether or not there are bytes under way. It does nothing where limit is 0
// and to connections without a network.
func Tune(conn net.Conn, limit time.Duration) error {
	if inner, ok := conn.(interface{ NetConn() net.Conn }); ok { // of TLS
		conn = inner.NetConn()
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok || limit == 0 {
		return nil
	}
	const probes = 3
	pause := max(limit/(probes+1), time.Second)
	if err := tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: pause, Interval: pause, Count: probes}); err != nil {
		return fmt.Errorf("keep-alive: %w", err)
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return err
	}
	return set(raw, func(fd int) error { return userTimeout(fd, limit) })
}

// set changes a socket that the runtime holds.
func set(c syscall.RawConn, change func(fd int) error) error {
	var err error
	if e := c.Control(func(fd uintptr) { err = change(int(fd)) }); e != nil {
		return e
	}
	return err
}
