package planner

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// dateLike begins like a year, a month or a day as people and Postgres write them.
var dateLike = regexp.MustCompile(`^\s*\d{4}(-\d{2}|\s*$)`)

// dated tells whether a plan may hold values that were right only on the day when it was
// made, because the model counted from the day that it was told: dates, names of months and
// weekdays, and numbers that the question doesn't state. Symbolic dates hold at any time,
// except where they count periods that the question doesn't. It looks at the JSON, so that
// no part of the language is left out, and takes a plan for dated rather than not.
func dated(text []byte, question string) bool {
	var doc any
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if d.Decode(&doc) != nil {
		return true
	}
	stated := map[string]bool{}
	for _, t := range tokenize(question) {
		stated[t.num] = true
	}
	found := false
	each("", doc, func(key string, v any) {
		switch v := v.(type) {
		case string:
			found = found || key == "value" && calendarWord(v) && !strings.Contains(strings.ToLower(question), strings.ToLower(v))
		case json.Number:
			found = found || counts(key, v.String()) && !stated[strings.TrimPrefix(v.String(), "-")]
		}
	})
	return found
}

// literalTexts are the texts among a plan's literals.
func literalTexts(plan []byte) (out []string) {
	var doc any
	if json.Unmarshal(plan, &doc) != nil {
		return nil
	}
	each("", doc, func(key string, v any) {
		if s, ok := v.(string); ok && key == "value" && s != "" {
			out = append(out, s)
		}
	})
	return out
}

// calendarWord tells whether a literal may be a date, or what people call one.
func calendarWord(s string) bool {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if strings.EqualFold(s, day.String()) {
			return true
		}
	}
	return dateLike.MatchString(s) || months[strings.ToLower(s)] > 0
}

// counts tells whether a number under a key may have been counted from today: a literal,
// or more than one period away. This, the last and the next one are what people mean by
// such words.
func counts(key, number string) bool {
	switch key {
	case "value":
		return true
	case "offset", "days":
		n, err := strconv.Atoi(number)
		return err != nil || n < -1 || n > 1
	case "last", "back": // of a period; a year back is twelve months or four quarters
		n, err := strconv.Atoi(number)
		return err != nil || n < 0 || n > 1 && !(key == "back" && (n == 4 || n == 12))
	}
	return false
}

// each visits the single values of a JSON document with the key above them.
func each(key string, doc any, visit func(key string, v any)) {
	switch doc := doc.(type) {
	case map[string]any:
		for k, v := range doc {
			each(k, v, visit)
		}
	case []any:
		for _, v := range doc {
			each(key, v, visit)
		}
	default:
		visit(key, doc)
	}
}
