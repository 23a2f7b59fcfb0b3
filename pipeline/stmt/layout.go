package stmt

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// layout puts line breaks and indents between tokens.
func layout(sql string, tokens []token) string {
	var p printer
	for i, t := range tokens {
		p.put(sql, tokens, i, t)
	}
	return p.b.String()
}

// bracket is an open bracket of the layout: block when it holds a select.
type bracket struct{ block bool }

type printer struct {
	b    strings.Builder
	open []bracket
}

func (p *printer) put(sql string, tokens []token, i int, t token) {
	closing := t.kind == tokClose || t.kind == tokUnbrack
	block := p.inBlock()
	if closing && len(p.open) > 0 {
		p.open = p.open[:len(p.open)-1]
	}
	switch {
	case i == 0:
	case closing && block && len(tokens) > 0:
		p.line(0)
	case p.starts(tokens, i) && (block || len(p.open) == 0):
		p.line(0)
	case tokens[i-1].kind == pg_query.Token_SQL_COMMENT:
		p.line(0)
	case tokens[i-1].end < t.start:
		p.b.WriteByte(' ')
	}
	p.b.WriteString(t.text(sql))
	if t.kind == tokOpen || t.kind == tokBracket {
		p.open = append(p.open, bracket{block: i+1 < len(tokens) && query(tokens[i+1].kind)})
	}
}

func (p *printer) inBlock() bool { return len(p.open) > 0 && p.open[len(p.open)-1].block }

func (p *printer) line(extra int) {
	depth := extra
	for _, b := range p.open {
		if b.block {
			depth++
		}
	}
	p.b.WriteString("\n" + strings.Repeat("  ", depth))
}

// starts tells whether the token begins a clause.
func (p *printer) starts(tokens []token, i int) bool {
	before := tokens[i-1].kind
	switch tokens[i].kind {
	case pg_query.Token_SELECT, pg_query.Token_WHERE, pg_query.Token_GROUP_P, pg_query.Token_HAVING, pg_query.Token_WINDOW,
		pg_query.Token_LIMIT, pg_query.Token_OFFSET, pg_query.Token_UNION, pg_query.Token_INTERSECT, pg_query.Token_EXCEPT:
		return true
	case pg_query.Token_FROM:
		return before != pg_query.Token_DISTINCT
	case pg_query.Token_ORDER:
		return true
	case pg_query.Token_LEFT, pg_query.Token_RIGHT, pg_query.Token_FULL, pg_query.Token_INNER_P, pg_query.Token_CROSS,
		pg_query.Token_NATURAL:
		return joins(tokens[i+1:])
	case pg_query.Token_JOIN:
		return !joinWord(before)
	}
	return false
}

func joinWord(k pg_query.Token) bool {
	switch k {
	case pg_query.Token_LEFT, pg_query.Token_RIGHT, pg_query.Token_FULL, pg_query.Token_INNER_P, pg_query.Token_CROSS,
		pg_query.Token_NATURAL, pg_query.Token_OUTER_P:
		return true
	}
	return false
}

// joins tells whether JOIN is among the next two tokens.
func joins(next []token) bool {
	for i := 0; i < len(next) && i < 3; i++ {
		if next[i].kind == pg_query.Token_JOIN {
			return true
		}
		if !joinWord(next[i].kind) {
			return false
		}
	}
	return false
}
