package answer

import (
	"fmt"
	"math/big"
	"strings"
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
	told := rows[:min(len(rows), maxGroups)]
	if len(rows) > maxGroups {
		told = rows[:maxListed]
	}
	var parts []string
	parted, shares := r.shares(rows)
	for _, row := range told {
		part := r.group(row) + " " + of.measured(row[r.of])
		if shares {
			part = r.group(row) + " " + percent(row[r.of].Number, big.NewRat(parted, 1))
		}
		if whole {
			part += " (" + percent(row[r.of].Number, sum(rows, r.of)) + ")"
		}
		parts = append(parts, part)
	}
	head := headed(of.title()) + " by " + r.Columns[r.by].title()
	if r.also >= 0 {
		head += " and " + r.Columns[r.also].title()
	}
	out := []string{head + ": " + series(parts) + "."}
	if len(rows) > maxGroups {
		last := rows[len(rows)-1]
		out = []string{fmt.Sprintf("%s, the highest of %s: %s.", head, counted(int64(len(rows)), "row", "rows"), series(parts)),
			fmt.Sprintf("The lowest is %s with %s.", r.group(last), of.measured(last[r.of]))}
	}
	if whole {
		out = append(out, "All together: "+of.total(rows, r.of)+".")
	}
	if n := len(r.Rows) - len(rows); n > 0 {
		out = append(out, counted(int64(n), "row has", "rows have")+" no "+of.title()+".")
	}
	return out
}

// group is a row's category, or both.
func (r reading) group(row []Value) string {
	s := r.Columns[r.by].label(row[r.by])
	if r.also >= 0 {
		s += " " + r.Columns[r.also].label(row[r.also])
	}
	return s
}

// label is a category's value; one that is missing is said to be.
func (c Column) label(v Value) string {
	if !v.Known {
		return "(no " + c.title() + ")"
	}
	if v.Number != nil { // a year
		return v.Text
	}
	return c.spell(v)
}

func (c Column) total(rows [][]Value, n int) string {
	return c.measured(Value{Number: sum(rows, n), Known: true})
}

// pairs tells two measures of the rows where the first is largest.
func (r reading) pairs() []string {
	if r.by < 0 {
		return r.listed()
	}
	a, b := r.Columns[r.of], r.Columns[r.with]
	told := r.sorted()[:min(len(r.Rows), maxGroups)]
	var parts []string
	for _, row := range told {
		parts = append(parts, fmt.Sprintf("%s %s and %s", r.group(row), a.measured(row[r.of]), b.measured(row[r.with])))
	}
	head := fmt.Sprintf("%s and %s by %s", headed(a.title()), b.title(), r.Columns[r.by].title())
	if rest := len(r.Rows) - len(told); rest > 0 {
		return []string{fmt.Sprintf("%s, the highest %d of %s: %s.", head, len(told), counted(r.Count, "row", "rows"), strings.Join(parts, ", "))}
	}
	return []string{head + ": " + strings.Join(parts, ", ") + "."}
}
