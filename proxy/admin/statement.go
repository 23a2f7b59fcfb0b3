package admin

import (
	"fmt"
	"strings"
)

// statement is one command: its words in lower case, except those that were in
// quotes.
type statement []word

type word struct {
	text   string
	quoted bool
}

// String is the command as it is logged.
func (s statement) String() string {
	var texts []string
	for _, w := range s {
		texts = append(texts, w.text)
	}
	return strings.Join(texts, " ")
}

// is tells whether the statement begins with these words.
func (s statement) is(words ...string) bool {
	if len(s) < len(words) {
		return false
	}
	for i, w := range words {
		if s[i].quoted || s[i].text != w {
			return false
		}
	}
	return true
}

// signs stand for themselves, everything else up to a blank is one word.
const signs = "*=,()"

// split takes a text apart at its semicolons; empty statements are left out.
func split(text string) ([]statement, error) {
	var all []statement
	var current statement
	for {
		text = skip(text)
		switch {
		case text == "":
			if current != nil {
				all = append(all, current)
			}
			return all, nil
		case text[0] == ';':
			if current != nil {
				all, current = append(all, current), nil
			}
			text = text[1:]
		case text[0] == '"' || text[0] == '\'':
			inside, rest, err := quoted(text)
			if err != nil {
				return nil, err
			}
			current, text = append(current, word{inside, true}), rest
		default:
			end := wordEnd(text)
			current, text = append(current, word{text: strings.ToLower(text[:end])}), text[end:]
		}
	}
}

// wordEnd is where a word that isn't quoted ends.
func wordEnd(text string) int {
	end := len(text)
	if i := strings.IndexAny(text, " \t\r\n\f\v;\"'"+signs); i >= 0 {
		end = i
	}
	for _, comment := range []string{"--", "/*"} {
		if i := strings.Index(text[:end], comment); i >= 0 {
			end = i
		}
	}
	return max(end, 1) // a sign
}

// skip leaves out blanks and comments. A comment without an end is one to the
// end of the text.
func skip(text string) string {
	for {
		text = strings.TrimLeft(text, " \t\r\n\f\v")
		switch {
		case strings.HasPrefix(text, "--"):
			_, text, _ = strings.Cut(text, "\n")
		case strings.HasPrefix(text, "/*"):
			_, text, _ = strings.Cut(text[2:], "*/")
		default:
			return text
		}
	}
}

// quoted reads a name or a string; a doubled quote stands for one.
func quoted(text string) (inside, rest string, err error) {
	quote := text[:1]
	var b strings.Builder
	for rest = text[1:]; ; {
		before, after, found := strings.Cut(rest, quote)
		if !found {
			return "", "", &failure{code: "42601", message: fmt.Sprintf("unterminated quote at or near %s", quote)}
		}
		b.WriteString(before)
		if !strings.HasPrefix(after, quote) {
			return b.String(), after, nil
		}
		b.WriteString(quote)
		rest = after[1:]
	}
}
