package planner

import "github.com/pgask/pgask/pipeline/semantic"

// maxItems bounds what one question asks for.
const maxItems = 8

// items reads the list of things asked for: columns, aggregates, counts,
// metrics and tables.
func (p *parser) items(s state, depth int) []state {
	if p.spent() {
		return nil
	}
	var out []state
	for _, n := range p.item(s) {
		out = append(out, n)
		if depth >= maxItems {
			continue
		}
		// "names of actors and titles of musicals": whose they are may be said
		// in between.
		for _, o := range append([]state{n}, p.ofOwner(n)...) {
			if k := p.separator(o.at); k > 0 {
				out = append(out, p.items(state{at: p.det(o.at + k), f: o.f}, depth+1)...)
			}
		}
	}
	return out
}

// ofOwner reads "of the actors" behind something asked for.
func (p *parser) ofOwner(s state) []state {
	if !p.is(s.at, "of") && !p.is(s.at, "for") {
		return nil
	}
	return p.owners(s)
}

// separator is the length of what stands between two things asked for.
func (p *parser) separator(i int) int {
	n := 0
	if p.kind(i) == comma {
		n = 1
	}
	return n + p.oneOf(i+n, [][]string{{"and"}, {"and", "also"}, {"as", "well", "as"}, {"along", "with"}, {"together", "with"},
		{"and", "the", "corresponding"}, {"and", "corresponding"}, {"and", "their", "corresponding"}, {"with", "the", "corresponding"}, {"and", "their"}, {"with", "their"}, {"with", "the"}, {"and", "what", "is"}, {"and", "what", "are"}, {"and", "the"}, {"and", "its"}})
}

// item reads one thing asked for.
func (p *parser) item(s state) []state {
	s.at = p.det(s.at)
	i := s.at
	each := false
	for distinctWords[p.low(i)] || determiners[p.low(i)] || p.is(i, "each") || p.is(i, "every") {
		if distinctWords[p.low(i)] {
			s.f.distinct = true
		}
		each = each || p.is(i, "each") || p.is(i, "every")
		i++
	}
	s.at = i
	var out []state
	if each {
		for _, h := range p.find(i, isColumn) {
			n := state{at: i + h.n, f: s.f}
			o := outCol("", false, i, h)
			n.f.outs = add(n.f.outs, o)
			n.f.groups = add(n.f.groups, group{col: o.col})
			out = append(out, n)
		}
	}
	if n := p.countIntro(i); n > 0 {
		out = append(out, p.counted(state{at: p.det(i + n), f: s.f})...)
	}
	out = append(out, p.calledItem(s)...)
	out = append(out, p.sharedHead(s)...)
	out = append(out, p.aggregateItem(s)...)
	out = append(out, p.topItem(s)...)
	out = append(out, p.rankedItem(s)...)
	for _, h := range p.find(i, isMetric) {
		out = append(out, p.metricItem(s, h)...)
	}
	for _, h := range p.find(i, isColumn) {
		n := state{at: i + h.n + p.tail(i, h), f: s.f}
		n.f.outs = add(n.f.outs, outCol("", false, i, h))
		n.f.cost += p.metricFirst(i, n.at)
		out = append(out, n)
	}
	if len(s.f.outs) > 0 && last(s.f.outs).col != nil {
		return out // "the names of actors and films" may mean the films' names
	}
	for _, e := range p.entity(s) {
		e.f.outs = add(e.f.outs, out1(e, "", false))
		e.f.cost += p.metricFirst(s.at, e.at)
		out = append(out, e)
	}
	return out
}

// calledItem reads "names of the studios", where studio is a column: its values
// are names.
func (p *parser) calledItem(s state) []state {
	if !nameWords[p.low(s.at)] || !p.is(s.at+1, "of") && !p.is(s.at+1, "for") {
		return nil
	}
	k := s.at + 2
	distinct := false
	for determiners[p.low(k)] || distinctWords[p.low(k)] || p.is(k, "each") {
		distinct = distinct || distinctWords[p.low(k)]
		k++
	}
	var out []state
	for _, h := range p.find(k, func(m meaning) bool { return isText(m) && !isKey(m.table, m.column) }) {
		n := state{at: k + h.n, f: s.f}
		n.f.distinct = n.f.distinct || distinct
		n.f.outs = add(n.f.outs, outCol("", false, k, h))
		out = append(out, n)
	}
	return out
}

var nameWords = set("name", "names", "title", "titles")

// countIntro is the length of "number of".
func (p *parser) countIntro(i int) int {
	return p.oneOf(i, [][]string{{"number", "of"}, {"numbers", "of"}, {"count", "of"}, {"total", "number", "of"}, {"total", "count", "of"}, {"how", "many"}, {"counts", "of"}})
}

// metricItem reads a registered measure.
func (p *parser) metricItem(s state, h hit) []state {
	var out []state
	for _, m := range h.meanings {
		n := state{at: s.at + h.n, f: s.f}
		n.f.outs = add(n.f.outs, out1metric(m.metric, s.at))
		out = append(out, n.note(s.at, h.n, "metric "+m.metric.Name))
	}
	return out
}

