package proxy

import (
	"errors"
	"fmt"

	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/proxy/repeat"
	"github.com/pgask/pgask/proxy/wire"
)

// A governed text that comes again and again is given to the backend once, as a
// prepared statement of ours, and executed by that: Postgres parses and plans the
// larger text that a rule makes only then. It is done where the client has sent a
// Query, or a batch of one execution of the unnamed statement, nothing is owed, no
// transaction is open and nothing has been read behind it. So what fails before
// Postgres has bound the statement has changed nothing, the client has heard
// nothing, and it is sent once more as it would have been without.

// maxPlain is the longest such batch, in bytes, since it is kept.
const maxPlain = 8 << 10

// repeating is the execution of a repeated statement until Postgres has bound it.
type repeating struct {
	// under way: Postgres hasn't answered.
	under     bool
	statement *repeat.Statement
	// batch tells of a batch, the Parse of which isn't sent; begun that its Bind
	// comes next.
	batch, begun bool
	// plain is what would be sent without; empty where that isn't all of it.
	plain []byte
	// whole: everything is on its way, and the client's next frame waits.
	whole bool
	// failed: plain is sent as soon as Postgres is ready.
	failed bool
}

// spoil is for a frame of the batch that isn't passed on as it came: what would
// have been sent without isn't known.
func (r *repeating) spoil() { r.begun, r.plain = false, r.plain[:0] }

// end is at the Sync of the batch.
func (r *repeating) end() { r.whole = r.whole || r.under && !r.begun && len(r.plain) > 0 }

// bound ends it. A long text's memory isn't kept.
func (r *repeating) bound() {
	plain := r.plain[:0]
	if cap(plain) > maxPlain {
		plain = nil
	}
	*r = repeating{plain: plain}
}

// remembers tells whether backends of this session are given what it repeats.
func (s *session) remembers() bool { return s.governed && s.repeat.Most > 0 }

// alter notes that what the backend was given may not hold any more.
func (s *session) alter() {
	if s.repeats != nil {
		s.repeats.Alter()
	}
}

// mayRepeat reports whether a message at hand may be executed by a prepared
// statement in its place.
func (s *session) mayRepeat(d *pipeline.Decision) bool {
	return d.Repeats != 0 && s.repeats != nil && s.quiet() && !s.owed.open && s.status == 'I'
}

// repeatedQuery is the statement for a Query at hand, if there is one.
func (s *session) repeatedQuery(h wire.Header, d *pipeline.Decision) *repeat.Statement {
	if !s.mayRepeat(d) || len(s.up.Behind(h)) > 0 {
		return nil
	}
	return s.repeats.Come(repeat.Key{Judged: d.Repeats, Text: d.Text}, s.loop.Now())
}

// queryRepeated sends a batch in the place of a Query. Its replies are a Query's
// but for those that the client isn't shown.
func (s *session) queryRepeated(h wire.Header, due owedReply, d *pipeline.Decision, st *repeat.Statement) error {
	plain, err := wire.AppendQuery(s.repeating.plain[:0], d.Text)
	if err != nil {
		return err
	}
	frames, err := s.repeats.AppendGive(s.upBuf[:0], st)
	if err == nil {
		frames, err = wire.AppendBindTexts(frames, "", st.Name())
	}
	if err == nil {
		frames, err = wire.AppendDescribe(frames, 'P', "")
	}
	if err == nil {
		frames, err = wire.AppendExecute(frames, "")
	}
	s.repeating = repeating{under: true, statement: st, plain: plain, whole: true}
	return s.replace(h, due, wire.AppendSync(frames), err)
}

// repeatedBatch is the statement for a Parse at hand and the rest of its batch.
func (s *session) repeatedBatch(h wire.Header, d *pipeline.Decision, p wire.ParseBody) *repeat.Statement {
	if !s.mayRepeat(d) || len(p.Name) > 0 {
		return nil
	}
	if behind := s.up.Behind(h); len(behind) > maxPlain || !wire.Execution(behind) {
		return nil
	}
	return s.repeats.Come(repeat.Key{Judged: d.Repeats, Text: d.Text, Types: string(p.Types)}, s.loop.Now())
}

// parseRepeated takes a Parse that isn't sent. It is answered with the Bind.
func (s *session) parseRepeated(h wire.Header, due owedReply, o *object, st *repeat.Statement, frame []byte) error {
	plain := append(append(s.repeating.plain[:0], frame...), s.up.Behind(h)...)
	s.repeating = repeating{under: true, statement: st, plain: plain, batch: true, begun: true}
	o.repeated, o.absent = st, s.lent == nil
	if s.lent != nil {
		s.noteUnnamed(&due, wire.Body(frame)[1:])
	}
	s.owed.push(due)
	return s.up.Drop(h)
}

