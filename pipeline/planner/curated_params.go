package planner

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgask/pgask/configs"
)

// values checks the texts that a question gave for a query's parameters and
// fills in defaults.
func (q *verified) values(texts map[string]string) (map[string]any, error) {
	out := make(map[string]any, len(q.Params))
	for name, p := range q.Params {
		text, given := texts[name]
		switch {
		case given:
			v, ok := paramValue(p, text)
			if !ok {
				return nil, &declineReason{code: reasonParamInvalid, about: q.ID + "." + name}
			}
			out[name] = v
		case p.Default != nil:
			v, ok := paramValue(p, textOfValue(p.Default))
			if !ok {
				return nil, &declineReason{code: reasonParamInvalid, about: q.ID + "." + name}
			}
			out[name] = v
		case p.Required || slices.Contains(q.params, name):
			return nil, &declineReason{code: reasonParamMissing, about: q.ID + "." + name}
		}
	}
	return out, nil
}

// paramValue reads a text as a value of the parameter's type within its
// bounds and choices.
func paramValue(p configs.CuratedParam, text string) (any, bool) {
	text = strings.TrimSpace(text)
	var v any
	switch p.Type {
	case "int":
		n, err := strconv.ParseInt(numeral(text), 10, 64)
		if err != nil || !within64(p, float64(n)) {
			return nil, false
		}
		v = n
	case "number":
		f, err := strconv.ParseFloat(numeral(text), 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || !within64(p, f) {
			return nil, false
		}
		v = f
	case "date":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return nil, false
		}
		v = text
	case "bool":
		b, ok := map[string]bool{"true": true, "yes": true, "false": false, "no": false}[fold(text)]
		if !ok {
			return nil, false
		}
		v = b
	case "text":
		if text == "" || strings.ContainsRune(text, 0) || !within64(p, float64(len([]rune(text)))) {
			return nil, false
		}
		v = text
	default:
		return nil, false
	}
	return chosen(p, v)
}

// within64 tells whether a number (or a text's length) is within the bounds.
func within64(p configs.CuratedParam, f float64) bool {
	return (p.Min == nil || f >= *p.Min) && (p.Max == nil || f <= *p.Max)
}

// chosen is the value as one of the parameter's choices spells it.
func chosen(p configs.CuratedParam, v any) (any, bool) {
	if len(p.Choices) == 0 {
		return v, true
	}
	for _, c := range p.Choices {
		if fold(c) == fold(textOfValue(v)) {
			if _, isText := v.(string); isText {
				return c, true
			}
			return v, true
		}
	}
	return nil, false
}

// numeral is a number as figures: 1,000 and five become 1000 and 5.
func numeral(text string) string {
	if t := wordTokens(text); len(t) == 1 && t[0].kind == number {
		return t[0].num
	}
	return text
}

func textOfValue(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case time.Time:
		return v.Format(time.DateOnly)
	}
	return ""
}

// sqlType is the Postgres type of a parameter. A whole number that fits is an
// integer, since date arithmetic takes no bigint.
func sqlType(paramType string, v any) string {
	switch paramType {
	case "int":
		if n, ok := v.(int64); ok && n >= math.MinInt32 && n <= math.MaxInt32 {
			return "integer"
		}
		return "bigint"
	case "number":
		return "numeric"
	case "date":
		return "date"
	case "bool":
		return "boolean"
	}
	return "text"
}
