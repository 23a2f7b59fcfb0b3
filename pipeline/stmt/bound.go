package stmt

import pg_query "github.com/pganalyze/pg_query_go/v5"

// checkTokens bounds how many tokens the text has and how deep a tree they can
// make.
func (l Limits) checkTokens(tokens []token) error {
	if len(tokens) > l.AllTokens {
		return overLimit("statement is too long", "tokens", len(tokens), l.AllTokens)
	}
	if n := countTokens(tokens); n > l.Tokens {
		return overLimit("statement is too long", "tokens outside lists of literals", n, l.Tokens)
	}
	d := measure(tokens)
	if d.brackets > l.Depth {
		return overLimit("statement is nested too deeply", "brackets within brackets", d.brackets, l.Depth)
	}
	if d.height > l.Chain {
		return overLimit("statement is nested too deeply", "operators, joins and set operations above one another", d.height, l.Chain)
	}
	return nil
}

// countTokens counts tokens, without comments and without what is inside plain
// lists of literals.
func countTokens(tokens []token) int {
	n := 0
	for i := 0; i < len(tokens); i++ {
		if tokens[i].comment() {
			continue
		}
		n++
		if tokens[i].kind == tokOpen || tokens[i].kind == tokBracket {
			i += literalList(tokens[i+1:])
		}
	}
	return n
}

// literalList says how many of tokens are a list of literals up to its closing
// bracket; 0 when they are anything else.
func literalList(tokens []token) int {
	wantItem := true
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		switch {
		case t.comment():
		case wantItem && (t.kind == '-' || t.kind == '+') && i+1 < len(tokens) && tokens[i+1].number():
		case wantItem && t.plainLiteral():
			wantItem = false
		case !wantItem && t.kind == tokComma:
			wantItem = true
		case !wantItem && (t.kind == tokClose || t.kind == tokUnbrack):
			return i
		default:
			return 0
		}
	}
	return 0
}

func (t token) number() bool {
	return t.kind == pg_query.Token_ICONST || t.kind == pg_query.Token_FCONST
}

func (t token) plainLiteral() bool {
	switch t.kind {
	case pg_query.Token_NULL_P, pg_query.Token_TRUE_P, pg_query.Token_FALSE_P, pg_query.Token_PARAM,
		pg_query.Token_BCONST, pg_query.Token_XCONST:
		return true
	}
	return t.number() || t.literal()
}

// depth is what measure finds.
type depth struct {
	brackets int // most brackets and CASEs open at one place
	height   int // an upper bound of the levels of the tree, brackets included
}

// level is one open bracket or CASE, or the statement itself. Within it a
// segment is what commas and clause words separate: operators of different
// segments never stand above one another.
type level struct {
	opener  pg_query.Token
	weight  int // levels of the tree that the bracket itself makes
	chain   int // operators of the segment
	inner   int // highest closed bracket of the segment
	highest int // highest segment so far
	joins   int // of the from item
	most    int // most joins of one from item
	sets    int // set operations
	between int // BETWEENs whose AND is still to come
}

func (v *level) endSegment() {
	v.highest = max(v.highest, v.chain+v.inner)
	v.chain, v.inner = 0, 0
}

func (v *level) endItem() {
	v.endSegment()
	v.most = max(v.most, v.joins)
	v.joins, v.between = 0, 0
}

func (v *level) height() int {
	v.endItem()
	return v.highest + v.most + v.sets + v.weight
}

// measure estimates the depth of the tree that tokens make, all statements of
// the text together.
func measure(tokens []token) depth {
	levels := []level{{}}
	var d depth
	for i, t := range tokens {
		top := &levels[len(levels)-1]
		switch {
		case opens(t.kind):
			levels = append(levels, level{opener: t.kind, weight: weight(t, next(tokens[i+1:]))})
			d.brackets = max(d.brackets, len(levels)-1)
		case len(levels) > 1 && closes(top.opener, t.kind):
			levels = closeLevel(levels)
		default:
			top.step(t, tokens[max(i-1, 0)])
		}
	}
	for len(levels) > 1 {
		levels = closeLevel(levels)
	}
	d.height = levels[0].height()
	return d
}

