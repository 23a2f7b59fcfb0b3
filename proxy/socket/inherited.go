package socket

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// firstInherited is the descriptor that systemd's sockets start at.
const firstInherited = 3

// Inherited gives the sockets that systemd has opened for this process, by
// name; one without a name is called unknown. See sd_listen_fds(3). It takes
// the variables out of the environment, so that no child believes in them.
func Inherited(o Options) (map[string]*Listener, error) {
	pid, count, names := os.Getenv("LISTEN_PID"), os.Getenv("LISTEN_FDS"), strings.Split(os.Getenv("LISTEN_FDNAMES"), ":")
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		_ = os.Unsetenv(name) // fails for impossible names only
	}
	if pid != strconv.Itoa(os.Getpid()) {
		return nil, nil // they are another process's
	}
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 {
		return nil, fmt.Errorf("LISTEN_FDS is %q", count)
	}
	found := map[string]*Listener{}
	for i := range n {
		name := "unknown"
		if i < len(names) && names[i] != "" {
			name = names[i]
		}
		if found[name] != nil {
			return nil, fmt.Errorf("two inherited sockets are called %s", name)
		}
		if found[name], err = inherit(firstInherited+i, name, o); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// inherit makes a listener of a descriptor. systemd keeps its own copy and with
// it the queue: nobody is lost when ours is closed.
func inherit(fd int, name string, o Options) (*Listener, error) {
	syscall.CloseOnExec(fd)
	file := os.NewFile(uintptr(fd), name)
	defer file.Close() // FileListener works on a copy
	ln, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("inherited socket %s: %w", name, err)
	}
	if unix, ok := ln.(*net.UnixListener); ok {
		unix.SetUnlinkOnClose(false) // the file is systemd's
	}
	return &Listener{Listener: ln, keepalive: o.Keepalive}, nil
}
