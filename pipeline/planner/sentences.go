package planner

import "slices"

// oneSentence makes one sentence of two: "Which authors are from Japan? List
// their names." asks for the names of authors from Japan, "… Sort them by age."
// sorts what was asked for before.
func oneSentence(toks []token) []token {
	at := slices.IndexFunc(toks, func(t token) bool { return t.kind == stop })
	if at < 1 || at == len(toks)-1 || slices.ContainsFunc(toks[at+1:], func(t token) bool { return t.kind == stop }) {
		return toks
	}
	first, second := &parser{toks: toks[:at]}, &parser{toks: toks[at+1:]}
	k := second.opening(0)
	switch {
	case sortWords[second.low(k)]:
		k++
		k += second.oneOf(k, [][]string{{"them"}, {"it"}, {"the", "list"}, {"the", "result"}, {"the", "results"}, {"the", "names"}})
		return join(first.toks, wordToken("sorted"), second.toks[k:])
	case k == 0 || k >= len(second.toks):
		return toks
	}
	if first.is(0, "how", "many") {
		if second.is(second.det(k), "number") || second.is(second.det(k), "count") {
			return append(slices.Clone(first.toks), second.toks[second.det(k)+1:]...)
		}
		return toks
	}
	if first.is(0, "who") && !first.is(1, "is") && !first.is(1, "are") {
		return join(second.toks[k:], first.toks)
	}
	about := first.toks[first.opening(0):]
	if len(about) == 0 {
		return toks
	}
	if sortWords[first.low(0)] {
		return join([]token{first.toks[0]}, second.toks[k:], wordToken("of"), first.toks[1:])
	}
	return join(second.toks[k:], wordToken("of"), about)
}

var sortWords = set("sort", "order", "rank", "arrange")

// join puts tokens and lists of them together.
func join(parts ...any) []token {
	var out []token
	for _, p := range parts {
		switch p := p.(type) {
		case token:
			out = append(out, p)
		case []token:
			out = append(out, p...)
		}
	}
	return out
}

// opening is the position behind the words at i that only ask.
func (p *parser) opening(i int) int {
	for {
		n := p.oneOf(i, openings)
		if n == 0 || i+n >= len(p.toks) {
			return i
		}
		i += n
	}
}
