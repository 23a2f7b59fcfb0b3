package index

import "github.com/pgask/pgask/pipeline/catalog"

// Hit is a table with its score; higher is nearer, and only the order of the
// scores of one search means something.
type Hit struct {
	Table *catalog.Table
	Score float64
}

// How much a neighbour's words count for a table, and how much of a word's
// worth a chosen table takes away by covering it.
const (
	fromNeighbour = 0.35
	byCovering    = 0.6
)

// Search gives at most k tables, nearest first. The list is diversified: a
// word that a table further up has covered counts less for the next one, so
// that a question about two things gets tables for both.
func (x *Index) Search(question string, k int) []Hit {
	words := x.match(question)
	taken := make([]bool, len(x.tables))
	var hits []Hit
	for len(hits) < k {
		best, score := x.best(words, taken)
		if best < 0 {
			break
		}
		taken[best] = true
		hits = append(hits, Hit{x.tables[best], score})
		for i := range words {
			words[i].worth *= 1 - byCovering*words[i].own[best]/words[i].most
		}
	}
	return hits
}

// term is a telling word of a question: how much it speaks for each table by
// the table's own words and with its neighbours', and what it is still worth.
type term struct {
	own, all []float64
	most     float64
	worth    float64
}

func (x *Index) match(question string) []term {
	var out []term
	seen := map[string]bool{}
	for _, w := range (stemmer{}).words(question) {
		if seen[w] || silent(w) {
			continue
		}
		seen[w] = true
		if t := x.term(w); t.most > 0 {
			out = append(out, t)
		}
	}
	return out
}

func (x *Index) term(word string) term {
	t := term{own: make([]float64, len(x.tables)), all: make([]float64, len(x.tables)), worth: 1}
	for _, l := range x.find(word) {
		for _, p := range x.postings[l.id] {
			t.own[p.table] = max(t.own[p.table], l.weight*p.weight*x.rarity[l.id])
			t.most = max(t.most, t.own[p.table])
		}
	}
	copy(t.all, t.own)
	for i, g := range t.own {
		if g == 0 {
			continue
		}
		for _, n := range x.near[i] {
			t.all[n] = max(t.all[n], g*fromNeighbour)
		}
	}
	return t
}

// best is the free table with the highest score, the first by name of equals;
// -1 where no word speaks for any.
func (x *Index) best(words []term, taken []bool) (int, float64) {
	best, top := -1, 0.0
	for i := range x.tables {
		if taken[i] {
			continue
		}
		score := 0.0
		for _, w := range words {
			score += w.worth * w.all[i]
		}
		if score > top {
			best, top = i, score
		}
	}
	return best, top
}
