package planner

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"github.com/pgask/pgask/pipeline/thesaurus"
)

// tokenKind tells what a token of a question is.
type tokenKind int

const (
	word   tokenKind = iota
	number           // 12, 1,000, 3.5, seven
	quoted           // 'New York': one token, taken literally
	date             // 2026-03-31
	comma
	stop // a sentence that ends before the question does
)

// token is one word, number or quoted text of a question.
type token struct {
	kind tokenKind
	text string // as typed, without quotes
	low  string // case and accents folded
	stem string // of low
	num  string // a number as a literal
}

// tokenize splits a question into tokens. A trailing full stop or question mark says
// nothing; one in the middle stays, so that two sentences aren't read as one.
func tokenize(question string) []token {
	var out []token
	rs := []rune(strings.TrimSpace(question))
	for i := 0; i < len(rs); {
		switch {
		case unicode.IsSpace(rs[i]):
			i++
		case closing(rs[i]) != 0 && quoteEnd(rs, i) > 0:
			end := quoteEnd(rs, i)
			out = append(out, quotedToken(string(rs[i+1:end])))
			i = end + 1
		case rs[i] == ',':
			out = append(out, token{kind: comma, text: ","})
			i++
		case rs[i] == '.' && (abbreviation(rs, i) || len(out) > 0 && last(out).low == "vs"):
			i++
		case strings.ContainsRune(".?!;:", rs[i]):
			out = append(out, token{kind: stop, text: string(rs[i])})
			i++
		case wordRune(rs[i]):
			end := wordEnd(rs, i)
			out = append(out, wordTokens(string(rs[i:end]))...)
			i = end
		default:
			out = append(out, symbol(rs[i])...)
			i++
		}
	}
	for len(out) > 0 && (out[len(out)-1].kind == stop || out[len(out)-1].kind == comma) {
		out = out[:len(out)-1]
	}
	return out
}

// abbreviation tells whether the full stop at i belongs to a short capitalised
// word, as in St. Helena or J. K. Rowling.
func abbreviation(rs []rune, i int) bool {
	start := i
	for start > 0 && unicode.IsLetter(rs[start-1]) {
		start--
	}
	next := i + 1
	for next < len(rs) && unicode.IsSpace(rs[next]) {
		next++
	}
	return i > start && i-start <= 3 && unicode.IsUpper(rs[start]) && next < len(rs) && unicode.IsUpper(rs[next])
}

// closing is the rune that closes an opening quote, 0 for other runes.
func closing(r rune) rune {
	switch r {
	case '"', '\'', '`':
		return r
	case '“', '”':
		return '”'
	case '‘':
		return '’'
	}
	return 0
}

// quoteEnd is where the quote that opens at i closes, 0 where it doesn't: an
// apostrophe inside a word closes nothing.
func quoteEnd(rs []rune, i int) int {
	for j := i + 1; j < len(rs); j++ {
		if rs[j] == closing(rs[i]) && j > i+1 && (j+1 == len(rs) || !unicode.IsLetter(rs[j+1])) {
			return j
		}
	}
	return 0
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '$' }

// wordEnd is where the word that starts at i ends. Marks inside a word or a
// number belong to it: O'Brien, 1,000, 3.5, 2026-03-31.
func wordEnd(rs []rune, i int) int {
	for j := i + 1; ; j++ {
		if j == len(rs) {
			return j
		}
		inside := j+1 < len(rs) && wordRune(rs[j+1])
		digits := inside && unicode.IsDigit(rs[j-1]) && unicode.IsDigit(rs[j+1])
		switch {
		case wordRune(rs[j]) || unicode.Is(unicode.Mn, rs[j]):
		case (rs[j] == '\'' || rs[j] == '’' || rs[j] == '-' || rs[j] == '&') && inside:
		case (rs[j] == ',' || rs[j] == '.' || rs[j] == ':') && digits:
		default:
			return j
		}
	}
}

// wordTokens makes tokens of one typed word: a number or a date stays whole,
// a possessive loses its s, a hyphen or an underscore separates words.
func wordTokens(s string) []token {
	if t, ok := numberToken(s); ok {
		return []token{t}
	}
	for _, suffix := range []string{"'s", "’s"} {
		s = strings.TrimSuffix(s, suffix)
	}
	var out []token
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '_' || r == '$' || r == '&' }) {
		if t, ok := numberToken(part); ok {
			out = append(out, t)
			continue
		}
		out = append(out, wordToken(part))
	}
	return out
}

func wordToken(s string) token {
	low := fold(s)
	if n, ok := numberWords[low]; ok {
		return token{kind: number, text: s, low: low, stem: low, num: n}
	}
	return token{kind: word, text: s, low: low, stem: stem(low)}
}

func quotedToken(s string) token {
	s = strings.TrimRight(strings.TrimSpace(s), ".,?!")
	return token{kind: quoted, text: s, low: fold(s), stem: fold(s)}
}

// symbol reads comparison signs; other marks say nothing we could account
// for, so they stay as words that nothing matches.
func symbol(r rune) []token {
	switch r {
	case '(', ')', '-', '\'', '’', '"', '“', '”':
		return nil
	}
	return []token{{kind: word, text: string(r), low: string(r), stem: string(r)}}
}

// fold drops case and accents: what people leave out when they type.
func fold(s string) string {
	ascii := true
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			ascii = false
			break
		}
	}
	if !ascii {
		t := transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC)
		if folded, _, err := transform.String(t, s); err == nil {
			s = folded
		}
		s = strings.ReplaceAll(s, "’", "'")
	}
	return strings.ToLower(s)
}

// irregular are plurals that neither the stemmer knows nor the thesaurus, in which they
// are words by themselves.
var irregular = map[string]string{
	"people": "person", "persons": "person", "men": "man", "women": "woman", "staffs": "staff",
}

// singular is what an irregular plural is the plural of; other words are their
// own.
func singular(low string) string {
	if s, ok := irregular[low]; ok {
		return s
	}
	return thesaurus.Singular(low)
}

// stem is the stem of a folded word.
func stem(low string) string {
	return english.Stem(singular(low), true)
}