func out1metric(m *semantic.Metric, at int) out { return out{metric: m, spoken: at} }

// aggregateItem reads "average and maximum X", "total X".
func (p *parser) aggregateItem(s state) []state {
	var fns []string
	i := s.at
	for {
		fn, ok := aggregateWords[p.low(i)]
		if !ok || p.is(i+1, "number", "of") && p.countsRows(i+3) {
			break
		}
		fns = append(fns, fn)
		i++
		k := i
		if p.kind(k) == comma {
			k++
		}
		if p.is(k, "and") {
			k++
		}
		k = p.det(k)
		if _, more := aggregateWords[p.low(k)]; more && k > i {
			i = k
			continue
		}
		break
	}
	if fns == nil {
		return nil
	}
	i = p.det(i)
	if p.is(i, "value") || p.is(i, "values") {
		i = p.det(i + 1)
	}
	if _, value := aggregateWords[p.low(i-1)]; value && i >= len(p.toks) {
		return nil
	}
	out := p.aggregateColumns(state{at: i, f: s.f}, fns)
	if p.is(i, "number", "of") || p.is(i, "amount", "of") {
		out = append(out, p.aggregateColumns(state{at: p.det(i + 2), f: s.f}, fns)...)
	}
	return out
}

// countsRows tells whether "number of" at the position before i counts rows
// rather than naming a column.
func (p *parser) countsRows(i int) bool {
	return len(p.find(i-2, isColumn)) == 0 && len(p.find(p.det(i), isMeasure)) == 0
}

// aggregateColumns reads the columns that share the aggregates in front of
// them: "average age and weight".
func (p *parser) aggregateColumns(s state, fns []string) []state {
	if p.spent() {
		return nil
	}
	var out []state
	if len(fns) == 1 && fns[0] == "sum" {
		for _, h := range p.find(s.at, isMetric) {
			out = append(out, p.metricItem(s, h)...)
		}
	}
	for _, h := range p.find(s.at, func(m meaning) bool {
		return isColumn(m) && (numeric(m.column) || temporal(m.column) && onlyRange(fns))
	}) {
		n := state{at: s.at + h.n, f: s.f}
		n.f.cost += p.metricFirst(s.at, n.at)
		for _, fn := range fns {
			n.f.outs = add(n.f.outs, outCol(fn, false, s.at, h))
		}
		out = append(out, n)
		k := n.at
		if p.is(k, "and") {
			out = append(out, p.aggregateColumns(state{at: p.det(k + 1), f: n.f}, fns)...)
		}
	}
	return out
}

func onlyRange(fns []string) bool {
	for _, f := range fns {
		if f != "min" && f != "max" {
			return false
		}
	}
	return true
}

// topItem reads "top 5 products" and "5 products": the limit, with the
// ranking to come.
func (p *parser) topItem(s state) []state {
	i := s.at
	if p.is(i, "top") || p.is(i, "first") && p.kind(i+1) == number || p.is(i, "bottom") {
		desc := !p.is(i, "bottom")
		if p.is(i, "first") {
			return nil
		}
		limit, k := int64(1), i+1
		if p.kind(k) == number {
			limit, k = atoi(p.toks[k].num), k+1
		} else if !desc {
			return nil
		}
		var out []state
		for _, n := range p.subjects(state{at: k, f: s.f}) {
			for _, r := range p.rankedBy(n, desc) {
				r.f.limit = limit
				out = append(out, r)
			}
		}
		return out
	}
	if p.kind(i) == number {
		var out []state
		for _, n := range p.subjects(state{at: i + 1, f: s.f}) {
			n.f.limit = atoi(p.toks[i].num)
			out = append(out, n)
		}
		return out
	}
	return nil
}

// subjects reads a table or a column that is to be ranked.
func (p *parser) subjects(s state) []state {
	var out []state
	for _, e := range p.entity(s) {
		e.f.outs = add(e.f.outs, out1(e, "", false))
		out = append(out, e)
	}
	for _, h := range p.find(s.at, isColumn) {
		n := state{at: s.at + h.n, f: s.f}
		n.f.outs = add(n.f.outs, outCol("", false, s.at, h))
		out = append(out, n)
	}
	return out
}

// rankedBy reads "by revenue", "with the highest price" and the like behind a
// "top N", with modifiers in between left to later rules.
func (p *parser) rankedBy(s state, desc bool) []state {
	var out []state
	if p.is(s.at, "by") || p.is(s.at, "in", "terms", "of") {
		k := s.at + 1
		if !p.is(s.at, "by") {
			k += 2
		}
		out = append(out, p.ranking(state{at: p.det(k), f: s.f}, desc)...)
	}
	return out
}

