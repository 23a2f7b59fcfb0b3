package answer

import (
	"encoding/json"
	"slices"
	"strings"
)

// Chart is a Vega-Lite specification of an answer, with its rows inside, as JSON:
// moments make a line, categories sorted bars, two categories divided ones, two
// measures a scatter plot, shares a bar that is normalized, one number is a text, and
// what makes no picture a table. Qualifiers stand below the title.
func Chart(t *Table, about Told) ([]byte, error) {
	d := drawing{reading: read(t), names: map[int]bool{}}
	d.draw()
	limits := slices.Concat(t.missing(), d.left, d.unfinishedNow(about), about.Qualifiers)
	s := spec{Schema: vegaLite, Title: specTitle{Text: folded(headed(oneLine(about.Question))), Anchor: "start"}, Config: config,
		Usermeta: specMeta{Qualifiers: append([]string{}, about.Qualifiers...), Truncated: t.Cut || t.Partial()}}
	for _, l := range limits {
		s.Title.Subtitle = append(s.Title.Subtitle, folded(oneLine(l))...)
	}
	s.Data.Values, s.Width = d.values, d.width
	if len(d.views) == 1 {
		s.Mark, s.Encoding = &d.views[0].Mark, d.views[0].Encoding
	} else {
		s.Below = d.views
	}
	return json.Marshal(s)
}

// drawing is what becomes of a reading: views of values, and what is left out.
type drawing struct {
	reading
	fields []string
	values []map[string]any
	views  []view
	width  *specStep
	// names are the columns that are categories, left is what isn't drawn.
	names map[int]bool
	left  []string
}

// Bounds of a picture: bars of categories, and colours that can be told apart. Of more
// the largest are drawn.
const (
	maxDrawn   = 50
	maxColours = 12
)

func (d *drawing) draw() {
	d.fields = each(d.Columns, func(c Column) string { return fieldName(c.Name) })
	bar, line := specMark{Type: "bar", Tooltip: true}, specMark{Type: "line", Point: true, Tooltip: true}
	switch d.shape {
	case empty:
		d.text("no rows", map[string]any{"answer": nil})
		return
	case single:
		d.text(d.Columns[d.of].measured(d.Rows[0][d.of]), d.row(d.Rows[0]))
		return
	case timeline:
		d.view(line, map[string]*channel{"x": d.moments(), "y": d.measure(d.of)})
	case timelines:
		d.largest(d.by, maxColours)
		d.view(line, map[string]*channel{"x": d.moments(), "y": d.measure(d.of), "color": d.category(d.by)})
	case groups:
		d.largest(d.by, maxDrawn)
		d.view(bar, d.bars())
	case crossed:
		d.crossed(bar)
	case pairs:
		d.scatter()
	case courses:
		for _, c := range d.measures {
			d.view(line, map[string]*channel{"x": d.moments(), "y": d.measure(c)})
		}
	case several:
		d.largest(d.by, maxDrawn)
		for _, c := range d.measures {
			by := d.bar(d.by)
			by.Sort = specSort{Field: d.fields[d.of], Order: "descending"}
			d.view(bar, map[string]*channel{"x": d.measure(c), "y": by})
		}
	}
	if d.views == nil {
		d.table()
		return
	}
	for _, row := range d.Rows {
		d.values = append(d.values, d.row(row))
	}
}

func (d *drawing) view(m specMark, channels map[string]*channel) {
	d.views = append(d.views, view{Mark: m, Encoding: channels})
}

// text writes one value large. The mark needs a row.
func (d *drawing) text(s string, row map[string]any) {
	d.values = []map[string]any{row}
	d.view(specMark{Type: "text", Size: 48}, map[string]*channel{"text": {Value: s}})
}

// bars are one for each category, or one that is divided where they are shares.
func (d *drawing) bars() map[string]*channel {
	x, by := d.measure(d.of), d.bar(d.by)
	if _, ok := d.shares(d.numbers(d.of)); ok && len(d.Rows) <= maxColours {
		x.Stack, x.Axis = "normalize", specAxis{Format: ".0%"}
		return map[string]*channel{"x": x, "color": d.category(d.by)}
	}
	by.Sort = "-x"
	return map[string]*channel{"y": by, "x": x}
}

// crossed divides bars by the category that has fewer values: into parts where the measure
// adds up, else side by side. Where both have many, the rows are a table.
func (d *drawing) crossed(bar specMark) {
	by, also := d.by, d.also
	if d.different(also) > d.different(by) {
		by, also = also, by
	}
	if d.different(also) > maxColours {
		return
	}
	d.largest(by, maxDrawn)
	x, y := d.measure(d.of), d.bar(by)
	y.Sort = "-x"
	channels := map[string]*channel{"y": y, "x": x, "color": d.category(also)}
	switch {
	case d.unique(by): // a level and the one above it: each bar has one colour
	case d.Columns[d.of].Additive:
		x.Stack = "zero"
	default: // averages beside each other: one on top of another says nothing
		beside := d.category(also)
		beside.Untitled = true
		channels["yOffset"] = beside
	}
	d.view(bar, channels)
}

// scatter has a point for each row: few have their colours, of many it is told where
// the mouse is.
func (d *drawing) scatter() {
	channels := map[string]*channel{"x": d.measure(d.of), "y": d.measure(d.with)}
	switch {
	case d.by >= 0 && len(d.Rows) <= maxColours:
		channels["color"] = d.category(d.by)
	case d.by >= 0:
		channels["detail"] = d.category(d.by)
	}
	d.view(specMark{Type: "point", Filled: true, Area: 60, Tooltip: true}, channels)
}

// fieldName has no character by which Vega-Lite reaches into objects.
func fieldName(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`.[]\'"`, r) {
			return '_'
		}
		return r
	}, name)
	if name == "" {
		return "column"
	}
	return name
}
