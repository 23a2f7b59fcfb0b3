package answer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
)

// vegaLite is the version of the language that charts are written in.
const vegaLite = "https://vega.github.io/schema/vega-lite/v5.json"

// spec is the part of Vega-Lite that charts use. testdata/chart.schema.json
// describes it.
type spec struct {
	Schema   string              `json:"$schema"`
	Title    specTitle           `json:"title"`
	Data     specData            `json:"data"`
	Mark     specMark            `json:"mark"`
	Encoding map[string]*channel `json:"encoding"`
	Usermeta specMeta            `json:"usermeta"`
}

type specTitle struct {
	Text     string   `json:"text"`
	Subtitle []string `json:"subtitle,omitempty"`
}

type specData struct {
	Values []map[string]any `json:"values"`
}

type specMark struct {
	Type    string `json:"type"`
	Point   bool   `json:"point,omitempty"`
	Tooltip bool   `json:"tooltip,omitempty"`
	Size    int    `json:"fontSize,omitempty"`
}

// specMeta is not drawn: what the answer says of itself.
type specMeta struct {
	Qualifiers []string `json:"qualifiers"`
	Truncated  bool     `json:"truncated"`
}

// channel is one encoding channel: x, y, color, text or tooltip.
type channel struct {
	Field  string `json:"field"`
	Type   string `json:"type"` // quantitative, temporal, nominal
	Title  string `json:"title"`
	Sort   string `json:"sort,omitempty"`
	Stack  string `json:"stack,omitempty"`
	Unit   string `json:"timeUnit,omitempty"`
	Format string `json:"format,omitempty"`
}

// Chart is a Vega-Lite specification of an answer, with its rows inside, as JSON:
// moments make a line, categories sorted bars, two categories stacked ones, two
// measures a scatter plot, shares a bar that is normalized, and one number is a text.
// Qualifiers stand below the title.
func Chart(t *Table, about Told) ([]byte, error) {
	r := read(t)
	limits := append(t.missing(), about.Qualifiers...)
	s := spec{Schema: vegaLite, Title: specTitle{Text: headed(oneLine(about.Question)), Subtitle: limits},
		Usermeta: specMeta{Qualifiers: append([]string{}, about.Qualifiers...), Truncated: t.Cut || t.Partial()}}
	fields := r.names()
	s.Data.Values = r.data(fields)
	s.Mark, s.Encoding = r.drawn(fields)
	return json.Marshal(s)
}

// names are the columns' names as fields of the data, each once.
func (r reading) names() []string {
	taken := map[string]bool{}
	out := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		name := fieldName(c.Name)
		for n := 2; taken[name]; n++ {
			name = fieldName(c.Name) + "_" + strconv.Itoa(n)
		}
		taken[name] = true
		out[i] = name
	}
	return out
}

// fieldName has no character by which Vega-Lite reaches into objects.
func fieldName(name string) string {
	out := []rune(name)
	for i, c := range out {
		if c == '.' || c == '[' || c == ']' || c == '\\' || c == '\'' || c == '"' {
			out[i] = '_'
		}
	}
	if len(out) == 0 {
		return "column"
	}
	return string(out)
}

// data are the rows as objects. Numbers are as Postgres wrote them.
func (r reading) data(fields []string) []map[string]any {
	out := make([]map[string]any, len(r.Rows))
	for i, row := range r.Rows {
		out[i] = map[string]any{}
		for c, v := range row {
			switch {
			case !v.Known, r.Columns[c].Kind == Number && v.Number == nil:
				out[i][fields[c]] = nil
			case r.Columns[c].Kind == Number:
				out[i][fields[c]] = json.RawMessage(v.Text)
			case r.Columns[c].Kind == Moment:
				out[i][fields[c]] = r.Columns[c].wallClock(v)
			case r.Columns[c].Kind == Truth:
				out[i][fields[c]] = v.Text == "true"
			default:
				out[i][fields[c]] = v.Text
			}
		}
	}
	return out
}

// drawn are mark and channels.
func (r reading) drawn(fields []string) (specMark, map[string]*channel) {
	bar := specMark{Type: "bar", Tooltip: true}
	line := specMark{Type: "line", Point: true, Tooltip: true}
	of := func() *channel { return r.channel(r.of, fields) }
	switch r.shape {
	case single:
		value := of()
		value.Format = ",.12~g"
		return specMark{Type: "text", Size: 48}, map[string]*channel{"text": value}
	case timeline:
		return line, map[string]*channel{"x": r.channel(r.when, fields), "y": of()}
	case timelines:
		return line, map[string]*channel{"x": r.channel(r.when, fields), "y": of(), "color": r.channel(r.by, fields)}
	case groups:
		return bar, r.bars(fields)
	case crossed:
		x, y := of(), r.channel(r.by, fields)
		x.Stack, y.Sort = "zero", "-x"
		return bar, map[string]*channel{"y": y, "x": x, "color": r.channel(r.also, fields)}
	case pairs:
		channels := map[string]*channel{"x": of(), "y": r.channel(r.with, fields)}
		if r.by >= 0 {
			channels["tooltip"] = r.channel(r.by, fields)
		}
		return specMark{Type: "point", Tooltip: true}, channels
	}
	return r.table(fields)
}

// bars are one for each category, or one that is divided where they are shares.
func (r reading) bars(fields []string) map[string]*channel {
	x, by := r.channel(r.of, fields), r.channel(r.by, fields)
	if _, ok := r.shares(r.numbers(r.of)); ok {
		x.Stack = "normalize"
		return map[string]*channel{"x": x, "color": by}
	}
	by.Sort = "-x"
	return map[string]*channel{"y": by, "x": x}
}

// table writes rows that make no chart: the first column's values beside each other.
func (r reading) table(fields []string) (specMark, map[string]*channel) {
	if len(r.Rows) == 0 {
		return specMark{Type: "text", Size: 20}, map[string]*channel{}
	}
	text := r.channel(len(fields)-1, fields)
	channels := map[string]*channel{"text": text}
	if len(fields) > 1 {
		channels["y"] = r.channel(0, fields)
	}
	return specMark{Type: "text", Size: 14}, channels
}

// channel describes a column.
func (r reading) channel(c int, fields []string) *channel {
	col := r.Columns[c]
	out := &channel{Field: fields[c], Type: "nominal", Title: headed(col.title())}
	switch {
	case col.Kind == Moment:
		out.Type, out.Unit = "temporal", cmp.Or(units[col.Period], "utcyearmonthdatehoursminutesseconds")
	case col.Kind == Number && (c == r.of || c == r.with):
		out.Type = "quantitative"
		if col.Unit != "" {
			out.Title = fmt.Sprintf("%s (%s)", out.Title, col.Unit)
		}
	}
	return out
}

// wallClock is a moment as the session's clock shows it, written as UTC's: whoever
// draws the chart may live in another time zone.
func (c Column) wallClock(v Value) string {
	if units[c.Period] != "" && c.Period != "hour" {
		return v.Time.Format("2006-01-02")
	}
	return v.Time.Format("2006-01-02T15:04:05.999999") + "Z"
}

// units are Vega-Lite's for the periods, of UTC, as wallClock is.
var units = map[string]string{"year": "utcyear", "quarter": "utcyearquarter", "month": "utcyearmonth", "week": "utcyearmonthdate", "day": "utcyearmonthdate",
	"hour": "utcyearmonthdatehours"}
