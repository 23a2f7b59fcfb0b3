package index

import "github.com/pgask/pgask/pipeline/catalog"

// bridge is the most tables that may be put between two that a question needs.
const bridge = 2

// Tables gives the tables a planner should see: all of them where the schema
// is small, else the topK nearest, joined up: between two of them that no key
// connects, the tables on the shortest way of keys take the places of less near
// ones. It is empty where no word of the question is known.
func (x *Index) Tables(question string, topK int) []*catalog.Table {
	if len(x.tables) <= max(WholeSchema, topK) {
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
	for _, h := range x.Search(question, topK) {
		i := x.at[h.Table.Name]
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
