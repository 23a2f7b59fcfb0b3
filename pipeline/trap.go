package pipeline

import (
	"fmt"

	"github.com/pgask/pgask/policy"
)

// trapWord is the planted word that a statement raises when it passes the row
// cap, for a role whose truncation is an error; else empty. All statements of
// one message share it.
func (s *Session) trapWord(at *standing) string {
	l := at.role.Limits
	if l.OnTruncate != "error" || l.Rows == 0 {
		return ""
	}
	if s.trap == nil {
		s.trap = plant(&Error{Code: "PA011", Message: fmt.Sprintf("result truncated at %d rows", l.Rows),
			Advice: "ask for fewer rows: add conditions or a LIMIT"})
	}
	return s.trap.Word
}

// trapOf makes the trap of an approved FETCH or EXECUTE that of the statement
// it reads from: that text was planted when it was declared or prepared.
func (s *Session) trapOf(f policy.Facts, origin *verdict) {
	if origin == nil {
		origin = s.origin(&verdict{facts: f})
	}
	if origin.trap != nil {
		s.trap = origin.trap
	}
}
