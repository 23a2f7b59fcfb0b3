package stmt

import (
	"regexp"
	"strings"
)

// moments are what Postgres reads in a constant as the time at which it reads it
// (manual, "Special Date/Time Inputs"), as words of their own.
var moments = regexp.MustCompile(`(?i)(^|[^a-z])(now|today|tomorrow|yesterday)($|[^a-z])`)

// Momentary tells of a text, as Print gives it, that may give something else when
// it is prepared once and executed later than when it is sent as a simple Query
// then: it may have a constant that means a time, which Postgres reads when it
// parses, a time whose zone depends on the day, or a function that tells a message's time.
func Momentary(text string) bool {
	if strings.Contains(text, `\`) {
		return true // of a constant that spells a word otherwise
	}
	for rest := text; ; {
		code, constants, more := cutCode(rest)
		if strings.Contains(code, "statement_timestamp") || strings.Contains(code, "timetz") || strings.Contains(code, "time with time zone") {
			return true
		}
		if !more {
			return false
		}
		// A doubled quote ends the constant as well: what follows is taken for
		// another, since no word stands on both sides.
		constant, behind, closed := strings.Cut(constants, "'")
		if !closed || moments.MatchString(constant) {
			return true
		}
		rest = behind
	}
}

// cutCode cuts off what stands before the next constant's quote, names in quotes
// included.
func cutCode(text string) (code, behind string, more bool) {
	named := false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			named = !named
		case c == '\'' && !named:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}
