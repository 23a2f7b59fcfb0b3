package poll_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pgask/pgask/proxy/poll"
)

// patience is how long the far end waits for what must come.
const patience = 20 * time.Second

// kinds are the connections that everything is tried on: the far end, and the
// near one with what is to be read and written there.
var kinds = map[string]func(t testing.TB) (far net.Conn, near *poll.Conn, top net.Conn){
	"tcp": func(t testing.TB) (net.Conn, *poll.Conn, net.Conn) { return plain(t, "tcp", "127.0.0.1:0") },
	"unix": func(t testing.TB) (net.Conn, *poll.Conn, net.Conn) {
		return plain(t, "unix", filepath.Join(t.TempDir(), "s"))
	},
	"tls": func(t testing.TB) (net.Conn, *poll.Conn, net.Conn) {
		far, near, _ := plain(t, "tcp", "127.0.0.1:0")
		client := tls.Client(far, &tls.Config{InsecureSkipVerify: true})
		server := tls.Server(near, &tls.Config{Certificates: []tls.Certificate{certificate()}})
		shaken := make(chan error, 1)
		go func() { shaken <- client.Handshake() }()
		if err := errors.Join(server.Handshake(), <-shaken); err != nil {
			t.Fatal(err)
		}
		return client, near, server
	},
	"pipe": func(t testing.TB) (net.Conn, *poll.Conn, net.Conn) {
		far, near := net.Pipe()
		_ = far.SetDeadline(time.Now().Add(patience))
		c := poll.New(near)
		t.Cleanup(func() { _ = far.Close(); _ = c.Close() })
		return far, c, c
	},
}

func plain(t testing.TB, network, addr string) (net.Conn, *poll.Conn, net.Conn) {
	t.Helper()
	ln, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	far, err := net.Dial(network, ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	near, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	_ = far.SetDeadline(time.Now().Add(patience))
	c := poll.New(near)
	t.Cleanup(func() { _ = far.Close(); _ = c.Close() })
	return far, c, c
}

var certificate = sync.OnceValue(func() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
})

// echo sends back what comes, and pauses while that can't be written.
type echo struct {
	conn    *poll.Conn
	top     net.Conn
	buf     []byte
	most    int // the most that was pending
	ended   chan error
	stopped bool
}

func newEcho(c *poll.Conn, top net.Conn) *echo {
	return &echo{conn: poll.Of(top), top: top, buf: make([]byte, 8<<10), ended: make(chan error, 1)}
}

func (e *echo) Ready() {
	for !e.stopped && e.conn.Pending() == 0 {
		n, err := e.top.Read(e.buf)
		if errors.Is(err, poll.ErrAgain) {
			return
		}
		if err == nil {
			_, err = e.top.Write(e.buf[:n])
			e.most = max(e.most, e.conn.Pending())
		}
		if err != nil {
			e.stopped = true
			e.ended <- err
		}
	}
}

// on runs f on the loop and waits for it.
func on(t testing.TB, l *poll.Loop, f func() error) {
	t.Helper()
	done := make(chan error, 1)
	l.Post(func() { done <- f() })
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// each runs a test for every kind of connection, with a loop that has its echo.
func each(t *testing.T, test func(t *testing.T, l *poll.Loop, far net.Conn, e *echo)) {
	for name, make := range kinds {
		t.Run(name, func(t *testing.T) {
			far, near, top := make(t)
			l := poll.Start()
			t.Cleanup(l.Close) // before the connections
			e := newEcho(near, top)
			on(t, l, func() error { return near.Attach(l, e) })
			test(t, l, far, e)
		})
	}
}

func ask(t testing.TB, far net.Conn, message string) {
	t.Helper()
	if _, err := io.WriteString(far, message); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(message))
	if _, err := io.ReadFull(far, got); err != nil || string(got) != message {
		t.Fatalf("got %q, %v", got, err)
	}
}

func TestEcho(t *testing.T) {
	each(t, func(t *testing.T, _ *poll.Loop, far net.Conn, e *echo) {
		for range 100 {
			ask(t, far, "hello")
		}
		_ = far.Close()
		if err := <-e.ended; err != io.EOF {
			t.Errorf("ended with %v", err)
		}
	})
}

// TestBackPressure: a far end that doesn't read stops what is read from it, and
// gets everything when it does.
func TestBackPressure(t *testing.T) {
	each(t, func(t *testing.T, l *poll.Loop, far net.Conn, e *echo) {
		want := make([]byte, 32<<20)
		_, _ = rand.Read(want)
		_ = far.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
		sent, err := far.Write(want)
		if !errors.Is(err, os.ErrDeadlineExceeded) || sent == len(want) {
			t.Fatalf("%d bytes went, %v", sent, err)
		}
		if _, isTLS := far.(*tls.Conn); isTLS {
			return // which can't be written after that
		}
		_ = far.SetWriteDeadline(time.Now().Add(patience))
		go func() { _, _ = far.Write(want[sent:]) }()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(far, got); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v", err)
		}
		on(t, l, func() error {
			if e.most > 1<<20 {
				t.Errorf("%d bytes were held", e.most)
			}
			return nil
		})
	})
}

// TestBulk: much comes back whole while it is read.
func TestBulk(t *testing.T) {
	each(t, func(t *testing.T, _ *poll.Loop, far net.Conn, _ *echo) {
		want := make([]byte, 16<<20)
		_, _ = rand.Read(want)
		go func() { _, _ = far.Write(want) }()
		got := make([]byte, len(want))
		if _, err := io.ReadFull(far, got); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v", err)
		}
	})
}

