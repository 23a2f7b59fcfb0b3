package index

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// How much a word tells by where it stands. Names and synonyms are chosen to
// be asked for; a value or a comment mentions many things.
const (
	weightTable   = 1.0
	weightColumn  = 0.7
	weightValue   = 0.5
	weightComment = 0.4
)

// whole is the part of a name's weight that each of its words has alone; the
// rest is shared, so that orders is nearer to "orders" than order_items is.
const whole = 0.7

// valueRunes and commentRunes bound how much of one value or comment counts:
// longer ones are prose that would match every question.
const (
	valueRunes   = 40
	commentRunes = 400
)

// document is what is known of a table: each word with the best weight it has.
type document map[string]float64

func (d document) add(s stemmer, text string, weight float64) {
	for _, w := range s.words(text) {
		if weight > d[w] {
			d[w] = weight
		}
	}
}

// name adds a name: the fewer its words, the more each of them tells.
func (d document) name(s stemmer, text string, weight float64) {
	if n := len(s.words(text)); n > 0 {
		d.add(s, text, weight*(whole+(1-whole)/float64(n)))
	}
}

// documents gathers each table's words, in table order.
func documents(x *Index, m *semantic.Model) []document {
	s := stemmer{}
	docs := make([]document, len(x.tables))
	for i, t := range x.tables {
		docs[i] = describe(s, t, m.Tables[t.Name])
	}
	for _, metric := range m.Metrics {
		for _, t := range metric.Tables() {
			if i, ok := x.at[t]; ok {
				docs[i].names(s, metric.Name, metric.Description, metric.Synonyms)
			}
		}
	}
	for _, d := range m.Dimensions {
		if i, ok := x.at[d.Table]; ok {
			docs[i].column(s, d.Column, semantic.Column{Description: d.Description, Synonyms: d.Synonyms, LLM: d.LLM})
		}
	}
	for _, e := range m.Entities {
		if i, ok := x.at[e.Table]; ok {
			docs[i].names(s, e.Name, "", e.Synonyms)
		}
	}
	for _, h := range m.Hierarchies {
		for _, l := range h.Levels {
			if i, ok := x.at[l.Table]; ok {
				docs[i].names(s, h.Name, h.Description, h.Synonyms)
			}
		}
	}
	return docs
}

// names adds a metric, hierarchy or entity of the table.
func (d document) names(s stemmer, name, description string, synonyms []string) {
	d.name(s, name, weightTable)
	for _, alias := range synonyms {
		d.name(s, alias, weightTable)
	}
	d.add(s, cut(description, commentRunes), weightComment)
}

func describe(s stemmer, t *catalog.Table, meaning *semantic.Table) document {
	d := document{}
	if meaning == nil {
		meaning = &semantic.Table{}
	}
	d.name(s, t.Name.Table, weightTable)
	if t.Name.Schema != "public" {
		d.add(s, t.Name.Schema, weightColumn)
	}
	d.add(s, cut(t.Comment, commentRunes), weightComment)
	d.names(s, "", meaning.Description, meaning.Synonyms)
	for _, c := range t.Columns {
		d.column(s, c, meaning.Columns[c.Name])
	}
	return d
}

func (d document) column(s stemmer, c *catalog.Column, meaning semantic.Column) {
	if meaning.LLM == semantic.Hidden {
		return
	}
	d.name(s, c.Name, weightColumn)
	for _, alias := range meaning.Synonyms {
		d.name(s, alias, weightColumn)
	}
	d.add(s, cut(c.Comment, commentRunes), weightComment)
	d.add(s, cut(meaning.Description, commentRunes), weightComment)
	if meaning.LLM == semantic.NameOnly {
		return
	}
	for _, v := range c.Values {
		if len(v) <= valueRunes {
			d.add(s, v, weightValue)
		}
	}
}

func cut(s string, runes int) string {
	if len(s) <= runes {
		return s
	}
	return string([]rune(s)[:min(runes, len([]rune(s)))])
}

// neighbours lists the tables one declared or configured key away.
func neighbours(x *Index, m *semantic.Model) [][]int {
	near := make([][]int, len(x.tables))
	link := func(from, to catalog.Name) {
		a, okA := x.at[from]
		b, okB := x.at[to]
		if okA && okB && a != b {
			near[a], near[b] = append(near[a], b), append(near[b], a)
		}
	}
	for _, t := range x.tables {
		for _, k := range t.ForeignKeys {
			link(t.Name, k.Ref)
		}
	}
	for _, r := range m.Relationships {
		link(r.From, r.To)
	}
	for i := range near {
		slices.Sort(near[i])
		near[i] = slices.Compact(near[i])
	}
	return near
}
