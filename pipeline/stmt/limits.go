package stmt

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits bound a text before the parser sees it. The parser and the printer
// are C code that recurses along the tree: a text that makes a deep enough
// tree ends the process, and nothing in Go can catch that. So the depth is
// estimated from the tokens, which come from a scanner that doesn't recurse.
// A limit of 0 or less is the default's.
type Limits struct {
	// Bytes is the most bytes of one text.
	Bytes int
	// Tokens is the most tokens of one text, those of plain lists of literals
	// left out: a list of values is long but never deep.
	Tokens int
	// Depth is the most brackets, CASEs and blocks open at one place.
	Depth int
	// Chain is the most operators, casts, set operations or joins that can
	// stand above one another in a tree, brackets around them included.
	Chain int
}

// DefaultLimits leave a distance of more than ten to the shallowest text that
// was seen to end the process on a stack of 8 MiB: 24,000 operators in a row.
func DefaultLimits() Limits {
	return Limits{Bytes: 1 << 20, Tokens: 8000, Depth: 500, Chain: 1000}
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	for _, f := range []struct{ have, want *int }{
		{&l.Bytes, &d.Bytes}, {&l.Tokens, &d.Tokens}, {&l.Depth, &d.Depth}, {&l.Chain, &d.Chain}} {
		if *f.have <= 0 {
			*f.have = *f.want
		}
	}
	return l
}

// checkBytes refuses what must not even be scanned.
func (l Limits) checkBytes(text string) error {
	if len(text) > l.Bytes {
		return overLimit("statement is too long", "bytes", len(text), l.Bytes)
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return &Error{Code: codeEncoding, Message: `invalid byte sequence for encoding "UTF8": 0x00`}
	}
	if !utf8.ValidString(text) {
		return &Error{Code: codeEncoding, Message: `invalid byte sequence for encoding "UTF8": ` + firstInvalid(text)}
	}
	return nil
}

// firstInvalid spells the first byte that isn't UTF-8 as Postgres does.
func firstInvalid(text string) string {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(text[i:]); n == 1 {
				return fmt.Sprintf("0x%02x", text[i])
			}
		}
	}
	return ""
}

func overLimit(what, unit string, have, limit int) *Error {
	return &Error{Code: codeLimit, Message: fmt.Sprintf("%s: %d %s, the limit is %d", what, have, unit, limit)}
}
