package pool

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Full is a session that got no backend: all places of its login and mode
// stayed taken for as long as pool.wait.
type Full struct {
	Database string
	Size     int
	Waited   time.Duration
}

// Error is what the client reads.
func (f *Full) Error() string {
	return fmt.Sprintf("sorry, too many clients already: database %q", f.Database)
}

// Detail has the numbers that decided.
func (f *Full) Detail() string {
	return fmt.Sprintf("All %d backends of this login are in use, and none became free within %s.", f.Size, f.Waited)
}

// Hint is for the person who runs the proxy.
func (f *Full) Hint() string { return "Close idle sessions, or raise pool.size in pgask.yaml." }

// SQLState is too_many_connections.
func (f *Full) SQLState() string { return "53300" }

// Unreachable is a server that gave no answer as Postgres. Unwrap has the
// network's error, with addresses, for the log; clients don't see it.
type Unreachable struct {
	Database string
	Cause    error
}

// Error is what the client reads.
func (u *Unreachable) Error() string {
	return fmt.Sprintf("cannot reach the server of database %q", u.Database)
}

// Detail names the kind of trouble and no address.
func (u *Unreachable) Detail() string { return kind(u.Cause) }

// SQLState is cannot_connect_now.
func (u *Unreachable) SQLState() string { return "57P03" }

// Unwrap is the whole story.
func (u *Unreachable) Unwrap() error { return u.Cause }

// Refused is Postgres's own answer to a login: its SQLSTATE, message, detail
// and hint reach the client as they are.
type Refused struct {
	Postgres *pgconn.PgError
}

// Error is Postgres's message.
func (r *Refused) Error() string { return r.Postgres.Message }

// Detail is Postgres's.
func (r *Refused) Detail() string { return r.Postgres.Detail }

// Hint is Postgres's.
func (r *Refused) Hint() string { return r.Postgres.Hint }

// SQLState is Postgres's.
func (r *Refused) SQLState() string { return r.Postgres.Code }

// Unwrap gives the whole error.
func (r *Refused) Unwrap() error { return r.Postgres }

// Killed is a database that an administrator has switched off.
type Killed struct {
	Database string
}

// Error is what the client reads.
func (k *Killed) Error() string { return fmt.Sprintf("database %q is switched off", k.Database) }

// Detail says by whom.
func (k *Killed) Detail() string { return "An administrator has ended its connections with KILL." }

// SQLState is cannot_connect_now.
func (k *Killed) SQLState() string { return "57P03" }

// Closed is a pool at the end of the program.
type Closed struct{}

// Error is what the client reads.
func (*Closed) Error() string { return "terminating connection due to administrator command" }

// SQLState is admin_shutdown.
func (*Closed) SQLState() string { return "57P01" }

// explain sorts the error of a dial.
func (p *Pool) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return &Refused{Postgres: pg}
	}
	return &Unreachable{Database: p.name, Cause: err}
}

// otherKind is what kind says of everything that it doesn't know.
const otherKind = "The connection failed."

// kind is the trouble in a sentence. It must not quote the error, which names
// hosts and logins.
func kind(err error) string {
	var (
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		verify    *tls.CertificateVerificationError
		record    tls.RecordHeaderError
		misfit    *unfit
	)
	switch {
	case errors.As(err, &misfit):
		return "No server is what target_session_attrs asks for."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "The connection was refused."
	case errors.Is(err, syscall.ENOENT):
		return "The server's socket does not exist."
	case pgconn.Timeout(err), errors.Is(err, context.DeadlineExceeded):
		return "There was no answer in time."
	case errors.As(err, &dns):
		return "The host name was not found."
	case errors.As(err, &verify), errors.As(err, &authority), errors.As(err, &host), errors.As(err, &record):
		return "The server's TLS certificate could not be verified."
	}
	return otherKind
}

// unreached reports whether an error is the server's as a whole: there is none,
// or it is starting or stopping. What may be one login's fault, such as a way to
// log in that pgask doesn't know, must not keep others from trying.
func unreached(err error) bool {
	if r, ok := errors.AsType[*Refused](err); ok {
		return strings.HasPrefix(r.SQLState(), "57P0")
	}
	u, ok := errors.AsType[*Unreachable](err)
	if !ok {
		return false
	}
	var network net.Error
	return kind(u.Cause) != otherKind || errors.As(u.Cause, &network) ||
		errors.Is(u.Cause, io.EOF) || errors.Is(u.Cause, io.ErrUnexpectedEOF)
}
