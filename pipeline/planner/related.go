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
					m.loose = true
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
	replace := func(from, to int) {
		for _, w := range thesaurus.Related(strings.Join(name[from:to], " ")) {
			words := strings.Fields(w.Text)
			weight := relatedWeight(w, to-from == len(name))
			if weight > 0 && !narrower(words, name[to-1]) {
				out = append(out, other{slices.Concat(name[:from], words, name[to:]), weight})
			}
		}
	}
	replace(0, len(name))
	if len(name) > 1 && len(name) <= maxNameWords {
		for i := range name {
			replace(i, i+1)
		}
	}
	return slices.DeleteFunc(out, func(o other) bool {
		return len(o.words) == 1 && grammarWord(o.words[0]) || slices.ContainsFunc(o.words, func(w string) bool { return verbForm(token{low: w}) })
	})
}

// relatedWeight is what a related word weighs, 0 for nothing: of what is
// broader only the most usual sense counts, in the place of a whole name.
func relatedWeight(w thesaurus.Word, whole bool) float64 {
	switch {
	case !w.Broader:
		return sameWeight - rankWeight*float64(w.Rank)
	case whole && w.Rank == 0:
		return broaderWeight
	}
	return 0
}

// narrower tells whether words are for a kind or a part of what a name says, as baseball
// clubs are of clubs and townspeople of a town: the thesaurus has them for the sense in
// which people leave the rest out.
func narrower(words []string, name string) bool {
	if len(words) > 1 {
		return inflections(words[len(words)-1], name)
	}
	return slices.ContainsFunc(bases(name), func(one string) bool {
		return strings.HasPrefix(words[0], one) && len(words[0]) >= len(one)+minCompound
	})
}

// minCompound is the length of what makes a compound of a word; less is another
// spelling, such as programme.
const minCompound = 3
