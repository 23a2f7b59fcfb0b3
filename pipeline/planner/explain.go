package planner

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/agnivade/levenshtein"
)

// linked says which words of the question name something.
func (q *question) linked() string {
	var parts []string
	for i, hs := range q.parser.hits {
		if len(hs) == 0 {
			continue
		}
		seen := map[string]bool{}
		var what []string
		for _, m := range hs[0].meanings {
			if s := m.String(); !seen[s] && len(what) < 4 {
				seen[s] = true
				what = append(what, s)
			}
		}
		parts = append(parts, fmt.Sprintf("%q: %s", q.parser.textOf(i, hs[0].n), strings.Join(what, " or ")))
	}
	return strings.Join(parts, "; ")
}

// explain is the account of a reading.
func (q *question) explain(r reading) string { return q.linked() + " → " + describe(r.plan) }

// String is a meaning as people read it.
func (m meaning) String() string {
	switch m.kind {
	case aTable:
		return "table " + m.table.Name.Table
	case aMetric:
		return "metric " + m.metric.Name
	case aHierarchy:
		return "hierarchy " + m.hierarchy.Name
	case aValue:
		return m.table.Name.Table + "." + m.column.Name + " = " + m.value
	}
	return m.table.Name.Table + "." + m.column.Name
}

// decline says which words have no match, or why those that have don't fit.
func (q *question) decline(why []error) *Declined {
	words := q.unplaced()
	d := &Declined{Words: words, Try: q.try(words)}
	if len(words) == 0 && len(why) > 0 {
		if count := q.counted(); count != "" {
			d.Try = count
		}
	}
	switch {
	case len(words) > 0:
		d.Reason = "every word must have its part in the answer"
	case len(why) > 0:
		d.Reason = why[0].Error()
	case q.parser.far < len(q.parser.toks) && q.parser.far > 0:
		d.Reason = fmt.Sprintf("it isn't clear what %q is about", q.stuck())
	case q.idle() != "":
		d.Reason = fmt.Sprintf("it isn't clear what part %q has in the answer", q.idle())
	default:
		d.Reason = "the question doesn't say what it asks for in words of the schema"
	}
	return d
}

// stuck is where reading ended, up to the first word that says something.
func (q *question) stuck() string {
	n := 1
	for at := q.parser.far; functionWords[q.parser.low(at+n-1)] && at+n < len(q.parser.toks); n++ {
	}
	return q.parser.textOf(q.parser.far, n)
}

// idle is the first word that names nothing and says more than how words belong
// together; empty for none.
func (q *question) idle() string {
	covered := q.covered()
	for i, t := range q.parser.toks {
		if t.kind == word && !covered[i] && !functionWords[t.low] && !determiners[t.low] {
			return t.text
		}
	}
	return ""
}

// covered says of each word whether it is part of a name.
func (q *question) covered() []bool {
	covered := make([]bool, len(q.parser.toks))
	for i, hs := range q.parser.hits {
		for _, h := range hs {
			for k := i; k < i+h.n; k++ {
				covered[k] = true
			}
		}
	}
	return covered
}

// unplaced are the words that name nothing and that the grammar doesn't know, each once.
func (q *question) unplaced() []string {
	covered := q.covered()
	var out []string
	for i, t := range q.parser.toks {
		if t.kind == word && !covered[i] && !grammarWord(t.low) && !relationVerbs[t.stem] && !datedVerbs[t.stem] && !slices.Contains(out, t.text) {
			out = append(out, t.text)
		}
	}
	return out
}

// grammarWord tells whether the grammar has a use for a word.
func grammarWord(w string) bool {
	if auxiliaries[w] || pronouns[w] || relatives[w] || negations[w] || preposition[w] || directionWords[w] || functionWords[w] || determiners[w] || distinctWords[w] || lightVerbs[w] || timeUnits[w] != "" || aggregateWords[w] != "" || months[w] > 0 || calendarWords[w] || figureWord(w) {
		return true
	}
	if _, ok := superlatives[w]; ok {
		return true
	}
	for _, lists := range [][][]string{openings, endings, condIntros} {
		for _, seq := range lists {
			for _, s := range seq {
				if s == w {
					return true
				}
			}
		}
	}
	for _, c := range comparisons {
		for _, s := range c.words {
			if s == w {
				return true
			}
		}
	}
	return false
}

// try is a question that can be typed: the same with the names nearest to words
// without a match, where that is answered, else about what there is.
func (q *question) try(words []string) string {
	fixed := q.in.Question
	for _, w := range words {
		if name := q.nearest(w); name != "" {
			fixed = strings.Replace(fixed, w, name, 1)
		}
	}
	if fixed != q.in.Question {
		if ask := q.answerable(fixed); ask != "" {
			return ask
		}
	}
	for _, hs := range q.parser.hits {
		for _, h := range hs {
			if len(h.meanings) == 0 {
				continue
			}
			m := h.meanings[0]
			if i := slices.IndexFunc(h.meanings, isMetric); i >= 0 {
				if ask := q.atEachTime(h.meanings[i].metric); ask != "" {
					return ask
				}
			}
			if m.kind == aMetric {
				if ask := q.answerable(spokenName(m.metric.Name)); ask != "" {
					return ask
				}
			}
			return "ASK " + literal("how many "+strings.Join(splitIdentifier(m.table.Name.Table), " "))
		}
	}
	if len(q.x.tables) > 0 {
		return "ASK " + literal("how many "+strings.Join(splitIdentifier(q.x.tables[0].Name.Table), " "))
	}
	return ""
}

// counted is the question asked for a number of rows, where that can be
// answered: what can't be listed for want of a name can be counted.
func (q *question) counted() string {
	in := q.in
	in.Question = "how many " + strings.TrimRight(q.in.Question, " ?.!")
	c := newQuestion(q.x, in)
	rs, _ := c.readings()
	if !oneFits(rs) {
		return ""
	}
	return "ASK " + literal(in.Question)
}

// nearest is the indexed single word that differs least from w, if it differs
// by a typing error.
func (q *question) nearest(w string) string {
	w = fold(w)
	best, name := 1+len(w)/5, ""
	var words []string
	for _, t := range q.x.tables {
		words = append(words, splitIdentifier(t.Name.Table)...)
		for _, c := range t.Columns {
			words = append(words, splitIdentifier(c.Name)...)
		}
		for _, d := range q.in.Semantic.DimensionsOf(t.Name) {
			words = append(words, splitIdentifier(d.Name)...)
		}
	}
	sort.Strings(words)
	for _, x := range words {
		if d := levenshtein.ComputeDistance(w, x); d <= best && d < len(w) && (name == "" || d < best) {
			best, name = d, x
		}
	}
	return name
}
