package thesaurus

import (
	_ "embed"
	"strings"
)

// words has a line for each word, sorted: the word, a tab, and what it is
// related to, separated by blanks. A ^ says that the other is broader, a digit at
// the end how rare the sense is that they share. Blanks inside of words are written _.
//
//go:embed words.txt
var words string

// plurals has a line for each irregular plural, sorted: plural, tab, singular.
//
//go:embed plurals.txt
var plurals string

// Word is a word that is related to another.
type Word struct {
	// Text is the word, in small letters, its parts separated by blanks.
	Text string
	// Broader tells of a word for a kind to which the other belongs: room for
	// classroom. Otherwise both mean the same.
	Broader bool
	// Rank is how rare the sense is that the words share, 0 for the most usual sense of
	// both, at most 2.
	Rank int
}

// Related gives the words that are related to one, which may be a plural or
// have several parts, as in zip code. It is nil for an unknown word.
func Related(word string) []Word {
	key := strings.ReplaceAll(word, " ", "_")
	for _, form := range singulars(key) {
		if line, ok := find(words, form); ok {
			return parse(line)
		}
	}
	return nil
}

// Singular is what an irregular plural is the plural of; other words are their
// own.
func Singular(word string) string {
	if s, ok := find(plurals, word); ok {
		return s
	}
	return word
}

// endings of regular plurals, and those of their singulars.
var endings = []struct{ plural, singular string }{{"ies", "y"}, {"ches", "ch"}, {"shes", "sh"}, {"xes", "x"}, {"zes", "z"}, {"sses", "ss"}, {"s", ""}}

// singulars are the forms under which a word may be found, the likeliest first.
func singulars(word string) []string {
	out := []string{word, Singular(word)}
	for _, e := range endings {
		if stem, ok := strings.CutSuffix(word, e.plural); ok && stem != "" {
			out = append(out, stem+e.singular)
		}
	}
	return out
}

// find gives the rest of the line that begins with the key and a tab.
func find(sorted, key string) (string, bool) {
	lo, hi := 0, len(sorted) // both are beginnings of lines
	for lo < hi {
		mid := (lo + hi) / 2
		start := lo + strings.LastIndexByte(sorted[lo:mid], '\n') + 1
		end := start + strings.IndexByte(sorted[start:], '\n')
		name, rest, _ := strings.Cut(sorted[start:end], "\t")
		switch {
		case name == key:
			return rest, true
		case name < key:
			lo = end + 1
		default:
			hi = start
		}
	}
	return "", false
}

// parse reads what a word is related to.
func parse(line string) []Word {
	var out []Word
	for entry := range strings.SplitSeq(line, " ") {
		text, broader := strings.CutPrefix(entry, "^")
		w := Word{Broader: broader}
		if n := len(text) - 1; text[n] <= '9' {
			text, w.Rank = text[:n], int(text[n]-'0')
		}
		w.Text = strings.ReplaceAll(text, "_", " ")
		out = append(out, w)
	}
	return out
}
