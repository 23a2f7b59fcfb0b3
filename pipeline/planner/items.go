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
	out = append(out, p.byAge(s)...)
	for _, e := range p.fresh(s) {
		e.f.outs = add(e.f.outs, out1(e, "", false))
		out = append(out, e)
	}
	for _, h := range p.find(i, isMetric) {
		out = append(out, p.metricItem(s, h)...)
	}
	out = append(out, p.valued(s)...)
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
		n.f.cost += p.cutsMetric(s.at, h.n)
		out = append(out, n.names(m))
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

func last[T any](list []T) T { return list[len(list)-1] }
