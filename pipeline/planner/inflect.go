package planner

import (
	"slices"
	"strings"
)

// derivedWeight is what a name weighs, as a part of what it would, where a word of the
// question has only its stem: nation for a nationality.
const derivedWeight = 0.8

// sureness says how surely tokens with the stems of a name mean the name: 1 where
// they are its words or inflections of them, less where they are derived, and 0 where
// one is for who does or uses it, or a verb that relates: a mountaineer is no mountain, a
// custom no customer, and who earns something isn't the earnings.
func sureness(said string, toks []token) float64 {
	words := strings.Fields(said)
	if len(words) != len(toks) {
		return 1
	}
	weight := 1.0
	for i, w := range words {
		if inflections(w, toks[i].low) {
			continue
		}
		if agent(toks[i].low) != agent(w) || relationVerbs[toks[i].stem] {
			return 0
		}
		weight *= derivedWeight
	}
	return weight
}

// inflections tells whether two words are forms of one: plurals, participles.
func inflections(a, b string) bool {
	if a == b {
		return true
	}
	x := bases(a)
	return slices.ContainsFunc(bases(b), func(w string) bool { return slices.Contains(x, w) })
}

// suffixes of inflected words, and what may stand in their place.
var suffixes = []struct {
	ending string
	bases  []string
}{{"ies", []string{"y", "ie"}}, {"ied", []string{"y"}}, {"es", []string{"", "e"}}, {"s", []string{""}}, {"ed", []string{"", "e"}}, {"ing", []string{"", "e"}}}

// bases are what a word may be an inflection of, itself among them.
func bases(word string) []string {
	out := []string{word, singular(word)}
	for _, e := range suffixes {
		rest, ok := strings.CutSuffix(word, e.ending)
		if !ok || len(rest) < 2 {
			continue
		}
		for _, b := range e.bases {
			out = append(out, rest+b)
		}
		if n := len(rest); rest[n-1] == rest[n-2] { // shipped
			out = append(out, rest[:n-1])
		}
	}
	return out
}

// plural tells whether a word is surely for several.
func plural(low string) bool {
	if singular(low) != low {
		return true
	}
	for _, end := range []string{"ss", "us", "is"} {
		if strings.HasSuffix(low, end) {
			return false
		}
	}
	return strings.HasSuffix(low, "s") && !endInS[low]
}

// endInS are words for one thing that end as plurals do.
var endInS = set("news", "lens", "means", "series", "species", "gas", "atlas", "canvas")

// agent tells whether a word looks like one for a person or a thing that does
// something.
func agent(word string) bool {
	word = strings.TrimSuffix(word, "s")
	return slices.ContainsFunc([]string{"er", "or", "ist", "ian"}, func(e string) bool { return strings.HasSuffix(word, e) })
}
