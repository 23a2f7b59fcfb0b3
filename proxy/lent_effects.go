package proxy

import (
	"bytes"
	"unsafe"

	"github.com/pgask/pgask/proxy/transaction"
	"github.com/pgask/pgask/proxy/wire"
)

// forgetPrepared is after the client has deallocated all, and at its end. The
// unnamed statement stays.
func (s *session) forgetPrepared() {
	l := s.lent
	s.settleRetired()
	for name, c := range l.prepared.by {
		for ; c != nil && c.failed(); c = c.below {
		}
		if c != nil && c.to != nil && c.to.statement != nil {
			l.Statements.Release(c.to.statement)
		}
		delete(l.prepared.by, name)
	}
}

// scan notes what a text that is about to go to the backend may leave there, and
// returns it.
func (s *session) scan(text []byte) (transaction.Effects, error) {
	l := s.lent
	if l == nil || len(text) == 0 {
		return 0, nil
	}
	effects := effectsOf(text, l)
	if effects.Has(transaction.Names) && !l.own && !l.prepared.none() {
		if err := s.materialize(); err != nil {
			return effects, err
		}
	}
	l.pinned = l.pinned || effects.Has(transaction.Pins)
	return effects, nil
}

// scanQuery is scan for a Query, which is carried out at once.
func (s *session) scanQuery(text []byte) error {
	effects, err := s.scan(text)
	if err == nil && clears(effects) {
		s.lent.barrier = s.owed.pushed + 1
	}
	return err
}

func effectsOf(text []byte, l *loan) transaction.Effects {
	return transaction.Scan(unsafe.String(&text[0], len(text)), l.values.Reported())
}

// clears tells of effects that deallocate all statements.
func clears(e transaction.Effects) bool {
	return e.Has(transaction.DeallocatesAll) || e.Has(transaction.DiscardsAll)
}

// clearsAll reports whether the body of a Parse, from its text on, does.
func (l *loan) clearsAll(rest []byte) bool {
	n := bytes.IndexByte(rest, 0)
	return n > 0 && clears(effectsOf(rest[:n], l))
}

// clearNames notes that a message that is about to be pushed frees all names but
// the unnamed one.
// It returns what is undone if the message does nothing, with what is undone
// besides.
func (s *session) clearNames(c *change) *change {
	l := s.lent
	var named []string
	for name := range l.prepared.by {
		named = append(named, name)
	}
	for _, name := range named {
		o := l.prepared.get([]byte(name), s.owed)
		if o == nil {
			continue
		}
		free := l.prepared.set([]byte(name), s.owed, nil)
		l.retired = append(l.retired, retired{name: name, change: free, before: o.statement})
		free.also, c = c, free
	}
	return c
}

// materialize gives the backend the client's prepared statements under the
// client's names, because SQL is about to use those. From here on they are the
// backend's. What Postgres is skipping, or refuses because its transaction has
// failed, uses no names, and would not get any.
func (s *session) materialize() error {
	l := s.lent
	if s.owed.open && s.owed.skips() {
		return nil
	}
	if !s.quiet() {
		return s.awaitAnswers()
	}
	if s.status == 'E' {
		return nil
	}
	for name := range l.prepared.by {
		o := l.prepared.get([]byte(name), s.owed)
		if o == nil || o.statement == nil {
			continue
		}
		inBatch := s.owed.open
		frame, err := o.statement.AppendParseAs(nil, name)
		if err := s.inject(owesParse, &lentReply{silent: !inBatch}, frame, err); err != nil {
			return err
		}
		if inBatch {
			continue
		}
		if err := s.inject(owesSync, &lentReply{}, wire.AppendSync(nil), nil); err != nil {
			return err
		}
	}
	l.own, l.pinned = true, true
	return nil
}

// awaitAnswers holds the frame until Postgres has answered all before it, or has
// failed its batch.
func (s *session) awaitAnswers() error {
	if err := s.flushBatch(); err != nil {
		return err
	}
	return s.await(func() bool { return s.quiet() || s.owed.open && s.owed.skips() })
}

// completed looks at a command's tag: the client may have deallocated all its
// statements by a Query, which everything else waits for.
func (s *session) completed(tag []byte) {
	l := s.lent
	switch string(tag) {
	case "DISCARD ALL\x00":
		l.pinned, l.own = false, false
	case "DEALLOCATE ALL\x00":
	default:
		return
	}
	if due := s.replies.due(); due == nil || due.kind != owesQuery {
		return
	}
	s.backend.kept.held.Clear()
	clear(l.adding)
	s.forgetPrepared()
}
