package socket_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/pgask/pgask/proxy/socket"
)

// TestMain is also the child of TestInherited: it greets one client on each
// socket.
func TestMain(m *testing.M) {
	if os.Getenv("INHERIT") == "" {
		os.Exit(m.Run())
	}
	all, err := socket.Inherited(socket.Options{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(len(all), os.Getenv("LISTEN_FDS"))
	for _, name := range []string{"clients", "unknown"} {
		if ln := all[name]; ln != nil {
			if conn, err := ln.Accept(); err == nil {
				_, _ = conn.Write([]byte(name[:1]))
				_ = conn.Close()
			}
			_ = ln.Close()
		}
	}
}

// TestInherited hands sockets to a child as systemd does.
func TestInherited(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	path := filepath.Join(t.TempDir(), "s")
	local, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	for _, c := range []struct{ pid, names, out, greetings string }{
		{"$$", "clients:", "2 \n", "cu"},
		{"$$", "clients:clients", "two inherited sockets are called clients\n", ""},
		{"1", "clients:", "0 \n", ""},
	} {
		tcpFile, _ := tcp.(*net.TCPListener).File()
		localFile, _ := local.(*net.UnixListener).File()
		child := exec.Command("/bin/sh", "-c", "LISTEN_PID="+c.pid+` exec "$0"`, os.Args[0])
		child.Env = append(os.Environ(), "INHERIT=1", "LISTEN_FDS=2", "LISTEN_FDNAMES="+c.names)
		child.ExtraFiles = []*os.File{tcpFile, localFile}
		out, _ := child.StdoutPipe()
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		for i, network := range []string{"tcp", "unix"} {
			if c.greetings == "" {
				break
			}
			conn, err := net.Dial(network, []net.Listener{tcp, local}[i].Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(conn)
			if err != nil || string(got) != c.greetings[i:i+1] {
				t.Errorf("%s: %q %v", network, got, err)
			}
		}
		said, err := io.ReadAll(out)
		_ = child.Wait()
		_, _ = tcpFile.Close(), localFile.Close()
		if err != nil || string(said) != c.out {
			t.Errorf("%+v: said %q, %v", c, said, err)
		}
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file of an inherited socket: %v", err)
	}
}

func TestNotify(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	ln, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", "3000000")
	t.Setenv("WATCHDOG_PID", fmt.Sprint(os.Getpid()))
	n := socket.NewNotifier()
	if n.Watchdog() != 3*time.Second || os.Getenv("NOTIFY_SOCKET") != "" {
		t.Errorf("watchdog %s", n.Watchdog())
	}
	for want, tell := range map[string][]string{
		`^READY=1\nSTATUS=up$`:                {"READY=1", "STATUS=up"},
		`^RELOADING=1\nMONOTONIC_USEC=\d{6,}`: socket.Reloading(),
	} {
		if err := n.Tell(tell...); err != nil {
			t.Fatal(err)
		}
		var buf [200]byte
		got, err := ln.Read(buf[:])
		if err != nil || !regexp.MustCompile(want).Match(buf[:got]) {
			t.Errorf("%q %v", buf[:got], err)
		}
	}
	if n := socket.NewNotifier(); n.Watchdog() != 0 || n.Tell("READY=1") != nil {
		t.Error("without systemd")
	}
}
