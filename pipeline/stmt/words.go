package stmt

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// Words are the names in a text, folded as Postgres folds them: identifiers and
// keywords, which may be names too. A text that can't be cut has none.
func Words(text string) map[string]bool {
	out := map[string]bool{}
	if strings.IndexByte(text, 0) >= 0 {
		return out
	}
	tokens, err := lex(text)
	if err != nil {
		return out
	}
	for _, t := range tokens {
		switch word := t.text(text); {
		case t.kind == pg_query.Token_IDENT && t.quoted(text) && len(word) > 2:
			out[strings.ReplaceAll(word[1:len(word)-1], `""`, `"`)] = true
		case t.kind == pg_query.Token_IDENT || t.keyword != pg_query.KeywordKind_NO_KEYWORD:
			out[strings.ToLower(word)] = true
		}
	}
	return out
}
