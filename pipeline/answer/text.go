package answer

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// textColumns is the width of a chart in characters: psql draws a space before it
// and a sign behind it on a terminal of 80.
const textColumns = 78

// TextChart draws an answer in characters, 78 columns wide at most: a bar for each
// category or moment, a plot where there are many or two measures.
func TextChart(t *Table, about Told) string {
	r := read(t)
	lines := wrapped(headed(oneLine(about.Question)))
	lines = append(lines, r.picture()...)
	for _, n := range slices.Concat(t.missing(), r.unfinishedNow(about), about.Qualifiers) {
		lines = append(lines, wrapped("Note: "+n)...)
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// maxBars is how many bars are drawn; more moments are plotted, of more categories
// the largest are shown.
const maxBars = 30

func (r reading) picture() []string {
	switch r.shape {
	case empty:
		return []string{"(no rows)"}
	case single:
		return wrapped(r.Columns[r.of].title() + " " + r.Columns[r.of].measured(r.Rows[0][r.of]))
	case timeline:
		rows := inOrder(r.Rows, r.when)
		if len(rows) > maxBars {
			return r.plot(rows)
		}
		return r.lines(rows, r.when)
	case timelines:
		return r.sections(r.arranged(inOrder(r.Rows, r.when), r.by), r.by, r.when)
	case groups:
		return r.lines(r.sorted(), r.by)
	case crossed:
		return r.sections(r.arranged(r.Rows, r.by, r.also), r.by, r.also)
	case courses:
		return r.panels(inOrder(r.Rows, r.when), r.when)
	case several:
		return r.panels(r.sorted(), r.by)
	case pairs:
		if r.by >= 0 && len(r.Rows) <= maxPaired && r.unique(r.by) {
			return r.panels(r.sorted(), r.by)
		}
		return r.plot(r.Rows)
	}
	return r.grid()
}

// maxPaired is of how many rows two measures are drawn as bars, one below the other:
// more are plotted. maxSections is how many headings bars have.
const (
	maxPaired   = 12
	maxSections = 8
)

// panels are pictures of several measures, one below the other.
func (r reading) panels(rows [][]Value, by int) []string {
	var out []string
	for _, c := range r.measures {
		if r.when >= 0 && len(rows) > maxBars {
			out = append(out, r.about(c).plot(rows)...)
			continue
		}
		out = append(out, r.about(c).lines(rows, by)...)
	}
	return out
}

// about is the reading with another measure.
func (r reading) about(c int) reading {
	r.of = c
	return r
}

// sorted are the rows, largest first, those without a number at the end.
func (r reading) sorted() [][]Value {
	rows := largestFirst(r.numbers(r.of), r.of)
	for _, row := range r.Rows {
		if row[r.of].Number == nil {
			rows = append(rows, row)
		}
	}
	return rows
}

// arranged are the rows by the largest totals of a category first, and then as they
// were, or by the totals of a second one.
func (r reading) arranged(rows [][]Value, by ...int) [][]Value {
	totals := make([]map[string]*big.Rat, len(by))
	for i, c := range by {
		totals[i] = map[string]*big.Rat{}
		for _, row := range rows {
			key := r.Columns[c].label(row[c])
			if totals[i][key] == nil {
				totals[i][key] = new(big.Rat)
			}
			if n := row[r.of].Number; n != nil {
				totals[i][key].Add(totals[i][key], n)
			}
		}
	}
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(a, b []Value) int {
		for i, c := range by {
			x, y := r.Columns[c].label(a[c]), r.Columns[c].label(b[c])
			if order := cmp.Or(totals[i][y].Cmp(totals[i][x]), cmp.Compare(x, y)); order != 0 {
				return order
			}
		}
		return 0
	})
	return out
}

// sections are bars by one column under headings of another, all on one scale.
func (r reading) sections(rows [][]Value, head, by int) []string {
	var order []string
	parts := map[string][][]Value{}
	for _, row := range rows {
		label := r.Columns[head].label(row[head])
		if _, ok := parts[label]; !ok {
			order = append(order, label)
		}
		parts[label] = append(parts[label], row)
	}
	scale := r.scale(rows, by)
	var out []string
	for _, label := range order[:min(len(order), maxSections)] {
		out = append(out, fit(label, textColumns))
		out = append(out, r.bounded(parts[label], by, scale)...)
	}
	if rest := len(order) - maxSections; rest > 0 {
		out = append(out, fmt.Sprintf("… and %d more, with fewer %s", rest, r.Columns[r.of].title()))
	}
	return out
}

// lines are bars by one column.
func (r reading) lines(rows [][]Value, by int) []string {
	return append([]string{r.heading()}, r.bounded(rows, by, r.scale(rows, by))...)
}

// bounded draws the first bars, and says how many more there are.
func (r reading) bounded(rows [][]Value, by int, s scale) []string {
	var out []string
	for _, row := range rows[:min(len(rows), maxBars)] {
		out = append(out, s.bar(r.Columns[by].label(row[by]), row[r.of], r.Columns[r.of]))
	}
	if rest := len(rows) - len(out); rest > 0 {
		out = append(out, "… and "+counted(int64(rest), "more", "more"))
	}
	return out
}

// heading names the measure and its unit.
func (r reading) heading() string {
	return fit(r.Columns[r.of].titled(), textColumns)
}

// wrapped breaks a text into lines, at spaces where there are some.
func wrapped(s string) []string { return wrappedTo(s, textColumns) }

func wrappedTo(s string, columns int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(s) {
		for wide(word) > columns {
			cut := 0
			for i, r := range word {
				if wide(word[:i])+columnsOf(r) > columns {
					break
				}
				cut = i + len(string(r))
			}
			if line != "" {
				out, line = append(out, line), ""
			}
			out, word = append(out, word[:cut]), word[cut:]
		}
		switch {
		case line == "":
			line = word
		case wide(line)+1+wide(word) > columns:
			out, line = append(out, line), word
		default:
			line += " " + word
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}
