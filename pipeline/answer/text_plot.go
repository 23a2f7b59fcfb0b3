package answer

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// plotRows is how many lines a plot has.
const plotRows = 16

// plot draws points: a measure over time, or two measures.
func (r reading) plot(rows [][]Value) []string {
	x, y := r.of, r.with
	if r.when >= 0 {
		x, y = r.when, r.of
	}
	var points [][2]*big.Rat
	for _, row := range rows {
		px, py := position(r.Columns[x], row[x]), row[y].Number
		if px != nil && py != nil {
			points = append(points, [2]*big.Rat{px, py})
		}
	}
	if len(points) == 0 {
		return []string{"(no points)"}
	}
	low, high := bounds(points, 1)
	from, to := bounds(points, 0)
	cy := r.Columns[y]
	top, bottom := cy.spell(Value{Number: high, Known: true}), cy.spell(Value{Number: low, Known: true})
	margin := min(max(wide(top), wide(bottom)), maxFigure)
	room := textColumns - margin - 2
	grid := make([][]rune, plotRows)
	for i := range grid {
		grid[i] = []rune(strings.Repeat(" ", room))
	}
	for _, p := range points {
		grid[plotRows-1-place(p[1], low, high, plotRows)][place(p[0], from, to, room)] = '•'
	}
	out := []string{r.about(y).heading()}
	for i, line := range grid {
		label := ""
		switch i {
		case 0:
			label = top
		case plotRows - 1:
			label = bottom
		}
		out = append(out, right(strings.TrimRight(fit(label, margin), " "), margin)+" ┤"+string(line))
	}
	return append(out, right("", margin)+" └"+strings.Repeat("─", room), r.axis(x, rows, margin, from, to))
}

// axis names the ends of the horizontal axis.
func (r reading) axis(x int, rows [][]Value, margin int, from, to *big.Rat) string {
	c := r.Columns[x]
	first, last := clipped(c.spell(Value{Number: from, Known: true}), maxFigure), clipped(c.spell(Value{Number: to, Known: true}), maxFigure)
	if c.Kind == Moment {
		first, last = c.label(rows[0][x]), c.label(rows[len(rows)-1][x])
	}
	middle := c.titled()
	room := textColumns - margin - 2
	rest := room - wide(first) - wide(last)
	if wide(middle)+2 > rest {
		middle = ""
	}
	gap := max(1, rest-wide(middle))
	return right("", margin+2) + first + strings.Repeat(" ", gap/2) + middle + strings.Repeat(" ", gap-gap/2) + last
}

// position is where a value stands on an axis; nil where it doesn't.
func position(c Column, v Value) *big.Rat {
	if c.Kind == Moment && v.Known {
		return big.NewRat(v.Time.Unix(), 1)
	}
	return v.Number
}

func bounds(points [][2]*big.Rat, axis int) (low, high *big.Rat) {
	by := func(a, b [2]*big.Rat) int { return a[axis].Cmp(b[axis]) }
	return slices.MinFunc(points, by)[axis], slices.MaxFunc(points, by)[axis]
}

// place is which of n cells a number falls into.
func place(v, low, high *big.Rat, n int) int {
	span := new(big.Rat).Sub(high, low)
	if span.Sign() == 0 {
		return 0
	}
	at := new(big.Rat).Sub(v, low)
	return eighths(at, span, n-1) / 8
}

// maxCell is the widest cell of a table, and maxLines how many rows of it are drawn.
const (
	maxCell  = 24
	maxLines = 30
)

// grid is a table, for rows that make no chart: as many columns as there is room for.
func (r reading) grid() []string {
	rows := r.Rows[:min(len(r.Rows), maxLines)]
	var widths []int
	room := textColumns
	for i, c := range r.Columns {
		w := wide(c.titled())
		for _, row := range rows {
			w = max(w, wide(figure(c, row[i])))
		}
		w = min(w, maxCell)
		if room -= w + 2; room < 0 && i > 0 {
			break
		}
		widths = append(widths, w)
	}
	line := func(cell func(i int) string) string {
		var parts []string
		for i, w := range widths {
			s := cell(i)
			if r.Columns[i].Kind == Number {
				s = right(strings.TrimRight(fit(s, w), " "), w)
			}
			parts = append(parts, fit(s, w))
		}
		return strings.Join(parts, "  ")
	}
	out := []string{line(func(i int) string { return r.Columns[i].titled() })}
	for _, row := range rows {
		out = append(out, line(func(i int) string { return figure(r.Columns[i], row[i]) }))
	}
	if rest := len(r.Rows) - len(rows); rest > 0 {
		out = append(out, "… and "+counted(int64(rest), "more row", "more rows"))
	}
	if left := len(r.Columns) - len(widths); left > 0 {
		out = append(out, fmt.Sprintf("(without %s)", counted(int64(left), "more column", "more columns")))
	}
	return out
}
