package answer

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// columnsOf is how many columns of a terminal a character takes: none for one that
// combines with that before it or can't be seen, two for a wide one.
func columnsOf(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.IsControl(r):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// wide is how many columns a text takes.
func wide(s string) int {
	n := 0
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

// fit cuts a text to so many columns, with an ellipsis, and fills it up to them.
func fit(s string, most int) string {
	s = oneLine(s)
	if n := wide(s); n <= most {
		return s + strings.Repeat(" ", most-n)
	}
	var b strings.Builder
	n := 0
	for _, r := range s {
		w := columnsOf(r)
		if n+w > most-1 {
			break
		}
		b.WriteRune(r)
		n += w
	}
	return b.String() + "…" + strings.Repeat(" ", most-1-n)
}

// right fills a text up from the left.
func right(s string, columns int) string {
	return strings.Repeat(" ", max(0, columns-wide(s))) + s
}
