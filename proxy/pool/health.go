package pool

import (
	"crypto/tls"
	"net"
	"syscall"
)

// alive reports whether nothing has come on an idle backend. Anything that
// Postgres says to nobody, be it a FATAL error or the end, is a reason not to
// use it.
func (b *Backend) alive() bool {
	if b.poll != nil {
		return true // watcher looks
	}
	conn := b.Conn
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	return silent(conn)
}

// silent peeks at a socket without waiting. A connection without a socket
// counts as silent.
func silent(conn net.Conn) bool {
	s, ok := conn.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return false
	}
	again := false
	err = raw.Read(func(fd uintptr) bool {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		again = err == syscall.EAGAIN || err == syscall.EINTR
		return true
	})
	return err == nil && again
}
