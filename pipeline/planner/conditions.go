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
	{"when"}, {"in"}, {"from"}, {"at"}, {"on"}, {"of"}, {"for"}, {"by"}, {"to"}, {"under"}, {"as"}, {"named"}, {"called"}, {"with", "name"}, {"is"}, {"are"}, {"was"}, {"were"}, {"that", "are"}, {"that", "is"},
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
		out = append(out, p.verbCondition(state{at: at, f: s.f}, neg)...)
		if k > 0 && !neg {
			out = append(out, p.countCondition(state{at: at, f: s.f})...)
		}
	}
	return out
}

// untied is what a condition costs that nothing leads on to.
const untied = 0.1

// tied tells whether the word before i leads on to what stands there.
func (p *parser) tied(i int) bool {
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
	s.f.conds = add(s.f.conds, c)
	s.at = at
	return s
}

// comparisons are the ways to compare.
var comparisons = []struct {
	words []string
	op    string
}{
	{[]string{"at", "least"}, ">="}, {[]string{"no", "less", "than"}, ">="}, {[]string{"not", "less", "than"}, ">="}, {[]string{"at", "most"}, "<="}, {[]string{"no", "more", "than"}, "<="}, {[]string{"up", "to"}, "<="}, {[]string{"not", "more", "than"}, "<="},
	{[]string{"more", "than"}, ">"}, {[]string{"greater", "than"}, ">"}, {[]string{"higher", "than"}, ">"}, {[]string{"larger", "than"}, ">"}, {[]string{"bigger", "than"}, ">"}, {[]string{"above"}, ">"}, {[]string{"over"}, ">"}, {[]string{"exceeding"}, ">"}, {[]string{"exceeds"}, ">"}, {[]string{"exceed"}, ">"},
	{[]string{"older", "than"}, ">"}, {[]string{"longer", "than"}, ">"}, {[]string{"bigger"}, ">"}, {[]string{"later", "than"}, ">"}, {[]string{"after"}, ">"}, {[]string{"greater", "than", "or", "equal", "to"}, ">="}, {[]string{"more", "than", "or", "equal", "to"}, ">="}, {[]string{"since"}, ">="},
	{[]string{"less", "than"}, "<"}, {[]string{"fewer", "than"}, "<"}, {[]string{"lower", "than"}, "<"}, {[]string{"smaller", "than"}, "<"}, {[]string{"below"}, "<"}, {[]string{"under"}, "<"}, {[]string{"younger", "than"}, "<"}, {[]string{"shorter", "than"}, "<"}, {[]string{"before"}, "<"}, {[]string{"prior", "to"}, "<"}, {[]string{"earlier", "than"}, "<"},
	{[]string{"less", "than", "or", "equal", "to"}, "<="}, {[]string{">", "="}, ">="}, {[]string{"<", "="}, "<="}, {[]string{">"}, ">"}, {[]string{"<"}, "<"}, {[]string{"a", "minimum", "of"}, ">="}, {[]string{"a", "maximum", "of"}, "<="}, {[]string{"exactly"}, "="}, {[]string{"until"}, "<="},
}

// comparison reads a comparison at i.
func (p *parser) comparison(i int) (op string, n int) {
	for _, c := range comparisons {
		if len(c.words) > n && p.is(i, c.words...) {
			op, n = c.op, len(c.words)
		}
	}
	return op, n
}

func negated(op string, neg bool) string {
	if !neg {
		return op
	}
	return map[string]string{"=": "<>", "in": "not_in", "between": "not_between", ">": "<=", "<": ">=", ">=": "<", "<=": ">"}[op]
}

// scalar reads a number or a date that something is compared with.
func (p *parser) scalar(i int) (value, int) {
	i0 := i
	for p.is(i, "the") || p.is(i, "year") || p.is(i, "number") {
		i++
	}
	switch p.kind(i) {
	case number:
		n := 1
		num := p.toks[i].num
		if zeros := multipliers[p.low(i+1)]; zeros != "" {
			num, n = scaled(num, zeros), 2
		}
		if num == "" {
			return value{}, 0
		}
		n += p.oneOf(i+n, [][]string{{"years", "old"}, {"percent"}, {"dollars"}, {"years", "of", "age"}})
		return value{num: num, text: p.toks[i].text}, i - i0 + n
	case date:
		return value{text: p.toks[i].text, date: true}, i - i0 + 1
	}
	return value{}, 0
}

// scaled multiplies a number by a power of ten; empty for one that can't be.
func scaled(num, zeros string) string {
	if slices.Contains([]byte(num), '.') {
		whole, frac, _ := cutByte(num, '.')
		if len(frac) > len(zeros) {
			return ""
		}
		return whole + frac + zeros[len(frac):]
	}
	return num + zeros
}

