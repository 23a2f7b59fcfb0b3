package answer

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Value is one value of a row. The zero Value is null.
type Value struct {
	// Text is how Postgres writes it in JSON, without the quotes of a string.
	Text string
	// Number is set where it is a finite number, Time where it is a moment.
	Number *big.Rat
	Time   time.Time
	Known  bool // it isn't null
}

// maxDigits is the longest number that is computed with, and the largest exponent of
// one: a column of JSON may hold 1e999999, of which that many digits would be made.
const maxDigits = 400

// layouts are how Postgres writes moments in JSON (ISO 8601), whatever DateStyle is.
var layouts = []string{"2006-01-02", "2006-01-02T15:04:05.999999", "2006-01-02T15:04:05.999999Z07:00"}

// column fills in the values of a column, and finds out what they are.
func (t *Table) column(c int, raw [][]json.RawMessage) {
	col := &t.Columns[c]
	kinds := map[Kind]int{}
	for i, r := range raw {
		v, kind := value(r[c])
		t.Rows[i][c] = v
		if v.Known {
			kinds[kind]++
		}
	}
	kind := Text
	for k := range kinds {
		kind = k
	}
	if len(kinds) > 1 {
		kind = Text
	}
	if kinds[Number] > 0 && kinds[Number]+notFinite(t.Rows, c) == kinds[Number]+kinds[Text] && kinds[Moment]+kinds[Truth] == 0 {
		kind = Number
	}
	if len(kinds) == 0 && col.Measure {
		kind = Number
	}
	col.Kind = kind
	if col.Kind == Moment && col.Period == "" {
		col.Period = period(t.Rows, c)
	}
}

// value reads one JSON value.
func value(raw json.RawMessage) (Value, Kind) {
	text := string(raw)
	switch {
	case text == "null":
		return Value{}, Unknown
	case text == "true" || text == "false":
		return Value{Text: text, Known: true}, Truth
	case strings.HasPrefix(text, `"`):
		var s string
		if json.Unmarshal(raw, &s) != nil {
			s = text
		}
		if at, ok := moment(s); ok {
			return Value{Text: s, Time: at, Known: true}, Moment
		}
		return Value{Text: s, Known: true}, Text
	}
	v := Value{Text: text, Known: true}
	if n := number(text); n != nil {
		v.Number = n
		return v, Number
	}
	return v, Text // an array, an object, or a number that is too long
}

// number is a JSON number that can be computed with, else nil.
func number(text string) *big.Rat {
	if len(text) > maxDigits {
		return nil
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(text[i+1:]); err != nil || e > maxDigits || e < -maxDigits {
			return nil
		}
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return n
}

func moment(s string) (time.Time, bool) {
	for _, layout := range layouts {
		if at, err := time.Parse(layout, s); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// notFinite counts the values that Postgres has for numbers and JSON writes as strings.
func notFinite(rows [][]Value, c int) int {
	n := 0
	for _, r := range rows {
		if slices.Contains([]string{"NaN", "Infinity", "-Infinity"}, r[c].Text) {
			n++
		}
	}
	return n
}

// period is the unit of the calendar of which all moments are beginnings: year,
// month, day, or empty where they have a time of day or are too few to tell.
func period(rows [][]Value, c int) string {
	found, n := "year", 0
	for _, r := range rows {
		at := r[c].Time
		if !r[c].Known {
			continue
		}
		n++
		switch {
		case at.Hour()+at.Minute()+at.Second()+at.Nanosecond() != 0:
			return ""
		case at.Day() != 1:
			found = "day"
		case at.Month() != 1 && found == "year":
			found = "month"
		}
	}
	if n < 2 {
		return "day"
	}
	return found
}
