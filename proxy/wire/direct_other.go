//go:build !linux

package wire

import (
	"io"
	"net"
)

// reader and writer know a shorter way on Linux only.
func reader(conn net.Conn) io.Reader { return conn }
func writer(conn net.Conn) io.Writer { return conn }
