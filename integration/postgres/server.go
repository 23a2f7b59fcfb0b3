package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5"
)

// Options say how to start a server. The zero value is good for tests.
type Options struct {
	// Dir is the folder to make the server's own folder in; empty is the
	// system's temporary folder.
	Dir string
	// Port is the TCP port on 127.0.0.1; 0 takes a free one.
	Port int
	// Settings are configuration parameters on top of the built-in ones.
	Settings map[string]string
	// Log hears in one line each what takes long or changes the machine, such
	// as the installation of packages. Nil is silence.
	Log io.Writer
	// TLS makes a throw-away certificate and offers TLS with it.
	TLS bool
	// SCRAM asks every login for a password, instead of trusting it.
	SCRAM bool
}

// Server is a running server, or one that PGASK_TEST_DSN names.
type Server struct {
	Host string
	Port int

	admin   *url.URL // superuser, database postgres
	dir     string   // empty for a server that is not ours
	process *process
	stop    sync.Once
	stopErr error
}

// Start makes and starts a server and returns once it answers. The caller
// stops it. Errors hold the last lines of what initdb or postgres said.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = io.Discard
	}
	bin, err := binaries(ctx, o.Log)
	if err != nil {
		return nil, err
	}
	owner, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := owner.mkdir(o.Dir)
	if err != nil {
		return nil, err
	}
	s, err := start(ctx, o, bin, owner, dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func start(ctx context.Context, o Options, bin string, owner account, dir string) (*Server, error) {
	password, err := random(16)
	if err != nil {
		return nil, err
	}
	if err := initdb(ctx, bin, owner, dir, password, o.SCRAM); err != nil {
		return nil, err
	}
	if o.Port == 0 {
		if o.Port, err = freePort(); err != nil {
			return nil, err
		}
	}
	if o.TLS {
		if err := owner.writeCertificate(filepath.Join(dir, "data")); err != nil {
			return nil, err
		}
	}
	if err := owner.configure(dir, o); err != nil {
		return nil, err
	}
	s := &Server{Host: "127.0.0.1", Port: o.Port, dir: dir, admin: adminURL(o, password)}
	if s.process, err = launch(bin, owner, dir); err != nil {
		return nil, err
	}
	if err := s.ready(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start postgres: %w: %s", err, tail(s.LogFile())), s.Stop())
	}
	return s, nil
}

func adminURL(o Options, password string) *url.URL {
	mode := "disable"
	if o.TLS {
		mode = "require"
	}
	return &url.URL{
		Scheme: "postgres", Path: "/postgres", RawQuery: "sslmode=" + mode,
		User: url.UserPassword("postgres", password),
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)),
	}
}

// DSN is a superuser's connection string for the named database.
func (s *Server) DSN(database string) string {
	u := *s.admin
	u.Path = "/" + database
	return u.String()
}

// UserDSN is the connection string of another login.
func (s *Server) UserDSN(database, user, password string) string {
	u := *s.admin
	u.Path = "/" + database
	u.User = url.UserPassword(user, password)
	return u.String()
}

// LogFile is the path of the server's log, or empty for a server that is not
// ours.
func (s *Server) LogFile() string {
	if s.dir == "" {
		return ""
	}
	return filepath.Join(s.dir, "log")
}

// Log is the text of the server's log so far. A server that is not ours must
// have its logging collector on.
func (s *Server) Log(ctx context.Context) (string, error) {
	if s.dir != "" {
		text, err := os.ReadFile(s.LogFile())
		return string(text), err
	}
	var text string
	err := s.query(ctx, func(c *pgx.Conn) error {
		return c.QueryRow(ctx, "select pg_read_file(pg_current_logfile())").Scan(&text)
	})
	return text, err
}

// NewDatabase creates an empty database.
func (s *Server) NewDatabase(ctx context.Context, name string) error {
	return s.exec(ctx, "create database "+pgx.Identifier{name}.Sanitize()+" template template0")
}

// DropDatabase drops a database and ends the sessions that still use it.
func (s *Server) DropDatabase(ctx context.Context, name string) error {
	return s.exec(ctx, "drop database if exists "+pgx.Identifier{name}.Sanitize()+" with (force)")
}

// Stop ends the server and removes its folder. A server that is not ours is
// left alone. Calling it again gives the first call's error.
func (s *Server) Stop() error {
	s.stop.Do(func() {
		if s.process != nil {
			s.stopErr = errors.Join(s.process.end(), os.RemoveAll(s.dir))
		}
	})
	return s.stopErr
}

func (s *Server) exec(ctx context.Context, sql string) error {
	return s.query(ctx, func(c *pgx.Conn) error {
		_, err := c.Exec(ctx, sql)
		return err
	})
}

func (s *Server) query(ctx context.Context, use func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return use(conn)
}

// freePort asks the kernel for a port that nobody uses at this moment.
func freePort() (int, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port, nil
}

func random(bytes int) (string, error) {
	b := make([]byte, bytes)
	if _, err := rand.Read(b); err != nil {
		return "", err
	}
	return hex.EncodeToString(b), nil
}
