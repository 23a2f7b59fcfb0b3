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
	today string // YYYY-MM-DD
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
		if kept := wanted(h.meanings, want); len(kept) > 0 {
			out = append(out, hit{n: h.n, meanings: kept})
		}
	}
	return out
}

// wanted are the meanings that are wanted: the list itself where all are, since a
// wide schema has thousands for a word.
func wanted(list []meaning, want func(meaning) bool) []meaning {
	at := slices.IndexFunc(list, func(m meaning) bool { return !want(m) })
	if at < 0 {
		return list
	}
	kept := list[:at:at]
	for _, m := range list[at:] {
		if want(m) {
			kept = append(kept, m)
		}
	}
	return kept
}

// keep is a hit with only the meanings that are wanted.
func (p *parser) keep(h hit, want func(meaning) bool) hit {
	if kept := wanted(h.meanings, want); len(kept) > 0 {
		return hit{n: h.n, meanings: kept}
	}
	return hit{n: h.n}
}

func isTable(m meaning) bool { return m.kind == aTable }

func isColumn(m meaning) bool { return m.kind == aColumn && !m.verb && !m.count }

func isMeasure(m meaning) bool {
	return isColumn(m) && (numeric(m.column) || temporal(m.column)) && !isKey(m.table, m.column)
}

func isVerb(m meaning) bool { return m.kind == aColumn && m.verb }

func isCount(m meaning) bool { return m.kind == aColumn && m.count }

func isMetric(m meaning) bool { return m.kind == aMetric }

func isValue(m meaning) bool { return m.kind == aValue }

func isHierarchy(m meaning) bool { return m.kind == aHierarchy }

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
	out = append(out, p.whenWas(s)...)
	return append(out, p.opened(s)...)
}

// eachIntro is the length of "for each" at the start.
func (p *parser) eachIntro(i int) int {
	return p.oneOf(i, [][]string{{"for", "each"}, {"for", "every"}, {"per"}, {"in", "each"}, {"for", "all"}, {"by"}})
}

// opened passes over the words that only ask and reads the rest.
func (p *parser) opened(s state) []state {
	s.at = p.opening(s.at)
	if p.is(s.at, "compare") && s.at == 0 {
		s.f.comparing = true
		s.at++
	}
	if sortWords[p.low(s.at)] && s.at == 0 {
		s.f.sorting = true
		s.at++
	}
	s.at = p.det(s.at)
	out := slices.Concat(p.howMany(s), p.share(s), p.course(s), p.mean(s), p.bestPeriod(s), p.anyThere(s))
	if u := adverbUnits[p.low(s.at)]; u != "" { // monthly revenue
		n := state{at: s.at + 1, f: s.f}
		n.f.groups = add(n.f.groups, group{unit: u})
		out = append(out, p.items(n, 0)...)
	}
	return append(out, p.items(s, 0)...)
}

// modifiers tries every rule that can follow.
func (p *parser) modifiers(s state) []state {
	var out []state
	for _, rule := range []func(state) []state{
		p.glue, p.gap, p.contact, p.further, p.oftenest, p.lately, p.owners, p.per, p.ordering, p.related, p.superlative, p.conditions, p.periods, p.versus, p.onAverage, p.overTime, p.ending,
	} {
		for _, n := range rule(s) {
			if n.at > s.at {
				out = append(out, n)
			}
		}
	}
	return out
}
