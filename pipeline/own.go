package pipeline

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pgask/pgask/pipeline/redact"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// own is what a client may read in errors about its message: its words, and the
// names of what its statements read.
func (s *Session) own(text, sent string, verdicts []*verdict) *redact.Own {
	o := &redact.Own{Client: text, Sent: sent, Renamed: policy.CursorName}
	if len(verdicts) == 0 || s.at == nil {
		return o
	}
	view := s.at.view
	o.Known = func(name string) bool {
		return slices.ContainsFunc(verdicts, func(v *verdict) bool { return view.Shows(v.facts.Tables, name) })
	}
	return o
}

// ownOf is about one statement that was approved. A place that it finds is one
// in st.Text; offset makes one in the message of it.
func (s *Session) ownOf(at *standing, st stmt.Statement, a policy.Approved) *redact.Own {
	tables := a.Facts().Tables
	return &redact.Own{Client: st.Text, Sent: a.SQL(), Renamed: policy.CursorName, Known: func(name string) bool { return at.view.Shows(tables, name) }}
}

// offset is how many characters of the message stand before a statement's text.
func (s *Session) offset(st stmt.Statement) int {
	if st.Start > len(s.text) {
		return 0
	}
	return utf8.RuneCountInString(s.text[:st.Start+max(0, strings.Index(s.text[st.Start:], st.Text))])
}

// placed gives a refusal its place in the client's message.
func (s *Session) placed(st stmt.Statement, err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Position > 0 {
		e.Position += s.offset(st)
	}
	d, ok := err.(*policy.Denied)
	if !ok || d.Location() == 0 || st.Start+d.Location() > len(s.text) {
		return err
	}
	return d.At(utf8.RuneCountInString(s.text[:st.Start+d.Location()]) + 1)
}

// reported is an error of Postgres's that was redacted.
func reported(r redact.Report) *Error {
	return &Error{Code: r.Code, Message: r.Message, Advice: r.Hint, Position: r.Position}
}
