package planner

import (
	"slices"
)

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
	if v, n := p.overall(i); n > 0 {
		return v, i - i0 + n
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
func (p *parser) valueList(i int, neg bool) (vals []value, k []int) {
	for len(vals) < 10 {
		v, n := p.oneValue(i)
		if n == 0 {
			return vals, k
		}
		i += n
		vals, k = append(vals, v), append(k, i)
		switch {
		case p.joins(i, neg):
			i++
		case p.kind(i) == comma && p.joins(i+1, neg):
			i += 2
		case p.kind(i) == comma && len(vals) < 10 && p.listEnds(i+1, neg):
			i++
		default:
			return vals, k
		}
		i = p.det(i)
	}
	return vals, k
}

// joins tells whether the word at i joins values of which a column has one: "or", and
// "and" behind "not", which is about all of them.
func (p *parser) joins(i int, neg bool) bool { return p.is(i, "or") || neg && p.is(i, "and") }

// listEnds tells whether a word that joins values follows later in a list of them.
func (p *parser) listEnds(i int, neg bool) bool {
	for ; i < len(p.toks); i++ {
		if p.joins(i, neg) {
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
		if s != "" && p.kind(k) != comma {
			s += " "
		}
		s += p.toks[k].text
	}
	return s
}
