package proxy

import (
	"github.com/pgask/pgask/proxy/transaction"
	"github.com/pgask/pgask/proxy/wire"
)

// In a session whose backends are lent, the client's names for prepared
// statements lead to those of the pool's table. A backend that lacks a statement
// gets it by a Parse of ours in front of the client's frame. A client's Parse of
// what the backend has becomes a Close of a portal that isn't there, whose
// CloseComplete becomes the ParseComplete: one frame in, one frame out, in their
// order, and skipped where Postgres skips.

// noPortal is a portal that doesn't exist, takenName a statement that only is
// there for its name to be taken. They are prefixed as the table's names are:
// nobody else may use these.
const (
	noPortal   = "pgask_"
	takenName  = "pgask_taken"
	ourPrefix  = "pgask_"
	maxUnnamed = 64 << 10
)

// lentReply is what is special about a reply of a lent backend.
type lentReply struct {
	// ours is a message that the client didn't send; silent ones may fail.
	ours, silent bool
	// as is the reply that the client gets instead; 0 for the one that came.
	as byte
	// adds and drops are what the message does to the backend's statements.
	held        *transaction.Held
	adds, drops string
	// again: what it adds was there, and has just been closed by a message that is
	// carried out or skipped as this one is; tried: it was not skipped.
	again, tried bool
	// unnamed has its unnamed statement from the message.
	unnamed *kept
	// absent has not got to the backend.
	absent *object
	// spoils has statements that nobody knows of where the message did nothing.
	spoils *kept
	// lost happens where the message fails, but not where it is skipped.
	lost *change
}

func (l *lentReply) isOurs() bool { return l != nil && l.ours }

// undo is for a message that failed or was skipped.
func (l *lentReply) undo() {
	if l == nil {
		return
	}
	switch {
	case l.adds == "":
	case l.again && !l.tried:
		l.held.Keep(l.adds)
	default:
		l.held.Drop(l.adds)
	}
	if l.drops != "" {
		l.held.Keep(l.drops)
	}
	if l.unnamed != nil {
		l.unnamed.unnamed = nil
	}
	if l.absent != nil {
		l.absent.absent = true
	}
	if l.spoils != nil {
		l.spoils.spoiled = true
	}
}

// failed is for one that was not skipped.
func (l *lentReply) failed() {
	if l == nil {
		return
	}
	l.tried = true
	if l.lost != nil {
		l.lost.outcome = done
	}
}

// retired is a use of a statement of the table: of before until the change
// works, of after where it does.
type retired struct {
	name          string
	change        *change
	before, after *transaction.Statement
}

// settleRetired gives the table back what is not used any more. Nothing is owed.
func (s *session) settleRetired() {
	l := s.lent
	for i, r := range l.retired {
		unused := r.before
		if r.change.outcome != done {
			unused = r.after
		}
		if unused != nil {
			l.Statements.Release(unused)
		}
		if l.prepared.last([]byte(r.name)) == r.change && (r.after == nil || unused != nil) {
			l.prepared.get([]byte(r.name), s.owed) // forgets it where it is free
		}
		l.retired[i] = retired{}
	}
	l.retired = l.retired[:0]
}

// inject sends a frame of ours in front of the client's.
func (s *session) inject(kind owedKind, r *lentReply, frame []byte, err error) error {
	if err != nil {
		return err
	}
	r.ours = true
	s.owed.push(owedReply{kind: kind, lent: r})
	return s.up.Put(frame)
}

// forwardLent is forward for a session whose backends are lent.
func (s *session) forwardLent(h wire.Header, due owedReply) error {
	switch h.Type {
	case wire.Parse:
		return s.sendParse(h, due, nil)
	case wire.Bind:
		return s.sendBind(h, due, nil)
	case wire.Describe:
		return s.sendDescribe(h, due)
	case wire.Close:
		return s.sendClose(h, due)
	case wire.Execute:
		return s.sendExecute(h, due)
	case wire.FunctionCall:
		s.lent.pinned = true // nobody knows what it does
	}
	return s.forwardOr(h, due, nil)
}

// bodyOf is the body of what goes out: frame's, or the client's whole.
func (s *session) bodyOf(h wire.Header, frame []byte) ([]byte, error) {
	if frame != nil {
		return wire.Body(frame), nil
	}
	return s.up.Whole(h, s.limits.StatementBytes)
}

// prefixOf is the beginning of that body.
func (s *session) prefixOf(h wire.Header, frame []byte) ([]byte, error) {
	if frame != nil {
		return wire.Body(frame), nil
	}
	return s.up.Prefix(h, maxPrefix)
}

// forwardOr passes the client's frame, or what replaces it.
func (s *session) forwardOr(h wire.Header, due owedReply, frame []byte) error {
	if frame != nil {
		return s.replace(h, due, frame, nil)
	}
	s.owed.push(due)
	s.up.Pass(h)
	return nil
}
