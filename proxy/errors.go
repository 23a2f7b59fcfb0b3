package proxy

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgask/pgask/proxy/wire"
)

// ErrServerClosed is what Serve returns after Shutdown or Close.
var ErrServerClosed = errors.New("proxy: server closed")

// Failure is an error with what Postgres's clients expect of one.
type Failure struct {
	Code    string // SQLSTATE
	Message string
	Details string
	Advice  string
}

// Error is the message.
func (f *Failure) Error() string { return f.Message }

// SQLState is the code.
func (f *Failure) SQLState() string { return f.Code }

// Detail may be empty.
func (f *Failure) Detail() string { return f.Details }

// Hint may be empty.
func (f *Failure) Hint() string { return f.Advice }

func failure(code, format string, args ...any) *Failure {
	return &Failure{Code: code, Message: fmt.Sprintf(format, args...)}
}

// The ends of a session that we choose. Texts are Postgres's own where it has
// one.
var (
	errShutdown    = failure("57P01", "terminating connection due to administrator command")
	errIdle        = failure("57P05", "terminating connection due to idle-session timeout")
	errBackendGone = failure("08006", "the connection to the backend was lost")
	errCancelled   = failure("57014", "canceling statement due to user request")
	errLoginSlow   = failure("57014", "canceling authentication due to timeout")
	errConnectSlow = failure("57P03", "the backend could not be reached in time")
	errCancelsOnly = failure("28000", "this address takes cancel requests of other instances only")
	errCrowded     = failure("53300", "sorry, too many clients already")
)

// Ends of a session that leave nothing to say.
var (
	// errTerminated is the client's Terminate, with nothing owed.
	errTerminated = errors.New("client terminated")
	// errClientGone is a client that hung up, and errBackendSaid a backend
	// that hung up after a FATAL of its own, which the client has got.
	errClientGone  = errors.New("client closed the connection")
	errBackendSaid = errors.New("backend ended the session")
)

// report turns any error into what the client is told. It is the only place
// that does: errors that carry an SQLSTATE keep their text, all others become
// an internal error with an incident id, and go to the log under that id.
func report(err error, severity string, log *slog.Logger) wire.Report {
	r := wire.Report{Severity: severity}
	var server *pgconn.PgError
	if errors.As(err, &server) {
		r.Code, r.Message, r.Detail, r.Hint = server.Code, server.Message, server.Detail, server.Hint
		if len(r.Code) != 5 {
			r.Code = "08P01" // a server that gives none breaks the protocol, and clients rely on one
		}
		return r
	}
	var coded interface{ SQLState() string }
	if !errors.As(err, &coded) || len(coded.SQLState()) != 5 {
		return incident(err, severity, log)
	}
	r.Code, r.Message = coded.SQLState(), text(coded, err)
	if d, ok := coded.(interface{ Detail() string }); ok {
		r.Detail = d.Detail()
	}
	if h, ok := coded.(interface{ Hint() string }); ok {
		r.Hint = h.Hint()
	}
	if p, ok := coded.(interface{ Place() int }); ok {
		r.Position = p.Place()
	}
	return r
}

// text prefers the words of the error that has the SQLSTATE to those of what
// is wrapped around it, which are for the log.
func text(coded any, err error) string {
	if e, ok := coded.(error); ok {
		return e.Error()
	}
	return err.Error()
}

// incident hides an error that is our own fault.
func incident(err error, severity string, log *slog.Logger) wire.Report {
	id := randomHex(4)
	log.Error("internal error", "incident", id, "error", err)
	return wire.Report{Severity: severity, Code: "XX000", Message: "internal error (incident " + id + ")"}
}

// panicked is a recovered panic as an error; the stack is for the log.
func panicked(p any) error { return fmt.Errorf("panic: %v\n%s", p, debug.Stack()) }

// sqlState is an error's code for the metrics and the log; empty for an end
// that is nobody's fault.
func sqlState(err error) string {
	var coded interface{ SQLState() string }
	switch {
	case err == nil, errors.Is(err, errTerminated), errors.Is(err, errClientGone), errors.Is(err, errBackendSaid):
		return ""
	case errors.As(err, &coded):
		return coded.SQLState()
	}
	return "XX000"
}

// hungUp reports whether an error means that the other side closed or reset
// the connection, or that the network did.
func hungUp(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.As(err, &op)
}

// timedOut reports whether a deadline ended an operation.
func timedOut(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded)
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // never fails (crypto/rand)
	return hex.EncodeToString(b)
}
