package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"

	"github.com/jackc/pgx/v5/pgproto3"
)

// maxFrame is the longest frame that a session takes, in bytes: commands are
// short.
const maxFrame = 64 << 10

// session is one administrator's connection.
type session struct {
	console *Console
	conn    net.Conn
	wire    *pgproto3.Backend
	log     *slog.Logger
	ctx     context.Context

	status     byte // of the transaction: I, T or E
	skipping   bool // an error came; everything until Sync is left out
	statements map[string]*prepared
	portals    map[string]*portal

	mu     sync.Mutex
	ending context.CancelFunc // guarded by mu; ends the command at work
}

func newSession(ctx context.Context, c *Console, conn net.Conn, log *slog.Logger) *session {
	s := &session{console: c, conn: conn, wire: pgproto3.NewBackend(conn, conn), log: log, ctx: ctx, status: 'I',
		statements: map[string]*prepared{}, portals: map[string]*portal{}}
	s.wire.SetMaxBodyLen(maxFrame)
	return s
}

// run answers until the client leaves or says something that is no frame.
func (s *session) run() {
	defer s.conn.Close()
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("admin session failed", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	for {
		message, err := s.wire.Receive()
		if err != nil {
			s.refuse(err)
			return
		}
		if !s.answer(message) {
			return
		}
	}
}

// refuse is the last word to a client that is gone or has sent no frame.
func (s *session) refuse(err error) {
	code := "08P01"
	if _, tooLong := errors.AsType[*pgproto3.ExceededMaxBodyLenErr](err); tooLong {
		code = "54000"
	}
	s.wire.Send(&pgproto3.ErrorResponse{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: code, Message: err.Error()})
	_ = s.wire.Flush() // it is over either way
}

// answer deals with one message and reports whether the session goes on.
func (s *session) answer(message pgproto3.FrontendMessage) bool {
	switch m := message.(type) {
	case *pgproto3.Terminate:
		return false
	case *pgproto3.Sync:
		s.skipping = false
		if s.status == 'I' {
			clear(s.portals)
		}
		s.ready()
	case *pgproto3.Flush:
	default:
		if !s.skipping {
			s.carryOut(m)
		}
	}
	return s.wire.Flush() == nil
}

// carryOut does what a message asks, unless an error has to be skipped.
func (s *session) carryOut(message pgproto3.FrontendMessage) {
	switch m := message.(type) {
	case *pgproto3.Query:
		s.query(m.String)
	case *pgproto3.FunctionCall:
		s.fail(&failure{code: "0A000", message: "the admin database has no functions"})
		s.ready()
	default:
		if err := s.extended(m); err != nil {
			s.fail(err)
			s.skipping = true
		}
	}
}

func (s *session) ready() { s.wire.Send(&pgproto3.ReadyForQuery{TxStatus: s.status}) }

// fail sends an error, which also ends what a transaction can do.
func (s *session) fail(err error) {
	if s.status == 'T' {
		s.status = 'E'
	}
	s.wire.Send(response(err))
}

// query answers a simple Query.
func (s *session) query(text string) {
	defer s.ready()
	statements, err := split(text)
	if err != nil {
		s.fail(err)
		return
	}
	if len(statements) == 0 {
		s.wire.Send(&pgproto3.EmptyQueryResponse{})
	}
	for _, one := range statements {
		c, err := s.console.compile(one)
		if err == nil {
			err = s.whole(c)
		}
		if err != nil {
			s.fail(err)
			return
		}
	}
}

// whole runs a command and sends all of its answer.
func (s *session) whole(c *command) error {
	rows, err := s.perform(c)
	if err != nil {
		return err
	}
	if c.columns != nil {
		s.wire.Send(describe(c.columns, nil))
	}
	for _, r := range rows {
		s.wire.Send(encode(r, nil))
	}
	s.complete(c, len(rows))
	return nil
}

func (s *session) complete(c *command, rows int) {
	tag := c.tag
	if c.columns != nil && tag == "SELECT" {
		tag = fmt.Sprintf("%s %d", tag, rows)
	}
	s.wire.Send(&pgproto3.CommandComplete{CommandTag: []byte(tag)})
}

// perform does what a command asks, and logs who asked for it.
func (s *session) perform(c *command) ([][]any, error) {
	if s.status == 'E' && c.status != 'I' {
		return nil, &failure{code: "25P02", message: "current transaction is aborted, commands ignored until end of transaction block"}
	}
	ctx, stop := context.WithCancel(s.ctx)
	defer stop()
	s.begin(stop)
	defer s.begin(nil)
	var rows [][]any
	var notice string
	var err error
	if c.do != nil {
		notice, err = c.do(ctx)
	}
	if c.rows != nil {
		rows = c.rows()
	}
	log := s.log.With("command", c.text)
	if err != nil {
		log = log.With("error", err)
	}
	log.Info("admin command")
	if err == nil && c.status != 0 {
		s.status = c.status
	}
	if err == nil && notice != "" {
		s.wire.Send(&pgproto3.NoticeResponse{Severity: "NOTICE", SeverityUnlocalized: "NOTICE", Code: "00000", Message: notice})
	}
	return rows, err
}

func (s *session) begin(ending context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending = ending
}

// cancel ends the command at work.
func (s *session) cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending != nil {
		s.ending()
	}
}
