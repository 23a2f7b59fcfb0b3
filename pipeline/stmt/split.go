package stmt

import pg_query "github.com/pganalyze/pg_query_go/v5"

// piece is what stands between two semicolons: its tokens, and its place in
// the text without the semicolon.
type piece struct {
	tokens     []token
	start, end int
}

// split cuts at the semicolons that end statements: those inside brackets or
// inside a routine's BEGIN ATOMIC … END don't.
func split(text string, tokens []token) []piece {
	var pieces []piece
	var b block
	first, start := 0, 0
	for i, t := range tokens {
		if t.kind == tokSemi && b.outside() {
			pieces = append(pieces, piece{tokens[first:i], start, t.start})
			first, start = i+1, t.end
			b = block{}
			continue
		}
		b.step(tokens[first:i], t)
	}
	return append(pieces, piece{tokens[first:], start, len(text)})
}

// block follows brackets and BEGIN ATOMIC.
type block struct {
	brackets int
	atomic   bool
	cases    int
}

func (b *block) outside() bool { return b.brackets == 0 && !b.atomic }

func (b *block) step(before []token, t token) {
	switch t.kind {
	case tokOpen, tokBracket:
		b.brackets++
	case tokClose, tokUnbrack:
		b.brackets = max(0, b.brackets-1)
	case pg_query.Token_ATOMIC:
		b.atomic = b.atomic || lastSignificant(before) == pg_query.Token_BEGIN_P
	case pg_query.Token_CASE:
		if b.atomic {
			b.cases++
		}
	case pg_query.Token_END_P:
		if b.cases > 0 {
			b.cases--
		} else {
			b.atomic = false
		}
	}
}

func lastSignificant(tokens []token) pg_query.Token {
	for i := len(tokens) - 1; i >= 0; i-- {
		if !tokens[i].comment() {
			return tokens[i].kind
		}
	}
	return 0
}

// significant leaves comments out.
func (p piece) significant() []token {
	out := make([]token, 0, len(p.tokens))
	for _, t := range p.tokens {
		if !t.comment() {
			out = append(out, t)
		}
	}
	return out
}

// leading are the comments in front of the first other token.
func (p piece) leading() []token {
	for i, t := range p.tokens {
		if !t.comment() {
			return p.tokens[:i]
		}
	}
	return p.tokens
}
