package proxy

import (
	"maps"
	"slices"

	"github.com/pgask/pgask/pipeline/redact"
	"github.com/pgask/pgask/proxy/wire"
)

// What Postgres says to a governed client beside rows: errors and notices as far
// as they hold nothing but the client's own words, and parameters that drivers
// rely on. Nobody of its kind may LISTEN, so a notification isn't for it.

// maxRead is how much of an error too long to be read whole is read: more than
// what comes before and with the SQLSTATE.
const maxRead = 1 << 10

// longError is an error that isn't read whole.
func (s *session) longError(h wire.Header) error {
	prefix, err := s.down.Prefix(h, maxRead)
	if err != nil {
		return err
	}
	code := string(wire.Field(prefix, 'C'))
	if run := s.replies.watching(); run != nil {
		run.Fail(code)
	}
	s.replies.failed(code)
	if !s.governed {
		s.down.Pass(h)
		return nil
	}
	s.downBuf = wire.AppendErrorResponse(s.downBuf[:0], told("ERROR", (*redact.Own)(nil).Error(redact.Report{Code: code})))
	return s.down.Replace(h, s.downBuf)
}

// passError carries an error of Postgres's. For a governed client it is
// redacted; where only the statement was rewritten, its position moves. request
// is the id of what failed, empty where that isn't known.
func (s *session) passError(h wire.Header, body []byte, own *redact.Own, request string) error {
	if !s.governed && own == nil {
		s.down.Pass(h)
		return nil
	}
	r := wire.ParseReport(body)
	if !s.governed {
		r.Position = own.Moved(r.Position)
		s.downBuf = wire.AppendErrorResponse(s.downBuf[:0], r)
		return s.down.Replace(h, s.downBuf)
	}
	s.log.Debug("error of the backend", "request", request, "sqlstate", r.Code, "message", r.Message, "detail", r.Detail)
	shown := own.Error(redact.Report{Code: r.Code, Message: r.Message, Hint: r.Hint, Position: r.Position})
	s.downBuf = wire.AppendErrorResponse(s.downBuf[:0], told(r.Severity, shown))
	return s.down.Replace(h, s.downBuf)
}

func told(severity string, r redact.Report) wire.Report {
	return wire.Report{Severity: severity, Code: r.Code, Message: r.Message, Hint: r.Hint, Position: r.Position}
}

// notice carries a notice of Postgres's.
func (s *session) notice(h wire.Header) error {
	if !s.governed {
		s.down.Pass(h) // at any time
		return nil
	}
	if h.Size > maxJudgedReply {
		return s.down.Drop(h)
	}
	body, err := s.down.Whole(h, maxJudgedReply)
	if err != nil {
		return err
	}
	var own *redact.Own
	if due := s.replies.due(); due != nil && !s.replies.skipping {
		own = due.own
	}
	r := wire.ParseReport(body)
	shown, ok := own.Notice(redact.Report{Code: r.Code, Message: r.Message, Position: r.Position})
	if !ok {
		s.log.Debug("notice of the backend", "sqlstate", r.Code, "message", r.Message)
		return s.down.Drop(h)
	}
	s.downBuf = wire.AppendNoticeResponse(s.downBuf[:0], told(r.Severity, shown))
	return s.down.Replace(h, s.downBuf)
}

// notification is what somebody said with NOTIFY.
func (s *session) notification(h wire.Header) error {
	if s.governed {
		return s.down.Drop(h)
	}
	s.down.Pass(h)
	return nil
}

// parameters are those that a governed client is told of: drivers rely on them,
// and they say nothing of the backend's login.
var parameters = []string{"application_name", "client_encoding", "DateStyle", "default_transaction_read_only", "in_hot_standby",
	"integer_datetimes", "IntervalStyle", "scram_iterations", "server_encoding", "server_version", "standard_conforming_strings", "TimeZone"}

// governedParameter carries a ParameterStatus to a governed client.
func (s *session) governedParameter(h wire.Header) error {
	body, err := s.down.Whole(h, maxJudgedReply)
	if err != nil {
		return err
	}
	if name, _, err := wire.Parameter(body); err != nil || !slices.Contains(parameters, name) {
		return s.down.Drop(h)
	}
	s.down.Pass(h)
	return nil
}

// presented is what a client is told of its backend when it begins. A governed
// one is told that it is who it says it is.
func (s *session) presented(b *Backend) *Backend {
	if !s.governed {
		return b
	}
	shown := *b
	shown.Notices = nil
	shown.ParameterStatuses = maps.Clone(b.ParameterStatuses)
	maps.DeleteFunc(shown.ParameterStatuses, func(name, _ string) bool { return !slices.Contains(parameters, name) })
	shown.ParameterStatuses["is_superuser"] = "off"
	shown.ParameterStatuses["session_authorization"] = s.about.User
	return &shown
}
