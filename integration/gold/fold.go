package gold

import (
	"fmt"
	"hash/fnv"
	"slices"
)

// Folds of a set: the databases that planners are developed on, and those that
// are looked at as a number only.
const (
	All  = "all"
	Dev  = "dev"
	Held = "held"
)

// heldOut is which part of the databases is held out: 14 in 44.
const heldOut = 14.0 / 44

// Fold keeps the questions of one fold, All for every one. Which databases are held out
// depends on the hashes of their names alone, so that nobody chooses.
func Fold(questions []Question, fold string) ([]Question, error) {
	if fold == All {
		return questions, nil
	}
	if fold != Dev && fold != Held {
		return nil, fmt.Errorf("fold %q: need %s, %s or %s", fold, All, Dev, Held)
	}
	held := map[string]bool{}
	names := byHash(questions)
	for _, db := range names[:int(heldOut*float64(len(names))+0.5)] {
		held[db] = true
	}
	return slices.DeleteFunc(slices.Clone(questions), func(q Question) bool { return held[q.DB] != (fold == Held) }), nil
}

// byHash are the databases in the order of their names' hashes.
func byHash(questions []Question) []string {
	names := Databases(questions)
	slices.SortStableFunc(names, func(a, b string) int {
		x, y := hash(a), hash(b)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return names
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// Databases are the names of the questions' databases, each once, in order.
func Databases(questions []Question) []string {
	var out []string
	for _, q := range questions {
		out = append(out, q.DB)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
