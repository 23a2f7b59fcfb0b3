package answer

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
)

// figures are the numbers that may be said of an answer: those of its rows, and their
// counts, sums, differences, ratios and percentages.
type figures struct {
	rows   int64
	values []*big.Rat
	// parts are ratios, which are also said as percentages.
	parts []*big.Rat
	// names are the numbers in texts of rows, question and notes: parts of a name or a
	// date.
	names map[string]bool
}

// notable is how many rows are compared with each other, and with those next to them.
// maxFigured is of how many rows each number may be said, far more than a model is shown
// (promptRows): each of a sentence is looked for among all. Sums and ends are those of
// all rows.
const (
	notable    = 12
	maxFigured = 1000
)

func newFigures(t *Table, about Told) *figures {
	f := &figures{rows: t.Count, names: map[string]bool{}}
	for _, n := range []int64{int64(len(t.Rows)), t.Count} {
		f.add(new(big.Rat).SetInt64(n))
	}
	f.name(about.Question)
	f.name(about.Qualifiers...)
	f.name(t.missing()...)
	for c, col := range t.Columns {
		f.name(col.title())
		if col.Kind == Number {
			f.column(t, c)
			continue
		}
		f.add(big.NewRat(int64(t.different(c)), 1))
		for _, r := range t.Rows[:min(len(t.Rows), maxFigured)] {
			f.name(r[c].Text)
			if col.Kind == Moment {
				f.name(r[c].Time.Format("2006-01-02 2 January 2006 January 2, 2006 15:04"), col.spell(r[c]))
			}
		}
	}
	f.grouped(t)
	return f
}

// name notes the numbers that texts hold.
func (f *figures) name(texts ...string) {
	for _, text := range texts {
		for _, n := range said(text) {
			f.names[n.text] = true
		}
	}
}

func (f *figures) add(n *big.Rat) { f.values = append(f.values, n) }

// column adds a column's numbers and what can be computed of them.
func (f *figures) column(t *Table, c int) {
	rows := t.numbers(c)
	if len(rows) == 0 {
		return
	}
	f.add(new(big.Rat).SetInt64(int64(len(rows)))) // those that have one
	total, count := sum(rows, c), new(big.Rat).SetInt64(int64(len(rows)))
	f.add(total)
	f.add(new(big.Rat).Quo(total, count))
	sofar := new(big.Rat)
	sorted := largestFirst(rows, c)
	few := ends(rows, sorted, c)
	for _, r := range sorted[:min(len(sorted), maxFigured)] { // the first so many together
		sofar = new(big.Rat).Add(sofar, r[c].Number)
		f.add(sofar)
		f.ratio(sofar, total)
		f.ratio(r[c].Number, total)
	}
	for i, r := range rows[:min(len(rows), maxFigured)] {
		n := r[c].Number
		f.add(n)
		f.parts = append(f.parts, n) // it may be a share itself
		if i > 0 {
			f.pair(rows[i-1][c].Number, n)
		}
	}
	for i, a := range few {
		f.add(a)
		for _, b := range few[:i] {
			f.pair(a, b)
		}
	}
}

// ends are the numbers that people compare: all of a few, else the first and the last,
// the largest and the smallest.
func ends(rows, sorted [][]Value, c int) []*big.Rat {
	numbers := func(rows [][]Value) (out []*big.Rat) {
		for _, r := range rows {
			out = append(out, r[c].Number)
		}
		return out
	}
	if len(rows) <= notable {
		return numbers(rows)
	}
	return slices.Concat(numbers(sorted[:maxGroups]), numbers(sorted[len(sorted)-maxListed:]), numbers(rows[:1]), numbers(rows[len(rows)-1:]))
}

// pair adds what two numbers give.
func (f *figures) pair(a, b *big.Rat) {
	f.add(new(big.Rat).Add(a, b))
	by := new(big.Rat).Sub(a, b)
	f.add(by)
	for _, of := range []*big.Rat{a, b} {
		f.ratio(by, of)
	}
	f.ratio(a, b)
	f.ratio(b, a)
}

func (f *figures) ratio(a, b *big.Rat) {
	if b.Sign() != 0 {
		f.parts = append(f.parts, new(big.Rat).Quo(a, b))
	}
}

// grouped adds the sums of a measure for each value of a category.
func (f *figures) grouped(t *Table) {
	r := read(t)
	if r.shape != crossed && r.shape != timelines {
		return
	}
	for _, c := range []int{r.by, r.also, r.when} {
		if c < 0 {
			continue
		}
		sums := map[string]*big.Rat{}
		for _, row := range t.numbers(r.of) {
			if sums[row[c].Text] == nil {
				sums[row[c].Text] = new(big.Rat)
			}
			sums[row[c].Text].Add(sums[row[c].Text], row[r.of].Number)
		}
		total := sum(t.numbers(r.of), r.of)
		for _, name := range slices.SortedFunc(maps.Keys(sums), func(a, b string) int { return cmp.Or(sums[b].Cmp(sums[a]), cmp.Compare(a, b)) })[:min(len(sums), maxFigured)] {
			f.add(sums[name])
			f.ratio(sums[name], total)
		}
	}
}

// maxNumbers is how many numbers a sentence may hold: each is looked for among all.
const maxNumbers = 24

// all tells whether every number of a sentence may be said.
func (f *figures) all(s string) bool {
	numbers := said(s)
	if len(numbers) > maxNumbers {
		return false
	}
	for _, n := range numbers {
		if !f.has(n) && !f.names[n.text] {
			return false
		}
	}
	return true
}

func (f *figures) has(n quantity) bool {
	in := func(all []*big.Rat, scale int64) bool {
		return slices.ContainsFunc(all, func(v *big.Rat) bool { return n.rounds(new(big.Rat).Mul(v, big.NewRat(scale, 1))) })
	}
	if n.word && n.value.Cmp(new(big.Rat).SetInt64(f.rows)) <= 0 { // of so many of the rows, "the two largest"
		return true
	}
	if n.ratio {
		return in(f.parts, 1)
	}
	if n.percent {
		return in(f.parts, 100) || in(f.values, 1)
	}
	return in(f.values, 1) || in(f.parts, 1)
}
