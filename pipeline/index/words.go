package index

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// stemmer cuts text into word stems and remembers the ones it has seen: a
// schema repeats its words. It is not safe for concurrent use.
type stemmer map[string]string

// words splits an identifier or a sentence: at everything that is no letter or
// digit, between a small and a capital letter (orderItems), between letters and
// digits, and stems what remains.
func (s stemmer) words(text string) []string {
	var out []string
	start, last := -1, rune(0)
	end := func(i int) {
		if start >= 0 {
			out = append(out, s.stem(strings.ToLower(text[start:i])))
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
		case start >= 0 && boundary(last, r):
			end(i)
			start = i
		case start < 0:
			start = i
		}
		last = r
	}
	end(len(text))
	return out
}

func boundary(last, r rune) bool {
	return unicode.IsLower(last) && unicode.IsUpper(r) || unicode.IsDigit(last) != unicode.IsDigit(r)
}

func (s stemmer) stem(word string) string {
	if got, ok := s[word]; ok {
		return got
	}
	stem := english.Stem(word, false)
	s[word] = stem
	return stem
}

// silent are the question words that say nothing about a table, stemmed.
func silent(stem string) bool { return english.IsStopWord(stem) || len(stem) < 2 || asking(stem) }

// asking words open a question without being about anything.
func asking(stem string) bool {
	switch stem {
	case "show", "list", "give", "find", "return", "tell", "mani", "much", "number", "count",
		"total", "averag", "sum", "top", "per", "each", "everi", "pleas", "get", "whose":
		return true
	}
	return false
}

// Subjects are the stems of a text that can be about something, in order.
func Subjects(text string) []string { return slices.DeleteFunc(Words(text), silent) }

// Words are the stems of a text, as the index sees them, in order.
func Words(text string) []string { return stemmer{}.words(text) }
