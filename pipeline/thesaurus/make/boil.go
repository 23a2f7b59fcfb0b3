package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	// maxSenses is how many senses of a word are usual enough, maxParts of how many
	// parts a word may be.
	maxSenses = 3
	maxParts  = 3
)

// dropped are the topics that databases hold as values and not as names: animals
// and plants.
var dropped = map[int]bool{5: true, 20: true}

// entry is a related word as words.txt has it.
type entry struct {
	word    string
	broader bool
}

// words is words.txt.
func (n *net) words() string {
	all := map[string]map[entry]int{}
	for key := range n.senses {
		word := key[1:]
		if !plain(word) {
			continue
		}
		for e, rank := range n.related(key) {
			if all[word] == nil {
				all[word] = map[entry]int{}
			}
			if old, ok := all[word][e]; !ok || rank < old {
				all[word][e] = rank
			}
		}
	}
	var b strings.Builder
	for _, word := range slices.Sorted(maps.Keys(all)) {
		b.WriteString(word + "\t" + line(all[word]) + "\n")
	}
	return b.String()
}

// plain tells whether a word is one that people write in small letters.
func plain(word string) bool {
	return strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-_") == "" && strings.Count(word, "_") < maxParts
}

// related are the words that share a usual sense with the word of a key, by
// how rare it is.
func (n *net) related(key string) map[entry]int {
	out := map[entry]int{}
	letter, word := key[:1], key[1:]
	take := func(s sense, broader bool, rank int) {
		for _, w := range n.synsets[s].words {
			there := slices.Index(n.senses[letter+w], s)
			if w == word || !plain(w) || there < 0 || there >= maxSenses {
				continue
			}
			e, r := entry{w, broader}, max(rank, there)
			if old, ok := out[e]; !ok || r < old {
				out[e] = r
			}
		}
	}
	for i, s := range n.senses[key][:min(maxSenses, len(n.senses[key]))] {
		set := n.synsets[s]
		if set.name || dropped[set.topic] {
			continue
		}
		take(s, false, i)
		for _, b := range set.broader {
			take(b, true, i)
		}
	}
	maps.DeleteFunc(out, func(e entry, rank int) bool { return e.broader && !n.tells(word, e.word, rank, out) })
	return out
}

// tells whether a broader word is worth keeping: not one that means the same
// anyhow, nor one that nobody uses; of a word that nobody uses only its most usual
// sense.
func (n *net) tells(word, broader string, rank int, all map[entry]int) bool {
	_, same := all[entry{broader, false}]
	return !same && n.used[broader] && (n.used[word] || rank == 0)
}

// line writes the entries of a word, the most usual first.
func line(entries map[entry]int) string {
	keys := slices.SortedFunc(maps.Keys(entries), func(a, b entry) int {
		x, y := 0, 0
		if a.broader {
			x = 1
		}
		if b.broader {
			y = 1
		}
		return cmp.Or(x-y, entries[a]-entries[b], strings.Compare(a.word, b.word))
	})
	parts := make([]string, len(keys))
	for i, e := range keys {
		if e.broader {
			parts[i] = "^"
		}
		parts[i] += e.word
		if rank := entries[e]; rank > 0 {
			parts[i] += fmt.Sprint(rank)
		}
	}
	return strings.Join(parts, " ")
}

// plurals is plurals.txt: a plural that is a word by itself, such as data, isn't
// among them.
func (n *net) plurals() string {
	var b strings.Builder
	for _, plural := range slices.Sorted(maps.Keys(n.singulars)) {
		singular := n.singulars[plural]
		if n.senses["n"+plural] == nil && plain(plural) && plain(singular) && n.used[singular] && !strings.Contains(plural, "_") {
			b.WriteString(plural + "\t" + singular + "\n")
		}
	}
	return b.String()
}
