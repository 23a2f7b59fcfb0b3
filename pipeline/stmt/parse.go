package stmt

import (
	"errors"
	"strings"
	"unicode/utf8"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pganalyze/pg_query_go/v5/parser"
)

// Parse turns the text of one message into its statements. Statements that are
// empty are left out, as Postgres does, so a text of white space and comments
// gives none. A text of which any part isn't understood gives an [*Error] and
// no statement at all.
//
// A tag stands in any comment in front of a statement. A question concerns that
// statement only; governed concerns every statement of the text, since a tag
// may only add restriction.
func Parse(text string, l Limits) ([]Statement, error) {
	l = l.orDefault()
	if err := l.checkBytes(text); err != nil {
		return nil, err
	}
	tokens, err := lex(text)
	if err != nil {
		return nil, hintAsk(text, err)
	}
	if err := l.checkTokens(tokens); err != nil {
		return nil, err
	}
	var out []Statement
	governed := false
	for _, p := range split(text, tokens) {
		s, err := parsePiece(text, p)
		if err != nil {
			return nil, err
		}
		governed = governed || s.Tag.Governed
		if s.Tree != nil || s.Ask != nil {
			out = append(out, s)
		}
	}
	for i := range out {
		out[i].Tag.Governed = governed
	}
	return out, nil
}

// hintAsk tells whoever typed ASK what's up, whose text ends inside a literal,
// how to ask.
func hintAsk(text string, err error) error {
	var e *Error
	words := strings.Fields(text)
	if len(words) > 1 && strings.EqualFold(words[0], "ask") && errors.As(err, &e) && e.Help == "" {
		e.Help = askHint
	}
	return err
}

// parsePiece parses one statement; an empty one has neither Tree nor Ask.
func parsePiece(text string, p piece) (Statement, error) {
	s := Statement{Text: strings.Trim(text[p.start:p.end], space), Start: p.start}
	tag, err := parseTag(text, p.leading())
	if err != nil {
		return s, err
	}
	s.Tag = tag
	body := p.significant()
	switch {
	case len(body) == 0:
		s.Tag.Question = ""
	case body[0].word(text, "ask"):
		s.Ask, err = parseAsk(text, body[1:])
	case preparesAsk(text, body):
		s.Prepare, s.Ask, err = parsePrepareAsk(text, body)
	default:
		s.Tree, err = parseGrammar(text, p)
	}
	if err == nil && s.Ask != nil && s.Tag.Question != "" {
		err = syntaxError("an ASK can't have a question in a comment too", "")
	}
	return s, err
}

// parseGrammar parses an ordinary statement.
func parseGrammar(text string, p piece) (*pg_query.Node, error) {
	n, err := parseOne(text[p.start:p.end])
	if err == nil {
		return n, nil
	}
	// Once more, with the semicolon and at its own place, so that the error
	// reads and points as Postgres's own would.
	end := p.end
	if end < len(text) {
		end++
	}
	_, again := parseOne(strings.Repeat(" ", utf8.RuneCountInString(text[:p.start])) + text[p.start:end])
	if again == nil {
		return nil, err
	}
	return nil, again
}

// parseOne parses a bounded text that must be exactly one statement.
func parseOne(text string) (*pg_query.Node, error) {
	result, err := pg_query.Parse(text)
	if err != nil {
		return nil, fromParser(err)
	}
	if len(result.Stmts) != 1 || result.Stmts[0].Stmt == nil {
		return nil, syntaxError("the text isn't exactly one statement", "")
	}
	return result.Stmts[0].Stmt, nil
}

// ParseOne parses a text that must be exactly one ordinary statement.
func ParseOne(sql string, l Limits) (*pg_query.Node, error) {
	statements, err := Parse(sql, l)
	if err != nil {
		return nil, err
	}
	if len(statements) != 1 || statements[0].Tree == nil {
		return nil, syntaxError("the text isn't exactly one SQL statement", "")
	}
	return statements[0].Tree, nil
}

// ParsePrinted is ParseOne for a text that [Print] has made, in which there are
// neither tags nor questions to look for. One that is short isn't scanned.
func ParsePrinted(sql string, l Limits) (*pg_query.Node, error) {
	l = l.orDefault()
	if !l.holdAll(sql) {
		return ParseOne(sql, l)
	}
	if err := l.checkBytes(sql); err != nil {
		return nil, err
	}
	return parseOne(sql)
}

// fromParser turns an error of the library into ours. What isn't a complaint
// about the text is a limit that was met: the parser's own stack or the depth
// of its encoded tree.
func fromParser(err error) *Error {
	var pe *parser.Error
	if !errors.As(err, &pe) {
		return &Error{Code: codeLimit, Message: "statement is nested too deeply"}
	}
	for _, limit := range []string{"memory exhausted", "stack depth limit exceeded", "out of memory"} {
		if strings.Contains(pe.Message, limit) {
			return &Error{Code: codeLimit, Message: "statement is nested too deeply", Position: pe.Cursorpos}
		}
	}
	e := &Error{Code: codeSyntax, Message: pe.Message, Position: pe.Cursorpos}
	if near := strings.ToLower(pe.Message); strings.HasSuffix(near, `at or near "ask"`) {
		e.Help = "SELECT * FROM ask('your question')"
	}
	return e
}
