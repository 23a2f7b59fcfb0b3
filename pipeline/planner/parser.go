package planner

import "slices"

// maxStates bounds how many half-read questions are looked at: a question that
// needs more is too ambiguous to answer.
const maxStates = 20000

// parser reads one question. Each rule takes a state and returns every state
// it can lead to; nothing is skipped that a rule doesn't name.
type parser struct {
	x     *lexicon
	toks  []token
	hits  [][]hit
	far   int // the furthest position any rule reached
	count int
}

func (p *parser) kind(i int) tokenKind {
	if i < 0 || i >= len(p.toks) {
		return stop
	}
	return p.toks[i].kind
}

// token is the token at i; a stop beyond the end.
func (p *parser) token(i int) token {
	if i < 0 || i >= len(p.toks) {
		return token{kind: stop}
	}
	return p.toks[i]
}

// low is the folded word at i, empty for anything that isn't a word.
func (p *parser) low(i int) string {
	if i < 0 || i >= len(p.toks) || p.toks[i].kind == quoted {
		return ""
	}
	return p.toks[i].low
}

// is tells whether the words stand at i.
func (p *parser) is(i int, words ...string) bool {
	for k, w := range words {
		if p.low(i+k) != w {
			return false
		}
	}
	return true
}

// oneOf is the length of the first of the word sequences that stands at i.
func (p *parser) oneOf(i int, sequences [][]string) int {
	best := 0
	for _, s := range sequences {
		if len(s) > best && p.is(i, s...) {
			best = len(s)
		}
	}
	return best
}

// det passes over determiners.
func (p *parser) det(i int) int {
	for determiners[p.low(i)] && i < len(p.toks) {
		i++
	}
	return i
}

// find are the hits of a kind at i.
func (p *parser) find(i int, want func(meaning) bool) []hit {
	if i < 0 || i >= len(p.hits) {
		return nil
	}
	var out []hit
	for _, h := range p.hits[i] {
		var kept []meaning
		for _, m := range h.meanings {
			if want(m) {
				kept = append(kept, m)
			}
		}
		if kept != nil {
			out = append(out, hit{n: h.n, meanings: kept})
		}
	}
	return out
}

// keep is a hit with only the meanings that are wanted.
func (p *parser) keep(h hit, want func(meaning) bool) hit {
	out := hit{n: h.n}
	for _, m := range h.meanings {
		if want(m) {
			out.meanings = append(out.meanings, m)
		}
	}
	return out
}

func isTable(m meaning) bool  { return m.kind == aTable }
func isColumn(m meaning) bool { return m.kind == aColumn && !m.verb && !m.count }
func isMeasure(m meaning) bool {
	return isColumn(m) && (numeric(m.column) || temporal(m.column)) && !isKey(m.table, m.column)
}
func isVerb(m meaning) bool   { return m.kind == aColumn && m.verb }
func isCount(m meaning) bool  { return m.kind == aColumn && m.count }
func isMetric(m meaning) bool { return m.kind == aMetric }
func isValue(m meaning) bool  { return m.kind == aValue }

// parse reads the whole question and returns its complete frames.
func (p *parser) parse() []frame {
	var done []frame
	queue := p.start(state{})
	for len(queue) > 0 {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		p.far = max(p.far, s.at)
		if p.spent() {
			return nil
		}
		if s.at >= len(p.toks) {
			if f, ok := p.finish(s.f); ok {
				done = append(done, f)
			}
			continue
		}
		queue = append(queue, p.modifiers(s)...)
	}
	if p.count > maxStates {
		return nil // what was left out might have been another reading
	}
	return done
}

// spent counts one more look at the question and tells whether there were too
// many. Every rule that can call itself asks it.
func (p *parser) spent() bool {
	p.count++
	return p.count > maxStates
}

