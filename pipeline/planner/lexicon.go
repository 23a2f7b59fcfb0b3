package planner

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// kind is what a phrase can stand for.
type kind int

const (
	aTable kind = iota
	aColumn
	aMetric
	aValue
	aHierarchy // its table is that of its coarsest level
)

// meaning is one thing a phrase can stand for.
type meaning struct {
	kind      kind
	table     *catalog.Table
	column    *catalog.Column
	metric    *semantic.Metric
	hierarchy *semantic.Hierarchy // of a column: the one whose coarsest level it is taken for
	value     string              // as the database spells it
	// weight is how surely the phrase means it, 1 for its very name.
	weight float64
	verb   bool   // see variant
	count  bool   // see variant
	said   string // the words of the phrase, of which a question need only have the stems
	// loose tells that only the thesaurus connects the phrase with what it means, and
	// word are the question's words where they aren't what the schema says.
	loose bool
	word  string
}

// phrase is a sequence of stems with what it can stand for.
type phrase struct {
	stems    []string
	meanings []meaning
	verbal   bool // some spelling has a verb's form: "directed"
	column   bool // names a column by its whole name
}

// lexicon is the index of everything a question can name in one schema.
// It is immutable once built.
type lexicon struct {
	byFirst map[string][]*phrase
	byKey   map[string]*phrase
	labels  map[*catalog.Table][]*catalog.Column
	// dimensions are those of a table, as columns.
	dimensions map[*catalog.Table][]*catalog.Column
	graph      *graph
	partial    []partial        // until all whole names are known
	people     []*catalog.Table // whose rows are called by first and last name
	tables     []*catalog.Table
	names      [][]string        // until the words that are related to them are known
	stemmed    map[string]string // until the lexicon is built
	// doers are the names for who does something, by the stem of what they do.
	doers map[string]string
}

// Bounds of what is indexed of sampled values.
const (
	maxValueRunes = 80
	maxValueWords = 8
)

// buildLexicon indexes the names, synonyms and sampled values of a catalog.
func buildLexicon(c *catalog.Snapshot, m *semantic.Model) *lexicon {
	if m == nil {
		m = &semantic.Model{}
	}
	x := &lexicon{byFirst: map[string][]*phrase{}, byKey: map[string]*phrase{}, labels: map[*catalog.Table][]*catalog.Column{}, dimensions: map[*catalog.Table][]*catalog.Column{},
		doers: map[string]string{}, stemmed: map[string]string{}, graph: newGraph(c, m)}
	for _, t := range c.Tables {
		if t.Partition {
			continue
		}
		x.tables = append(x.tables, t)
		x.addTable(t, m.Tables[t.Name])
		for _, d := range m.DimensionsOf(t.Name) {
			x.addColumn(t, splitIdentifier(t.Name.Table), d.Column, d.Synonyms)
			x.dimensions[t] = append(x.dimensions[t], d.Column)
		}
	}
	for _, e := range m.Entities {
		if t := c.Table(e.Table); t != nil {
			for _, s := range append([]string{e.Name}, e.Synonyms...) {
				x.add(splitIdentifier(s), meaning{kind: aTable, table: t, weight: 1})
			}
		}
	}
	for _, metric := range m.Metrics {
		if t := c.Table(metric.Tables()[0]); t != nil {
			for _, s := range append([]string{metric.Name}, metric.Synonyms...) {
				x.add(splitIdentifier(s), meaning{kind: aMetric, table: t, metric: metric, weight: 1})
			}
		}
	}
	for _, h := range m.Hierarchies {
		x.addHierarchy(h)
	}
	x.finish()
	return x
}

// addTable indexes a table, its columns and their values.
func (x *lexicon) addTable(t *catalog.Table, s *semantic.Table) {
	name := splitIdentifier(t.Name.Table)
	maps.Copy(x.doers, doers(name))
	if !x.joinsNamed(t, name) {
		x.add(name, meaning{kind: aTable, table: t, weight: 1})
		x.names = append(x.names, name)
	}
	for _, v := range tableVariants(name) {
		m := meaning{kind: aTable, table: t, weight: v.weight}
		x.partial = append(x.partial, partial{words: v.words, meaning: m})
	}
	if s != nil {
		for _, syn := range s.Synonyms {
			x.add(splitIdentifier(syn), meaning{kind: aTable, table: t, weight: 1})
		}
	}
	for _, c := range t.Columns {
		if s != nil {
			x.addColumn(t, name, c, s.Columns[c.Name].Synonyms)
			continue
		}
		x.addColumn(t, name, c, nil)
	}
	x.labels[t] = labelColumns(t)
	if len(x.labels[t]) == 2 {
		x.people = append(x.people, t)
	}
	if l := x.labels[t]; len(l) == 1 {
		// What a film is called is its name, whatever the column says.
		x.add([]string{"name"}, meaning{kind: aColumn, table: t, column: l[0], weight: 0.9})
		x.add(append(slices.Clone(name), "name"), meaning{kind: aColumn, table: t, column: l[0], weight: 0.9})
	}
}

// table is an indexed table, nil where there is none of the name.
func (x *lexicon) table(n catalog.Name) *catalog.Table {
	i := slices.IndexFunc(x.tables, func(t *catalog.Table) bool { return t.Name == n })
	if i < 0 {
		return nil
	}
	return x.tables[i]
}

