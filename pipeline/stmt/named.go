package stmt

import (
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// ParseNamed parses one statement with :name places, in which values are put
// by Bind. It returns the tree, in which a place is ParamRef n, and the names,
// names[n-1] being that of n; a name that occurs twice has one number. A name
// is spelled as in the text. A colon inside literals, comments and quoted
// names, in :: and :=, and between the bounds of a subscript isn't a place.
func ParseNamed(sql string, l Limits) (*pg_query.Node, []string, error) {
	text, names, err := number(sql, l)
	if err != nil {
		return nil, nil, err
	}
	n, err := ParseOne(text, l)
	return n, names, err
}

// ParseExpr parses one expression with :name places, as ParseNamed does.
func ParseExpr(sql string) (*pg_query.Node, []string, error) {
	text, names, err := number(sql, Limits{})
	if err != nil {
		return nil, nil, err
	}
	n, err := ParseOne("SELECT "+text, Limits{})
	if err != nil {
		return nil, nil, err
	}
	target := n.GetSelectStmt().GetTargetList()
	if len(target) != 1 || target[0].GetResTarget().GetVal() == nil {
		return nil, nil, syntaxError("the text isn't exactly one expression", "")
	}
	value := target[0].GetResTarget().GetVal()
	if !Equal(n, selectOnly(value)) || isStar(value) {
		return nil, nil, syntaxError("the text isn't exactly one expression", "")
	}
	return value, names, nil
}

func isStar(n *pg_query.Node) bool {
	f := n.GetColumnRef().GetFields()
	return len(f) > 0 && f[len(f)-1].GetAStar() != nil
}

// number writes $n for each :name.
func number(sql string, l Limits) (string, []string, error) {
	l = l.orDefault()
	if err := l.checkBytes(sql); err != nil {
		return "", nil, err
	}
	tokens, err := lex(sql)
	if err != nil {
		return "", nil, err
	}
	var b strings.Builder
	var names []string
	var in subscripts
	last := 0
	for i, t := range tokens {
		if t.kind == pg_query.Token_PARAM {
			return "", nil, syntaxError("a place for a value is written :name here, not "+t.text(sql), "")
		}
		in.step(tokens[:i], t)
		if !named(sql, tokens[i:]) || in.slice() || i > 0 && tokens[i-1].end == t.start && operand(tokens[i-1]) {
			continue
		}
		name := tokens[i+1].text(sql)
		b.WriteString(sql[last:t.start] + " $" + strconv.Itoa(index(&names, name)) + " ")
		last = tokens[i+1].end
	}
	return b.String() + sql[last:], names, nil
}

// named tells whether tokens begin with a colon and a bare word right behind it.
func named(sql string, tokens []token) bool {
	if len(tokens) < 2 || tokens[0].kind != tokColon || tokens[1].start != tokens[0].end {
		return false
	}
	t := tokens[1]
	return t.keyword != pg_query.KeywordKind_NO_KEYWORD || t.kind == pg_query.Token_IDENT && !t.quoted(sql)
}

// operand tells whether t ends a value: a colon right behind it is no place's.
func operand(t token) bool {
	return t.kind == pg_query.Token_IDENT || t.kind == tokClose || t.kind == tokUnbrack || t.plainLiteral() ||
		t.keyword != pg_query.KeywordKind_NO_KEYWORD
}

// index finds name in names, adding it where it is new, and counts from 1.
func index(names *[]string, name string) int {
	for i, n := range *names {
		if n == name {
			return i + 1
		}
	}
	*names = append(*names, name)
	return len(*names)
}

// subscripts follows brackets, to tell x[1:n] from ARRAY[:a, :b].
type subscripts struct{ open []bool }

// slice tells whether the innermost bracket is a subscript's.
func (s *subscripts) slice() bool { return len(s.open) > 0 && s.open[len(s.open)-1] }

func (s *subscripts) step(before []token, t token) {
	switch t.kind {
	case tokOpen:
		s.open = append(s.open, false)
	case tokBracket:
		k := lastSignificant(before)
		array := k == pg_query.Token_ARRAY || (k == tokBracket || k == tokComma) && !s.slice()
		s.open = append(s.open, !array)
	case tokClose, tokUnbrack:
		if len(s.open) > 0 {
			s.open = s.open[:len(s.open)-1]
		}
	}
}

// Bind copies a tree and puts values[n-1] in the place of each ParamRef n. A
// place without a value stays.
func Bind(n *pg_query.Node, values []*pg_query.Node) *pg_query.Node {
	out, err := Rewrite(Clone(n), func(x *pg_query.Node) (*pg_query.Node, error) {
		p := x.GetParamRef()
		if p == nil || p.GetNumber() < 1 || int(p.GetNumber()) > len(values) || values[p.GetNumber()-1] == nil {
			return x, nil
		}
		return Clone(values[p.GetNumber()-1]), nil
	})
	if err != nil {
		return nil // can't be: the function above has no error to give
	}
	return out
}
