package planner

import (
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
)

// personCondition reads a person's whole name where a table keeps it in two
// columns: "by 'Jane Doe'", "for JANE DOE".
func (p *parser) personCondition(s state, neg bool) []state {
	if neg {
		return nil
	}
	var out []state
	for _, t := range p.x.people {
		first, last := p.x.labels[t][0], p.x.labels[t][1]
		if p.kind(s.at) == quoted {
			words := strings.Fields(p.toks[s.at].text)
			if len(words) != 2 {
				continue
			}
			v, ok := knownValue(first, words[0])
			w, too := knownValue(last, words[1])
			if ok && too {
				out = append(out, p.person(s, 1, t, v, w))
			}
			continue
		}
		for _, h := range p.find(s.at, isValue) {
			for _, m := range h.meanings {
				if m.column != first {
					continue
				}
				for _, g := range p.find(s.at+h.n, isValue) {
					for _, w := range g.meanings {
						if w.column == last {
							out = append(out, p.person(s, h.n+g.n, t, m.value, w.value))
						}
					}
				}
			}
		}
	}
	return out
}

// person adds the conditions of a first and a last name.
func (p *parser) person(s state, n int, t *catalog.Table, first, last string) state {
	at := s.at
	for i, v := range []string{first, last} {
		c := p.x.labels[t][i]
		m := meaning{kind: aValue, table: t, column: c, value: v, weight: 1}
		s = s.with(cond{col: &mention{at: at, n: n, meanings: []meaning{m}}, op: "=", spoken: at}, at+n)
	}
	return s
}

// knownValue is the one of a column's values that a text spells; where not all
// values are known it is the text itself.
func knownValue(c *catalog.Column, s string) (string, bool) {
	found, n := s, 0
	for _, v := range c.Values {
		if v == s {
			return v, true
		}
		if fold(v) == fold(s) {
			found, n = v, n+1
		}
	}
	return found, n == 1 || n == 0 && !c.AllValues
}
