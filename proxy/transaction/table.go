package transaction

import (
	"bytes"
	"errors"
	"strconv"
	"sync"

	"github.com/pgask/pgask/proxy/wire"
)

// ErrFull says that a Table has no room for another statement: all that it
// holds is in use.
var ErrFull = errors.New("too many prepared statements, or too large ones")

// Table gives the prepared statements of a pool's clients the names that they
// have on its backends: the same text with the same parameter types has one
// name, whoever prepares it and whatever the client calls it. No name is ever
// given twice. It is safe for use by several loops.
type Table struct {
	maxCount, maxBytes int

	mu    sync.Mutex
	by    map[string]*Statement
	bytes int
	last  uint64
	// unused are the statements that no client has, the longest unused first: a
	// ring whose head is not a statement.
	unused Statement
}

// Statement is an entry of a Table. Its name and text never change.
type Statement struct {
	name string
	rest string
	// users is how many registrations there are; guarded by the table.
	users            int
	previous, follow *Statement
}

// prefix begins the names of statements on backends.
const prefix = "pgask_"

// overhead is what an entry holds beyond its text, roughly, in bytes.
const overhead = 200

// NewTable makes a table of at most so many statements and bytes.
func NewTable(maxCount, maxBytes int) *Table {
	t := &Table{maxCount: maxCount, maxBytes: maxBytes, by: map[string]*Statement{}}
	t.unused.previous, t.unused.follow = &t.unused, &t.unused
	return t
}

// Intern registers a use of the statement whose Parse has that body from its
// text on: the text, a NUL, and the parameters' types. The bytes are copied.
// ErrFull where there is no room.
func (t *Table) Intern(rest []byte) (*Statement, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.by[string(rest)]; s != nil {
		if s.users == 0 {
			s.unlink()
		}
		s.users++
		return s, nil
	}
	if !t.room(len(rest) + overhead) {
		return nil, ErrFull
	}
	t.last++
	s := &Statement{name: prefix + strconv.FormatUint(t.last, 10), rest: string(rest), users: 1}
	t.by[s.rest] = s
	t.bytes += len(s.rest) + overhead
	return s, nil
}

// room forgets unused statements until there are bytes for one more.
func (t *Table) room(bytes int) bool {
	for len(t.by) >= t.maxCount || t.bytes+bytes > t.maxBytes {
		s := t.unused.follow
		if s == &t.unused || bytes > t.maxBytes {
			return false
		}
		s.unlink()
		delete(t.by, s.rest)
		t.bytes -= len(s.rest) + overhead
	}
	return true
}

// Release takes one registration back. A statement that nobody uses is kept
// for the next who prepares it, until its room is needed.
func (t *Table) Release(s *Statement) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.users--; s.users > 0 {
		return
	}
	s.previous, s.follow = t.unused.previous, &t.unused
	s.previous.follow, s.follow.previous = s, s
}

// Size is how many statements the table holds, and roughly their bytes.
func (t *Table) Size() (count, bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.by), t.bytes
}

func (s *Statement) unlink() {
	s.previous.follow, s.follow.previous = s.follow, s.previous
	s.previous, s.follow = nil, nil
}

// Name is the statement's name on backends.
func (s *Statement) Name() string { return s.name }

// AppendParse appends the Parse that makes the statement on a backend.
func (s *Statement) AppendParse(dst []byte) ([]byte, error) {
	return wire.AppendParseOf(dst, s.name, s.rest)
}

// AppendParseAs appends the Parse that makes it under a client's own name.
func (s *Statement) AppendParseAs(dst []byte, name string) ([]byte, error) {
	return wire.AppendParseOf(dst, name, s.rest)
}

// Rest is what follows the name in a Parse's body: what Intern takes. Nil for a
// body without a name.
func Rest(body []byte) []byte {
	n := bytes.IndexByte(body, 0)
	if n < 0 {
		return nil
	}
	return body[n+1:]
}
