package answer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// row is a row as an object of the data.
func (d *drawing) row(row []Value) map[string]any {
	out := map[string]any{}
	for c, v := range row {
		out[d.fields[c]] = d.datum(c, v)
	}
	return out
}

// datum is a value of the data. Numbers are as Postgres wrote them; categories are as
// people read them, since that is what stands beside a bar.
func (d *drawing) datum(c int, v Value) any {
	col := d.Columns[c]
	switch {
	case d.names[c] || col.Kind == Text || col.Kind == Truth:
		return col.named(v)
	case !v.Known, col.Kind == Number && v.Number == nil:
		return nil
	case col.Kind == Moment:
		return col.wallClock(v)
	}
	return json.RawMessage(v.Text)
}

// named is a category's value in full.
func (c Column) named(v Value) string {
	if c.Kind == Text && v.Known {
		return oneLine(v.Text)
	}
	return c.label(v)
}

// largest leaves only the rows of the categories whose totals are largest.
func (d *drawing) largest(by, most int) {
	totals := map[string]*big.Rat{}
	for _, r := range d.Rows {
		name := d.Columns[by].named(r[by])
		if totals[name] == nil {
			totals[name] = new(big.Rat)
		}
		if n := r[d.of].Number; n != nil {
			totals[name].Add(totals[name], n)
		}
	}
	if len(totals) <= most {
		return
	}
	names := slices.SortedFunc(maps.Keys(totals), func(a, b string) int { return cmp.Or(totals[b].Cmp(totals[a]), cmp.Compare(a, b)) })
	for _, name := range names[most:] {
		delete(totals, name)
	}
	t := *d.Table
	t.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(r []Value) bool { return totals[d.Columns[by].named(r[by])] == nil })
	d.Table = &t
	d.left = append(d.left, fmt.Sprintf("only the %d of %s with most %s are drawn", most, grouped(big.NewRat(int64(len(names)), 1)), d.Columns[d.of].title()))
}

// Bounds of a table that is drawn: columns, and how wide all of them are, and each at
// most, in pixels.
const (
	maxColumns  = 8
	tableWidth  = 960
	columnWidth = 300
)

// table writes rows that make no picture: each of its cells is a row of the data.
func (d *drawing) table() {
	rows, columns := d.Rows[:min(len(d.Rows), maxLines)], d.Columns[:min(len(d.Columns), maxColumns)]
	names := each(columns, func(c Column) string { return headed(c.titled()) })
	for i, row := range rows {
		for c, col := range columns {
			d.values = append(d.values, map[string]any{"row": i + 1, "column": names[c], "value": figure(col, row[c])})
		}
	}
	if len(rows) < len(d.Rows) {
		d.left = append(d.left, fmt.Sprintf("only the first %d of %s rows are drawn", len(rows), grouped(big.NewRat(int64(len(d.Rows)), 1))))
	}
	if n := len(d.Columns) - len(columns); n > 0 {
		d.left = append(d.left, "without "+counted(int64(n), "more column", "more columns"))
	}
	zero, no := 0, false
	width := min(columnWidth, tableWidth/max(1, len(columns)))
	left := 4 - width/2 // of a column's middle
	head := specAxis{Orient: "top", Angle: &zero, Align: "left", Offset: left, Limit: width - 8, Ticks: &no}
	d.width = &specStep{width}
	d.view(specMark{Type: "text", Align: "left", Limit: width - 8, DX: left}, map[string]*channel{
		"x":    {Field: "column", Type: "nominal", Sort: none, Axis: head, Untitled: true},
		"y":    {Field: "row", Type: "ordinal", Axis: none},
		"text": {Field: "value", Type: "nominal"},
	})
}

// unfinishedNow says of a picture over time that its last period goes on.
func (r reading) unfinishedNow(about Told) []string {
	if r.when < 0 || len(r.Rows) == 0 {
		return nil
	}
	var out []string
	for _, s := range r.unfinished(inOrder(r.Rows, r.when), about.Today) {
		out = append(out, strings.TrimSuffix(s, "."))
	}
	return out
}

// folded breaks a title into lines.
func folded(s string) []string {
	if out := wrappedTo(s, titleColumns); out != nil {
		return out
	}
	return []string{""}
}