// TestLastBytes: bytes that come together with the end are read before it.
func TestLastBytes(t *testing.T) {
	for range 200 {
		far, near, _ := plain(t, "tcp", "127.0.0.1:0")
		l := poll.Start()
		e := newEcho(near, near)
		_, _ = io.WriteString(far, "last")
		_ = far.(*net.TCPConn).CloseWrite()
		on(t, l, func() error { return near.Attach(l, e) })
		got := make([]byte, 4)
		if _, err := io.ReadFull(far, got); err != nil || string(got) != "last" {
			t.Fatalf("got %q, %v", got, err)
		}
		if err := <-e.ended; err != io.EOF {
			t.Fatalf("ended with %v", err)
		}
		l.Close()
	}
}

func TestReset(t *testing.T) {
	far, near, _ := plain(t, "tcp", "127.0.0.1:0")
	l := poll.Start()
	defer l.Close()
	e := newEcho(near, near)
	on(t, l, func() error { return near.Attach(l, e) })
	ask(t, far, "hello")
	_ = far.(*net.TCPConn).SetLinger(0)
	_ = far.Close()
	var op *net.OpError
	if err := <-e.ended; !errors.As(err, &op) {
		t.Errorf("ended with %v", err)
	}
}

// TestDetach: the connection blocks again, with deadlines, and loses nothing;
// and it can be attached again.
func TestDetach(t *testing.T) {
	each(t, func(t *testing.T, l *poll.Loop, far net.Conn, e *echo) {
		for range 20 {
			ask(t, far, "on the loop")
			on(t, l, func() error { return e.conn.Detach() })
			answered := make(chan error, 1)
			go func() {
				got := make([]byte, 5)
				_, err := io.ReadFull(e.top, got)
				if err == nil {
					_, err = e.top.Write(got)
				}
				answered <- err
			}()
			ask(t, far, "aside")
			if err := <-answered; err != nil {
				t.Fatal(err)
			}
			_ = e.conn.SetReadDeadline(time.Unix(1, 0))
			if _, err := e.conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatalf("no deadline: %v", err)
			}
			_ = e.conn.SetReadDeadline(time.Time{})
			on(t, l, func() error { return e.conn.Attach(l, e) })
		}
	})
}

// TestDetachPending: what was pending goes in front of what is written then.
func TestDetachPending(t *testing.T) {
	for name, make := range kinds {
		t.Run(name, func(t *testing.T) {
			far, near, top := make(t)
			l := poll.Start()
			defer l.Close()
			poll.Of(top)
			chunk := bytes.Repeat([]byte("pending "), 1000)
			n := 0
			on(t, l, func() error {
				if err := near.Attach(l, &handler{func() {}}); err != nil {
					return err
				}
				for ; near.Pending() == 0; n++ {
					if _, err := top.Write(chunk); err != nil {
						return err
					}
				}
				return near.Detach()
			})
			go func() { _, _ = io.WriteString(top, "the end"); _ = top.Close() }()
			got, err := io.ReadAll(far)
			if want := append(bytes.Repeat(chunk, n), "the end"...); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
			}
		})
	}
}

// TestMove hands a connection from loop to loop in mid-conversation.
func TestMove(t *testing.T) {
	each(t, func(t *testing.T, l *poll.Loop, far net.Conn, e *echo) {
		loops := []*poll.Loop{l, poll.Start()}
		defer loops[1].Close()
		for i := range 50 {
			ask(t, far, "somewhere")
			from, to := loops[i%2], loops[(i+1)%2]
			on(t, from, func() error { return e.conn.Move(to, e) })
		}
		ask(t, far, "at last")
		on(t, loops[0], func() error {
			if e.conn.Loop() != loops[0] {
				t.Error("is elsewhere")
			}
			return e.conn.Move(loops[0], e)
		})
		ask(t, far, "stayed")
	})
}

// TestCloseTells: a handler learns that its loop has ended.
func TestCloseTells(t *testing.T) {
	for name, make := range kinds {
		t.Run(name, func(t *testing.T) {
			l := poll.Start()
			far, near, top := make(t)
			e := newEcho(near, top)
			on(t, l, func() error { return near.Attach(l, e) })
			ask(t, far, "hello")
			l.Close()
			if err := <-e.ended; err == nil || errors.Is(err, poll.ErrAgain) {
				t.Errorf("ended with %v", err)
			}
			if _, err := far.Read([]byte{0}); err == nil {
				t.Error("still open")
			}
		})
	}
}

// TestMany serves a thousand connections with one loop, and leaves no
// descriptor behind.
func TestMany(t *testing.T) {
	before := descriptors(t)
	func() {
		l := poll.Start()
		defer l.Close()
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		var all sync.WaitGroup
		for range 1000 {
			far, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			near, err := ln.Accept()
			if err != nil {
				t.Fatal(err)
			}
			c := poll.New(near)
			e := newEcho(c, c)
			on(t, l, func() error { return c.Attach(l, e) })
			all.Go(func() {
				defer far.Close()
				_ = far.SetDeadline(time.Now().Add(patience))
				for range 20 {
					ask(t, far, "one of many")
				}
			})
		}
		all.Wait()
	}()
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}

// descriptors counts this process's open files, where the system lists them.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// BenchmarkEcho is a small message there and back. The near side allocates
// nothing.
func BenchmarkEcho(b *testing.B) {
	for _, name := range []string{"tcp", "unix", "tls"} {
		b.Run(name, func(b *testing.B) {
			far, near, top := kinds[name](b)
			l := poll.Start()
			b.Cleanup(l.Close)
			e := newEcho(near, top)
			on(b, l, func() error { return near.Attach(l, e) })
			_ = far.SetDeadline(time.Time{})
			got := make([]byte, 100)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := far.Write(got); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(far, got); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