// ranking reads what rows are ranked by: a metric, a number of rows, an
// aggregate or a column.
func (p *parser) ranking(s state, desc bool) []state {
	var out []state
	i := s.at
	for _, h := range p.find(i, isMetric) {
		for _, m := range h.meanings {
			n := state{at: i + h.n, f: s.f}
			n.f.orders = add(n.f.orders, order{metric: m.metric, desc: desc})
			out = append(out, n.note(i, h.n, "metric "+m.metric.Name))
		}
	}
	if n := p.oneOf(i, [][]string{{"count"}, {"number"}, {"counts"}, {"total"}}); n > 0 && p.countIntro(i) == 0 {
		for k, o := range s.f.outs {
			if o.fn == "count" && k == len(s.f.outs)-1 {
				r := state{at: i + n, f: s.f}
				r.f.orders = add(r.f.orders, order{out: k + 1, desc: desc})
				out = append(out, r)
			}
		}
	}
	if k := p.countIntro(i); k > 0 {
		for _, e := range p.entity(state{at: i + k, f: s.f}) {
			e.f.orders = add(e.f.orders, order{count: last(e.f.also), desc: desc})
			out = append(out, e)
		}
		for _, h := range p.find(p.det(i+k), isMeasure) {
			n := state{at: p.det(i+k) + h.n, f: s.f}
			n.f.orders = add(n.f.orders, order{col: &mention{at: i, n: h.n, meanings: h.meanings}, desc: desc})
			out = append(out, n)
		}
	}
	if fn, ok := aggregateWords[p.low(i)]; ok {
		for _, h := range p.find(p.det(i+1), isColumn) {
			n := state{at: p.det(i+1) + h.n, f: s.f}
			n.f.orders = add(n.f.orders, order{fn: fn, col: &mention{at: i + 1, n: h.n, meanings: h.meanings}, desc: desc})
			out = append(out, n)
		}
	}
	for _, h := range p.find(i, isColumn) {
		n := state{at: i + h.n + p.tail(i, h), f: s.f}
		n.f.orders = add(n.f.orders, order{col: &mention{at: i, n: h.n, meanings: h.meanings}, desc: desc})
		out = append(out, n)
	}
	return out
}

func last[T any](list []T) T { return list[len(list)-1] }

func atoi(s string) int64 {
	var n int64
	for _, r := range s {
		if r < '0' || r > '9' || n > 1<<40 {
			return 0
		}
		n = n*10 + int64(r-'0')
	}
	return n
}

// rankedItem reads "the oldest student", "the most common city".
func (p *parser) rankedItem(s state) []state {
	var out []state
	i := s.at
	limit := int64(1)
	if p.kind(i) == number {
		limit, i = atoi(p.toks[i].num), i+1
	}
	if n := p.oneOf(i, [][]string{{"most", "common"}, {"most", "frequent"}, {"least", "common"}, {"most", "popular"}, {"least", "popular"}, {"least", "frequent"}}); n > 0 {
		for _, h := range p.find(i+n, isColumn) {
			r := state{at: i + n + h.n, f: s.f}
			o := outCol("", false, i+n, h)
			r.f.outs = add(r.f.outs, o)
			r.f.groups = add(r.f.groups, group{col: o.col})
			r.f.orders = add(r.f.orders, order{fn: "count", desc: p.is(i, "most")})
			r.f.limit, r.f.mostBy = limit, true
			out = append(out, r)
		}
		return out
	}
	for _, a := range p.adjective(i) {
		for _, n := range p.subjects(state{at: i + a.n, f: s.f}) {
			n.f.orders = add(n.f.orders, order{col: a.col, desc: a.desc})
			n.f.limit = limit
			out = append(out, n)
		}
	}
	return out
}

// implied is a ranking or comparison that an adjective implies.
type implied struct {
	n    int
	col  *mention
	desc bool
}

// adjective reads oldest, cheapest, most expensive: the columns they can mean.
func (p *parser) adjective(i int) []implied {
	n, w := 1, p.low(i)
	if p.is(i, "most", "expensive") {
		n, w = 2, "priciest"
	}
	if p.is(i, "least", "expensive") {
		n, w = 2, "cheapest"
	}
	if p.is(i, "most", "recent") {
		n, w = 2, "latest"
	}
	a, ok := adjectives[w]
	if !ok {
		return nil
	}
	if col := p.impliedColumn(i, n, a.columns); col != nil {
		return []implied{{n: n, col: col, desc: a.desc}}
	}
	return nil
}

// impliedColumn are the numeric columns whose name holds one of the words.
func (p *parser) impliedColumn(at, n int, words []string) *mention {
	m := &mention{at: at, n: n}
	for _, w := range words {
		ph := p.x.byKey[stem(w)]
		if ph == nil {
			continue
		}
		for _, c := range ph.meanings {
			if isColumn(c) && (numeric(c.column) || temporal(c.column) || yearColumn(c.column)) && !isKey(c.table, c.column) {
				c.weight = max(c.weight, 0.9) // the word isn't the column's name anyhow
				m.meanings = append(m.meanings, c)
			}
		}
	}
	if m.meanings == nil {
		return nil
	}
	return m
}
