package stmt

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pganalyze/pg_query_go/v5/parser"
	"google.golang.org/protobuf/encoding/protowire"
)

// token is one lexical token as Postgres's own scanner cuts it; comments are
// tokens too. A character that is a token by itself has its own code as kind.
type token struct {
	kind       pg_query.Token
	start, end int
	keyword    pg_query.KeywordKind
}

const (
	tokOpen    = pg_query.Token_ASCII_40
	tokClose   = pg_query.Token_ASCII_41
	tokComma   = pg_query.Token_ASCII_44
	tokColon   = pg_query.Token_ASCII_58
	tokSemi    = pg_query.Token_ASCII_59
	tokEquals  = pg_query.Token_ASCII_61
	tokBracket = pg_query.Token_ASCII_91
	tokUnbrack = pg_query.Token_ASCII_93
)

func (t token) comment() bool {
	return t.kind == pg_query.Token_SQL_COMMENT || t.kind == pg_query.Token_C_COMMENT
}

func (t token) text(in string) string { return in[t.start:t.end] }

// word tells whether t is the bare word w (which is in lower case), in any case.
func (t token) word(in, w string) bool {
	return (t.kind == pg_query.Token_IDENT || t.keyword != pg_query.KeywordKind_NO_KEYWORD) &&
		t.end-t.start == len(w) && strings.EqualFold(t.text(in), w)
}

// literal tells whether t is a string literal whose value is text.
func (t token) literal() bool {
	return t.kind == pg_query.Token_SCONST || t.kind == pg_query.Token_USCONST
}

// lex cuts text, which must be free of NUL, into tokens.
func lex(text string) ([]token, error) {
	packed, err := parser.ScanToProtobuf(text)
	if err != nil {
		return nil, fromParser(err)
	}
	tokens := make([]token, 0, len(packed)/8)
	err = fields(packed, func(num protowire.Number, _ uint64, body []byte) {
		if num == 2 && body != nil {
			tokens = append(tokens, decodeToken(body))
		}
	})
	if err != nil {
		return nil, err
	}
	fixEnds(text, tokens)
	return tokens, checkTokens(text, tokens)
}

// fixEnds corrects the ends of U&'…' and U&"…", which the library reports
// short: such a token ends where white space or the next token begins.
func fixEnds(text string, tokens []token) {
	for i := range tokens {
		if k := tokens[i].kind; k != pg_query.Token_USCONST && k != pg_query.Token_UIDENT {
			continue
		}
		end := len(text)
		if i+1 < len(tokens) {
			end = tokens[i+1].start
		}
		if start := tokens[i].start; start < end && end <= len(text) {
			tokens[i].end = start + len(strings.TrimRight(text[start:end], space))
		}
	}
}

// decodeToken reads one ScanToken. Decoding by hand keeps a token at a third
// of the size of the generated type, for texts made of nothing but tokens.
func decodeToken(body []byte) token {
	var t token
	_ = fields(body, func(num protowire.Number, v uint64, _ []byte) {
		switch num {
		case 1:
			t.start = int(v)
		case 2:
			t.end = int(v)
		case 4:
			t.kind = pg_query.Token(v)
		case 5:
			t.keyword = pg_query.KeywordKind(v)
		}
	})
	return t
}

func fields(b []byte, f func(num protowire.Number, v uint64, body []byte)) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		var v uint64
		var body []byte
		switch typ {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			body, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(num, typ, b)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		f(num, v, body)
		b = b[n:]
	}
	return nil
}

// checkTokens demands what everything here relies on: tokens in order, inside
// the text, and nothing but white space between them.
func checkTokens(text string, tokens []token) error {
	at := 0
	for _, t := range tokens {
		if t.start < at || t.end <= t.start || t.end > len(text) || !blank(text[at:t.start]) {
			return syntaxError("the statement can't be cut into tokens", "")
		}
		at = t.end
	}
	if !blank(text[at:]) {
		return syntaxError("the statement can't be cut into tokens", "")
	}
	return nil
}

// space is what Postgres's scanner skips between tokens.
const space = " \t\n\r\f"

func blank(s string) bool { return strings.Trim(s, space) == "" }

// quoted tells whether t is an identifier in double quotes.
func (t token) quoted(in string) bool {
	return t.kind == pg_query.Token_UIDENT || t.kind == pg_query.Token_IDENT && in[t.start] == '"'
}
