package index

import (
	"cmp"
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
)

// bridge is the most tables that may be put between two that a question needs.
const bridge = 2

// Tables gives the tables a planner should see: all of them where the schema
// is small, else the topK nearest, joined up: between two of them that no key
// connects, the tables on the shortest way of keys take the places of less near
// ones. near is what a vector search found, nil where there was none. It is
// empty where neither knows anything of the question.
func (x *Index) Tables(question string, near []Near, topK int) []*catalog.Table {
	if x.Whole(topK) {
		return x.tables
	}
	chosen := make(map[int]bool, topK)
	var out []*catalog.Table
	take := func(i int) {
		if !chosen[i] && len(out) < topK {
			chosen[i] = true
			out = append(out, x.tables[i])
		}
	}
	for _, i := range x.ranked(question, near, topK) {
		between := x.path(chosen, i)
		if len(out)+len(between) >= topK {
			between = nil
		}
		take(i)
		for _, b := range between {
			take(b)
		}
	}
	return out
}

// Whole tells that the schema is so small that all of it is retrieved.
func (x *Index) Whole(topK int) bool { return len(x.tables) <= max(WholeSchema, topK) }

// Two rankings are united by the sum of 1/(fusion+rank) (reciprocal rank fusion
// of Cormack and others, with a constant for short lists), from this many times
// topK of each. The words know the values too, so what vectors find weighs less:
// where both agree on nothing, the vectors have two or three of eight places.
const (
	fusion       = 10
	deeper       = 3
	vectorWeight = 0.7
)

// decay is what a table's next chunk counts, the one before being 1.
const decay = 0.5

// ranked are the tables in the order in which they are taken: by words, or by
// words and vectors.
func (x *Index) ranked(question string, near []Near, topK int) []int {
	var words []int
	n := topK
	if len(near) > 0 {
		n = deeper * topK
	}
	for _, h := range x.Search(question, n) {
		words = append(words, x.at[h.Table.Name])
	}
	if len(near) == 0 {
		return words
	}
	score := map[int]float64{}
	var all []int
	unite := func(list []int, weight float64) {
		for rank, i := range list {
			if score[i] == 0 {
				all = append(all, i)
			}
			score[i] += weight / float64(fusion+rank)
		}
	}
	unite(words, 1)
	unite(x.nearest(near, n), vectorWeight)
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Or(cmp.Compare(score[b], score[a]), a-b) })
	return all[:min(len(all), topK)]
}

// nearest are the tables of the chunks that were found, at most n: a table's
// further chunks add to its nearest one. What the index doesn't know, because its reader may not, isn't among them.
func (x *Index) nearest(near []Near, n int) []int {
	score, share := map[int]float64{}, map[int]float64{}
	var out []int
	for _, c := range near {
		i, ok := x.at[c.Table]
		if !ok || !x.knows(i, c) {
			continue
		}
		if share[i] == 0 {
			share[i] = 1
			out = append(out, i)
		}
		score[i] += share[i] * c.Likeness
		share[i] *= decay
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return out[:min(len(out), n)]
}

// knows tells whether the chunk's column is one of the table's.
func (x *Index) knows(i int, c Near) bool {
	return c.Kind != KindColumn || x.tables[i].Column(c.Name) != nil
}

// path gives the tables between a table and the nearest chosen one, none where
// they are neighbours, too far apart, or nothing is chosen yet.
func (x *Index) path(chosen map[int]bool, from int) []int {
	if len(chosen) == 0 || chosen[from] {
		return nil
	}
	parent := map[int]int{from: from}
	front := []int{from}
	for depth := 0; depth <= bridge; depth++ {
		var next []int
		for _, at := range front {
			for _, n := range x.near[at] {
				if _, ok := parent[n]; ok {
					continue
				}
				parent[n] = at
				if chosen[n] {
					return between(parent, at, from)
				}
				next = append(next, n)
			}
		}
		front = next
	}
	return nil
}

func between(parent map[int]int, at, from int) []int {
	var out []int
	for ; at != from; at = parent[at] {
		out = append(out, at)
	}
	return out
}
