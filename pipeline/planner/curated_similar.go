package planner

import (
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/pgask/pgask/pipeline/index"
)

// candidate is a query whose question is like the one that is asked, from 0 to 1.
type candidate struct {
	query      *verified
	similarity float64
}

// subjectsOf is what a query's questions and its description are about. What a hole
// takes isn't known, so holes don't count.
func subjectsOf(q *verified) [][]string {
	var out [][]string
	for _, t := range q.forms {
		out = append(out, subjects(strings.Join(t.literals, " ")))
	}
	return append(out, subjects(q.Description))
}

// subjects are the words of a text that it is about, each once, sorted. Numbers
// are values of something.
func subjects(text string) []string {
	out := slices.DeleteFunc(index.Subjects(text), func(s string) bool {
		return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// candidates are the queries that are most like a question, the likest first, then
// in the file's order.
func candidates(queries []*verified, question string) []candidate {
	asked := subjects(question)
	var out []candidate
	for _, q := range queries {
		best := 0.0
		for _, about := range q.about {
			best = max(best, alike(asked, about))
		}
		if best > 0 {
			out = append(out, candidate{q, best})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].similarity > out[j].similarity })
	return out
}

// alike is the cosine of two sets of words. Rare words count no more than common
// ones: how rare a word is would tell of queries that the asker may not read.
func alike(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	common := 0
	for _, w := range a {
		if _, ok := slices.BinarySearch(b, w); ok {
			common++
		}
	}
	return float64(common) / math.Sqrt(float64(len(a)*len(b)))
}