func cutByte(s string, b byte) (string, string, bool) {
	for i := range len(s) {
		if s[i] == b {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// valueList reads values separated by commas and "or". k[n] is the position
// behind the first n+1 of them.
func (p *parser) valueList(i int) (vals []value, k []int) {
	for len(vals) < 10 {
		v, n := p.oneValue(i)
		if n == 0 {
			return vals, k
		}
		i += n
		vals, k = append(vals, v), append(k, i)
		switch {
		case p.is(i, "or"):
			i++
		case p.kind(i) == comma && p.is(i+1, "or"):
			i += 2
		case p.kind(i) == comma && len(vals) < 10 && p.listEnds(i+1):
			i++
		default:
			return vals, k
		}
		i = p.det(i)
	}
	return vals, k
}

// listEnds tells whether "or" follows later in a list of values.
func (p *parser) listEnds(i int) bool {
	for ; i < len(p.toks); i++ {
		if p.is(i, "or") {
			return true
		}
		if p.is(i, "and") {
			return false
		}
	}
	return false
}

// oneValue reads one value behind a column: quoted text, a sampled value, a
// number.
func (p *parser) oneValue(i int) (value, int) {
	if p.kind(i) == quoted {
		v := value{text: p.toks[i].text, quoted: true}
		for _, h := range p.find(i, isValue) {
			v.link = h.meanings
		}
		return v, 1
	}
	for _, h := range p.find(i, isValue) {
		return value{text: p.textOf(i, h.n), link: h.meanings}, h.n
	}
	if v, n := p.scalar(i); n > 0 {
		return v, n
	}
	if p.kind(i) == word && len(p.toks[i].text) <= 3 && !functionWords[p.low(i)] {
		return value{text: p.toks[i].text}, 1 // a code such as M; it must be among the column's values
	}
	return value{}, 0
}

func (p *parser) textOf(i, n int) string {
	s := ""
	for k := i; k < i+n; k++ {
		if s != "" {
			s += " "
		}
		s += p.toks[k].text
	}
	return s
}

// valueCondition reads a value by itself, with its column's or its table's
// name behind it or not: "in EMEA", "the Sonoma county".
func (p *parser) valueCondition(s state, neg bool) []state {
	var out []state
	for _, h := range p.find(s.at, isValue) {
		k := s.at + h.n
		c := cond{col: &mention{at: s.at, n: h.n, meanings: h.meanings}, op: negated("=", neg), spoken: s.at}
		n := s.with(c, k)
		n.f.cost += 0.02
		out = append(out, n)
		for _, ch := range p.find(k, isColumn) {
			if m := narrowed(h.meanings, ch.meanings); m != nil {
				c.col = &mention{at: s.at, n: h.n, meanings: m}
				out = append(out, s.with(c, k+ch.n))
			}
		}
		for _, ch := range p.find(k, isTable) {
			if m := narrowedTable(h.meanings, ch.meanings); m != nil {
				c.col = &mention{at: s.at, n: h.n, meanings: m}
				out = append(out, s.with(c, k+ch.n))
			}
		}
		out = append(out, p.moreValues(s, h, k, neg)...)
	}
	return out
}

// moreValues reads "EMEA or APAC".
func (p *parser) moreValues(s state, h hit, k int, neg bool) []state {
	vals := []value{{link: h.meanings}}
	for p.is(k, "or") || p.kind(k) == comma && p.listEnds(k) {
		if p.kind(k) == comma {
			k++
		}
		if p.is(k, "or") {
			k++
		}
		hs := p.find(p.det(k), isValue)
		if len(hs) == 0 {
			return nil
		}
		vals = append(vals, value{link: hs[0].meanings})
		k = p.det(k) + hs[0].n
	}
	if len(vals) < 2 {
		return nil
	}
	var shared []meaning
	for _, m := range h.meanings {
		if inAll(vals, m) {
			shared = append(shared, m)
		}
	}
	if shared == nil {
		return nil
	}
	return []state{s.with(cond{col: &mention{at: s.at, n: h.n, meanings: shared}, op: negated("in", neg), vals: vals, spoken: s.at}, k)}
}

// inAll tells whether every value can be one of the meaning's column.
func inAll(vals []value, m meaning) bool {
	for _, v := range vals {
		if !slices.ContainsFunc(v.link, func(o meaning) bool { return o.column == m.column }) {
			return false
		}
	}
	return true
}

// narrowed keeps the values of the named columns.
func narrowed(values, columns []meaning) []meaning {
	var out []meaning
	for _, v := range values {
		if slices.ContainsFunc(columns, func(c meaning) bool { return c.column == v.column }) {
			out = append(out, v)
		}
	}
	return out
}

// narrowedTable keeps the values of the named tables' columns.
func narrowedTable(values, tables []meaning) []meaning {
	var out []meaning
	for _, v := range values {
		if slices.ContainsFunc(tables, func(c meaning) bool { return c.table == v.table }) {
			out = append(out, v)
		}
	}
	return out
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

// verbCondition reads "directed by James Cameron", "opened after 2010",
// "created this year".
func (p *parser) verbCondition(s state, neg bool) []state {
	var out []state
	for _, h := range p.find(s.at, isVerb) {
		col := &mention{at: s.at, n: h.n, meanings: h.meanings}
		i := s.at + h.n
		i += p.oneOf(i, [][]string{{"by"}, {"in"}, {"on"}, {"as"}, {"during"}})
		for _, c := range p.compared(state{at: i, f: s.f}, col, neg) {
			out = append(out, c)
		}
		if neg {
			continue
		}
		for _, per := range p.periodConditions(state{at: s.at + h.n, f: s.f}, col) {
			out = append(out, per)
		}
	}
	return out
}

// countCondition reads "more than 5 employees" and "100 seats" where the table
// has a column that counts them.
func (p *parser) countCondition(s state) []state {
	op, n := p.comparison(s.at)
	if n == 0 {
		op = "="
	}
	v, m := p.scalar(s.at + n)
	if m == 0 {
		return nil
	}
	var out []state
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
		return []state{s.with(cond{col: col, op: "period", period: both, spoken: s.at}, i+2+n+m)}
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
	return []state{s.with(cond{col: col, op: "period", period: per, spoken: s.at}, i+n)}
}

// likes are the ways to say what a text is like, with the pattern they make.
var likes = []struct {
	words          []string
	before, behind string
}{
	{[]string{"contains"}, "%", "%"}, {[]string{"contain"}, "%", "%"}, {[]string{"containing"}, "%", "%"}, {[]string{"contains", "the", "word"}, "%", "%"},
	{[]string{"contain", "the", "word"}, "%", "%"}, {[]string{"containing", "the", "word"}, "%", "%"}, {[]string{"includes"}, "%", "%"}, {[]string{"include"}, "%", "%"}, {[]string{"including"}, "%", "%"},
	{[]string{"has", "the", "word"}, "%", "%"}, {[]string{"have", "the", "word"}, "%", "%"}, {[]string{"with", "the", "word"}, "%", "%"},
	{[]string{"contains", "the", "substring"}, "%", "%"}, {[]string{"contain", "the", "substring"}, "%", "%"}, {[]string{"containing", "the", "substring"}, "%", "%"},
	{[]string{"contains", "the", "string"}, "%", "%"}, {[]string{"contain", "substring"}, "%", "%"}, {[]string{"contains", "substring"}, "%", "%"}, {[]string{"has", "the", "substring"}, "%", "%"}, {[]string{"have", "the", "substring"}, "%", "%"},
	{[]string{"starts", "with"}, "", "%"}, {[]string{"start", "with"}, "", "%"}, {[]string{"starting", "with"}, "", "%"}, {[]string{"begins", "with"}, "", "%"}, {[]string{"begin", "with"}, "", "%"}, {[]string{"beginning", "with"}, "", "%"},
	{[]string{"ends", "with"}, "%", ""}, {[]string{"end", "with"}, "%", ""}, {[]string{"ending", "with"}, "%", ""},
}

// likeCondition reads "name contains 'x'", "title starting with 'The'". The
// text must be quoted: nothing else says where it ends.
func (p *parser) likeCondition(s state, neg bool) []state {
	var out []state
	hits := p.find(s.at, isText)
	if len(s.f.outs) == 1 && s.f.outs[0].fn == "" && s.f.outs[0].col != nil {
		// "names of films containing 'x'": what is asked for contains it.
		if h := p.keep(hit{meanings: s.f.outs[0].col.meanings}, isText); h.meanings != nil {
			hits = append(hits, h)
		}
	}
	for _, h := range hits {
		i, not := p.negation(s.at + h.n)
		i += p.oneOf(i, [][]string{{"that"}, {"which"}})
		for _, l := range likes {
			k := i + len(l.words)
			if !p.is(i, l.words...) || p.kind(k) != quoted {
				continue
			}
			op := "like"
			if neg != not {
				op = "not_like"
			}
			pattern := l.before + escapeLike(p.toks[k].text) + l.behind
			col := &mention{at: s.at, n: h.n, meanings: h.meanings}
			if h.n == 0 {
				col.owner = s.f.outs[0].col.owner
			}
			out = append(out, s.with(cond{col: col, op: op, vals: []value{{text: pattern, literal: true}}, spoken: s.at}, k+1))
		}
	}
	return out
}

func isText(m meaning) bool { return isColumn(m) && textual(m.column) }

// escapeLike makes a text stand for itself in a LIKE pattern.
func escapeLike(s string) string {
	return strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(s)
}
