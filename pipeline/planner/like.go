package planner

import (
	"strings"
)

// likes are the ways to say what a text is like, with the pattern they make.
var likes = []struct {
	words          []string
	before, behind string
}{
	{[]string{"contains"}, "%", "%"}, {[]string{"contain"}, "%", "%"}, {[]string{"containing"}, "%", "%"}, {[]string{"contains", "the", "word"}, "%", "%"},
	{[]string{"contain", "the", "word"}, "%", "%"}, {[]string{"containing", "the", "word"}, "%", "%"}, {[]string{"includes"}, "%", "%"}, {[]string{"include"}, "%", "%"}, {[]string{"including"}, "%", "%"},
	{[]string{"has", "the", "word"}, "%", "%"}, {[]string{"have", "the", "word"}, "%", "%"}, {[]string{"with", "the", "word"}, "%", "%"},
	{[]string{"contains", "the", "substring"}, "%", "%"}, {[]string{"contain", "the", "substring"}, "%", "%"}, {[]string{"containing", "the", "substring"}, "%", "%"},
	{[]string{"contains", "the", "string"}, "%", "%"}, {[]string{"contain", "substring"}, "%", "%"}, {[]string{"contains", "substring"}, "%", "%"}, {[]string{"has", "the", "substring"}, "%", "%"}, {[]string{"have", "the", "substring"}, "%", "%"},
	{[]string{"starts", "with"}, "", "%"}, {[]string{"start", "with"}, "", "%"}, {[]string{"starting", "with"}, "", "%"}, {[]string{"begins", "with"}, "", "%"}, {[]string{"begin", "with"}, "", "%"}, {[]string{"beginning", "with"}, "", "%"},
	{[]string{"ends", "with"}, "%", ""}, {[]string{"end", "with"}, "%", ""}, {[]string{"ending", "with"}, "%", ""},
}

// likeCondition reads "name contains 'x'", "title starting with 'The'". The
// text must be quoted: nothing else says where it ends.
func (p *parser) likeCondition(s state, neg bool) []state {
	var out []state
	hits := p.find(s.at, isText)
	if len(s.f.outs) == 1 && s.f.outs[0].fn == "" && s.f.outs[0].col != nil {
		// "names of films containing 'x'": what is asked for contains it.
		if h := p.keep(hit{meanings: s.f.outs[0].col.meanings}, isText); h.meanings != nil {
			hits = append(hits, h)
		}
	}
	for _, h := range hits {
		i, not := p.negation(s.at + h.n)
		i += p.oneOf(i, [][]string{{"that"}, {"which"}})
		for _, l := range likes {
			k := i + len(l.words)
			if !p.is(i, l.words...) || p.kind(k) != quoted {
				continue
			}
			op := "like"
			if neg != not {
				op = "not_like"
			}
			pattern := l.before + escapeLike(p.toks[k].text) + l.behind
			col := &mention{at: s.at, n: h.n, meanings: h.meanings}
			if h.n == 0 {
				col.owner = s.f.outs[0].col.owner
			}
			out = append(out, s.with(cond{col: col, op: op, vals: []value{{text: pattern, literal: true}}, spoken: s.at}, k+1))
		}
	}
	return out
}

func isText(m meaning) bool { return isColumn(m) && textual(m.column) }

// escapeLike makes a text stand for itself in a LIKE pattern.
func escapeLike(s string) string {
	return strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(s)
}
