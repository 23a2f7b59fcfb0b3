package answer

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
)

// timeline tells a measure over time: from where to where, the change, the highest
// and the lowest.
func (r reading) timeline(about Told) []string {
	rows := inOrder(r.numbers(r.of), r.when)
	if len(rows) == 0 {
		return r.listed()
	}
	of, when := r.Columns[r.of], r.Columns[r.when]
	out := []string{headed(of.title()) + " " + r.course(rows) + "."}
	if len(rows) == 1 {
		out = []string{fmt.Sprintf("%s %s is %s.", headed(of.title()), when.since(rows[0][r.when]), of.measured(rows[0][r.of]))}
	}
	if len(rows) > 2 {
		out = append(out, r.extremes(rows)...)
	}
	if r.whole(rows) {
		out = append(out, "All together: "+of.total(rows, r.of)+".")
	}
	return slices.Concat(out, r.without(rows), r.unfinished(rows, about.Today))
}

// extremes are the highest and the lowest value of rows in their order, as far as they
// aren't the ends, which have been told.
func (r reading) extremes(rows [][]Value) []string {
	of, when := r.Columns[r.of], r.Columns[r.when]
	sorted := largestFirst(rows, r.of)
	high, low, first, last := sorted[0][r.of].Number, sorted[len(sorted)-1][r.of].Number, rows[0][r.of].Number, rows[len(rows)-1][r.of].Number
	if high.Cmp(low) == 0 {
		return nil
	}
	at := func(row []Value) string { return of.measured(row[r.of]) + " " + when.since(row[r.when]) }
	highest, lowest := at(sorted[0]), at(sorted[len(sorted)-1])
	switch all := counted(int64(len(rows)), "value", "values"); {
	case last.Cmp(high) == 0 && first.Cmp(low) == 0:
		return []string{fmt.Sprintf("These are the lowest and the highest of %s.", all)}
	case last.Cmp(low) == 0 && first.Cmp(high) == 0:
		return []string{fmt.Sprintf("These are the highest and the lowest of %s.", all)}
	case last.Cmp(high) == 0:
		return []string{fmt.Sprintf("That is the highest of %s; the lowest was %s.", all, lowest)}
	case last.Cmp(low) == 0:
		return []string{fmt.Sprintf("That is the lowest of %s; the highest was %s.", all, highest)}
	default:
		return []string{fmt.Sprintf("The highest of %s was %s, the lowest %s.", all, highest, lowest)}
	}
}

// courses tells several measures over time.
func (r reading) courses(about Told) []string {
	var out []string
	for _, c := range r.measures {
		m := r.about(c)
		if rows := inOrder(r.numbers(c), r.when); len(rows) > 1 {
			out = append(out, headed(r.Columns[c].title())+" "+m.course(rows)+".")
		} else {
			out = append(out, headed(r.Columns[c].title())+" has too few values to have a course.")
		}
	}
	return append(out, r.unfinished(inOrder(r.Rows, r.when), about.Today)...)
}

// timelines tells a measure over time by category: the course of the largest at the
// end.
func (r reading) timelines(about Told) []string {
	rows := inOrder(r.numbers(r.of), r.when)
	var lines [][][]Value
	for _, row := range rows {
		i := slices.IndexFunc(lines, func(l [][]Value) bool { return l[0][r.by] == row[r.by] })
		if i < 0 {
			i, lines = len(lines), append(lines, nil)
		}
		lines[i] = append(lines[i], row)
	}
	lines = slices.DeleteFunc(lines, func(l [][]Value) bool { return len(l) < 2 })
	if len(lines) == 0 {
		return r.listed()
	}
	last := func(l [][]Value) *big.Rat { return l[len(l)-1][r.of].Number }
	slices.SortStableFunc(lines, func(a, b [][]Value) int { return last(b).Cmp(last(a)) })
	head := fmt.Sprintf("%s by %s and %s", headed(r.Columns[r.of].title()), r.Columns[r.when].title(), r.Columns[r.by].title())
	if len(lines) > maxListed {
		head += fmt.Sprintf(", the %d of %d that end highest", maxListed, len(lines))
	}
	var told []string
	for _, l := range lines[:min(len(lines), maxListed)] {
		told = append(told, r.Columns[r.by].label(l[0][r.by])+" "+r.course(l))
	}
	return append([]string{head + ": " + strings.Join(told, "; ") + "."}, r.unfinished(rows, about.Today)...)
}

// course is from where to where rows in their order lead, and the change.
func (r reading) course(rows [][]Value) string {
	of, when := r.Columns[r.of], r.Columns[r.when]
	first, last := rows[0], rows[len(rows)-1]
	return fmt.Sprintf("%s from %s %s to %s %s%s", moved(first[r.of].Number, last[r.of].Number), of.measured(first[r.of]),
		when.since(first[r.when]), of.measured(last[r.of]), when.since(last[r.when]), of.change(first[r.of], last[r.of]))
}

func moved(from, to *big.Rat) string {
	switch from.Cmp(to) {
	case -1:
		return "rose"
	case 1:
		return "fell"
	}
	return "stayed the same,"
}

// change is how much a measure has changed, and by which part where that means
// something.
func (c Column) change(from, to Value) string {
	by := new(big.Rat).Sub(to.Number, from.Number)
	if by.Sign() == 0 {
		return ""
	}
	s := ", by " + c.measured(Value{Number: by.Abs(by), Known: true})
	if from.Number.Sign() > 0 && to.Number.Sign() >= 0 {
		s += " (" + percent(by, from.Number) + ")"
	}
	return s
}

// unfinished says that the last period goes on.
func (r reading) unfinished(rows [][]Value, today time.Time) []string {
	c, at := r.Columns[r.when], rows[len(rows)-1][r.when].Time
	var end time.Time
	switch c.Period {
	case "year":
		end = at.AddDate(1, 0, 0)
	case "quarter":
		end = at.AddDate(0, 3, 0)
	case "month":
		end = at.AddDate(0, 1, 0)
	case "week":
		end = at.AddDate(0, 0, 7)
	}
	date := time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, at.Location())
	if today.IsZero() || date.Before(at) || !date.AddDate(0, 0, 1).Before(end) {
		return nil
	}
	return []string{headed(c.when(at)) + " is not over yet."}
}
