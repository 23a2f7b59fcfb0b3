package gold

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// tolerance is how far numbers may be apart: what avg gives depends on the
// order in which floats are added.
const tolerance = 1e-4

// Same tells whether rows are the right ones: all of them, in order where that
// counts. An empty text equals null.
func (q Question) Same(got [][]*string) bool {
	if len(q.Rows) != len(got) {
		return false
	}
	want := q.Rows
	if !q.Ordered {
		want, got = sorted(want), sorted(got)
	}
	for i := range want {
		if !slices.EqualFunc(want[i], got[i], sameValue) {
			return false
		}
	}
	return true
}

// SameTurned is Same for columns that may stand in any order.
func (q Question) SameTurned(got [][]*string) bool {
	if len(q.Rows) != len(got) {
		return false
	}
	if len(got) == 0 {
		return true
	}
	if len(q.Rows[0]) != len(got[0]) {
		return false
	}
	left := maxTurns
	return q.turn(got, nil, &left)
}

// maxTurns bounds the orders of columns that are tried.
const maxTurns = 5000

// turn looks for an order of the columns of got that makes its rows the right
// ones; order is what is chosen of it so far. Only columns with the same values are tried in a place.
func (q Question) turn(got [][]*string, order []int, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	at := len(order)
	if at == len(got[0]) {
		return q.Same(columns(got, order...))
	}
	want := sorted(columns(q.Rows, at))
	for c := range got[0] {
		if slices.Contains(order, c) || slices.CompareFunc(want, sorted(columns(got, c)), compareRows) != 0 {
			continue
		}
		if q.turn(got, append(slices.Clone(order), c), left) {
			return true
		}
	}
	return false
}

// columns are these columns of the rows, in this order.
func columns(rows [][]*string, which ...int) [][]*string {
	out := make([][]*string, len(rows))
	for i, row := range rows {
		for _, c := range which {
			out[i] = append(out[i], row[c])
		}
	}
	return out
}

func compareRows(a, b []*string) int { return slices.CompareFunc(a, b, compareRounded) }

func compareRounded(x, y *string) int { return strings.Compare(rounded(x), rounded(y)) }

func sameValue(a, b *string) bool {
	x, y := text(a), text(b)
	if x == y {
		return true
	}
	f, err := strconv.ParseFloat(x, 64)
	if err != nil {
		return false
	}
	g, err := strconv.ParseFloat(y, 64)
	return err == nil && math.Abs(f-g) <= tolerance
}

// text is a value's text; the dumps write null as \N.
func text(v *string) string {
	if v == nil || *v == `\N` {
		return ""
	}
	return *v
}

// sorted orders rows by their values, numbers by what is left after rounding.
func sorted(rows [][]*string) [][]*string {
	return slices.SortedFunc(slices.Values(rows), compareRows)
}

func rounded(v *string) string {
	if f, err := strconv.ParseFloat(text(v), 64); err == nil {
		return strconv.FormatFloat(f, 'f', 3, 64)
	}
	return text(v)
}
