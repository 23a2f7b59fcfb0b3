package planner

import "strings"

// hit is a span of n tokens that names something.
type hit struct {
	n        int
	meanings []meaning
}

// link finds what each position of the question can name, longest first. A
// shorter name inside a longer one is dropped: "order date" isn't an order.
func link(x *lexicon, toks []token) [][]hit {
	hits := make([][]hit, len(toks))
	for i, t := range toks {
		if t.kind == quoted {
			hits[i] = x.quotedHits(t)
			continue
		}
		names, values := 0, 0
		for _, p := range x.byFirst[t.stem] {
			n := spans(p.stems, toks[i:])
			if n == 0 {
				continue
			}
			var kept []meaning
			for _, m := range p.meanings {
				if m.kind == aValue {
					if n < names || n < values {
						continue
					}
					if m.weight == 1 {
						m.weight = valueWeight(m.value, toks[i:i+n])
					}
					values = max(values, n)
				} else {
					if n < names {
						continue
					}
					names = max(names, n)
				}
				kept = append(kept, m)
			}
			if len(kept) > 0 {
				hits[i] = append(hits[i], hit{n: n, meanings: kept})
			}
		}
		for n := 3; n >= 2; n-- {
			if g := x.glued(toks, i, n); g != nil && n > names {
				hits[i] = append([]hit{{n: n, meanings: g}}, dropNames(hits[i])...)
				names = n
			}
		}
	}
	return hits
}

// glued are the names that n words make when written as one: "bed type" for
// bedtype.
func (x *lexicon) glued(toks []token, i, n int) []meaning {
	if i+n > len(toks) {
		return nil
	}
	joined := ""
	for _, t := range toks[i : i+n] {
		if t.kind != word || determiners[t.low] {
			return nil
		}
		joined += t.low
	}
	p := x.byKey[stem(joined)]
	if len(joined) < 6 || p == nil {
		return nil
	}
	var out []meaning
	for _, m := range p.meanings {
		if m.kind != aValue && !m.verb && !m.count {
			out = append(out, m)
		}
	}
	return out
}

// dropNames leaves the values of hits.
func dropNames(hits []hit) []hit {
	var out []hit
	for _, h := range hits {
		var kept []meaning
		for _, m := range h.meanings {
			if m.kind == aValue {
				kept = append(kept, m)
			}
		}
		if kept != nil {
			out = append(out, hit{n: h.n, meanings: kept})
		}
	}
	return out
}

// spans tells how many tokens the stems cover at the start of toks, 0 when
// they don't match. Commas inside a name are passed over.
func spans(stems []string, toks []token) int {
	if len(stems) > len(toks) {
		return 0
	}
	for i, s := range stems {
		if toks[i].stem != s || toks[i].kind == quoted || toks[i].kind == comma || toks[i].kind == stop {
			return 0
		}
	}
	return len(stems)
}

// valueWeight is 1 where the words are the value's own, less where only their
// stems are.
func valueWeight(value string, toks []token) float64 {
	for i, v := range wordsOf(value) {
		if i >= len(toks) || toks[i].low != v {
			return 0.8
		}
	}
	return 1
}

// wordsOf are the folded words and numbers of a text.
func wordsOf(s string) []string {
	var out []string
	for _, t := range tokenize(s) {
		switch t.kind {
		case comma, stop:
		case quoted:
			out = append(out, strings.Fields(t.low)...)
		default:
			out = append(out, t.low)
		}
	}
	return out
}

// quotedHits are the values that a quoted text spells in full.
func (x *lexicon) quotedHits(t token) []hit {
	words := wordsOf(t.text)
	p := x.byKey[strings.Join(stems(words), " ")]
	if p == nil {
		return nil
	}
	var kept []meaning
	for _, m := range p.meanings {
		if m.kind == aValue && strings.Join(wordsOf(m.value), " ") == strings.Join(words, " ") {
			m.weight = 1
			kept = append(kept, m)
		}
	}
	if kept == nil {
		return nil
	}
	return []hit{{n: 1, meanings: kept}}
}
