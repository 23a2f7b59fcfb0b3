package answer

import (
	"cmp"
	"math/big"
	"slices"
)

// shape is what kind of answer a table is, which decides how it is told and drawn.
type shape byte

const (
	// empty has no rows.
	empty shape = iota
	// single has one row of one number.
	single
	// record has one row of several columns, or of one that is no number.
	record
	// timeline has moments and one measure for each.
	timeline
	// timelines has moments, a category and one measure.
	timelines
	// groups has a category and one measure for each.
	groups
	// crossed has two categories and one measure.
	crossed
	// pairs has two measures for each category or row.
	pairs
	// courses has moments and several measures for each.
	courses
	// several has a category and three measures or more for each.
	several
	// list is everything else.
	list
)

// reading is a table whose columns have their parts: by their numbers, -1 for none.
type reading struct {
	*Table
	shape shape
	// when is the moment, by and also the categories, of and with the first measures.
	when, by, also, of, with int
	measures                 []int
}

// maxMeasures is how many measures are told of, and drawn, beside each other.
const maxMeasures = 4

// read finds the shape of a table.
func read(t *Table) reading {
	r := reading{Table: t, shape: list, when: -1, by: -1, also: -1, of: -1, with: -1}
	var moments, labels, numbers []int
	computed := slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Measure && c.Kind == Number })
	for i, c := range t.Columns {
		switch {
		case c.Kind == Moment:
			moments = append(moments, i)
		case c.Kind == Number && (c.Measure || !computed):
			numbers = append(numbers, i)
		default: // a number that is grouped by is a category
			labels = append(labels, i)
		}
	}
	switch {
	case len(t.Rows) == 0:
		r.shape = empty
	case len(t.Rows) == 1 && len(t.Columns) == 1 && len(numbers) == 1:
		r.shape, r.of = single, numbers[0]
	case len(t.Rows) == 1 && t.Count == 1 && (len(numbers) != 1 || len(t.Columns) != 2):
		r.shape = record
	case len(numbers) == 1 && len(moments) == 1 && len(labels) == 0 && t.unique(moments[0]):
		r.shape, r.when, r.of = timeline, moments[0], numbers[0]
	case len(numbers) == 1 && len(moments) == 1 && len(labels) == 1 && t.unique(moments[0], labels[0]):
		r.shape, r.when, r.by, r.of = timelines, moments[0], labels[0], numbers[0]
	case len(numbers) == 1 && len(moments) == 0 && len(labels) == 1 && t.unique(labels[0]):
		r.shape, r.by, r.of = groups, labels[0], numbers[0]
	case len(numbers) == 1 && len(moments) == 0 && len(labels) == 2 && t.unique(labels[0], labels[1]):
		r.shape, r.by, r.also, r.of = crossed, labels[0], labels[1], numbers[0]
	case len(numbers) == 2 && len(moments) == 0 && len(labels) <= 1:
		r.shape, r.of, r.with = pairs, numbers[0], numbers[1]
		if len(labels) == 1 {
			r.by = labels[0]
		}
	case between(2, len(numbers), maxMeasures) && len(moments) == 1 && len(labels) == 0 && t.unique(moments[0]):
		r.shape, r.when, r.of = courses, moments[0], numbers[0]
	case between(3, len(numbers), maxMeasures) && len(moments) == 0 && len(labels) == 1 && t.unique(labels[0]):
		r.shape, r.by, r.of = several, labels[0], numbers[0]
	}
	r.measures = numbers
	return r
}

func between(least, n, most int) bool { return least <= n && n <= most }

// unique tells whether no two rows have the same values in the columns.
func (t *Table) unique(columns ...int) bool {
	seen := map[string]bool{}
	for _, r := range t.Rows {
		key := ""
		for _, c := range columns {
			key += r[c].Text + "\x00"
			if !r[c].Known {
				key += "\x00"
			}
		}
		if seen[key] {
			return false
		}
		seen[key] = true
	}
	return true
}

// different is how many different values a column has.
func (t *Table) different(c int) int {
	seen := map[string]bool{}
	for _, r := range t.Rows {
		seen[r[c].Text] = true
	}
	return len(seen)
}

// numbers are the rows that have a number in a column, in their order.
func (t *Table) numbers(c int) [][]Value {
	return slices.DeleteFunc(slices.Clone(t.Rows), func(r []Value) bool { return r[c].Number == nil })
}

// sum adds up a column.
func sum(rows [][]Value, c int) *big.Rat {
	total := new(big.Rat)
	for _, r := range rows {
		total.Add(total, r[c].Number)
	}
	return total
}

// largestFirst sorts by a column's number, and equal ones by what they hold, since
// nobody may have ordered the rows.
func largestFirst(rows [][]Value, c int) [][]Value {
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(a, b []Value) int { return cmp.Or(b[c].Number.Cmp(a[c].Number), byTexts(a, b)) })
	return out
}

func byTexts(a, b []Value) int {
	return slices.CompareFunc(a, b, func(v, w Value) int { return cmp.Compare(v.Text, w.Text) })
}

// inOrder sorts by a moment.
func inOrder(rows [][]Value, c int) [][]Value {
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(a, b []Value) int { return cmp.Or(a[c].Time.Compare(b[c].Time), byTexts(a, b)) })
	return out
}

// whole tells that a measure's values are the parts of one whole, all of which are
// there: they can be added up, and none is negative.
func (r reading) whole(rows [][]Value) bool {
	if !r.Columns[r.of].Additive || r.Cut || r.Partial() || len(rows) < 2 || sum(rows, r.of).Sign() <= 0 {
		return false
	}
	return !slices.ContainsFunc(rows, func(v []Value) bool { return v[r.of].Number.Sign() < 0 })
}

// shares tells whether a measure's values are shares of one whole, as parts of 1 or
// of 100.
func (r reading) shares(rows [][]Value) (whole int64, ok bool) {
	if len(rows) < 2 || slices.ContainsFunc(rows, func(v []Value) bool { return v[r.of].Number.Sign() < 0 }) {
		return 0, false
	}
	total := sum(rows, r.of)
	for _, whole := range []int64{1, 100} {
		off := new(big.Rat).Sub(total, big.NewRat(whole, 1))
		if off.Abs(off).Cmp(big.NewRat(whole, 100)) <= 0 && !allWhole(rows, r.of) {
			return whole, true
		}
	}
	return 0, false
}

func allWhole(rows [][]Value, c int) bool {
	return !slices.ContainsFunc(rows, func(v []Value) bool { return !v[c].Number.IsInt() })
}
