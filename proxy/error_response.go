package proxy

import (
	"bytes"
	"errors"

	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/redact"
	"github.com/pgask/pgask/proxy/wire"
)

// errorResponse carries an error. One that quotes the word planted for the
// message at hand is the refusal's: it is replaced by the refusal.
func (s *session) errorResponse(h wire.Header) error {
	body, err := s.down.Whole(h, maxJudgedReply)
	if errors.Is(err, wire.ErrTooLong) {
		return s.longError(h)
	}
	if err != nil {
		return err
	}
	said, severity := string(wire.Field(body, 'C')), severityOf(body)
	if severity == "FATAL" || severity == "PANIC" {
		s.fatal, s.lastSaid = true, said
		return s.passError(h, body, nil, requestOf(s.replies.watching()))
	}
	if due := s.replies.due(); due != nil && due.lent != nil && due.lent.silent && !s.replies.skipping {
		s.replies.failed(said)
		return s.down.Drop(h)
	}
	var denial *pipeline.Denial
	var own *redact.Own
	code := said
	if due := s.replies.due(); due != nil && !s.replies.skipping {
		own = due.own
	}
	if due := s.replies.due(); due != nil && !s.replies.skipping && quotes(body, said, due.denial) {
		denial = due.denial
		denial.Shown()
		code = sqlState(denial.Err)
	}
	run := s.replies.watching()
	request := requestOf(run)
	if run != nil {
		run.Fail(code)
	}
	s.replies.failed(said)
	if denial == nil {
		return s.passError(h, body, own, request)
	}
	s.downBuf = wire.AppendErrorResponse(s.downBuf[:0], report(denial.Err, "ERROR", s.log))
	return s.down.Replace(h, s.downBuf)
}

func requestOf(run *pipeline.Run) string {
	if run == nil {
		return ""
	}
	return run.RequestID()
}

// severityOf is the untranslated severity, which servers before 9.6 lack.
func severityOf(body []byte) string {
	if v := wire.Field(body, 'V'); v != nil {
		return string(v)
	}
	return string(wire.Field(body, 'S'))
}

// quotes reports whether an error is Postgres's complaint about the planted
// word: a syntax error at it, no prepared statement or portal of that name, one
// that is there already,
// or, for a statement that counts its rows itself, no number.
func quotes(body []byte, code string, d *pipeline.Denial) bool {
	if d == nil || d.Word == "" {
		return false
	}
	switch code {
	case "42601", "26000", "34000", "22P02", "42P05":
		return bytes.Contains(wire.Field(body, 'M'), []byte(d.Word))
	}
	return false
}
