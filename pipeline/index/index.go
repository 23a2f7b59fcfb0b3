package index

import (
	"sort"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// WholeSchema is the number of tables up to which retrieval is skipped and a
// question gets the whole schema: leaving tables out then risks more than the
// tokens it saves.
const WholeSchema = 15

// Index finds the tables that a question is about. It is immutable and safe
// for concurrent use, and it knows only what its snapshot holds: built from
// what one role may read, it can't betray anything else.
type Index struct {
	tables []*catalog.Table
	at     map[catalog.Name]int
	vocabulary
	// postings lists, by word, the tables that have it, in table order.
	postings [][]posting
	// near lists, by table, the tables one key away, in table order.
	near [][]int
}

// posting says how much a word tells about a table, from 0 to 1.
type posting struct {
	table  int
	weight float64
}

// Build makes the index of a snapshot; m may be nil. What semantic.yaml hides
// from models isn't indexed, nor are the values of columns it shows by name only.
func Build(s *catalog.Snapshot, m *semantic.Model) *Index {
	if m == nil {
		m = &semantic.Model{}
	}
	x := &Index{tables: relations(s), at: make(map[catalog.Name]int, len(s.Tables)), vocabulary: newVocabulary()}
	for i, t := range x.tables {
		x.at[t.Name] = i
	}
	for i, d := range documents(x, m) {
		x.post(i, d)
	}
	x.rate(x.postings, len(x.tables))
	x.near = neighbours(x, m)
	return x
}

// relations leaves out the partitions of a table that is there itself: they are
// the same rows once more.
func relations(s *catalog.Snapshot) []*catalog.Table {
	var out []*catalog.Table
	for _, t := range s.Tables {
		if !t.Partition || s.Table(t.Parent) == nil {
			out = append(out, t)
		}
	}
	return out
}

// post adds a table's words, sorted, so that equal snapshots give equal indexes.
func (x *Index) post(table int, d document) {
	words := make([]string, 0, len(d))
	for w := range d {
		words = append(words, w)
	}
	sort.Strings(words)
	for _, w := range words {
		id := x.add(w)
		if id == len(x.postings) {
			x.postings = append(x.postings, nil)
		}
		x.postings[id] = append(x.postings[id], posting{table, d[w]})
	}
}

// Len is the number of tables indexed.
func (x *Index) Len() int { return len(x.tables) }
