package proxy

import (
	"errors"

	"github.com/pgask/pgask/proxy/wire"
)

// restore takes a reply to the restoring of parameters; none is for the client,
// which has its values already.
func (s *session) restore(h wire.Header) error {
	l := s.lent
	switch h.Type {
	case wire.ParameterStatus:
		if err := s.noteParameter(h, false); err != nil {
			return err
		}
	case wire.ErrorResponse:
		l.restored = false
	case wire.ReadyForQuery:
		l.restoring = false
		if !l.restored {
			s.spent = true
			return failure("08006", "the backend didn't take the session's parameters")
		}
	}
	return s.down.Drop(h)
}

// noteParameter notes a parameter's new value, of the client too where it is
// told.
func (s *session) noteParameter(h wire.Header, told bool) error {
	body, err := s.down.Whole(h, maxJudgedReply)
	if err != nil && !errors.Is(err, wire.ErrTooLong) {
		return err
	}
	name, value, err := wire.Parameter(body)
	if err != nil {
		s.spent = true
		return nil
	}
	if name != "application_name" {
		s.alter()
	}
	if s.backend.ParameterStatuses != nil {
		s.backend.ParameterStatuses[name] = value
	}
	if s.lent != nil {
		s.backend.kept.values.Note(name, value)
		if told {
			s.lent.values.Note(name, value)
		}
	}
	return nil
}
