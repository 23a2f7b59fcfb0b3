package planner

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pgask/pgask/pipeline/catalog"
)

// addColumn indexes a column, or a dimension as if it were one, and its values; name is the table's.
func (x *lexicon) addColumn(t *catalog.Table, name []string, c *catalog.Column, synonyms []string) {
	words := columnWords(name, c.Name)
	if len(words) == 0 {
		return
	}
	maps.Copy(x.doers, doers(words))
	if len(t.PrimaryKey) == 1 && t.PrimaryKey[0] == c.Name && strings.HasSuffix(strings.ToLower(c.Name), "id") {
		x.add([]string{"id"}, meaning{kind: aColumn, table: t, column: c, weight: 0.95})
		x.add(append(slices.Clone(name), "id"), meaning{kind: aColumn, table: t, column: c, weight: 0.95})
	}
	for _, v := range columnVariants(name, words) {
		if v.weight >= sureName && !v.verb && !v.count {
			x.names = append(x.names, v.words)
		}
		x.add(v.words, meaning{kind: aColumn, table: t, column: c, weight: v.weight, verb: v.verb, count: v.count})
	}
	for _, syn := range synonyms {
		x.add(splitIdentifier(syn), meaning{kind: aColumn, table: t, column: c, weight: 1})
	}
	x.addValues(t, c)
}

// addValues indexes a column's sampled values. Numbers are left to the
// columns that are compared with them.
func (x *lexicon) addValues(t *catalog.Table, c *catalog.Column) {
	if !textual(c) {
		return
	}
	x.addGenders(t, c)
	for _, v := range c.Values {
		if utf8.RuneCountInString(v) > maxValueRunes {
			continue
		}
		var words []string
		numeric := true
		for _, tok := range tokenize(v) {
			switch tok.kind {
			case comma, stop:
			case word:
				words, numeric = append(words, tok.low), false
			case quoted:
				words, numeric = append(words, strings.Fields(tok.low)...), false
			default:
				words = append(words, tok.low)
			}
		}
		if numeric || len(words) == 0 || len(words) > maxValueWords || len(words) == 1 && functionWords[words[0]] {
			continue
		}
		x.add(words, meaning{kind: aValue, table: t, column: c, value: v, weight: 1})
	}
}

// genders are the words for the values M and F of a column that holds nothing
// else.
var genders = map[string][]string{"m": {"male", "man"}, "f": {"female", "woman"}}

func (x *lexicon) addGenders(t *catalog.Table, c *catalog.Column) {
	if len(c.Values) == 0 {
		return
	}
	for _, v := range c.Values {
		if genders[fold(v)] == nil {
			return
		}
	}
	for _, v := range c.Values {
		for _, w := range genders[fold(v)] {
			x.add([]string{w}, meaning{kind: aValue, table: t, column: c, value: v, weight: 0.95})
		}
	}
}
