package planner

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/index"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// semanticContext is what the words of the question are known to mean: a model
// that is told so doesn't have to guess.
type semanticContext struct {
	Metrics   []string      `json:"metrics,omitempty"`
	Entities  []foundEntity `json:"entities,omitempty"`
	Values    []foundValue  `json:"values,omitempty"`
	Filters   []foundFilter `json:"filters,omitempty"`
	Group     []foundBy     `json:"group,omitempty"`
	Order     []foundBy     `json:"order,omitempty"`
	Limit     int64         `json:"limit,omitempty"`
	Forbidden []string      `json:"forbidden,omitempty"`
}

type foundEntity struct {
	Entity string `json:"entity"`
	Table  string `json:"table"`
}

type foundValue struct {
	Column string `json:"column"`
	Value  string `json:"value"`
}

// mostFound bounds each list: more of one kind says nothing any more.
const mostFound = 12

func (c semanticContext) empty() bool {
	return len(c.Metrics)+len(c.Entities)+len(c.Values)+len(c.Filters)+len(c.Group)+len(c.Order)+len(c.Forbidden) == 0 && c.Limit == 0
}

// link finds metrics, entities and sampled values that the question names, tables it
// names that the asker may not read, and what the built-in planner's grammar reads in it.
func (m *Model) link(in Input, tables []*catalog.Table) semanticContext {
	said := index.Words(in.Question)
	shown := make(map[catalog.Name]bool, len(tables))
	for _, t := range tables {
		shown[t.Name] = true
	}
	var c semanticContext
	if in.Semantic != nil {
		for _, m := range in.Semantic.Metrics {
			if measurable(in, m, shown) && says(said, m.Name, m.Synonyms) {
				c.Metrics = append(c.Metrics, m.Name)
			}
		}
		for _, e := range in.Semantic.Entities {
			if shown[e.Table] && says(said, e.Name, e.Synonyms) {
				c.Entities = append(c.Entities, foundEntity{e.Name, plan.TableName(e.Table)})
			}
		}
	}
	for _, t := range tables {
		c.Values = append(c.Values, saidValues(in.Semantic, t, said)...)
	}
	for _, h := range in.Hidden {
		if words := saidAs(in.Question, h.Table); words != "" && !slices.Contains(c.Forbidden, words) {
			c.Forbidden = append(c.Forbidden, words)
		}
	}
	c.hint(in, m.options.Linker.lexicon(in.Catalog, in.Semantic), shown)
	return c.bounded()
}

// bounded sorts and cuts the lists, so that the order of the tables, which
// follows their nearness, doesn't show.
func (c semanticContext) bounded() semanticContext {
	slices.SortFunc(c.Values, func(a, b foundValue) int {
		return strings.Compare(a.Column+"\x00"+a.Value, b.Column+"\x00"+b.Value)
	})
	slices.Sort(c.Forbidden)
	c.Metrics = c.Metrics[:min(len(c.Metrics), mostFound)]
	c.Entities = c.Entities[:min(len(c.Entities), mostFound)]
	c.Values = c.Values[:min(len(c.Values), mostFound)]
	c.Filters = c.Filters[:min(len(c.Filters), mostFound)]
	c.Group = c.Group[:min(len(c.Group), mostFound)]
	c.Order = c.Order[:min(len(c.Order), mostFound)]
	c.Forbidden = c.Forbidden[:min(len(c.Forbidden), mostFound)]
	return c
}

func saidValues(m *semantic.Model, t *catalog.Table, said []string) []foundValue {
	var out []foundValue
	columns := slices.Clone(t.Columns)
	for _, d := range m.DimensionsOf(t.Name) {
		columns = append(columns, d.Column)
	}
	for _, c := range columns {
		if m.Exposure(t.Name, c.Name) != semantic.Full {
			continue
		}
		for _, v := range c.Values {
			if len(v) <= shownValue && !isDigits(v) && says(said, v, nil) {
				out = append(out, foundValue{hinted(t, c), v})
			}
		}
	}
	return out
}

// says tells whether the words of a name or of one of its synonyms stand
// together in the question.
func says(said []string, name string, synonyms []string) bool {
	for _, n := range append([]string{name}, synonyms...) {
		if words := index.Words(n); len(words) > 0 && standsIn(said, words) {
			return true
		}
	}
	return false
}

// saidAs gives the question's own words for a name, "" where it doesn't say
// it: a forbidden table's true name must not come back in a model's answer.
func saidAs(question, name string) string {
	fields := strings.FieldsFunc(question, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	words := index.Words(name)
	for i := range fields {
		for j := i + 1; j <= len(fields) && j <= i+len(words); j++ {
			if phrase := strings.Join(fields[i:j], " "); slices.Equal(index.Words(phrase), words) {
				return phrase
			}
		}
	}
	return ""
}

func standsIn(said, words []string) bool {
	for i := 0; i+len(words) <= len(said); i++ {
		if slices.Equal(said[i:i+len(words)], words) {
			return true
		}
	}
	return false
}

func isDigits(v string) bool { return strings.Trim(v, "0123456789.-:/ ") == "" }