// finish settles what only the whole question tells: rows listed "per" something are
// counted, by the metric of that name where there is one. Groups without any
// number are no reading.
func (p *parser) finish(f frame) (frame, bool) {
	if p.aggregates(f) && (len(f.groups) > 0 || f.each) {
		for _, o := range f.outs {
			if o.fn == "" && o.col != nil && !slices.ContainsFunc(o.col.meanings, func(m meaning) bool { return !isMeasure(m) }) && !f.groupsBy(o.col) {
				f.cost += ownName // a number beside a number over groups is one of them, too
			}
		}
	}
	if f.listing && p.aggregates(f) {
		return f, false
	}
	if len(f.groups) > 0 && p.aggregates(f) {
		f.outs = counting(f.outs)
	}
	if len(f.groups) == 0 || f.mostBy || p.aggregates(f) || len(f.orders) > 0 && last(f.orders).ranks() {
		return f, true
	}
	if len(f.outs) != 1 || f.outs[0].table == nil {
		return f, false
	}
	o := f.outs[0]
	o.fn = "count"
	f.outs = []out{o}
	return f, true
}

// counting makes counts of the rows that are listed beside measures of groups: "revenue and
// support conversations by region".
func counting(outs []out) []out {
	if slices.ContainsFunc(outs, func(o out) bool { return o.col != nil && o.fn == "" }) {
		return outs
	}
	outs = slices.Clone(outs)
	for i, o := range outs {
		if o.table != nil && o.fn == "" {
			outs[i].fn = "count"
		}
	}
	return outs
}

// groupsBy tells whether a column that is asked for is a grouping.
func (f *frame) groupsBy(col *mention) bool {
	return slices.ContainsFunc(f.groups, func(g group) bool { return g.col == col || g.col != nil && g.col.at == col.at })
}

// start reads the opening and what is asked for.
func (p *parser) start(s state) []state {
	var out []state
	if n := p.eachIntro(s.at); n > 0 {
		for _, g := range p.dims(state{at: s.at + n, f: s.f}) {
			if p.kind(g.at) == comma {
				g.at++
			}
			out = append(out, p.opened(g)...)
		}
		for _, e := range p.entity(state{at: s.at + n, f: s.f}) { // for each party, show its theme
			if p.kind(e.at) == comma {
				e.at++
			}
			e.f.listing = true
			out = append(out, p.opened(e)...)
		}
	}
	return append(out, p.opened(s)...)
}

// eachIntro is the length of "for each" at the start.
func (p *parser) eachIntro(i int) int {
	return p.oneOf(i, [][]string{{"for", "each"}, {"for", "every"}, {"per"}, {"in", "each"}, {"for", "all"}, {"by"}})
}

// opened passes over the words that only ask and reads the rest.
func (p *parser) opened(s state) []state {
	s.at = p.opening(s.at)
	if sortWords[p.low(s.at)] && s.at == 0 {
		s.f.sorting = true
		s.at++
	}
	s.at = p.det(s.at)
	out := p.howMany(s)
	return append(out, p.items(s, 0)...)
}

// howMany reads "how many X" and "count X".
func (p *parser) howMany(s state) []state {
	i := s.at
	switch {
	case p.is(i, "how", "many"):
		i += 2
	case p.is(i, "how", "much"):
		return p.items(state{at: p.det(i + 2), f: s.f}, 0)
	case p.is(i, "count") && !p.is(i+1, "of"):
		i = p.det(i + 1)
		i += p.countIntro(i)
	case p.is(i, "in", "how", "many"):
		i += 3
	case p.is(i, "number") && !p.is(i+1, "of"):
		return nil
	default:
		return nil
	}
	return p.counted(state{at: p.det(i), f: s.f})
}

