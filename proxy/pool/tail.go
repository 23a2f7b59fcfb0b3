package pool

import (
	"io"
	"slices"

	"github.com/jackc/pgx/v5/pgproto3"
)

// tail remembers the last read that pgconn's Frontend made. The Frontend reads
// only while a message is incomplete, so what it has left over after a
// message came with its last read and is the end of it.
type tail struct {
	last []byte
}

// frontend builds the Frontend that pgconn logs in with. Each attempt of one
// dial (hosts, TLS then plain) starts afresh.
func (t *tail) frontend(r io.Reader, w io.Writer) *pgproto3.Frontend {
	t.last = nil
	return pgproto3.NewFrontend(readFunc(func(p []byte) (int, error) {
		n, err := r.Read(p)
		t.last = append(t.last[:0], p[:n]...)
		return n, err
	}), w)
}

// rest is a copy of the n bytes that were read and not used.
func (t *tail) rest(n int) []byte {
	return slices.Clone(t.last[len(t.last)-n:])
}

// readFunc is an io.Reader made of a function.
type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
