package proxy

import (
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/pgask/pgask/proxy/wire"
)

// sayFatal writes the last word of a connection. linger follows it.
func sayFatal(conn net.Conn, err error, log *slog.Logger) {
	_ = conn.SetDeadline(time.Now().Add(lastWord))
	_, _ = conn.Write(wire.AppendErrorResponse(nil, report(err, "FATAL", log))) // a client that is gone needs no word
}

// maxLinger is how many bytes of a client are thrown away for it to get a last
// word.
const maxLinger = 1 << 20

// linger gives the client the time to read its last word: closing a connection
// with unread input would take it back.
func linger(conn net.Conn) {
	if half, ok := conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_, _ = io.CopyN(io.Discard, conn, maxLinger)
	}
}
