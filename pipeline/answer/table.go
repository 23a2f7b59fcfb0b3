package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Column is a column of an answer's rows and what is known of it. The zero value of
// all but the name is for what isn't known.
type Column struct {
	Name string
	// Title is what people call it, empty for its name.
	Title string
	// Kind is found out from the values.
	Kind Kind
	// Unit is what a measure counts in, such as USD.
	Unit string
	// Period is the calendar's unit (month) of which a moment is the beginning.
	Period string
	// Measure tells of a number that was computed of rows, Count that it is how many
	// there are. Additive ones may be added up over the rows.
	Measure, Count, Additive bool
	// Withheld columns are not shown to models.
	Withheld bool
}

// Kind is what the values of a column are.
type Kind byte

// Kinds.
const (
	Unknown Kind = iota
	Number
	Text
	Moment
	Truth
)

// Table is an answer's rows as they were gathered.
type Table struct {
	Columns []Column
	Rows    [][]Value
	// Count is how many rows the answer has, of which Rows may be the first only.
	Count int64
	// Cut tells that the answer has more rows than may be shown: Count is the most.
	Cut bool
	// Tied tells that a row was left out that ties with the last.
	Tied bool
}

// gathered is the JSON that a statement of ours gives for an answer's rows (package
// policy makes it): each row is an object whose keys are in the columns' order.
type gathered struct {
	Count int64             `json:"count"`
	Rows  []json.RawMessage `json:"rows"`
}

// ErrEncoding is what Read says of rows in another encoding than UTF-8, such as those of a
// session whose client_encoding is another.
var ErrEncoding = errors.New("read gathered rows: they are not UTF-8")

// Read takes gathered rows apart. Rows past limit are not there, and make the
// table cut; 0 is no limit.
func Read(text []byte, columns []Column, limit int64) (*Table, error) {
	var g gathered
	if !utf8.Valid(text) {
		return nil, ErrEncoding
	}
	if err := json.Unmarshal(text, &g); err != nil {
		return nil, fmt.Errorf("read gathered rows: %w", err)
	}
	t := &Table{Columns: append([]Column(nil), columns...), Count: g.Count}
	if limit > 0 && t.Count > limit {
		t.Count, t.Cut = limit, true
	}
	if int64(len(g.Rows)) > t.Count {
		g.Rows = g.Rows[:t.Count]
	}
	raw := make([][]json.RawMessage, len(g.Rows))
	for i, r := range g.Rows {
		var err error
		if raw[i], err = fields(r); err != nil {
			return nil, fmt.Errorf("read gathered row %d: %w", i+1, err)
		}
		if len(raw[i]) != len(columns) {
			return nil, fmt.Errorf("read gathered row %d: %d columns instead of %d", i+1, len(raw[i]), len(columns))
		}
	}
	t.Rows = make([][]Value, len(raw))
	for i := range raw {
		t.Rows[i] = make([]Value, len(columns))
	}
	for c := range t.Columns {
		t.column(c, raw)
		if col := &t.Columns[c]; strings.EqualFold(col.Unit, col.title()) { // orders are counted in orders
			col.Unit, col.Count = "", true
		}
	}
	return t, nil
}

// fields are an object's values in their order: names may come twice.
func fields(row json.RawMessage) ([]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(row))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, errors.New("a row is no object")
	}
	var out []json.RawMessage
	for d.More() {
		if _, err := d.Token(); err != nil {
			return nil, err
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows a row")
	}
	return out, nil
}

// Partial tells that Rows are only the first of the rows that may be shown.
func (t *Table) Partial() bool { return int64(len(t.Rows)) < t.Count }

// Without is the table without its withheld columns.
func (t *Table) Without() *Table {
	w := &Table{Count: t.Count, Cut: t.Cut, Tied: t.Tied, Rows: make([][]Value, len(t.Rows))}
	for c, col := range t.Columns {
		if col.Withheld {
			continue
		}
		w.Columns = append(w.Columns, col)
		for i, r := range t.Rows {
			w.Rows[i] = append(w.Rows[i], r[c])
		}
	}
	return w
}
