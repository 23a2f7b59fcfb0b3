package proxy

import (
	"errors"
	"fmt"
	"io"

	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/proxy/wire"
)

// maxJudgedReply is the longest reply that is read whole, in bytes: an error,
// a command tag. A longer one goes through as it is.
const maxJudgedReply = 64 << 10

// carryDown carries the backend's frames to the client until something keeps it
// from it.
func (s *session) carryDown() error {
	for {
		h, err := s.down.Next()
		if err != nil {
			return err
		}
		if s.lent != nil && s.lent.restoring {
			if err := s.restore(h); err != nil {
				return err
			}
			continue
		}
		if s.repeating.under {
			handled, err := s.repeatingReply(h)
			if err != nil {
				return err
			}
			if handled {
				continue
			}
		}
		switch h.Type {
		case wire.DataRow, wire.CopyData:
			err = s.row(h)
		case wire.NoticeResponse:
			err = s.notice(h)
		case wire.NotificationResponse:
			err = s.notification(h)
		case wire.ParameterStatus:
			err = s.parameterStatus(h)
		case wire.CommandComplete:
			err = s.commandComplete(h)
		case wire.ReadyForQuery:
			err = s.readyForQuery(h)
		case wire.ErrorResponse:
			err = s.errorResponse(h)
		case wire.ParameterDescription:
			err = s.parameterDescription(h)
		default:
			err = s.reply(h)
		}
		if err != nil {
			return err
		}
	}
}

// backendEnded words the end of the backend's side.
func (s *session) backendEnded(err error) error {
	var write *wire.WriteError
	var bad *wire.Malformed
	var coded interface{ SQLState() string }
	switch {
	case errors.As(err, &write) && hungUp(write.Err):
		return errClientGone
	case errors.As(err, &write):
		return fmt.Errorf("write to client: %w", err)
	case errors.As(err, &bad):
		return fmt.Errorf("read from backend: %w", err)
	case errors.As(err, &coded):
		return err
	case s.fatal:
		if len(s.lastSaid) != 5 {
			return errBackendSaid
		}
		return fmt.Errorf("%w: SQLSTATE %s", errBackendSaid, s.lastSaid)
	case s.leaving && errors.Is(err, io.EOF):
		return errTerminated
	case hungUp(err):
		return fmt.Errorf("read from backend: %w: %w", errBackendGone, err)
	}
	return fmt.Errorf("read from backend: %w", err)
}

// parameterStatus carries a parameter's new value, which the backend's next
// session starts with. A backend whose parameters are not known has none.
func (s *session) parameterStatus(h wire.Header) error {
	if err := s.noteParameter(h, true); err != nil {
		return err
	}
	if s.governed {
		return s.governedParameter(h)
	}
	s.down.Pass(h)
	return nil
}

// row carries one row of a result or of a copy.
func (s *session) row(h wire.Header) error {
	run := s.replies.watching()
	if run == nil {
		s.down.Pass(h)
		return nil
	}
	if tell := run.Teller(); tell != nil && h.Type == wire.DataRow {
		return s.taleRow(h, run, tell)
	}
	if run.Plans() {
		return s.planRow(h, run)
	}
	if !run.Row(h.Size) {
		return s.down.Drop(h)
	}
	s.down.Pass(h)
	return nil
}

// planRow carries a line of a plan of which the client may see some lines. What
// is too long to be read whole isn't one of them.
func (s *session) planRow(h wire.Header, run *pipeline.Run) error {
	var line []byte
	body, err := s.down.Whole(h, maxJudgedReply)
	if err == nil {
		line, err = wire.OnlyValue(body)
	}
	if err != nil && !errors.Is(err, wire.ErrTooLong) {
		return err
	}
	if !run.Line(line) || !run.Row(h.Size) {
		return s.down.Drop(h)
	}
	s.down.Pass(h)
	return nil
}