// joinsNamed tells whether a table is called after the two that it joins: train
// stations are stations, though a table train_station joins them with trains.
func (x *lexicon) joinsNamed(t *catalog.Table, name []string) bool {
	if !x.graph.junction(t) {
		return false
	}
	rest := stems(name)
	for _, r := range x.graph.joined(t) {
		for _, w := range stems(splitIdentifier(r.To.Table)) {
			rest = slices.DeleteFunc(rest, func(s string) bool { return s == w })
		}
	}
	return len(rest) == 0 && len(name) > 1
}

// add indexes one phrase; the same meaning twice keeps its better weight.
func (x *lexicon) add(words []string, m meaning) {
	if len(words) == 0 {
		return
	}
	m.said = strings.Join(words, " ")
	st := x.stems(words)
	key := strings.Join(st, " ")
	p := x.byKey[key]
	if p == nil {
		p = &phrase{stems: st}
		x.byKey[key] = p
		x.byFirst[st[0]] = append(x.byFirst[st[0]], p)
	}
	p.verbal = p.verbal || slices.ContainsFunc(words, func(w string) bool { return verbForm(token{low: w}) || verbBases[w] })
	p.column = p.column || m.kind == aColumn && m.weight >= 0.95
	for i, old := range p.meanings {
		if old.kind == m.kind && old.table == m.table && old.column == m.column && old.metric == m.metric && old.hierarchy == m.hierarchy && old.value == m.value &&
			old.verb == m.verb && old.count == m.count && old.said == m.said {
			if m.weight > old.weight {
				p.meanings[i] = m
			}
			return
		}
	}
	p.meanings = append(p.meanings, m)
}

// stems are the stems of words; while the lexicon is built they are remembered,
// since names are made of few words.
func (x *lexicon) stems(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		s, ok := x.stemmed[w]
		if !ok {
			s = stem(w)
			x.stemmed[w] = s
		}
		out[i] = s
	}
	return out
}

// finish adds the general synonyms of what was indexed and orders the longest phrases first.
func (x *lexicon) finish() {
	x.addPartial()
	for _, group := range generalSynonyms {
		x.addSynonyms(group)
	}
	x.addRelated()
	x.stemmed = nil
	for _, list := range x.byFirst {
		sort.SliceStable(list, func(i, j int) bool { return len(list[i].stems) > len(list[j].stems) })
	}
}

// partial is a part of a table's name.
type partial struct {
	words   []string
	meaning meaning
}

// addPartial adds parts of tables' names where they aren't the name of another
// table: bikes are no bike models where there are bikes.
func (x *lexicon) addPartial() {
	whole := make([]bool, len(x.partial))
	for i, p := range x.partial {
		if ph := x.byKey[strings.Join(stems(p.words), " ")]; ph != nil {
			whole[i] = slices.ContainsFunc(ph.meanings, func(m meaning) bool { return m.kind == aTable })
		}
	}
	for i, p := range x.partial {
		if !whole[i] {
			x.add(p.words, p.meaning)
		}
	}
	x.partial = nil
}

// addSynonyms lets every phrase of a group mean what the others mean, names
// only, and less surely.
func (x *lexicon) addSynonyms(group []string) {
	var known []meaning
	var missing []string
	for _, s := range group {
		p := x.byKey[strings.Join(stems(strings.Fields(s)), " ")]
		if p == nil {
			missing = append(missing, s)
			continue
		}
		for _, m := range p.meanings {
			if m.kind == aColumn && !m.verb {
				known = append(known, m)
			}
		}
	}
	for _, s := range missing {
		for _, m := range known {
			m.weight *= 0.9
			x.add(strings.Fields(s), m)
		}
	}
}

// textual tells whether a column's values are words.
func textual(c *catalog.Column) bool { return c.Type.Category == 'S' || c.Type.Category == 'E' }

// truth tells whether a column is true or false.
func truth(c *catalog.Column) bool { return c.Type.Category == 'B' }

// numeric tells whether a column holds numbers.
func numeric(c *catalog.Column) bool { return c.Type.Category == 'N' }

// temporal tells whether a column holds dates or times that have a date.
func temporal(c *catalog.Column) bool {
	switch c.Type.Name {
	case "date", "timestamp", "timestamptz":
		return true
	}
	return false
}

// labelColumns are the columns by which people know a row of the table: its
// name or title, else first and last name. Nil where that isn't clear.
func labelColumns(t *catalog.Table) []*catalog.Column {
	table := splitIdentifier(t.Name.Table)
	var first, last *catalog.Column
	var names, self []*catalog.Column
	for _, c := range t.Columns {
		if !textual(c) {
			continue
		}
		words := columnWords(table, c.Name)
		if slices.Equal(stems(words), stems(table)) {
			self = append(self, c) // the company column of a table of companies
		}
		switch strings.Join(trimPrefix(words, table), " ") {
		case "name", "title", "full name", "label":
			names = append(names, c)
		case "first name":
			first = c
		case "last name":
			last = c
		}
	}
	switch {
	case len(names) == 1:
		return names
	case len(names) == 0 && first != nil && last != nil:
		return []*catalog.Column{first, last}
	case len(names) == 0 && len(self) == 1:
		return self
	}
	return nil
}
