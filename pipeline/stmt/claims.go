package stmt

import "strings"

// Claims tells whether a text that Parse refused asks to be judged all the
// same: it is an ASK, or a comment in front of a statement tags it. A relay of
// statements that it doesn't judge must not let such a text through, since a
// tag may only add restriction; any other text that only Postgres can read is
// Postgres's to answer.
func Claims(text string) bool {
	tokens, err := lex(text)
	if err != nil {
		// Postgres's lexer may read what ours can't, with other settings.
		return strings.Contains(strings.ToLower(text), "pgask")
	}
	for _, p := range split(text, tokens) {
		if tag, err := parseTag(text, p.leading()); err != nil || tag != (Tag{}) {
			return true
		}
		body := p.significant()
		if len(body) > 0 && (body[0].word(text, "ask") || preparesAsk(text, body)) {
			return true
		}
	}
	return false
}
