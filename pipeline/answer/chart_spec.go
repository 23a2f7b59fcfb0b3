package answer

import (
	"cmp"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// vegaLite is the version of the language that charts are written in.
const vegaLite = "https://vega.github.io/schema/vega-lite/v5.json"

// spec is the part of Vega-Lite that charts use. testdata/chart.schema.json
// describes it, and integration TestVegaLite has Vega-Lite itself compile it.
type spec struct {
	Schema   string              `json:"$schema"`
	Title    specTitle           `json:"title"`
	Config   specConfig          `json:"config"`
	Width    *specStep           `json:"width,omitempty"`
	Data     specData            `json:"data"`
	Mark     *specMark           `json:"mark,omitempty"`
	Encoding map[string]*channel `json:"encoding,omitempty"`
	// Below are several views, one below the other, in the place of mark and encoding.
	Below    []view   `json:"vconcat,omitempty"`
	Usermeta specMeta `json:"usermeta"`
}

type view struct {
	Mark     specMark            `json:"mark"`
	Encoding map[string]*channel `json:"encoding"`
}

// specTitle has lines, which Vega-Lite doesn't break by itself.
type specTitle struct {
	Text     []string `json:"text"`
	Subtitle []string `json:"subtitle,omitempty"`
	Anchor   string   `json:"anchor"`
}

// specConfig is how large a picture is where no categories decide that.
type specConfig struct {
	Axis struct {
		Limit int `json:"labelLimit"`
	} `json:"axis"`
	View struct {
		Width  int `json:"continuousWidth"`
		Height int `json:"continuousHeight"`
	} `json:"view"`
}

var config = func() (c specConfig) {
	c.Axis.Limit, c.View.Width, c.View.Height = 240, 520, 260
	return c
}()

// titleColumns is how many characters of a title are as wide as that.
const titleColumns = 84

type specStep struct {
	Step int `json:"step"`
}

type specData struct {
	Values []map[string]any `json:"values"`
}

type specMark struct {
	Type    string `json:"type"`
	Point   bool   `json:"point,omitempty"`
	Filled  bool   `json:"filled,omitempty"`
	Tooltip bool   `json:"tooltip,omitempty"`
	Size    int    `json:"fontSize,omitempty"`
	Area    int    `json:"size,omitempty"`
	Align   string `json:"align,omitempty"`
	Limit   int    `json:"limit,omitempty"`
	DX      int    `json:"dx,omitempty"`
}

// specMeta is not drawn: what the answer says of itself.
type specMeta struct {
	Qualifiers []string `json:"qualifiers"`
	Truncated  bool     `json:"truncated"`
}

// channel is one encoding channel: x, y, color, detail or text.
type channel struct {
	Field string `json:"field,omitempty"`
	Type  string `json:"type,omitempty"`  // quantitative, temporal, nominal, ordinal
	Title string `json:"title,omitempty"` // and an axis' or legend's
	Value string `json:"value,omitempty"`
	// Untitled channels have no title, where Vega-Lite would take the field's name.
	Untitled bool `json:"-"`
	// Sort is "-x", a specSort, or null for the order of the data; Axis a specAxis, or
	// null for none.
	Sort  any    `json:"sort,omitempty"`
	Axis  any    `json:"axis,omitempty"`
	Stack string `json:"stack,omitempty"`
	Unit  string `json:"timeUnit,omitempty"`
}

// MarshalJSON writes a title that is null for none.
func (c channel) MarshalJSON() ([]byte, error) {
	type plain channel
	if !c.Untitled {
		return json.Marshal(plain(c))
	}
	return json.Marshal(struct {
		plain
		Title any `json:"title"`
	}{plain(c), nil})
}

type specSort struct {
	Field string `json:"field"`
	Order string `json:"order"`
}

type specAxis struct {
	Format string `json:"format,omitempty"`
	Count  int    `json:"tickCount,omitempty"`
	Orient string `json:"orient,omitempty"`
	Angle  *int   `json:"labelAngle,omitempty"`
	Align  string `json:"labelAlign,omitempty"`
	Limit  int    `json:"labelLimit,omitempty"`
	Offset int    `json:"labelOffset,omitempty"`
	Ticks  *bool  `json:"ticks,omitempty"`
	specAxisTitle
}

// specAxisTitle writes the title of a vertical axis above it, not along it, where it may
// be longer than a few bars are high.
type specAxisTitle struct {
	Angle *int   `json:"titleAngle,omitempty"`
	Align string `json:"titleAlign,omitempty"`
	X     int    `json:"titleX,omitempty"`
	Y     int    `json:"titleY,omitempty"`
}

// none is what is said to be absent.
var none = json.RawMessage("null")

// measure, category and moments are channels of columns.
func (d *drawing) measure(c int) *channel {
	axis := specAxis{Format: ",.12~g"}
	if d.Columns[c].Unit == "USD" {
		axis.Format = "$" + axis.Format
	}
	axis.Count = few(d.numbers(c), c)
	return &channel{Field: d.fields[c], Type: "quantitative", Title: d.Columns[c].heading(), Axis: axis}
}

// maxTicks is how many ticks an axis has at most for Vega-Lite to choose.
const maxTicks = 12

// few is the number of ticks for small whole numbers, which would get some between them
// by themselves; 0 for others.
func few(rows [][]Value, c int) int {
	if len(rows) == 0 || !allWhole(rows, c) {
		return 0
	}
	least, most := new(big.Rat), new(big.Rat)
	for _, r := range rows {
		least, most = lesser(least, r[c].Number), greater(most, r[c].Number)
	}
	if span := new(big.Rat).Sub(most, least); span.Sign() > 0 && span.Cmp(big.NewRat(maxTicks, 1)) < 0 {
		return int(span.Num().Int64())
	}
	return 0
}

// bar is the category of bars that lie one below the other.
func (d *drawing) bar(c int) *channel {
	ch, zero := d.category(c), 0
	ch.Axis = specAxis{specAxisTitle: specAxisTitle{Angle: &zero, Align: "right", X: -7, Y: -7}}
	return ch
}

// heading is a title of a channel, with its unit. Vega-Lite writes it into the expression of a tooltip,
// where it would take a backslash for an escape.
func (c Column) heading() string {
	return strings.ReplaceAll(headed(oneLine(c.titled())), `\`, "/")
}

func (d *drawing) category(c int) *channel {
	d.names[c] = true
	return &channel{Field: d.fields[c], Type: "nominal", Title: d.Columns[c].heading()}
}

func (d *drawing) moments() *channel {
	col := d.Columns[d.when]
	return &channel{Field: d.fields[d.when], Type: "temporal", Title: col.heading(), Unit: cmp.Or(units[col.Period], "utcyearmonthdatehoursminutesseconds")}
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

// each names every column differently.
func each(columns []Column, name func(Column) string) []string {
	taken := map[string]bool{}
	out := make([]string, len(columns))
	for i, c := range columns {
		first := name(c)
		s := first
		for n := 2; taken[s]; n++ {
			s = first + "_" + strconv.Itoa(n)
		}
		taken[s], out[i] = true, s
	}
	return out
}