// bindRepeated binds the statement of ours.
func (s *session) bindRepeated(h wire.Header, due owedReply) error {
	r := &s.repeating
	frames, err := s.repeats.AppendGive(s.upBuf[:0], r.statement)
	if err != nil {
		return err
	}
	if err := s.up.Put(frames); err != nil {
		return err
	}
	if s.lent != nil {
		delete(s.lent.clearing, "")
	}
	r.begun = false
	s.owed.push(due)
	names := append(append(append(frames[:0], 0), r.statement.Name()...), 0)
	s.keep(names)
	return s.up.Rewrite(h, 2, names)
}

// settleProvided holds the frame until it is known whether an earlier batch has
// given the backend an unnamed statement that was absent.
func (s *session) settleProvided(o *object) error {
	if o == nil || o.repeated == nil || o.absent || o.provided == s.owed.batches || s.owed.isSettled(o.provided) {
		return nil
	}
	batch := o.provided
	return s.await(func() bool { return s.owed.isSettled(batch) })
}

// provide gives the backend the client's unnamed statement, where that was
// executed by another.
func (s *session) provide(o *object) error {
	if !o.absent {
		return nil
	}
	o.absent, o.provided = false, s.owed.batches
	frame, err := o.repeated.AppendParse(nil, "")
	return s.inject(owesParse, &lentReply{absent: o}, frame, err)
}

// loseAbsent is for a Parse that is about to be pushed: where it fails, Postgres has
// dropped the unnamed statement before it, also one that is absent.
func (s *session) loseAbsent(due *owedReply, name []byte) {
	if len(name) > 0 {
		return
	}
	if o := s.statements.get(nil, s.owed); o != nil && o.absent {
		lost := s.statements.set(nil, s.owed, nil)
		lost.outcome = undone
		due.lent = &lentReply{lost: lost}
	}
}

// repeatingReply takes a reply to what isn't bound yet. Where handled is false the
// reply goes on to the client.
func (s *session) repeatingReply(h wire.Header) (handled bool, err error) {
	r := &s.repeating
	switch h.Type {
	case wire.ParseComplete, wire.CloseComplete:
		return true, s.down.Drop(h)
	case wire.BindComplete:
		if !r.batch {
			r.bound()
			return true, s.down.Drop(h)
		}
		return false, s.parsed()
	case wire.ErrorResponse:
		return s.repeatingFailed(h)
	case wire.ReadyForQuery:
		if r.failed {
			return true, s.sendPlain(h)
		}
	}
	return false, nil
}

// parsed answers the Parse of the batch in front of the reply at hand.
func (s *session) parsed() error {
	s.repeating.bound()
	s.replies.answered(wire.ParseComplete)
	return s.down.Put([]byte{wire.ParseComplete, 0, 0, 0, 4})
}

// repeatingFailed takes an error in front of BindComplete. The client gets it where
// its own message would have brought it.
func (s *session) repeatingFailed(h wire.Header) (handled bool, err error) {
	r := &s.repeating
	body, err := s.down.Whole(h, maxJudgedReply)
	if err != nil && !errors.Is(err, wire.ErrTooLong) {
		return false, err
	}
	s.repeats.Lose(r.statement)
	switch severity := severityOf(body); {
	case severity == "FATAL", severity == "PANIC":
		r.bound()
		return false, nil
	case r.whole && plans(string(wire.Field(body, 'C'))):
		r.failed = true
		return true, s.down.Drop(h)
	case r.batch:
		return false, s.parsed()
	}
	r.bound()
	return false, nil
}

// plans tells of the errors that a statement may raise because it was prepared
// before, or that another may take the place of when it is parsed: of a table that
// has changed, and of a value for it. What was cancelled, or had no room, stays so.
func plans(sqlstate string) bool {
	if len(sqlstate) != 5 {
		return false
	}
	switch sqlstate[:2] {
	case "08", "0A", "22", "26", "42", "XX":
		return true
	}
	return false
}

// sendPlain sends what failed as it would have been sent at first, when Postgres
// is ready for it.
func (s *session) sendPlain(h wire.Header) error {
	if err := s.down.Drop(h); err != nil {
		return err
	}
	if s.lent != nil {
		s.backend.kept.unnamed = nil
	}
	err := s.up.Put(s.repeating.plain)
	if err == nil {
		err = s.up.Flush()
	}
	s.repeating.bound()
	if err != nil {
		return fmt.Errorf("write to backend: %w: %s", errBackendGone, err)
	}
	return nil
}
