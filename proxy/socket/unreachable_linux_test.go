package socket_test

import (
	"errors"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pgask/pgask/proxy/socket"
)

// TestUnreachable: a peer that acknowledges nothing is noticed, with bytes
// under way and without.
func TestUnreachable(t *testing.T) {
	for name, send := range map[string]bool{"silent": false, "sending": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ln := listen(t, "127.0.0.1:0", socket.Options{Keepalive: 2 * time.Second})
			client, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			conn, err := ln.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			deafen(t, client.(*net.TCPConn))
			if send {
				if _, err := conn.Write(make([]byte, 100)); err != nil {
					t.Fatal(err)
				}
			}
			_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
			if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, unix.ETIMEDOUT) {
				t.Errorf("read: %v", err)
			}
		})
	}
}

// deafen makes a connection lose everything that arrives.
func deafen(t *testing.T, conn *net.TCPConn) {
	t.Helper()
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	drop := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: 0}
	program := unix.SockFprog{Len: 1, Filter: &drop}
	if e := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &program)
	}); e != nil || err != nil {
		t.Fatal(e, err)
	}
}
