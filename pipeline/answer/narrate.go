package answer

import (
	"fmt"
	"math/big"
	"strings"
	"time"
)

// Told is what has to be told besides the rows, word for word.
type Told struct {
	Question   string
	Qualifiers []string
	// Limited tells that the question asked for a number of rows only.
	Limited bool
	// Today tells which period isn't over; the zero time for not knowing.
	Today time.Time
}

// Narrate tells an answer in words, without a model. Each sentence that limits it
// stands in a line of its own behind it.
func Narrate(t *Table, about Told) string {
	return strings.Join(append([]string{strings.Join(sentences(t, about), " ")}, notes(t, about)...), "\n")
}

// sentences tell the rows.
func sentences(t *Table, about Told) []string {
	r := read(t)
	switch r.shape {
	case empty:
		return []string{"No rows answer the question."}
	case single:
		return []string{r.number()}
	case record:
		return []string{"One row: " + r.fields(t.Rows[0]) + "."}
	case timeline:
		return r.timeline(about)
	case timelines:
		return r.timelines(about)
	case groups, crossed:
		return r.groups(about)
	case courses:
		return r.courses(about)
	case pairs, several:
		return r.beside()
	}
	return r.listed()
}

// notes say what limits the answer: rows that are missing, and every qualifier.
func notes(t *Table, about Told) []string {
	var out []string
	for _, n := range append(t.missing(), about.Qualifiers...) {
		out = append(out, "Note: "+n)
	}
	return out
}

// missing says that rows of the answer aren't told of.
func (t *Table) missing() []string {
	var out []string
	if t.Cut {
		out = append(out, fmt.Sprintf("result truncated at %d rows; there are more, which none of this takes into account", t.Count))
	}
	if t.Tied {
		out = append(out, Tied(t.Count))
	}
	if t.Partial() {
		out = append(out, fmt.Sprintf("told from the first %d of %d rows", len(t.Rows), t.Count))
	}
	return out
}

// number tells an answer that is one number.
func (r reading) number() string {
	c, v := r.Columns[r.of], r.Rows[0][r.of]
	switch {
	case !v.Known:
		return fmt.Sprintf("%s has no value: there is nothing to compute it from.", headed(c.title()))
	case c.Count && v.Number != nil && v.Number.Cmp(big.NewRat(1, 1)) == 0:
		return fmt.Sprintf("%s: 1.", headed(c.title()))
	case c.Count && v.Number != nil:
		return fmt.Sprintf("There are %s %s.", c.spell(v), c.title())
	}
	return fmt.Sprintf("%s is %s.", headed(c.title()), c.measured(v))
}

// fields are a row's values with their names.
func (r reading) fields(row []Value) string {
	var parts []string
	for i, c := range r.Columns {
		if part := c.title() + " " + c.measured(row[i]); row[i].Known {
			parts = append(parts, part)
		} else {
			parts = append(parts, "no "+c.title())
		}
	}
	return series(parts)
}

// maxListed is how many rows of a table are told of.
const maxListed = 3

// listed tells the first rows of what has no shape of its own.
func (r reading) listed() []string {
	var names []string
	for _, c := range r.Columns {
		names = append(names, c.title())
	}
	if len(r.Columns) == 1 {
		return []string{r.values()}
	}
	out := []string{fmt.Sprintf("%s of %s.", counted(r.Count, "row", "rows"), series(names))}
	for i, row := range r.Rows[:min(len(r.Rows), maxListed)] {
		out = append(out, []string{"The first: ", "The second: ", "The third: "}[i]+r.fields(row)+".")
	}
	return out
}

// maxNamed is how many values of a list are told.
const maxNamed = 10

// values tells a list of one column.
func (r reading) values() string {
	var parts []string
	for _, row := range r.Rows[:min(len(r.Rows), maxNamed)] {
		parts = append(parts, r.Columns[0].spell(row[0]))
	}
	title := r.Columns[0].title()
	if rest := r.Count - int64(len(parts)); rest > 0 {
		return fmt.Sprintf("%s, %s: %s, and %s more.", headed(title), counted(r.Count, "row", "rows"), strings.Join(parts, ", "), grouped(big.NewRat(rest, 1)))
	}
	return fmt.Sprintf("%s, %s: %s.", headed(title), counted(r.Count, "row", "rows"), series(parts))
}
