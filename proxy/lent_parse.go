package proxy

import (
	"bytes"
	"errors"

	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/proxy/transaction"
	"github.com/pgask/pgask/proxy/wire"
)

// sendParse forwards a Parse; frame is what replaces the client's, if anything.
func (s *session) sendParse(h wire.Header, due owedReply, frame []byte) error {
	body, err := s.bodyOf(h, frame)
	if errors.Is(err, wire.ErrTooLong) {
		return s.plant(h, due, s.errTooLong())
	}
	if err != nil {
		return err
	}
	l := s.lent
	n := bytes.IndexByte(body, 0)
	switch {
	case n < 0:
		l.pinned = true
		return s.forwardOr(h, due, frame)
	case n == 0:
		return s.parseUnnamed(h, due, frame, body[1:])
	case l.own:
		return s.forwardOr(h, due, frame)
	}
	name, rest := body[:n], body[n+1:]
	if err := s.settle(&l.prepared, name); err != nil {
		return err
	}
	o := l.prepared.get(name, s.owed)
	switch {
	case o != nil:
		return s.parseTaken(h, due, string(name), string(rest))
	case l.prepared.full(name, len(rest)):
		return s.plant(h, due, failure("54000", "too many prepared statements"))
	}
	st, err := l.Statements.Intern(rest)
	if err != nil {
		return s.plant(h, due, failure("54000", "%s", err))
	}
	if err := s.settleAdding(st.Name()); err != nil {
		l.Statements.Release(st)
		return err
	}
	c := l.prepared.set(name, s.owed, &object{statement: st, bytes: len(rest), clears: l.clearsAll(rest)})
	l.retired = append(l.retired, retired{name: string(name), change: c, after: st})
	c.also, due.change = due.change, c
	return s.parseNamed(h, due, st)
}

// parseTaken is a Parse by a name that stands for another statement already.
// Postgres looks at the text before it says so.
func (s *session) parseTaken(h wire.Header, due owedReply, name, rest string) error {
	for _, kind := range []owedKind{owesClose, owesParse} {
		frame, err := wire.AppendClose(nil, 'S', takenName)
		if kind == owesParse {
			frame, err = wire.AppendParse(nil, takenName, "", nil)
		}
		if err := s.inject(kind, &lentReply{}, frame, err); err != nil {
			return err
		}
	}
	due.denial = &pipeline.Denial{Word: takenName, Err: failure("42P05", "prepared statement %q already exists", name)}
	frame, err := wire.AppendParseOf(s.upBuf[:0], takenName, rest)
	return s.replace(h, due, frame, err)
}

// parseNamed makes the backend have a statement, in the place of the client's
// Parse.
func (s *session) parseNamed(h wire.Header, due owedReply, st *transaction.Statement) error {
	held := &s.backend.kept.held
	_, just := s.lent.adding[st.Name()] // by this batch, which goes on or is skipped
	again := held.Has(st.Name()) && !just && (s.status == 'E' || s.owed.settled != s.owed.batches)
	if again {
		// In a failed transaction, or what may become one, a Close would work where
		// a Parse must not.
		held.Drop(st.Name())
		frame, err := wire.AppendClose(nil, 'S', st.Name())
		if err := s.inject(owesClose, &lentReply{}, frame, err); err != nil {
			return err
		}
	}
	if held.Has(st.Name()) {
		due.kind, due.lent = owesClose, &lentReply{as: wire.ParseComplete}
		frame, err := wire.AppendClose(s.upBuf[:0], 'P', noPortal)
		return s.replace(h, due, frame, err)
	}
	if err := s.add(st); err != nil {
		return err
	}
	due.lent = &lentReply{held: held, adds: st.Name(), again: again}
	frame, err := st.AppendParse(s.upBuf[:0])
	return s.replace(h, due, frame, err)
}

// add notes that the backend gets a statement, and closes one that is too much.
func (s *session) add(st *transaction.Statement) error {
	held := &s.backend.kept.held
	s.noteAdding(st.Name())
	evict := held.Add(st.Name())
	if evict == "" {
		return nil
	}
	frame, err := wire.AppendClose(nil, 'S', evict)
	return s.inject(owesClose, &lentReply{held: held, drops: evict}, frame, err)
}

// noteAdding notes that the backend may get a statement by the batch at hand.
func (s *session) noteAdding(name string) {
	if s.lent.adding == nil {
		s.lent.adding = map[string]uint64{}
	}
	s.lent.adding[name] = s.owed.batches
}

// settleAdding holds the frame until it is known whether the backend has got a
// statement in an earlier batch.
func (s *session) settleAdding(name string) error {
	batch, adding := s.lent.adding[name]
	if !adding || batch == s.owed.batches {
		return nil
	}
	if !s.owed.isSettled(batch) {
		return s.await(func() bool { return s.owed.isSettled(batch) })
	}
	delete(s.lent.adding, name)
	return nil
}

// ensure makes the backend have the statement of a frame that follows.
func (s *session) ensure(st *transaction.Statement) error {
	held := &s.backend.kept.held
	if held.Has(st.Name()) {
		return nil
	}
	if err := s.add(st); err != nil {
		return err
	}
	frame, err := st.AppendParse(nil)
	return s.inject(owesParse, &lentReply{held: held, adds: st.Name()}, frame, err)
}

// parseUnnamed remembers the statement, for a backend that hasn't got it. Where
// the Parse fails, Postgres has dropped the one before.
func (s *session) parseUnnamed(h wire.Header, due owedReply, frame, rest []byte) error {
	if len(rest) > maxUnnamed {
		s.lent.pinned = true
	}
	o := s.noteUnnamed(&due, rest)
	due.lent.unnamed = s.backend.kept
	s.setUnnamed(o)
	return s.forwardOr(h, due, frame)
}

// noteUnnamed notes what the client's unnamed statement is from its Parse on.
func (s *session) noteUnnamed(due *owedReply, rest []byte) *object {
	l := s.lent
	o := l.prepared.get(nil, s.owed)
	if o == nil || o.rest != string(rest) {
		o = &object{rest: string(rest), bytes: len(rest), clears: l.clearsAll(rest)}
	}
	lost := l.prepared.set(nil, s.owed, nil)
	lost.outcome = undone
	c := l.prepared.set(nil, s.owed, o)
	c.also, due.change = due.change, c
	due.lent = &lentReply{lost: lost}
	return o
}

// setUnnamed notes whose the backend's unnamed statement is about to be.
func (s *session) setUnnamed(o *object) {
	s.backend.kept.unnamed = o
	s.noteAdding("")
}

// dropUnnamed is what a simple Query does.
func (s *session) dropUnnamed(due *owedReply) {
	l := s.lent
	s.backend.kept.unnamed = nil
	if !l.prepared.knows(nil) {
		return
	}
	c := l.prepared.set(nil, s.owed, nil)
	c.also, due.change = due.change, c
}
