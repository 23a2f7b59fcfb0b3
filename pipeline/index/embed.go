package index

import (
	"context"
	"hash/fnv"
	"maps"
	"math"
	"slices"
)

// Embedder makes vectors of texts: the nearer two vectors' directions, the
// more alike the texts. It is safe for concurrent use.
type Embedder interface {
	// Name tells which vectors can be compared: those of one name.
	Name() string
	// Documents gives a vector of each text, all of one length, none of them zero.
	Documents(ctx context.Context, texts []string) ([][]float32, error)
	// Query gives the vector that finds the texts a question is about.
	Query(ctx context.Context, question string) ([]float32, error)
}

// Lexical is the built-in embedder: it knows words and how they are spelt, and
// no meanings, and asks nobody. Word stems and groups of three letters are
// features that are hashed to places of a vector (feature hashing, as Weinberger
// and others describe it). How rare a feature is counts in the question's vector
// only, so that a text's vector never changes because of another text.
type Lexical struct {
	rarity map[string]float64
	texts  int
}

const (
	lexicalName = "builtin-1" // changes when the vectors do
	lexicalSize = 512
	// letters is what a word's letter groups weigh in all, the word being 1.
	letters = 0.5
)

// NewLexical makes an embedder for questions about the texts.
func NewLexical(texts []string) *Lexical {
	l := &Lexical{rarity: map[string]float64{}, texts: len(texts)}
	s := stemmer{}
	for _, text := range texts {
		for f := range features(s, text) {
			l.rarity[f]++
		}
	}
	for f, n := range l.rarity {
		l.rarity[f] = l.rare(n)
	}
	return l
}

// rare is the inverse document frequency of what n texts have.
func (l *Lexical) rare(n float64) float64 {
	return math.Log(1 + (float64(l.texts)-n+0.5)/(n+0.5))
}

// Name is the built-in embedder's, with its version.
func (l *Lexical) Name() string { return lexicalName }

// Documents never fails.
func (l *Lexical) Documents(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	s := stemmer{}
	for i, text := range texts {
		out[i] = vector(features(s, text))
	}
	return out, nil
}

// Query never fails. Words that say nothing about a table don't count.
func (l *Lexical) Query(_ context.Context, question string) ([]float32, error) {
	weights := features(stemmer{}, question)
	for f, w := range weights {
		r, known := l.rarity[f]
		if !known {
			r = 0 // no text has it, and another one's place would be hit
		}
		weights[f] = w * r * r
	}
	return vector(weights), nil
}

// features weighs a text's words and their letter groups.
func features(s stemmer, text string) map[string]float64 {
	out := map[string]float64{}
	for _, w := range s.words(text) {
		if silent(w) {
			continue
		}
		out[w] = 1
		groups := grams(w)
		for _, g := range groups {
			out["~"+g] = max(out["~"+g], letters/math.Sqrt(float64(len(groups))))
		}
	}
	return out
}

// vector adds up the features at their places, each with a sign of its own, so
// that those that meet at a place cancel out on average. A feature has several
// places, so that meeting another one at one of them makes two texts alike only
// in part. The vector has length 1.
func vector(features map[string]float64) []float32 {
	sum := make([]float64, lexicalSize)
	square := 0.0
	for _, f := range slices.Sorted(maps.Keys(features)) { // equal texts, equal vectors
		h := fnv.New64a()
		h.Write([]byte(f))
		for n := h.Sum64() | 1<<63; n > 0; n >>= 16 {
			if n&(1<<14) != 0 {
				sum[n%lexicalSize] -= features[f]
			} else {
				sum[n%lexicalSize] += features[f]
			}
		}
	}
	for _, x := range sum {
		square += x * x
	}
	out := make([]float32, lexicalSize)
	if square == 0 {
		out[0] = 1 // says nothing, but has a direction
		return out
	}
	for i, x := range sum {
		out[i] = float32(x / math.Sqrt(square))
	}
	return out
}
