package planner

import (
	"slices"
	"strings"
)

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
				n = p.loose(toks[i:])
			}
			if n == 0 {
				continue
			}
			inflected := !p.verbal && slices.ContainsFunc(toks[i:i+n], verbForm)
			var kept []meaning
			for _, m := range p.meanings {
				if m.kind == aValue {
					if n < names || n < values {
						continue
					}
					if m.weight == 1 {
						words := wordsOf(m.value)
						m.weight = valueWeight(words, toks[i:i+n])
						m.loose = m.weight < 1 && sureness(strings.Join(words, " "), toks[i:i+n]) < 1
					}
					values = max(values, n)
				} else {
					w := sureness(m.said, toks[i:i+n])
					if n < names || inflected || w == 0 {
						continue
					}
					m.weight *= w
					m.loose = m.loose || w < 1 && !m.verb
					names = max(names, n)
				}
				kept = append(kept, m.as(toks[i:i+n]))
			}
			if len(kept) > 0 {
				hits[i] = append(hits[i], hit{n: n, meanings: surest(kept)})
			}
		}
		for n := 3; n >= 2; n-- {
			if g := x.glued(toks, i, n); g != nil && n > names {
				hits[i] = append([]hit{{n: n, meanings: g}}, dropNames(hits[i])...)
				names = n
			}
		}
	}
	for i := range hits {
		inside(hits, i)
	}
	return hits
}

// inside drops the names within a metric's own words: where "number of deals" is declared
// to be one thing, "deals" isn't another to be counted.
func inside(hits [][]hit, i int) {
	n := 0
	for _, h := range hits[i] {
		if slices.ContainsFunc(h.meanings, func(m meaning) bool { return m.kind == aMetric && m.weight == 1 }) {
			n = max(n, h.n)
		}
	}
	for j := i + 1; j < i+n; j++ {
		hits[j] = slices.DeleteFunc(hits[j], func(h hit) bool {
			return j+h.n <= i+n && !slices.ContainsFunc(h.meanings, func(m meaning) bool { return m.kind == aValue })
		})
	}
}

// surest keeps of meanings that differ in how they are said the one that weighs
// most.
func surest(meanings []meaning) []meaning {
	out := meanings[:0]
	at := make(map[meaning]int, len(meanings))
	for _, m := range meanings {
		m.said = ""
		what := m
		what.weight, what.loose, what.word = 0, false, ""
		same, known := at[what]
		switch {
		case !known:
			at[what] = len(out)
			out = append(out, m)
		case m.weight > out[same].weight:
			out[same] = m
		}
	}
	return out
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
			out = append(out, m.as(toks[i:i+n]))
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

// verbForm tells whether a word is a verb's form that no name is meant by: located
// is no location.
func verbForm(t token) bool {
	return t.kind == word && (len(t.low) > 3 && strings.HasSuffix(t.low, "ed") && !strings.HasSuffix(t.low, "eed") ||
		len(t.low) > 5 && strings.HasSuffix(t.low, "ing"))
}

// loose matches a name that is spread over a clause: "the year they joined" for
// year_join. It tells how many tokens that takes, 0 where it doesn't match.
func (p *phrase) loose(toks []token) int {
	if !p.column || len(p.stems) < 2 || len(p.stems) > 3 {
		return 0
	}
	k := 0
	for i, s := range p.stems {
		for i > 0 && k < len(toks) && toks[k].stem != s && toks[k].kind == word && (pronouns[toks[k].low] || auxiliaries[toks[k].low] || toks[k].low == "the") {
			k++
		}
		if k >= len(toks) || toks[k].stem != s || toks[k].kind != word {
			return 0
		}
		k++
	}
	return k
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

// valueWeight is 1 where the words of a value are those of the question, less where only their
// stems are.
func valueWeight(words []string, toks []token) float64 {
	for i, v := range words {
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
