package demo

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
)

// shownRows is how many rows of a result the tour prints.
const shownRows = 8

// wideColumns is how many columns a single row may have to be printed as a
// table.
const wideColumns = 6

// printer writes the tour, with colours where they are wanted.
type printer struct {
	w     io.Writer
	color bool
}

func (p printer) paint(code, text string) string {
	if !p.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p printer) say(text string) { fmt.Fprintf(p.w, "\n%s\n", p.paint("1", text)) }

// statement prints what is sent, with the prompt of psql and the user's name.
func (p printer) statement(user, sql string) {
	fmt.Fprintf(p.w, "%s %s\n", p.paint("36", user+"=>"), sql+";")
}

func (p printer) notice(n *pgconn.Notice) {
	fmt.Fprintf(p.w, "%s  %s\n", p.paint("33", n.Severity+":"), n.Message)
}

func (p printer) refusal(err error) {
	coded, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		fmt.Fprintln(p.w, p.paint("31", err.Error()))
		return
	}
	fmt.Fprintf(p.w, "%s  %s: %s\n", p.paint("31", coded.Severity+":"), coded.Code, coded.Message)
	if coded.Detail != "" {
		fmt.Fprintf(p.w, "DETAIL:  %s\n", coded.Detail)
	}
	if coded.Hint != "" {
		fmt.Fprintf(p.w, "HINT:  %s\n", coded.Hint)
	}
}

// failure says that a step was not as expected.
func (p printer) failure(reason string) { fmt.Fprintln(p.w, p.paint("1;31", "FAILED: "+reason)) }

// result prints rows as psql does. A single value of several lines, such as
// the SQL of an answer, is printed as it is.
func (p printer) result(r rows) {
	if len(r.values) == 1 && len(r.values[0]) > 0 && r.values[0][0] != nil && strings.Contains(*r.values[0][0], "\n") {
		fmt.Fprintln(p.w, p.paint("32", *r.values[0][0]))
		return
	}
	if len(r.values) == 1 && len(r.columns) > wideColumns {
		p.expanded(r.columns, r.values[0])
		return
	}
	shown := r.values[:min(shownRows, len(r.values))]
	widths := make([]int, len(r.columns))
	for i, name := range r.columns {
		widths[i] = utf8.RuneCountInString(name)
		for _, row := range shown {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell(row[i])))
		}
	}
	p.header(r.columns, widths)
	for _, row := range shown {
		p.row(row, widths)
	}
	fmt.Fprintln(p.w, rowCount(len(shown), len(r.values)))
}

// expanded prints a row with many columns as one line for each.
func (p printer) expanded(columns []string, values []*string) {
	width := 0
	for _, name := range columns {
		width = max(width, utf8.RuneCountInString(name))
	}
	for i, name := range columns {
		fmt.Fprintln(p.w, strings.TrimRight(p.paint("1", pad(name, width))+" | "+cell(values[i]), " "))
	}
}

func (p printer) header(columns []string, widths []int) {
	names, lines := make([]string, len(columns)), make([]string, len(columns))
	for i, name := range columns {
		left := (widths[i] - utf8.RuneCountInString(name)) / 2
		names[i] = " " + p.paint("1", pad(strings.Repeat(" ", left)+name, widths[i])) + " "
		lines[i] = strings.Repeat("-", widths[i]+2)
	}
	fmt.Fprintln(p.w, strings.Join(names, "|"))
	fmt.Fprintln(p.w, strings.Join(lines, "+"))
}

func (p printer) row(values []*string, widths []int) {
	cells := make([]string, len(values))
	for i, v := range values {
		text := pad(cell(v), widths[i])
		if number.MatchString(cell(v)) {
			text = fmt.Sprintf("%*s", widths[i], cell(v))
		}
		cells[i] = " " + text + " "
	}
	fmt.Fprintln(p.w, strings.TrimRight(strings.Join(cells, "|"), " "))
}

// number is what is aligned to the right.
var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// cell is a value as it is printed: NULL is empty, and long text is cut.
func cell(v *string) string {
	if v == nil {
		return ""
	}
	const width = 60
	text := strings.Join(strings.Fields(*v), " ")
	if utf8.RuneCountInString(text) > width {
		text = string([]rune(text)[:width-1]) + "…"
	}
	return text
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

func rowCount(shown, all int) string {
	switch {
	case all == 1:
		return "(1 row)"
	case shown < all:
		return fmt.Sprintf("(%d rows, the first %d shown)", all, shown)
	default:
		return fmt.Sprintf("(%d rows)", all)
	}
}
