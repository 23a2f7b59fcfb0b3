package planner

import (
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
)

type tableRef = *catalog.Table

// conditions reads a restriction: an introduction, a condition, and further
// ones behind "or".
func (p *parser) conditions(s state) []state {
	var out []state
	for _, c := range p.condition(s, true) {
		out = append(out, c)
		if p.is(c.at, "or") {
			out = append(out, p.alternatives(c)...)
		}
	}
	return out
}

// unsaid tells whether what stands behind "and", "or" or a comma at i may still be
// under a "not" that was read up to there: "not in EMEA or SMB". Only what
// says it anew surely is, or surely isn't: "not in EMEA and not in SMB".
func (p *parser) unsaid(s state, i int) bool {
	if s.f.notEnd == 0 || s.f.notEnd != s.at {
		return false
	}
	if _, again := p.negation(p.afterIntro(i)); again {
		return false
	}
	return p.is(s.at, "or") || len(p.find(p.det(i), isValue)) > 0 || p.kind(i) == quoted || p.kind(i) == number
}

// afterIntro passes over what may introduce a condition.
func (p *parser) afterIntro(i int) int { return i + p.oneOf(i, condIntros) }

// alternatives reads "or …" behind a condition and joins the two.
func (p *parser) alternatives(s state) []state {
	if p.unsaid(s, s.at+1) {
		return nil
	}
	var out []state
	have := len(s.f.conds)
	for _, c := range p.condition(state{at: s.at + 1, f: s.f}, true) {
		if len(c.f.conds) != have+1 {
			continue
		}
		a, b := c.f.conds[have-1], c.f.conds[have]
		joined := cond{any: []cond{a, b}, spoken: a.spoken}
		if a.any != nil {
			joined.any = add(a.any, b)
		}
		c.f.conds = add(c.f.conds[:have-1], joined)
		out = append(out, c)
		if p.is(c.at, "or") {
			out = append(out, p.alternatives(c)...)
		}
	}
	return out
}

var condIntros = [][]string{{"whose"}, {"where"}, {"with"}, {"with", "a"}, {"with", "the"}, {"that", "have"}, {"that", "has"}, {"who", "have"}, {"who", "has"}, {"which", "have"}, {"having"}, {"have"}, {"has"}, {"had"},

	{"when"}, {"in"}, {"from"}, {"at"}, {"on"}, {"of"}, {"for"}, {"by"}, {"to"}, {"as"}, {"named"}, {"called"}, {"with", "name"}, {"is"}, {"are"}, {"was"}, {"were"}, {"that", "are"}, {"that", "is"},
	{"who", "are"}, {"who", "is"}, {"which", "are"}, {"which", "is"}, {"that", "were"}, {"that", "was"}, {"who", "were"}, {"using"}, {"through"}, {"via"}, {"inside"}, {"within"}, {"be"}, {"being"}, {"made", "by"}, {"does"}, {"do"}, {"did"}}

// condition reads one restriction. The introduction may be missing where the
// words before already ended.
func (p *parser) condition(s state, intro bool) []state {
	if p.spent() {
		return nil
	}
	var out []state
	i := s.at
	starts := []int{i}
	if intro {
		if n := p.oneOf(i, condIntros); n > 0 {
			starts = append(starts, i+n)
		}
		if lightVerbs[p.low(i)] {
			k := i + 1
			if n := p.oneOf(k, [][]string{{"in"}, {"at"}, {"on"}, {"to"}, {"from"}, {"as"}, {"by"}, {"with"}, {"for"}}); n > 0 {
				starts = append(starts, k+n)
			}
		}
	}
	for _, c := range p.clauses(i) {
		if intro && c.have && !c.neg && !c.verb && !slices.Contains(starts, c.at) {
			starts = append(starts, c.at)
		}
	}
	if last := last(starts); intro && last > i && (p.is(last, "in") || p.is(last, "from") || p.is(last, "at") || p.is(last, "on")) {
		starts = append(starts, last+1)
	}
	base := s.f.cost
	for k, at := range starts {
		s.f.cost = base
		if k == 0 && !p.tied(i) {
			s.f.cost += untied
		}
		at, neg := p.negation(at)
		at = p.det(at)
		if k > 0 && lightVerbs[p.low(at)] {
			at++
			at += p.oneOf(at, [][]string{{"in"}, {"at"}, {"on"}, {"to"}, {"from"}, {"as"}, {"by"}})
			at = p.det(at)
		}
		if !neg {
			at += p.oneOf(at, [][]string{{"either"}})
		}
		out = append(out, p.likeCondition(state{at: at, f: s.f}, neg)...)
		out = append(out, p.columnCondition(state{at: at, f: s.f}, neg)...)
		out = append(out, p.valueCondition(state{at: at, f: s.f}, neg)...)
		out = append(out, p.impliedCondition(state{at: at, f: s.f}, neg)...)
		out = append(out, p.ageCondition(state{at: at, f: s.f}, neg)...)
		out = append(out, p.personCondition(state{at: at, f: s.f}, neg)...)
		out = append(out, p.verbCondition(state{at: at, f: s.f}, neg)...)
		_, compares := p.comparison(at)
		if (k > 0 || compares > 0 || p.relates(i-1)) && !neg {
			out = append(out, p.countCondition(state{at: at, f: s.f})...)
		}
	}
	return out
}

// untied is what a condition costs that nothing leads on to.
const untied = 0.1

// tied tells whether the word before i leads on to what stands there.
func (p *parser) tied(i int) bool {
	if p.relates(i-1) || preposition[p.low(i-1)] && p.relates(i-2) {
		return true
	}
	switch p.low(i - 1) {
	case "and", "or", "but", "is", "are", "was", "were", "that", "which", "who", "whose", "where", "with":
		return true
	}
	return p.kind(i-1) == comma
}

// negation passes over not, other than, except.
func (p *parser) negation(i int) (int, bool) {
	if n := p.oneOf(i, [][]string{{"not"}, {"other", "than"}, {"except"}, {"excluding"}, {"not", "in"}, {"not", "from"}, {"not", "located", "in"}, {"not", "by"}, {"outside"}, {"outside", "of"}, {"not", "on"}, {"not", "have"}, {"not", "at"}, {"not", "of"}, {"not", "for"}, {"not", "with"}, {"except", "for"}, {"not", "living", "in"}}); n > 0 {
		return i + n, true
	}
	return i, false
}

// with adds a condition and moves on.
func (s state) with(c cond, at int) state {
	if c.col != nil && c.col.near == nil {
		col := *c.col
		col.near = s.f.near
		c.col = &col
	}
	s.f.conds = add(s.f.conds, c)
	if strings.HasPrefix(c.op, "not_") || c.op == "<>" {
		s.f.notEnd = at
	}
	s.at = at
	return s
}
