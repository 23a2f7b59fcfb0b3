package planner

import (
	"slices"

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

// alternatives reads "or …" behind a condition and joins the two.
func (p *parser) alternatives(s state) []state {
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
		if (k > 0 || p.relates(i-1)) && !neg {
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

// columnCondition reads "age is more than 30", "status completed", "the
// country 'Iceland'", "score between 3 and 5".
func (p *parser) columnCondition(s state, neg bool) []state {
	var out []state
	for _, h := range p.find(s.at, func(m meaning) bool { return isColumn(m) || isCount(m) }) {
		col := &mention{at: s.at, n: h.n, meanings: h.meanings}
		i := s.at + h.n
		if p.is(i, "value") || p.is(i, "values") {
			i++
		}
		i += p.oneOf(i, [][]string{{"is"}, {"are"}, {"was"}, {"were"}, {"of"}, {"is", "equal", "to"}, {"equal", "to"}, {"equals"}, {"="}, {"as"}, {"being"}, {"is", "either"}, {"are", "either"}, {"either"}, {"is", "in"}, {"to", "be"}, {"was", "in"}, {"is", "the"}, {"be"}, {"in"}, {"that", "is"}, {"that", "are"}})
		k, not := p.negation(i)
		out = append(out, p.compared(state{at: k, f: s.f}, col, neg != not)...)
	}
	return out
}

// compared reads the comparison and the value behind a column.
func (p *parser) compared(s state, col *mention, neg bool) []state {
	i := s.at
	var out []state
	if p.is(i, "both") && !neg && s.f.both[0] == nil && len(s.f.outs) > 0 { // both below 100 and above 500
		for _, l := range p.compared(state{at: i + 1, f: s.f}, col, false) {
			if !p.is(l.at, "and") || len(l.f.conds) == len(s.f.conds) {
				continue
			}
			for _, r := range p.compared(state{at: l.at + 1, f: s.f}, col, false) {
				r.f.both = [2][]cond{l.f.conds[len(s.f.conds):], r.f.conds[len(s.f.conds):]}
				r.f.conds = s.f.conds
				out = append(out, r)
			}
		}
		return out
	}
	if p.is(i, "between") || p.is(i, "in", "the", "range") || p.is(i, "from") {
		k := i + 1
		if p.is(i, "in") {
			k = i + 3
		}
		lo, n := p.scalar(k)
		if n > 0 && (p.is(k+n, "and") || p.is(k+n, "to")) {
			if hi, m := p.scalar(k + n + 1); m > 0 {
				return []state{s.with(cond{col: col, op: negated("between", neg), vals: []value{lo, hi}, spoken: col.at}, k+n+1+m)}
			}
		}
		return nil
	}
	if op, n := p.comparison(i); n > 0 {
		if op != "=" {
			for _, h := range p.find(p.det(i+n), isMeasure) {
				than := &mention{at: i + n, n: h.n, meanings: h.meanings, near: s.f.near}
				v := value{than: than, text: p.textOf(i+n, h.n)}
				out = append(out, s.with(cond{col: col, op: negated(op, neg), vals: []value{v}, spoken: col.at}, p.det(i+n)+h.n))
			}
		}
		if v, m := p.scalar(i + n); m > 0 {
			k := i + n + m
			out = append(out, s.with(cond{col: col, op: negated(op, neg), vals: []value{v}, spoken: col.at}, k))
		}
		return out
	}
	vals, k := p.valueList(p.det(i))
	for n := range vals {
		op := "="
		if n > 0 {
			op = "in"
		}
		out = append(out, s.with(cond{col: col, op: negated(op, neg), vals: vals[:n+1], spoken: col.at}, k[n]))
	}
	if len(vals) == 1 && vals[0].num != "" && !neg {
		if n := p.oneOf(k[0], [][]string{{"or", "more"}, {"or", "higher"}, {"or", "above"}, {"or", "greater"}, {"and", "above"}}); n > 0 {
			out = append(out, s.with(cond{col: col, op: ">=", vals: vals, spoken: col.at}, k[0]+n))
		}
		if n := p.oneOf(k[0], [][]string{{"or", "less"}, {"or", "fewer"}, {"or", "lower"}, {"or", "below"}}); n > 0 {
			out = append(out, s.with(cond{col: col, op: "<=", vals: vals, spoken: col.at}, k[0]+n))
		}
	}
	return out
}

// with adds a condition and moves on.
func (s state) with(c cond, at int) state {
	if c.col != nil && c.col.near == nil {
		col := *c.col
		col.near = s.f.near
		c.col = &col
	}
	s.f.conds = add(s.f.conds, c)
	s.at = at
	return s
}

// impliedCondition reads "older than 30".
func (p *parser) impliedCondition(s state, neg bool) []state {
	c, ok := comparatives[p.low(s.at)]
	if !ok || !p.is(s.at+1, "than") {
		return nil
	}
	col := p.impliedColumn(s.at, 2, c.columns)
	v, n := p.scalar(s.at + 2)
	if col == nil || n == 0 {
		return nil
	}
	return []state{s.with(cond{col: col, op: negated(c.op, neg), vals: []value{v}, spoken: s.at}, s.at+2+n)}
}

// ageCondition reads "25 years old", "at least 30 years old", "aged 32 or older".
func (p *parser) ageCondition(s state, neg bool) []state {
	i := s.at
	aged := p.is(i, "aged")
	if aged {
		i++
	}
	op, n := p.comparison(i)
	if n == 0 {
		op = "="
	}
	i += n
	if p.kind(i) != number || p.toks[i].num == "" {
		return nil
	}
	v := value{num: p.toks[i].num, text: p.toks[i].text}
	i++
	if m := p.oneOf(i, [][]string{{"years", "old"}, {"years", "of", "age"}, {"year", "old"}}); m > 0 {
		i, aged = i+m, true
	}
	switch {
	case p.is(i, "or", "older"), p.is(i, "or", "above"), p.is(i, "or", "over"):
		op, i = ">=", i+2
	case p.is(i, "or", "younger"), p.is(i, "or", "below"), p.is(i, "or", "under"):
		op, i = "<=", i+2
	}
	col := p.impliedColumn(s.at, i-s.at, []string{"age"})
	if !aged || col == nil {
		return nil
	}
	return []state{s.with(cond{col: col, op: negated(op, neg), vals: []value{v}, spoken: s.at}, i)}
}

// verbCondition reads "directed by James Cameron", "opened after 2010",
// "created this year".
func (p *parser) verbCondition(s state, neg bool) []state {
	var out []state
	for _, h := range p.find(s.at, isVerb) {
		col := &mention{at: s.at, n: h.n, meanings: h.meanings}
		i := s.at + h.n
		i += p.oneOf(i, [][]string{{"by"}, {"in"}, {"on"}, {"as"}, {"during"}, {"by", "either"}, {"in", "either"}})
		out = append(out, p.compared(state{at: i, f: s.f}, col, neg)...)
		if !neg {
			out = append(out, p.periodConditions(state{at: s.at + h.n, f: s.f}, col)...)
		}
	}
	return out
}

// countCondition reads "more than 5 employees" and "100 seats" where the table
// has a column that counts them.
func (p *parser) countCondition(s state) []state {
	if p.is(s.at, "between") {
		lo, n := p.scalar(s.at + 1)
		hi, m := p.scalar(s.at + 2 + n)
		if n == 0 || m == 0 || !p.is(s.at+1+n, "and") {
			return nil
		}
		var out []state
		for _, h := range p.find(s.at+2+n+m, isMeasure) {
			col := &mention{at: s.at + 2 + n + m, n: h.n, meanings: h.meanings}
			out = append(out, s.with(cond{col: col, op: "between", vals: []value{lo, hi}, spoken: s.at}, s.at+2+n+m+h.n))
		}
		return out
	}
	op, n := p.comparison(s.at)
	if n == 0 {
		op = "="
	}
	var out []state
	for _, h := range p.find(s.at+n, isMeasure) { // above age 46
		if v, m := p.scalar(s.at + n + h.n); n > 0 && m > 0 && v.num != "" {
			col := &mention{at: s.at + n, n: h.n, meanings: h.meanings}
			out = append(out, s.with(cond{col: col, op: op, vals: []value{v}, spoken: s.at}, s.at+n+h.n+m))
		}
	}
	v, m := p.scalar(s.at + n)
	if m == 0 {
		return out
	}
	for _, h := range p.find(s.at+n+m, func(m meaning) bool { return isCount(m) || isColumn(m) && numeric(m.column) }) {
		col := &mention{at: s.at + n + m, n: h.n, meanings: h.meanings}
		out = append(out, s.with(cond{col: col, op: op, vals: []value{v}, spoken: s.at}, s.at+n+m+h.n))
	}
	return out
}

// periods reads a restriction to a span of time without naming its column.
func (p *parser) periods(s state) []state {
	if lightVerbs[p.low(s.at)] && s.at+1 < len(p.toks) {
		s.at++ // that happened in 2025
	}
	return p.periodConditions(s, nil)
}

// periodConditions reads "last month", "in 2025", "since 2026-01-01", "between
// … and …" about a column, or about whichever dates the rows have.
func (p *parser) periodConditions(s state, col *mention) []state {
	i := s.at
	op := ""
	if c, n := p.comparison(i); n > 0 && slices.Contains([]string{"before", "after", "since", "until", "earlier", "later", "prior"}, p.low(i)) {
		op, i = c, i+n
	} else {
		i += p.oneOf(i, [][]string{{"in"}, {"during"}, {"on"}, {"of"}, {"for"}, {"from"}, {"in", "the"}, {"during", "the"}, {"over", "the"}, {"within", "the"}, {"for", "the"}, {"made", "in"}, {"from", "the"}, {"of", "the"}})
	}
	i = p.det(i)
	if p.is(i, "between") {
		lo, n := p.periodAt(i + 1)
		if n == 0 || !p.is(i+1+n, "and") {
			return nil
		}
		hi, m := p.periodAt(i + 2 + n)
		if m == 0 {
			return nil
		}
		both := &period{lo: lo.lo, hi: hi.hi, text: p.textOf(i, 2+n+m)}
		return []state{s.with(cond{col: col, op: "period", period: both, spoken: s.at, near: s.f.near}, i+2+n+m)}
	}
	per, n := p.periodAt(i)
	if n == 0 {
		return nil
	}
	if op != "" {
		per = bounded(per, op)
	}
	if op == "" && per.year != "" {
		if m := p.oneOf(i+n, [][]string{{"or", "later"}, {"or", "after"}, {"or", "afterwards"}, {"and", "later"}}); m > 0 {
			per, n = bounded(per, ">="), n+m
		} else if m := p.oneOf(i+n, [][]string{{"or", "earlier"}, {"or", "before"}}); m > 0 {
			per, n = bounded(per, "<="), n+m
		}
	}
	per.text = p.textOf(s.at, i+n-s.at)
	if len(s.f.linked) > 0 && col == nil && s.f.linkedEnd == s.at {
		return nil // what the period is about, the rows or those they are linked to, isn't said
	}
	return []state{s.with(cond{col: col, op: "period", period: per, spoken: s.at, near: s.f.near}, i+n)}
}
