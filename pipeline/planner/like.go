package planner

import (
	"strings"
)

// like reads "contains", "has the word", "starting with the letter" at i: what
// stands before and behind the text in the pattern, and how many words say so.
func (p *parser) like(i int) (before, behind string, n int) {
	k := i
	switch {
	case containWords[p.low(k)]:
		before, behind, k = "%", "%", k+1
	case p.is(k, "start", "with"), p.is(k, "starts", "with"), p.is(k, "starting", "with"), p.is(k, "begin", "with"), p.is(k, "begins", "with"), p.is(k, "beginning", "with"):
		behind, k = "%", k+2
	case p.is(k, "end", "with"), p.is(k, "ends", "with"), p.is(k, "ending", "with"):
		before, k = "%", k+2
	case p.is(k, "has"), p.is(k, "have"), p.is(k, "with"), p.is(k, "having"):
		m := p.det(k + 1)
		if !textNouns[p.low(m)] {
			return "", "", 0
		}
		before, behind, k = "%", "%", m
	default:
		return "", "", 0
	}
	k = p.det(k)
	if textNouns[p.low(k)] {
		k++
	}
	return before, behind, k - i
}

var (
	containWords = set("contain", "contains", "containing", "include", "includes", "including")
	textNouns    = set("word", "words", "substring", "string", "letter", "letters", "character", "characters", "phrase", "text")
)

// likeCondition reads "name contains 'x'", "title starting with 'The'". The
// text must be quoted: nothing else says where it ends.
func (p *parser) likeCondition(s state, neg bool) []state {
	var out []state
	hits := p.find(s.at, isText)
	if len(s.f.outs) > 0 && s.f.outs[0].fn == "" && s.f.outs[0].col != nil {
		// "names of films containing 'x'": what is asked for contains it.
		if h := p.keep(hit{meanings: s.f.outs[0].col.meanings}, isText); h.meanings != nil {
			hits = append(hits, h)
		}
	}
	for _, h := range hits {
		i := s.at + h.n
		if p.is(i, "values") || p.is(i, "value") {
			i++
		}
		i, not := p.negation(i)
		i += p.oneOf(i, [][]string{{"that"}, {"which"}})
		before, behind, n := p.like(i)
		k := i + n
		if n == 0 || p.kind(k) != quoted {
			continue
		}
		op := "like"
		if neg != not {
			op = "not_like"
		}
		pattern := before + escapeLike(p.toks[k].text) + behind
		col := &mention{at: s.at, n: h.n, meanings: h.meanings}
		if h.n == 0 {
			col.owner = s.f.outs[0].col.owner
		}
		c := cond{col: col, op: op, vals: []value{{text: pattern, literal: true}}, spoken: s.at}
		if h.n == 0 && (p.is(k+1, "in") || p.is(k+1, "as")) { // the word 'x' in their titles
			for _, in := range p.find(p.det(k+2), isText) {
				c.col = &mention{at: k + 2, n: in.n, meanings: in.meanings}
				out = append(out, s.with(c, p.det(k+2)+in.n))
			}
		}
		c.col = col
		out = append(out, s.with(c, k+1+p.oneOf(k+1, [][]string{{"in", "part"}, {"in", "it"}})))
	}
	return out
}

func isText(m meaning) bool { return isColumn(m) && textual(m.column) }

// escapeLike makes a text stand for itself in a LIKE pattern.
func escapeLike(s string) string {
	return strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(s)
}
