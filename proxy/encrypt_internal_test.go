package proxy

import (
	"crypto/tls"
	"net"
	"testing"

	"github.com/pgask/pgask/proxy/poll"
)

// TestDirectIsWatched: TLS that began without a request has the client's own
// connection beneath it, for a loop to watch. Goroutines would read it otherwise.
func TestDirectIsWatched(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	defer near.Close()
	conn := poll.New(near)
	if poll.Of(tls.Server(&preread{conn, []byte{handshakeRecord}}, &tls.Config{})) != conn {
		t.Error("the connection can't be attached")
	}
}
