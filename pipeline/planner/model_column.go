package planner

import (
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// What is shown of long texts: prose in a table's values helps no filter.
const (
	shownComment = 300 // runes
	shownValue   = 60  // bytes; a longer value is left out, since half a value equals nothing
)

// Values are all shown up to this many; of a larger domain only the most
// frequent: a model needs their form, and would take a long list for the whole.
const (
	allValues  = 50
	someValues = 5
)

// detail is how much of a column is told.
type detail int

const (
	everything detail = iota
	fewValues         // as of a large domain
	noValues
	bareNames // no comments either
)

// shownColumn is a column as a model sees it.
type shownColumn struct {
	Name       string   `json:"name"`
	Type       string   `json:"type"`
	About      string   `json:"about,omitempty"`
	Synonyms   []string `json:"synonyms,omitempty"`
	Values     []string `json:"values,omitempty"`
	SomeValues []string `json:"some_values,omitempty"`
	Range      []string `json:"range,omitempty"`
}

func showColumn(c *catalog.Column, meaning semantic.Column, key bool) shownColumn {
	out := shownColumn{Name: plan.Ident(c.Name), Type: c.Type.SQL,
		About: about(meaning.Description, c.Comment), Synonyms: meaning.Synonyms}
	if meaning.LLM == semantic.NameOnly {
		return out
	}
	if !key && c.Min != "" && c.Max != "" && (c.Type.Category == 'N' || c.Type.Category == 'D' || len(c.Values) == 0) {
		out.Range = []string{c.Min, c.Max}
		return out
	}
	if key && c.Type.Category == 'N' {
		return out // numbers that only identify
	}
	values := shortValues(c.Values)
	switch {
	case c.AllValues && len(values) == len(c.Values) && len(values) <= allValues:
		out.Values = values
	default:
		out.SomeValues = values[:min(len(values), someValues)]
	}
	return out
}

// told is the column with less said.
func (c shownColumn) told(d detail) shownColumn {
	if d >= fewValues && len(c.Values) > someValues {
		c.Values, c.SomeValues = nil, c.Values[:someValues]
	}
	if d >= noValues {
		c.Values, c.SomeValues = nil, nil
	}
	if d >= bareNames {
		c.About, c.Synonyms, c.Range = "", nil, nil
	}
	return c
}

func shortValues(values []string) []string {
	var out []string
	for _, v := range values {
		if len(v) <= shownValue {
			out = append(out, v)
		}
	}
	return out
}

// about prefers what the semantic model says to the database's comment.
func about(description, comment string) string {
	if description == "" {
		description = comment
	}
	return clip(strings.TrimSpace(description), shownComment)
}
