package configs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxWord is the length beyond which a word is no mistyped key.
const maxWord = 64

// keys are the known keys, sorted.
func keys(f fields) []string { return slices.Sorted(maps.Keys(f)) }

// suggestion names the known word that was probably meant, or all of them.
func suggestion(word string, known []string) string {
	if len(known) == 0 {
		return "none is known here"
	}
	if len(word) > maxWord {
		return "known here: " + join(known)
	}
	best, distance := "", len(word)/2+1
	for _, k := range known {
		if d := edits(strings.ToLower(word), k); d < distance {
			best, distance = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %s?", best)
	}
	return "known here: " + join(known)
}

// edits counts the letters to insert, delete, change or swap with their
// neighbour to get from a to b (optimal string alignment), in bytes.
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