// reply carries a frame that is only counted.
func (s *session) reply(h wire.Header) error {
	if h.Type == wire.PortalSuspended {
		if run := s.replies.watching(); run != nil {
			run.Suspend()
		}
	}
	var lent *lentReply
	if due := s.replies.due(); due != nil && !s.replies.skipping {
		lent = due.lent
		if c := due.change; h.Type == wire.BindComplete && c != nil && c.portal != nil && c.portal.name != "" {
			s.decider.Bound(c.portal.name)
		}
	}
	if !s.replies.answered(h.Type) {
		if err := s.outOfStep(h); err != nil {
			return err
		}
	}
	switch {
	case lent == nil:
	case lent.ours:
		return s.down.Drop(h)
	case lent.as != 0:
		return s.down.Replace(h, []byte{lent.as, 0, 0, 0, 4})
	}
	s.down.Pass(h)
	return nil
}

// outOfStep is a reply that nobody is owed. Where statements are governed that
// ends the session, since a row could be counted for the wrong statement. A
// relay leaves it to the client.
func (s *session) outOfStep(h wire.Header) error {
	if s.governed {
		return failure("08P01", "the backend sent an unexpected message of type %q", h.Type)
	}
	return nil
}

func (s *session) commandComplete(h wire.Header) error {
	if s.lent != nil && h.Size <= len("DEALLOCATE ALL")+1 {
		tag, err := s.down.Whole(h, maxJudgedReply)
		if err != nil {
			return err
		}
		s.completed(tag)
	}
	run := s.replies.watching()
	if run == nil {
		return s.reply(h)
	}
	body, err := s.down.Whole(h, maxJudgedReply)
	if err != nil {
		return err
	}
	came, err := s.commandTag(body)
	if err != nil {
		return err
	}
	tag, notices := run.Complete(came)
	if tag == came && len(notices) == 0 {
		return s.reply(h)
	}
	s.replies.answered(h.Type)
	frames := s.downBuf[:0]
	for _, n := range notices {
		frames = wire.AppendNoticeResponse(frames, wire.Report{
			Severity: n.Severity, Code: n.Code, Message: n.Message, Detail: n.Detail, Hint: n.Hint,
		})
	}
	if frames, err = wire.AppendCommandComplete(frames, tag); err != nil {
		return err
	}
	s.downBuf = frames
	return s.down.Replace(h, frames)
}

// maxKeptTag is the longest tag that is kept, in bytes.
const maxKeptTag = 64

// commandTag is the tag of a body. Statements that repeat have one tag.
func (s *session) commandTag(body []byte) (string, error) {
	if n := len(body) - 1; n >= 0 && body[n] == 0 && string(body[:n]) == s.lastTag {
		return s.lastTag, nil
	}
	tag, err := wire.CommandTag(body)
	if err == nil && len(tag) <= maxKeptTag {
		s.lastTag = tag
	}
	return tag, err
}

func (s *session) parameterDescription(h wire.Header) error {
	due := s.replies.due()
	told := due != nil && due.told
	if !told {
		return s.reply(h)
	}
	s.replies.answered(h.Type)
	s.downBuf = wire.AppendNoParameters(s.downBuf[:0])
	return s.down.Replace(h, s.downBuf)
}

func (s *session) readyForQuery(h wire.Header) error {
	if h.Size != 1 {
		return &wire.Malformed{Reason: "invalid ReadyForQuery from the backend"}
	}
	body, err := s.down.Whole(h, 1)
	if err != nil {
		return err
	}
	status := body[0]
	if !s.replies.ready() {
		if err := s.outOfStep(h); err != nil {
			return err
		}
	}
	s.status = status
	if s.replies.swallow {
		s.replies.swallow = false
		return s.down.Drop(h)
	}
	if s.decider != nil {
		s.decider.Ready(status)
	}
	s.down.Pass(h)
	if s.draining && !s.working() && status == 'I' {
		return errShutdown
	}
	return nil
}