func closeLevel(levels []level) []level {
	n := len(levels) - 1
	levels[n-1].inner = max(levels[n-1].inner, levels[n].height())
	return levels[:n]
}

func opens(k pg_query.Token) bool {
	return k == tokOpen || k == tokBracket || k == pg_query.Token_CASE
}

// weight is how many levels a bracket makes: a query in brackets is a node for
// the bracket, the query, its list and the item, a CASE has branches.
func weight(t token, next pg_query.Token) int {
	switch {
	case t.kind == pg_query.Token_CASE:
		return 2
	case t.kind == tokOpen && query(next):
		return 4
	}
	return 1
}

// query tells whether k begins a query.
func query(k pg_query.Token) bool {
	switch k {
	case pg_query.Token_SELECT, pg_query.Token_WITH, pg_query.Token_VALUES, pg_query.Token_TABLE:
		return true
	}
	return false
}

// next is the kind of the first token that isn't a comment.
func next(tokens []token) pg_query.Token {
	for _, t := range tokens {
		if !t.comment() {
			return t.kind
		}
	}
	return 0
}

func closes(opener, k pg_query.Token) bool {
	switch opener {
	case tokOpen:
		return k == tokClose
	case tokBracket:
		return k == tokUnbrack
	}
	return k == pg_query.Token_END_P
}

// step counts a token that neither opens nor closes. AND and OR end a segment
// because the grammar makes flat lists of them; the AND of a BETWEEN and the
// FROM of IS DISTINCT FROM don't.
func (v *level) step(t, before token) {
	switch t.kind {
	case pg_query.Token_AND:
		if v.between > 0 {
			v.between--
			v.chain++
			return
		}
		v.endSegment()
	case pg_query.Token_OR, pg_query.Token_WHEN, pg_query.Token_THEN, pg_query.Token_ELSE, pg_query.Token_ON:
		v.endSegment()
	case pg_query.Token_FROM:
		if before.kind != pg_query.Token_DISTINCT {
			v.endItem()
		}
	case tokComma, tokSemi, pg_query.Token_SELECT, pg_query.Token_WHERE, pg_query.Token_GROUP_P, pg_query.Token_HAVING,
		pg_query.Token_LIMIT, pg_query.Token_OFFSET, pg_query.Token_WINDOW, pg_query.Token_VALUES:
		v.endItem()
	case pg_query.Token_ORDER:
		v.endItem()
		v.chain++ // f(… ORDER BY …): an item is one more level than an argument
	case pg_query.Token_UNION, pg_query.Token_INTERSECT, pg_query.Token_EXCEPT:
		v.endItem()
		v.sets++
	case pg_query.Token_JOIN:
		v.endSegment()
		v.joins++
	case pg_query.Token_BETWEEN:
		v.between++
		v.chain++
	default:
		v.chain += levels(t.kind)
	}
}

// levels is how many levels of the tree t can put on top of an expression.
func levels(k pg_query.Token) int {
	switch k {
	case pg_query.Token_Op, pg_query.Token_TYPECAST, pg_query.Token_LESS_EQUALS, pg_query.Token_GREATER_EQUALS,
		pg_query.Token_NOT_EQUALS, pg_query.Token_NOT, pg_query.Token_IS, pg_query.Token_ISNULL, pg_query.Token_NOTNULL,
		pg_query.Token_LIKE, pg_query.Token_ILIKE, pg_query.Token_SIMILAR, pg_query.Token_IN_P, pg_query.Token_COLLATE,
		pg_query.Token_AT, pg_query.Token_OPERATOR, pg_query.Token_EXPLAIN, pg_query.Token_PREPARE,
		pg_query.Token_EQUALS_GREATER, pg_query.Token_COLON_EQUALS, pg_query.Token_WITHIN, pg_query.Token_XMLFOREST,
		'+', '-', '*', '/', '%', '^', '<', '>', '=':
		return 1
	case pg_query.Token_OVER:
		return 2
	case pg_query.Token_JSON_OBJECT, pg_query.Token_JSON_OBJECTAGG, pg_query.Token_JSON_ARRAY, pg_query.Token_JSON_ARRAYAGG:
		return 3
	}
	return 0
}
