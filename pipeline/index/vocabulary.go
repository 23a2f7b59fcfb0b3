package index

import (
	"math"
	"sort"
	"strings"
)

// vocabulary is the words of an index, how rare each is, and the letter groups
// by which a word that isn't in it finds its like.
type vocabulary struct {
	id   map[string]int
	word []string
	// rarity is the inverse document frequency of Robertson and Spärck Jones,
	// as BM25 uses it.
	rarity []float64
	grams  map[string][]int
}

// like is a word of the vocabulary standing in for a word of a question.
type like struct {
	id     int
	weight float64
}

// The least likeness that counts, what a spelling that is only contained is
// worth, and how many words may stand in for one.
const (
	likeFloor = 0.45
	likeStart = 0.6
	likeShort = 0.4
	likeMost  = 5
)

func newVocabulary() vocabulary {
	return vocabulary{id: map[string]int{}, grams: map[string][]int{}}
}

func (v *vocabulary) add(word string) int {
	if id, ok := v.id[word]; ok {
		return id
	}
	id := len(v.word)
	v.id[word] = id
	v.word = append(v.word, word)
	for _, g := range grams(word) {
		v.grams[g] = append(v.grams[g], id)
	}
	return id
}

func (v *vocabulary) rate(postings [][]posting, tables int) {
	v.rarity = make([]float64, len(postings))
	for id, list := range postings {
		n := float64(len(list))
		v.rarity[id] = math.Log(1 + (float64(tables)-n+0.5)/(n+0.5))
	}
}

// find gives the word itself where the vocabulary has it, else the words that
// are spelt alike (Dice's coefficient of letter groups), begin with it, or are
// its long form (qty for quantity).
func (v *vocabulary) find(word string) []like {
	if id, ok := v.id[word]; ok {
		return []like{{id, 1}}
	}
	shared := map[int]int{}
	own := grams(word)
	for _, g := range own {
		for _, id := range v.grams[g] {
			shared[id]++
		}
	}
	var out []like
	for id, n := range shared {
		if w := alike(word, v.word[id], n, len(own)); w >= likeShort {
			out = append(out, like{id, w})
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].weight != out[j].weight {
			return out[i].weight > out[j].weight
		}
		return v.word[out[i].id] < v.word[out[j].id]
	})
	return out[:min(len(out), likeMost)]
}

func alike(a, b string, shared, gramsOfA int) float64 {
	dice := 2 * float64(shared) / float64(gramsOfA+gramCount(b))
	short, long := a, b
	if len(short) > len(long) {
		short, long = long, short
	}
	switch {
	case len(short) >= 3 && strings.HasPrefix(long, short):
		return max(dice, likeStart)
	case dice >= likeFloor:
		return dice
	case len(short) >= 3 && short[0] == long[0] && subsequence(short, long):
		return likeShort
	}
	return 0
}

// subsequence tells whether short is long with letters left out.
func subsequence(short, long string) bool {
	i := 0
	for j := 0; i < len(short) && j < len(long); j++ {
		if short[i] == long[j] {
			i++
		}
	}
	return i == len(short)
}

// grams are a word's groups of three letters, its edges marked.
func grams(word string) []string {
	w := "^" + word + "$"
	if len(w) < 3 {
		return nil
	}
	seen := make(map[string]bool, len(w))
	out := make([]string, 0, len(w))
	for i := 0; i+3 <= len(w); i++ {
		if g := w[i : i+3]; !seen[g] {
			seen[g] = true
			out = append(out, g)
		}
	}
	return out
}

// gramCount is len(grams(word)) but for repeated groups.
func gramCount(word string) int { return len(word) }