// counted reads what is to be counted: rows of a table, or the different
// values of a column.
func (p *parser) counted(s state) []state {
	distinct := false
	i := s.at
	for distinctWords[p.low(i)] || determiners[p.low(i)] || p.low(i) == "total" {
		distinct = distinct || distinctWords[p.low(i)]
		i++
	}
	var out []state
	if n := p.oneOf(i, [][]string{{"them"}, {"of", "them"}, {"them", "are", "there"}, {"are", "there"}, {"there", "are"}}); n > 0 && s.f.subject != nil && len(s.f.outs) == 1 && s.f.outs[0].col != nil {
		t := state{at: i + n, f: s.f}
		if len(t.f.groups) == 0 {
			t.f.groups = add(t.f.groups, group{col: s.f.outs[0].col})
		}
		t.f.outs = add(t.f.outs, countOf(s.f.subject, i))
		out = append(out, t)
	}
	for _, e := range p.entity(state{at: i, f: s.f}) {
		e.f.outs = add(e.f.outs, out1(e, "count", distinct))
		e.f.cost += p.metricFirst(i, e.at)
		if amounts(last(e.f.also)) {
			e.f.cost += 0.2 // its rows say how many, they aren't the things
		}
		out = append(out, e)
	}
	for _, h := range p.find(i, isColumn) {
		if len(p.find(i, isTable)) > 0 { // the things themselves, not where they are pointed to
			h = p.keep(h, func(m meaning) bool { return isColumn(m) && m.weight >= 0.9 && !foreign(m.table, m.column) })
		}
		if h.meanings == nil {
			continue
		}
		n := state{at: i + h.n, f: s.f}
		fn := "count"
		if !distinct && len(p.keep(h, isMeasure).meanings) > 0 {
			// "how many undergraduates": a column that counts them.
			h, fn = p.keep(h, isMeasure), "sumcount"
			if len(p.find(i, isTable)) == 0 {
				n.f.cost += 0.2
			}
		} else if !distinct {
			n.f.cost += 0.15
		}
		n.f.outs = add(n.f.outs, outCol(fn, fn == "count", i, h))
		out = append(out, n)
	}
	for _, h := range p.find(i, isCount) {
		n := state{at: i + h.n, f: s.f}
		n.f.outs = add(n.f.outs, outCol("sumcount", false, i, h))
		out = append(out, n)
	}
	for _, h := range p.find(i, isMetric) {
		out = append(out, p.metricItem(state{at: i, f: s.f}, h)...)
	}
	return out
}

// ownName is what a reading costs that passes over a better name at the same
// place: more than the margin by which readings are told apart.
const ownName = 0.15

// metricFirst is what it costs not to read a registered measure where its name
// stands: it is computed in its owner's way and no other.
func (p *parser) metricFirst(i, end int) float64 {
	for _, h := range p.find(i, isMetric) {
		if i+h.n == end {
			return ownName
		}
	}
	return 0
}

// countOf is a table's rows to be counted.
func countOf(t tableRef, at int) out { return out{fn: "count", table: t, spoken: at} }

// outCol is a column asked for.
func outCol(fn string, distinct bool, at int, h hit) out {
	return out{fn: fn, distinct: distinct, col: &mention{at: at, n: h.n, meanings: h.meanings}, spoken: at}
}

// out1 is a table's rows asked for: the last one the state mentions.
func out1(s state, fn string, distinct bool) out {
	return out{fn: fn, distinct: distinct, table: s.f.also[len(s.f.also)-1], spoken: s.at}
}

// entity reads a table's name with the values in front of it: "completed
// orders". It becomes the subject where there is none, and the last of also.
func (p *parser) entity(s state) []state {
	if p.spent() {
		return nil
	}
	var out []state
	s.at = p.det(s.at)
	for _, h := range p.find(s.at, isTable) {
		for _, m := range h.meanings {
			n := state{at: s.at + h.n, f: s.f}
			n.f.also = add(n.f.also, m.table)
			n.f.near = m.table
			n.f.cost += 1 - m.weight
			if n.f.subject == nil {
				n.f.subject = m.table
			}
			out = append(out, n.note(s.at, h.n, "table "+m.table.Name.Table))
			out = append(out, p.compound(s, n)...)
		}
	}
	for _, h := range p.find(s.at, isValue) {
		if p.kind(s.at) == quoted {
			continue
		}
		n := state{at: s.at + h.n, f: s.f}
		n.f.conds = add(n.f.conds, cond{col: &mention{at: s.at, n: h.n, meanings: h.meanings}, op: "=", spoken: s.at})
		for _, e := range p.entity(n) {
			e.f.conds = slices.Clone(e.f.conds)
			c := &e.f.conds[len(s.f.conds)]
			col := *c.col
			col.near, c.col = last(e.f.also), &col
			out = append(out, e)
		}
	}
	return out
}

