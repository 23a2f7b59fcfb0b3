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
	// AllTokens is the most tokens, those of lists of literals included: each
	// makes some 300 bytes of tree.
	AllTokens int
	// Depth is the most brackets and CASEs open at one place.
	Depth int
	// Chain is the most levels that can stand above one another: each operator,
	// cast, set operation, join and bracket is one, a CASE two, and a query in
	// brackets four. By measurement a level costs the printer up to 2 KiB of
	// stack.
	Chain int
}

// DefaultLimits keep the parser and the printer within 1 MiB of stack, half of
// the smallest that a thread gets on Linux with glibc; on the usual 8 MiB the
// shallowest text that was seen to end the process has 16,000 operators in a row.
func DefaultLimits() Limits {
	return Limits{Bytes: 1 << 20, Tokens: 8000, AllTokens: 200_000, Depth: 250, Chain: 500}
}

func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	for _, f := range []struct{ have, want *int }{
		{&l.Bytes, &d.Bytes}, {&l.Tokens, &d.Tokens}, {&l.AllTokens, &d.AllTokens},
		{&l.Depth, &d.Depth}, {&l.Chain, &d.Chain}} {
		if *f.have <= 0 {
			*f.have = *f.want
		}
	}
	return l
}

// holdAll tells whether a text is within the limits whatever its tokens are: each of
// them, each bracket and each level takes a byte at least (weight and levels say
// how many they make).
func (l Limits) holdAll(text string) bool {
	return len(text) <= min(l.Tokens, l.AllTokens, l.Depth, l.Chain)
}

// checkBytes refuses what must not even be scanned.
func (l Limits) checkBytes(text string) error {
	if len(text) > l.Bytes {
		return overLimit("statement is too long", "bytes", len(text), l.Bytes)
	}
	if n := operatorWork(text); n > maxOperatorWork {
		return &Error{Code: codeLimit, Message: "statement has too many operator characters in a row"}
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return &Error{Code: codeEncoding, Message: `invalid byte sequence for encoding "UTF8": 0x00`}
	}
	if !utf8.ValidString(text) {
		return &Error{Code: codeEncoding, Message: `invalid byte sequence for encoding "UTF8": ` + firstInvalid(text)}
	}
	return nil
}

// maxOperatorWork bounds the sum of the squares of the lengths of all runs of
// operator characters: one run of 8,192, or more that are shorter. The scanner
// reads the rest of a run again for each operator or comment in it: 100 KB of
// /**//**/… cost it 18 seconds.
const maxOperatorWork = 1 << 26

func operatorWork(text string) int {
	work, run := 0, 0
	for i := range len(text) {
		if operatorChar(text[i]) {
			run++
			work += 2*run - 1
		} else {
			run = 0
		}
	}
	return work
}

func operatorChar(c byte) bool {
	switch c {
	case '~', '!', '@', '#', '^', '&', '|', '`', '?', '+', '-', '*', '/', '%', '<', '>', '=':
		return true
	}
	return false
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
