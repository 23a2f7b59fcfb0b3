package socket

import (
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// Notifier tells systemd how the service is; see sd_notify(3). The zero value
// tells nobody.
type Notifier struct {
	path     string
	watchdog time.Duration
}

// NewNotifier reads where systemd wants to be told, and takes that out of the
// environment, so that no child speaks for us.
func NewNotifier() Notifier {
	n := Notifier{path: os.Getenv("NOTIFY_SOCKET")}
	micros, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if pid := os.Getenv("WATCHDOG_PID"); err == nil && (pid == "" || pid == strconv.Itoa(os.Getpid())) {
		n.watchdog = time.Duration(micros) * time.Microsecond
	}
	for _, name := range []string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} {
		_ = os.Unsetenv(name) // fails for impossible names only
	}
	return n
}

// Watchdog is how long systemd waits for a WATCHDOG=1; 0 where it doesn't.
func (n Notifier) Watchdog() time.Duration {
	if n.path == "" {
		return 0
	}
	return n.watchdog
}

// Tell sends assignments such as READY=1.
func (n Notifier) Tell(assignments ...string) error {
	if n.path == "" {
		return nil
	}
	// A path that starts with @ has no file; Go writes it so, too.
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.path, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Write([]byte(strings.Join(assignments, "\n")))
	return err
}
