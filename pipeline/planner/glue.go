package planner

import "slices"

// glue passes over words that only tie what follows to what was said.
func (p *parser) glue(s state) []state {
	i := s.at
	switch {
	case (p.kind(i) == comma || p.is(i, "and")) && p.unsaid(s, i+1):
	case p.kind(i) == comma && i+1 < len(p.toks):
		return []state{{at: i + 1, f: s.f}}
	case p.is(i, "and") || p.is(i, "but"):
		if len(s.f.conds)+len(s.f.linked)+len(s.f.groups)+len(s.f.orders) > 0 && i+1 < len(p.toks) {
			s.f.cost += 0.02
			return []state{{at: i + 1, f: s.f}}
		}
	case slices.Contains([]string{"that", "who", "which", "are", "is", "was", "were", "do", "does", "did", "been", "the"}, p.low(i)) && i+1 < len(p.toks):
		return []state{{at: i + 1, f: s.f}}
	}
	return nil
}

// ending passes over "are there" and the like at the end.
func (p *parser) ending(s state) []state {
	if n := p.eachEnd(s.at); n > 0 && p.aggregates(s.f) && len(s.f.outs) > 1 {
		return []state{{at: s.at + n, f: s.f}}
	}
	if preposition[p.low(s.at)] && (p.is(s.at+1, "it") || p.is(s.at+1, "them")) && len(s.f.also) > 0 {
		return []state{{at: s.at + 2, f: s.f}}
	}
	n := p.oneOf(s.at, endings)
	if n == 0 {
		return nil
	}
	return []state{{at: s.at + n, f: s.f}}
}

// eachEnd is how many words at the end of a question only say that numbers are
// wanted for each thing listed: "for each", "does each of them have".
func (p *parser) eachEnd(i int) int {
	k := i
	for p.is(k, "for") || preposition[p.low(k)] || auxiliaries[p.low(k)] || p.relates(k) {
		k++
	}
	if !p.is(k, "each") {
		return 0
	}
	k++
	k += p.oneOf(k, [][]string{{"of", "them"}, {"one"}, {"of", "these"}})
	for k < len(p.toks) && (auxiliaries[p.low(k)] || preposition[p.low(k)] || p.relates(k)) {
		k++
	}
	if k < len(p.toks) {
		return 0
	}
	return k - i
}
