package redact

import (
	"strings"

	"github.com/pgask/pgask/pipeline/stmt"
)

// Report is an ErrorResponse or NoticeResponse of Postgres's, as far as
// a client may have it.
type Report struct {
	// Code is the SQLSTATE.
	Code string
	// Message and Hint are one line each; there is never a DETAIL.
	Message, Hint string
	// Position counts characters from 1: of the text that was sent on the way
	// in, of the client's text on the way out; 0 for none.
	Position int
}

// Own is what a client said, and what it may know of besides. It belongs to one
// goroutine at a time. The nil Own knows nothing.
type Own struct {
	// Client is the text of the client's message, Sent what was sent in its place.
	Client, Sent string
	// Known tells of a name that isn't in the client's text whether it may be
	// shown; nil for none.
	Known func(name string) bool
	// Renamed tells what a name of the client's is called in Sent, where some
	// are replaced; nil for none.
	Renamed func(name string) string

	words map[string]bool
}

// Error is what remains of an error for a governed client.
func (o *Own) Error(r Report) Report {
	at := o.find(r.Position)
	out := Report{Code: r.Code, Position: at.position}
	text, ok := o.message(r.Code, o.restored(r.Message), at)
	if !ok {
		text = condition(r.Code)
	}
	out.Message = text
	if ok && known().hints[r.Hint] {
		out.Hint = r.Hint
	}
	return out
}

// Notice is what remains of a notice; ok tells whether it may be shown at all.
func (o *Own) Notice(r Report) (Report, bool) {
	switch r.Code {
	case "25001", "25P01", "42622": // there is (no) transaction, a name is cut
	default:
		return Report{}, false
	}
	at := o.find(r.Position)
	text, ok := o.message(r.Code, r.Message, at)
	return Report{Code: r.Code, Message: text, Position: at.position}, ok
}

// Moved is where in the client's text an error at a position of the sent text
// is, 0 where that isn't certain.
func (o *Own) Moved(position int) int { return o.find(position).position }

// message finds the listed message that a text is, and what of it may be told.
func (o *Own) message(code, text string, at place) (string, bool) {
	for _, p := range known().patterns[code] {
		m := p.expr.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		whole, kind := true, ""
		for i, slot := range p.slots {
			if !o.own(slot, m[i+1], at) {
				whole = false
			} else if slot == "type" {
				kind = m[i+1]
			}
		}
		switch {
		case whole:
			return text, true
		case p.short != "" && (kind != "" || !strings.Contains(p.short, "{type}")):
			return strings.ReplaceAll(p.short, "{type}", kind), true
		}
	}
	return "", false
}

// restored puts the client's names back in the place of those that Sent has
// for them. Only quoted names are ever replaced.
func (o *Own) restored(message string) string {
	if o == nil || o.Renamed == nil {
		return message
	}
	if o.words == nil {
		o.words = o.read()
	}
	for w := range o.words {
		if to := o.Renamed(w); to != w {
			message = strings.ReplaceAll(message, `"`+to+`"`, `"`+w+`"`)
		}
	}
	return message
}

func (o *Own) read() map[string]bool { return stmt.Words(o.Client) }
