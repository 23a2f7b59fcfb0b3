package transaction_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/proxy/transaction"
	"github.com/pgask/pgask/proxy/wire"
)

// session is one with a real Postgres, frame by frame.
type session struct {
	t      testing.TB
	conn   net.Conn
	values transaction.Values
	// greeting is what the server reported at first.
	greeting map[string]string
}

// dial opens one in a database of the server's own.
func dial(t testing.TB, server *postgres.Server, database string) *session {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := pgconn.Connect(ctx, server.DSN(database))
	if err != nil {
		t.Fatal(err)
	}
	h, err := c.Hijack()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Conn.Close() })
	s := &session{t: t, conn: h.Conn, greeting: h.ParameterStatuses}
	for name, value := range h.ParameterStatuses {
		s.values.Note(name, value)
	}
	return s
}

// send writes frames and reads up to ReadyForQuery: the first value of each
// row, and the last error's message. What is reported is noted.
func (s *session) send(frames []byte) (rows []string, failure string) {
	s.t.Helper()
	if _, err := s.conn.Write(frames); err != nil {
		s.t.Fatal(err)
	}
	for {
		var head [5]byte
		if _, err := io.ReadFull(s.conn, head[:]); err != nil {
			s.t.Fatal(err)
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(s.conn, body); err != nil {
			s.t.Fatal(err)
		}
		switch head[0] {
		case wire.ParameterStatus:
			name, value, err := wire.Parameter(body)
			if err != nil {
				s.t.Fatal(err)
			}
			s.values.Note(name, value)
		case wire.ErrorResponse:
			failure = wire.ParseReport(body).Message
		case wire.DataRow:
			rows = append(rows, string(body[6:min(len(body), 6+int(binary.BigEndian.Uint32(body[2:])))]))
		case wire.ReadyForQuery:
			return rows, failure
		}
	}
}

// query runs a text, which may fail.
func (s *session) query(text string) (rows []string, failure string) {
	s.t.Helper()
	frame, err := wire.AppendQuery(nil, text)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.send(frame)
}

// must runs a text, which may not fail.
func (s *session) must(text string) []string {
	s.t.Helper()
	rows, failure := s.query(text)
	if failure != "" {
		s.t.Fatalf("%s: %s", text, failure)
	}
	return rows
}
