package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Report is what an ErrorResponse or a NoticeResponse says. Empty fields are
// left out, except severity and code, which clients rely on.
type Report struct {
	Severity string // ERROR, FATAL, NOTICE, WARNING …
	Code     string // SQLSTATE
	Message  string
	Detail   string
	Hint     string
	// Position counts characters from 1 in the client's text, 0 for none.
	Position int
}

// maxField is the longest field of a report, in bytes; the rest is cut off. It
// keeps a report within what clients of every kind take in.
const maxField = 32 << 10

// AppendErrorResponse builds an ErrorResponse.
func AppendErrorResponse(dst []byte, r Report) []byte { return appendReport(dst, ErrorResponse, r) }

// AppendNoticeResponse builds a NoticeResponse.
func AppendNoticeResponse(dst []byte, r Report) []byte { return appendReport(dst, NoticeResponse, r) }

// appendReport can't fail: an error that can't be told would hide the one it
// is about. NULs become visible characters instead.
func appendReport(dst []byte, kind byte, r Report) []byte {
	m := begin(dst, kind)
	position := ""
	if r.Position > 0 {
		position = strconv.Itoa(r.Position)
	}
	for _, f := range [...]struct {
		code  byte
		value string
		must  bool
	}{
		{'S', r.Severity, true}, {'V', r.Severity, true}, {'C', r.Code, true}, {'M', r.Message, true},
		{'D', r.Detail, false}, {'H', r.Hint, false}, {'P', position, false},
	} {
		if f.value != "" || f.must {
			m.b = append(m.b, f.code)
			m.str(tellable(f.value))
		}
	}
	m.b = append(m.b, 0)
	return m.must()
}

// tellable is s without NULs, valid as UTF-8 and of a sensible length.
func tellable(s string) string {
	if len(s) > maxField {
		s = s[:maxField]
	}
	s = strings.ReplaceAll(s, "\x00", "�")
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "�")
	}
	return s
}

// ParseReport reads an ErrorResponse's or NoticeResponse's body.
func ParseReport(body []byte) Report {
	r := Report{
		Severity: string(Field(body, 'V')),
		Code:     string(Field(body, 'C')),
		Message:  string(Field(body, 'M')),
		Detail:   string(Field(body, 'D')),
		Hint:     string(Field(body, 'H')),
	}
	r.Position, _ = strconv.Atoi(string(Field(body, 'P')))
	if r.Severity == "" { // servers before 9.6 have only the translated one
		r.Severity = string(Field(body, 'S'))
	}
	return r
}
