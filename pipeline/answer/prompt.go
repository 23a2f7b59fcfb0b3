package answer

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Bounds of what a model is told of an answer: rows, and bytes of them.
const (
	promptRows  = 60
	promptBytes = 12 << 10
)

// Prompt is what a model is told of an answer: the columns, the first rows with the
// sums of what may be added up, and the notes. Withheld columns aren't in it; ok is
// false where nothing is left.
func Prompt(t *Table, about Told) (columns, rows, limits []string, ok bool) {
	shown := t.Without()
	if len(shown.Columns) == 0 || len(shown.Rows) == 0 {
		return nil, nil, nil, false
	}
	for _, c := range shown.Columns {
		columns = append(columns, c.describe())
	}
	for _, n := range notes(t, about) {
		limits = append(limits, oneLine(n))
	}
	return columns, shown.lines(), limits, true
}

// describe is a column in one line.
func (c Column) describe() string {
	parts := []string{c.title()}
	if c.Unit != "" {
		parts = append(parts, "in "+c.Unit)
	}
	if c.Period != "" && c.Kind == Moment {
		parts = append(parts, "one "+c.Period+" each")
	}
	if c.Measure {
		parts = append(parts, "computed")
	}
	return strings.Join(parts, ", ")
}

// lines are the rows, each a line of JSON, so that none looks like another part of the
// prompt.
func (t *Table) lines() []string {
	var out []string
	size := 0
	for _, r := range t.Rows[:min(len(t.Rows), promptRows)] {
		values := make([]any, len(r))
		for i, v := range r {
			values[i] = t.promptValue(i, v)
		}
		line, _ := json.Marshal(values) // texts and numbers always encode
		if size += len(line); size > promptBytes {
			break
		}
		out = append(out, string(line))
	}
	if rest := t.Count - int64(len(out)); rest > 0 {
		out = append(out, fmt.Sprintf("(and %d more rows, of %d)", rest, t.Count))
	}
	for i, c := range t.Columns {
		if rows := t.numbers(i); c.Additive && len(rows) > 1 && !t.Partial() {
			out = append(out, fmt.Sprintf("(all %d together: %s %s)", len(rows), c.title(), c.total(rows, i)))
		}
	}
	return out
}

// promptValue is a value in a row: a number in full.
func (t *Table) promptValue(c int, v Value) any {
	switch {
	case !v.Known:
		return nil
	case v.Number != nil:
		return json.RawMessage(v.Text)
	}
	return t.Columns[c].spell(v)
}
