package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pool"
)

// Database is one that clients may ask for.
type Database struct {
	Name string
	// Host, Port, Database and Login are what its dsn says.
	Host     string
	Port     uint16
	Database string
	Login    string
	Settings configs.Pool
	Pool     *pool.Pool
}

// Console is what administrators see and do. All of it is needed; its functions
// are called from many goroutines.
type Console struct {
	Log       *slog.Logger
	Version   string
	Databases []Database // by name
	Config    []configs.Setting
	Clients   func() []proxy.Client
	// Kill ends a session by the pid of its cancel key, if there is one.
	Kill func(pid uint32) bool
	// Reload takes changed files, all or none. pending are the changed keys of
	// pgask.yaml that take a restart.
	Reload func() (pending []string, err error)
	// Shutdown drains and ends the process, at once where now is true.
	Shutdown func(now bool)
}

// Connect opens a session for a user who may have one.
func (c *Console) Connect(user string, params map[string]string) (*proxy.Backend, error) {
	here, there, err := pair()
	if err != nil {
		return nil, fmt.Errorf("admin session: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := newSession(ctx, c, here, c.Log.With("user", user))
	go s.run()
	return &proxy.Backend{
		Conn: there, TxStatus: 'I', ParameterStatuses: c.statuses(user, params),
		Cancel: func(context.Context) error { s.cancel(); return nil },
		Release: sync.OnceFunc(func() {
			stop()
			_ = there.Close() // a session that is over
		}),
	}, nil
}

// pair makes the two ends of a connection.
func pair() (here, there net.Conn, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	var ends [2]net.Conn
	for i, fd := range fds {
		unix.CloseOnExec(fd)
		file := os.NewFile(uintptr(fd), "admin")
		end, e := net.FileConn(file) // a copy
		ends[i], err = end, errors.Join(err, e, file.Close())
	}
	if err != nil {
		for _, end := range ends {
			if end != nil {
				_ = end.Close() // unused
			}
		}
		return nil, nil, err
	}
	return ends[0], ends[1], nil
}

// statuses are what clients want to know of a server when they have connected.
func (c *Console) statuses(user string, params map[string]string) map[string]string {
	return map[string]string{
		"server_version": fmt.Sprintf("16.0 (pgask %s)", c.Version), "server_encoding": "UTF8", "client_encoding": "UTF8",
		"DateStyle": "ISO, MDY", "IntervalStyle": "postgres", "TimeZone": "UTC", "integer_datetimes": "on",
		"standard_conforming_strings": "on", "is_superuser": "off", "session_authorization": user,
		"application_name": params["application_name"], "default_transaction_read_only": "off", "in_hot_standby": "off",
	}
}

// database finds the pools that a command means: one, or all where none is
// named.
func (c *Console) database(name string) ([]Database, error) {
	if name == "" {
		return c.Databases, nil
	}
	for _, d := range c.Databases {
		if d.Name == name {
			return []Database{d}, nil
		}
	}
	return nil, &failure{code: "3D000", message: fmt.Sprintf("database %q does not exist", name), hint: "SHOW DATABASES"}
}
