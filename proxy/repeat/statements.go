package repeat

import (
	"container/list"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/pgask/pgask/proxy/wire"
)

// Key is what a statement is known by.
type Key struct {
	// Judged numbers what the text was judged by. Another number is another
	// schema, perhaps, in which a constant of the text may mean something else.
	Judged uint64
	// Text is what is sent, Types the parameter types that its Parse declares, as
	// they stand in one.
	Text, Types string
}

// Options bound the statements of a backend.
type Options struct {
	// Most is how many there may be.
	Most int
	// After is how often a text has to come before it becomes one: with 1, the
	// first time.
	After int
}

// Bounds of a statement: its text in bytes and that of all, since Postgres keeps a
// multiple of them, and how long its plan is good for. Postgres plans again where a
// table or its statistics change, and not where only more rows have come or a
// planner's setting has changed.
const (
	maxText  = 32 << 10
	maxTexts = 256 << 10
	lifetime = time.Minute
)

// Statements are those of one backend. One loop at a time uses them.
type Statements struct {
	options Options
	// prefix begins their names. Nobody can guess it, so no client takes one.
	prefix string
	last   uint64
	by     map[Key]*list.Element
	// order has the one used last in front; those that haven't come often enough
	// are in it, too.
	order list.List
	bytes int // of their texts
	// closing are the names that the backend may have and doesn't need.
	closing []string
	altered bool
}

// Statement is one of them, or may become one.
type Statement struct {
	key    Key
	name   string
	times  int
	given  bool
	expiry time.Time
}

// New makes the statements of a backend that has none.
func New(o Options) *Statements {
	var b [8]byte
	rand.Read(b[:])
	return &Statements{options: o, prefix: "pgask_" + hex.EncodeToString(b[:]) + "_", by: map[Key]*list.Element{}}
}

// Name is its name on the backend.
func (s *Statement) Name() string { return s.name }

// Alter notes that the backend's settings may change, which are in plans and in
// constants, or that its prepared statements may be gone. What it has is forgotten
// when it is asked for the next time; until then the change may be under way.
func (s *Statements) Alter() { s.altered = true }

// Come notes that a text came, and is its statement where it came often enough
// for the backend to have one, else nil. The backend must be outside a
// transaction and have answered everything.
func (s *Statements) Come(k Key, now time.Time) *Statement {
	if s.altered {
		s.altered = false
		s.forget()
	}
	if len(k.Text) > maxText {
		return nil
	}
	st := s.find(k)
	if st.times++; st.times < s.options.After {
		return nil
	}
	if st.given && now.After(st.expiry) {
		s.close(st)
	}
	if st.name == "" {
		s.last++
		st.name, st.expiry = s.prefix+strconv.FormatUint(s.last, 10), now.Add(lifetime)
	}
	return st
}

// find is the statement of a text, which becomes the one used last.
func (s *Statements) find(k Key) *Statement {
	if e := s.by[k]; e != nil {
		s.order.MoveToFront(e)
		return e.Value.(*Statement)
	}
	st := &Statement{key: k}
	s.by[k] = s.order.PushFront(st)
	s.bytes += len(k.Text)
	for len(s.by) > s.options.Most || s.bytes > maxTexts {
		s.drop(s.order.Back())
	}
	return st
}

// AppendGive appends what goes to the backend in front of the Bind of a
// statement that came: the Parse, unless the backend has it, and before that a
// Close of each that it doesn't need any more. Nobody may be shown the replies.
func (s *Statements) AppendGive(dst []byte, st *Statement) ([]byte, error) {
	var err error
	for _, name := range s.closing {
		if dst, err = wire.AppendClose(dst, 'S', name); err != nil {
			return dst, err
		}
	}
	s.closing = s.closing[:0]
	if st.given {
		return dst, nil
	}
	st.given = true
	return st.AppendParse(dst, st.name)
}

// AppendParse appends the Parse that makes the statement under a name.
func (s *Statement) AppendParse(dst []byte, name string) ([]byte, error) {
	rest := binary.BigEndian.AppendUint16(append([]byte(s.key.Text), 0), uint16(len(s.key.Types)/4))
	return wire.AppendParseOf(dst, name, string(append(rest, s.key.Types...)))
}

// Lose notes that nobody knows whether the backend has the statement: something
// failed. Its text has to come as often again.
func (s *Statements) Lose(st *Statement) {
	if e := s.by[st.key]; e != nil && e.Value == st {
		s.drop(e)
	}
}

func (s *Statements) forget() {
	for e := s.order.Front(); e != nil; e = s.order.Front() {
		s.drop(e)
	}
}

func (s *Statements) drop(e *list.Element) {
	st := s.order.Remove(e).(*Statement)
	delete(s.by, st.key)
	s.bytes -= len(st.key.Text)
	s.close(st)
}

// close takes the statement from the backend.
func (s *Statements) close(st *Statement) {
	if st.given {
		s.closing = append(s.closing, st.name)
	}
	st.name, st.given = "", false
}