// compound reads the rest of a name made of two tables' names: movie ratings
// are ratings, and every rating is of a movie.
func (p *parser) compound(s, n state) []state {
	var out []state
	for _, h := range p.find(n.at, isTable) {
		for _, m := range h.meanings {
			if !p.x.graph.adjacent(m.table, n.f.near) {
				continue
			}
			c := state{at: n.at + h.n, f: s.f}
			c.f.also = add(c.f.also, m.table)
			c.f.near = m.table
			c.f.cost += 1 - m.weight
			if c.f.subject == nil {
				c.f.subject = m.table
			}
			out = append(out, c.note(s.at, c.at-s.at, "table "+m.table.Name.Table))
		}
	}
	return out
}

// modifiers tries every rule that can follow.
func (p *parser) modifiers(s state) []state {
	var out []state
	for _, rule := range []func(state) []state{
		p.glue, p.gap, p.contact, p.further, p.oftenest, p.lately, p.owners, p.per, p.ordering, p.related, p.superlative, p.conditions, p.periods, p.overTime, p.ending,
	} {
		for _, n := range rule(s) {
			if n.at > s.at {
				out = append(out, n)
			}
		}
	}
	return out
}

// glue passes over words that only tie what follows to what was said.
func (p *parser) glue(s state) []state {
	i := s.at
	switch {
	case p.kind(i) == comma && i+1 < len(p.toks):
		return []state{{at: i + 1, f: s.f}}
	case p.is(i, "and") || p.is(i, "but"):
		if len(s.f.conds)+len(s.f.linked)+len(s.f.groups)+len(s.f.orders) > 0 && i+1 < len(p.toks) {
			s.f.cost += 0.02
			return []state{{at: i + 1, f: s.f}}
		}
	case slices.Contains([]string{"that", "who", "which", "are", "is", "was", "were", "do", "does", "did", "been", "the"}, p.low(i)) && i+1 < len(p.toks):
		return []state{{at: i + 1, f: s.f}}
	}
	return nil
}

// ending passes over "are there" and the like at the end.
func (p *parser) ending(s state) []state {
	if n := p.eachEnd(s.at); n > 0 && p.aggregates(s.f) && len(s.f.outs) > 1 {
		return []state{{at: s.at + n, f: s.f}}
	}
	if preposition[p.low(s.at)] && (p.is(s.at+1, "it") || p.is(s.at+1, "them")) && len(s.f.also) > 0 {
		return []state{{at: s.at + 2, f: s.f}}
	}
	n := p.oneOf(s.at, endings)
	if n == 0 {
		return nil
	}
	return []state{{at: s.at + n, f: s.f}}
}

// eachEnd is how many words at the end of a question only say that numbers are
// wanted for each thing listed: "for each", "does each of them have".
func (p *parser) eachEnd(i int) int {
	k := i
	for p.is(k, "for") || preposition[p.low(k)] || auxiliaries[p.low(k)] || p.relates(k) {
		k++
	}
	if !p.is(k, "each") {
		return 0
	}
	k++
	k += p.oneOf(k, [][]string{{"of", "them"}, {"one"}, {"of", "these"}})
	for k < len(p.toks) && (auxiliaries[p.low(k)] || preposition[p.low(k)] || p.relates(k)) {
		k++
	}
	if k < len(p.toks) {
		return 0
	}
	return k - i
}
