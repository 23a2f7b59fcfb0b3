package socket_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pgask/pgask/proxy/socket"
)

func listen(t *testing.T, address string, o socket.Options) *socket.Listener {
	t.Helper()
	ln, err := socket.Listen(t.Context(), address, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close(); _ = ln.Close() })
	return ln
}

// greet writes a letter to everybody, slowly enough for a queue to form, and
// returns how Accept ended.
func greet(ln net.Listener, letter byte, busy <-chan time.Time) error {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return err
		}
		if busy != nil {
			<-busy
		}
		_, _ = conn.Write([]byte{letter})
		_ = conn.Close()
	}
}

// TestHandover: while clients come without a pause, a second listener opens
// beside the first, which then closes. None of them fails.
func TestHandover(t *testing.T) {
	first := listen(t, "127.0.0.1:0", socket.Options{ReusePort: true})
	address := first.Addr().String()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	ended := make(chan error, 2)
	go func() { ended <- greet(first, 'a', tick.C) }()
	var seen [256]atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	defer clients.Wait()
	defer stop()
	for range 16 {
		clients.Go(func() {
			for ctx.Err() == nil {
				letter, err := visit(address)
				if err != nil {
					t.Errorf("lost: %v", err)
					return
				}
				seen[letter].Add(1)
			}
		})
	}
	until(t, func() bool { return seen['a'].Load() > 20 })
	second := listen(t, address, socket.Options{ReusePort: true})
	go func() { ended <- greet(second, 'b', nil) }()
	until(t, func() bool { return seen['b'].Load() > 20 })
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("the first ended with %v", err)
	}
	last := seen['a'].Load()
	until(t, func() bool { return seen['b'].Load() > 500 })
	stop()
	clients.Wait()
	if after := seen['a'].Load() - last; after > 16 { // read, but not counted yet
		t.Errorf("%d clients were greeted by a listener that was closed", after)
	}
	_, _ = second.Close(), second.Close()
	<-ended
}

func visit(address string) (byte, error) {
	conn, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	var letter [1]byte
	_, err = io.ReadFull(conn, letter[:])
	return letter[0], err
}

func until(t *testing.T, so func() bool) {
	t.Helper()
	deadline, tick := time.After(30*time.Second), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-deadline:
			t.Fatal("it never came")
		case <-tick.C:
		}
	}
}

func TestAddressInUse(t *testing.T) {
	first := listen(t, "127.0.0.1:0", socket.Options{})
	if _, err := socket.Listen(t.Context(), first.Addr().String(), socket.Options{ReusePort: true}); !errors.Is(err, unix.EADDRINUSE) {
		t.Errorf("beside one that doesn't share: %v", err)
	}
}

// TestUnix takes over the file of a server that died, and of no other.
func TestUnix(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".s.PGSQL.6432")
	dead := listen(t, path, socket.Options{})
	dead.Listener.(*net.UnixListener).SetUnlinkOnClose(false)
	if _, err := socket.Listen(t.Context(), path, socket.Options{}); !errors.Is(err, unix.EADDRINUSE) {
		t.Errorf("beside a living one: %v", err)
	}
	_ = dead.Close()
	listen(t, path, socket.Options{})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o777 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}
