package answer

import (
	"fmt"
	"math/big"
	"strings"
	"time"
)

// maxGroups is how many groups are told of one by one.
const maxGroups = 5

// groups tells a measure by one category or two: all of them with their shares where
// they make up a whole, else the first and the last.
func (r reading) groups(about Told) []string {
	rows := largestFirst(r.numbers(r.of), r.of)
	if len(rows) == 0 {
		return r.listed()
	}
	of := r.Columns[r.of]
	whole := r.whole(rows) && !about.Limited
	head := headed(of.title()) + " by " + r.Columns[r.by].title()
	if r.also >= 0 {
		head += " and " + r.Columns[r.also].title()
	}
	out := []string{head + ": " + series(r.parts(rows, whole)) + "."}
	if len(rows) > maxGroups {
		out = r.largeAndSmall(head, rows, whole)
	}
	if whole {
		out = append(out, "All together: "+of.total(rows, r.of)+".")
	}
	return append(out, r.without(rows)...)
}

// without says of how many rows nothing could be told.
func (r reading) without(told [][]Value) []string {
	n := len(r.Rows) - len(told)
	if n == 0 {
		return nil
	}
	return []string{counted(int64(n), "row has", "rows have") + " no " + r.Columns[r.of].title() + "."}
}

// largeAndSmall tells the ends of a ranking, and how many are equal there.
func (r reading) largeAndSmall(head string, rows [][]Value, whole bool) []string {
	same := func(a, b []Value) bool { return a[r.of].Number.Cmp(b[r.of].Number) == 0 }
	of, last := r.Columns[r.of], rows[len(rows)-1]
	if same(rows[0], last) {
		return []string{fmt.Sprintf("%s: each of the %s has %s.", head, grouped(big.NewRat(int64(len(rows)), 1)), of.measured(last[r.of]))}
	}
	highest := fmt.Sprintf("the %d highest", maxListed)
	if same(rows[maxListed-1], rows[maxListed]) {
		highest = fmt.Sprintf("%d of the highest", maxListed)
	}
	out := []string{fmt.Sprintf("%s, %s of %s: %s.", head, highest, counted(int64(len(rows)), "row", "rows"), series(r.parts(rows, whole)[:maxListed]))}
	lowest := 0
	for _, row := range rows {
		if same(row, last) {
			lowest++
		}
	}
	if lowest > 1 {
		return append(out, fmt.Sprintf("The lowest, %s, is that of %d.", of.measured(last[r.of]), lowest))
	}
	return append(out, fmt.Sprintf("The lowest is %s with %s.", r.group(last), of.measured(last[r.of])))
}

// parts tell the first groups, with their shares of a whole.
func (r reading) parts(rows [][]Value, whole bool) []string {
	of := r.Columns[r.of]
	parted, shares := r.shares(rows)
	total := sum(rows, r.of)
	var out []string
	for _, row := range rows[:min(len(rows), maxGroups)] {
		part := r.group(row) + " " + of.measured(row[r.of])
		if shares {
			part = r.group(row) + " " + percent(row[r.of].Number, big.NewRat(parted, 1))
		}
		if whole {
			part += " (" + percent(row[r.of].Number, total) + ")"
		}
		out = append(out, part)
	}
	return out
}

// group is a row's category, or both.
func (r reading) group(row []Value) string {
	s := r.Columns[r.by].label(row[r.by])
	if r.also >= 0 {
		s += " / " + r.Columns[r.also].label(row[r.also])
	}
	return s
}

// label is a category's value; one that is missing is said to be.
func (c Column) label(v Value) string {
	if !v.Known && c.Kind == Truth {
		return "(unknown)"
	}
	if !v.Known {
		return "(no " + c.title() + ")"
	}
	if v.Number != nil { // a year
		return v.Text
	}
	if c.Period == "week" {
		return v.Time.Format(time.DateOnly)
	}
	return c.spell(v)
}

func (c Column) total(rows [][]Value, n int) string {
	return c.measured(Value{Number: sum(rows, n), Known: true})
}

// beside tells several measures of the rows where the first is largest.
func (r reading) beside() []string {
	if r.by < 0 {
		return r.listed()
	}
	var titles, parts []string
	for _, c := range r.measures {
		titles = append(titles, r.Columns[c].title())
	}
	told := r.sorted()[:min(len(r.Rows), maxGroups)]
	for _, row := range told {
		var values []string
		for _, c := range r.measures {
			values = append(values, r.Columns[c].counted(row[c]))
		}
		parts = append(parts, r.group(row)+" "+series(values))
	}
	head := headed(series(titles)) + " by " + r.Columns[r.by].title()
	if len(r.Rows) > len(told) {
		head += fmt.Sprintf(", the %d of %s with most %s", len(told), counted(r.Count, "row", "rows"), r.Columns[r.of].title())
	}
	return []string{head + ": " + strings.Join(parts, "; ") + "."}
}

// counted is a value with its unit, and with what it counts.
func (c Column) counted(v Value) string {
	switch {
	case !v.Known:
		return "no " + c.title()
	case c.Count && v.Number != nil && v.Number.Cmp(big.NewRat(1, 1)) != 0:
		return c.spell(v) + " " + c.title()
	}
	return c.measured(v)
}
