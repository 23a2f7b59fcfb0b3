package wire_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/pgask/pgask/proxy/wire"
)

// sockets are the two ends of a TCP connection.
func sockets(tb testing.TB) (near, far net.Conn) {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer ln.Close()
	if near, err = net.Dial("tcp", ln.Addr().String()); err != nil {
		tb.Fatal(err)
	}
	if far, err = ln.Accept(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = near.Close(); _ = far.Close() })
	return near, far
}

// pump passes frames until an end, which it returns.
func pump(src, dst net.Conn) error {
	r := wire.NewRelay(src, dst, nil, nil)
	defer r.Release()
	for {
		h, err := r.Next()
		if err != nil {
			return err
		}
		r.Pass(h)
	}
}

// TestSockets: more than a socket's buffer holds goes through, to a reader that
// starts late, and the end is seen.
func TestSockets(t *testing.T) {
	client, in := sockets(t)
	out, backend := sockets(t)
	ended := make(chan error, 1)
	go func() { ended <- pump(in, out); _ = out.Close() }()
	want := bytes.Repeat(frame('D', bytes.Repeat([]byte("row"), 50_000)), 200)
	go func() { _, _ = client.Write(want); _ = client.Close() }()
	got, err := io.ReadAll(backend)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%d bytes of %d, %v", len(got), len(want), err)
	}
	if err := <-ended; err != io.EOF {
		t.Errorf("ended with %v", err)
	}
}

// TestSocketsCut: deadlines and Close end a read and a write that wait.
func TestSocketsCut(t *testing.T) {
	endless := bytes.Repeat(frame('D', make([]byte, 60_000)), 1000)
	tests := []struct {
		name string
		send []byte
		cut  func(in, out net.Conn)
		want error
	}{
		{"read, deadline", nil, func(in, _ net.Conn) { _ = in.SetReadDeadline(time.Now()) }, os.ErrDeadlineExceeded},
		{"read, close", nil, func(in, _ net.Conn) { _ = in.Close() }, net.ErrClosed},
		{"write, deadline", endless, func(_, out net.Conn) { _ = out.SetWriteDeadline(time.Now()) }, os.ErrDeadlineExceeded},
		{"write, close", endless, func(_, out net.Conn) { _ = out.Close() }, net.ErrClosed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			client, in := sockets(t)
			out, _ := sockets(t) // nobody reads the other end
			ended := make(chan error, 1)
			go func() { ended <- pump(in, out) }()
			go func() { _, _ = client.Write(test.send) }()
			test.cut(in, out)
			if err := <-ended; !errors.Is(err, test.want) {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

// BenchmarkRoundTrip is a small frame there and back through two relays. It
// must not allocate.
func BenchmarkRoundTrip(b *testing.B) {
	client, in := sockets(b)
	out, backend := sockets(b)
	go func() { _ = pump(in, out) }()
	go func() { _ = pump(out, in) }()
	go func() { _, _ = io.Copy(backend, backend) }()
	message := frame('Q', []byte("select 1\x00"))
	answer := make([]byte, len(message))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := client.Write(message); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(client, answer); err != nil {
			b.Fatal(err)
		}
	}
}
