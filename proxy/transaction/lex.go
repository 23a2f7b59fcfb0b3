package transaction

import "strings"

// kind is what a token is.
type kind uint8

const (
	end    kind = iota
	word        // a keyword or identifier without quotes
	quoted      // an identifier in double quotes
	str         // a string of any form
	symbol      // one byte of anything else
)

// token is a piece of the text; that of what is quoted is without the quotes,
// as it stands there, its escapes not undone.
type token struct {
	kind  kind
	plain bool // '…', where a backslash may be an escape
	coded bool // a string whose escapes may spell something else
	text  string
}

// spells reports whether a string may stand for something else than its text.
func (t token) spells() bool {
	return t.coded || t.plain && strings.IndexByte(t.text, '\\') >= 0
}

// lexer cuts a text as Postgres's scanner does. Copying it looks ahead.
type lexer struct {
	text string
	at   int
	// unsure says that what follows can't be read for sure: the end of a string
	// depends on standard_conforming_strings or on the client's encoding.
	unsure bool
}

// class is what a byte can begin.
type class uint8

const (
	other class = iota
	space
	letter // also _ and every byte above ASCII
	digit
)

var classes = func() (c [256]class) {
	for i := range c {
		switch b := byte(i); {
		case b == ' ', b >= '\t' && b <= '\r':
			c[i] = space
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b == '_', b >= 0x80:
			c[i] = letter
		case b >= '0' && b <= '9':
			c[i] = digit
		}
	}
	return c
}()

// next is the next token. After an end there are only ends.
func (l *lexer) next() token {
	for l.at < len(l.text) {
		switch b := l.text[l.at]; classes[b] {
		case space:
			l.at++
			continue
		case letter:
			return l.word()
		case digit:
			from := l.at
			for l.at++; l.at < len(l.text) && classes[l.text[l.at]] == digit; l.at++ {
			}
			return token{kind: symbol, text: l.text[from:l.at]}
		default:
			if (b == '-' || b == '/') && l.comment() {
				continue
			}
			return l.other(b)
		}
	}
	return token{}
}

// byteAt is the byte so many places on, 0 past the end.
func (l *lexer) byteAt(n int) byte {
	if l.at+n < len(l.text) {
		return l.text[l.at+n]
	}
	return 0
}

// other reads what begins with neither a letter nor a digit.
func (l *lexer) other(b byte) token {
	switch b {
	case '\'':
		return l.string()
	case '"':
		return l.identifier()
	case '$':
		if t, ok := l.dollar(); ok {
			return t
		}
	}
	l.at++
	return token{kind: symbol, text: l.text[l.at-1 : l.at]}
}

// word reads a word, or the string or identifier that it is the prefix of.
func (l *lexer) word() token {
	from := l.at
	for l.at++; l.at < len(l.text); l.at++ {
		if b := l.text[l.at]; classes[b] < letter && b != '$' {
			break
		}
	}
	if l.at == from+1 {
		switch b := l.text[from] | 0x20; {
		case b == 'e' && l.byteAt(0) == '\'':
			return l.escaped()
		case b == 'u' && l.byteAt(0) == '&' && l.byteAt(1) == '\'':
			l.at++
			t := l.string()
			t.coded = true
			return t
		case b == 'u' && l.byteAt(0) == '&' && l.byteAt(1) == '"':
			l.unsure = true // it may spell any name
		}
	}
	return token{kind: word, text: l.text[from:l.at]}
}

// comment skips one, if there is one.
func (l *lexer) comment() bool {
	switch {
	case l.text[l.at] == '-' && l.byteAt(1) == '-':
		n := strings.IndexAny(l.text[l.at:], "\n\r")
		if n < 0 {
			n = len(l.text) - l.at
		}
		l.at += n
		return true
	case l.text[l.at] == '/' && l.byteAt(1) == '*':
		l.at += 2
		for depth := 1; depth > 0 && l.at < len(l.text); l.at++ {
			switch {
			case l.text[l.at] == '/' && l.byteAt(1) == '*':
				depth++
				l.at++
			case l.text[l.at] == '*' && l.byteAt(1) == '/':
				depth--
				l.at++
			}
		}
		return true
	}
	return false
}

// string reads '…', in which a backslash is a character or, with
// standard_conforming_strings off, an escape: where that decides about the
// string's end, nothing is sure.
func (l *lexer) string() token {
	from := l.at + 1
	for at := from; ; {
		n := strings.IndexByte(l.text[at:], '\'')
		if n < 0 {
			l.at = len(l.text)
			return token{kind: str, plain: true, text: l.text[from:]}
		}
		at += n
		l.unsure = l.unsure || escapes(l.text[from:at])
		if at+1 == len(l.text) || l.text[at+1] != '\'' {
			l.at = at + 1
			return token{kind: str, plain: true, text: l.text[from:at]}
		}
		at += 2
	}
}

// escapes reports whether a quote behind s might be escaped by it. In some
// encodings a backslash can be the second byte of a character.
func escapes(s string) bool {
	rest := strings.TrimRight(s, `\`)
	n := len(s) - len(rest)
	return n%2 == 1 || n > 0 && rest != "" && rest[len(rest)-1] >= 0x80
}

// escaped reads E'…'.
func (l *lexer) escaped() token {
	from := l.at + 1
	t := token{kind: str}
	for l.at = from; l.at < len(l.text); l.at++ {
		switch l.text[l.at] {
		case '\\':
			t.coded = true
			l.unsure = l.unsure || l.text[l.at-1] >= 0x80
			l.at++
		case '\'':
			if l.byteAt(1) != '\'' {
				t.text = l.text[from:l.at]
				l.at++
				return t
			}
			l.at++
		}
	}
	l.at = len(l.text)
	t.text = l.text[from:]
	return t
}

// identifier reads "…".
func (l *lexer) identifier() token {
	from := l.at + 1
	for at := from; ; {
		n := strings.IndexByte(l.text[at:], '"')
		if n < 0 {
			l.at = len(l.text)
			return token{kind: quoted, text: l.text[from:]}
		}
		at += n + 1
		if at == len(l.text) || l.text[at] != '"' {
			l.at = at
			return token{kind: quoted, text: l.text[from : at-1]}
		}
		at++
	}
}

// dollar reads $tag$…$tag$, if it is that and no parameter.
func (l *lexer) dollar() (token, bool) {
	at := l.at + 1
	for at < len(l.text) && (classes[l.text[at]] == letter || classes[l.text[at]] == digit && at > l.at+1) {
		at++
	}
	if at == len(l.text) || l.text[at] != '$' {
		return token{}, false
	}
	tag := l.text[l.at : at+1]
	from := at + 1
	n := strings.Index(l.text[from:], tag)
	if n < 0 {
		l.at = len(l.text)
		return token{kind: str, text: l.text[from:]}, true
	}
	l.at = from + n + len(tag)
	return token{kind: str, text: l.text[from : from+n]}, true
}
