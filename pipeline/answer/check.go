package answer

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// Check makes what somebody wrote about an answer fit to be shown: sentences with a
// number that the rows don't give give way to our own, words that promise more than a
// qualifier allows go, and what is missing of the notes follows, word for word.
// replaced is how many sentences gave way. When ctx ends, those that were not looked at
// do.
func Check(ctx context.Context, written []string, t *Table, about Told) (text string, replaced int) {
	known := newFigures(t.Without(), about)
	loose := vague(t, about)
	var out []string
	for _, s := range written {
		s = strings.TrimSpace(oneLine(s))
		switch {
		case s == "":
			continue
		case ctx.Err() == nil && known.all(s) && !links(s, t):
			if loose {
				s = promises.ReplaceAllString(s, "")
			}
			out = append(out, headed(s))
		default:
			if replaced++; replaced == 1 {
				out = append(out, sentences(t, about)...)
			}
		}
	}
	if len(out) == 0 {
		out = sentences(t, about)
	}
	text = strings.Join(out, " ")
	for _, n := range notes(t, about) {
		if !strings.Contains(text, strings.TrimPrefix(n, "Note: ")) {
			text += "\n" + n
		}
	}
	return text, replaced
}

// promises are words that leave no room.
var promises = regexp.MustCompile(`(?i)\b(exactly|precisely)\s*`)

// loosely are the words by which a qualifier says that a number is a bound or an
// approximation.
var loosely = regexp.MustCompile(`(?i)\b(at least|at most|lower bounds?|upper bounds?|approximat\w*|about|estimated?|top [0-9]+|sampled?|confidence|truncated|may be incorrect)\b`)

// vague tells whether any number is a bound or an approximation.
func vague(t *Table, about Told) bool {
	return slices.ContainsFunc(append(t.missing(), about.Qualifiers...), loosely.MatchString)
}

// addresses are what a reader might follow.
var addresses = regexp.MustCompile(`(?i)(https?://|www\.)\S+|\]\(`)

// links tells of an address that no row has: somebody's words in a row may have asked
// for it.
func links(s string, t *Table) bool {
	for _, found := range addresses.FindAllString(s, -1) {
		if !slices.ContainsFunc(t.Rows, func(r []Value) bool {
			return slices.ContainsFunc(r, func(v Value) bool { return strings.Contains(v.Text, strings.TrimRight(found, ".,;:!?)")) })
		}) {
			return true
		}
	}
	return false
}
