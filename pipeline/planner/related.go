package planner

import (
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/thesaurus"
)

// sureName is the least weight of a name whose synonyms are taken for it.
const sureName = 0.9

// What words weigh that only the thesaurus connects with a name, as a part of what
// the name weighs: those that mean the same, less for each rank of rarer senses, and
// those that are broader, which the question must need more surely.
const (
	sameWeight    = 0.86
	rankWeight    = 0.03
	broaderWeight = 0.7
)

// addRelated lets words of the thesaurus stand for the names that they are
// related to, where the schema has no such name itself: film for movie, and
// room for a classroom. What people call things in semantic.yaml is theirs to extend. They stand for all that the name stands for, so that they are as
// ambiguous. A narrower word stands for nothing: not all doctors are surgeons.
func (x *lexicon) addRelated() {
	type addition struct {
		words []string
		meaning
	}
	var found []addition
	slices.SortFunc(x.names, slices.Compare)
	for _, words := range slices.CompactFunc(x.names, slices.Equal) {
		meant := x.named(words)
		for _, o := range related(words) {
			if len(x.named(o.words)) > 0 {
				continue
			}
			for _, m := range meant {
				if !m.verb {
					m.weight *= o.weight
					found = append(found, addition{o.words, m})
				}
			}
		}
	}
	for _, a := range found {
		x.add(a.words, a.meaning)
	}
	x.names = nil
}

// named is what words stand for as a name, inflected or not.
func (x *lexicon) named(words []string) []meaning {
	p := x.byKey[strings.Join(x.stems(words), " ")]
	if p == nil {
		return nil
	}
	var out []meaning
	for _, m := range p.meanings {
		if m.kind != aValue && slices.EqualFunc(strings.Fields(m.said), words, inflections) {
			out = append(out, m)
		}
	}
	return out
}

// other is another way to say a name, and what it weighs.
type other struct {
	words  []string
	weight float64
}

// maxNameWords is how long a name may be for one of its words to be replaced.
const maxNameWords = 3

// related are the other ways to say a name: other words for the whole of it, or
// for one of its words, but for those that the grammar has a use for and those that look like
// a verb.
func related(name []string) []other {
	var out []other
	for _, w := range thesaurus.Related(strings.Join(name, " ")) {
		weight := sameWeight - rankWeight*float64(w.Rank)
		if w.Broader {
			if w.Rank > 0 {
				continue
			}
			weight = broaderWeight
		}
		out = append(out, other{strings.Fields(w.Text), weight})
	}
	for i, one := range name {
		if len(name) == 1 || len(name) > maxNameWords {
			break
		}
		for _, w := range thesaurus.Related(one) {
			if !w.Broader {
				words := slices.Concat(name[:i], strings.Fields(w.Text), name[i+1:])
				out = append(out, other{words, sameWeight - rankWeight*float64(w.Rank)})
			}
		}
	}
	return slices.DeleteFunc(out, func(o other) bool {
		return len(o.words) == 1 && grammarWord(o.words[0]) || slices.ContainsFunc(o.words, func(w string) bool { return verbForm(token{low: w}) })
	})
}
