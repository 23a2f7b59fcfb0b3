package planner

import "slices"

// owners reads "of the students", "for each department": whose columns were
// asked for, or which rows are listed.
func (p *parser) owners(s state) []state {
	i := s.at
	n := p.oneOf(i, [][]string{{"of"}, {"for"}, {"from"}, {"in"}, {"by"}, {"on"}, {"at"}, {"among"}, {"belonging", "to"}, {"across"}, {"that"}, {"which"}, {"to"}})
	if n == 0 || p.relates(i-1) && !p.named(i-1) {
		return nil // behind a verb related reads it
	}
	k := i + n
	each := false
	for determiners[p.low(k)] || p.low(k) == "each" || p.low(k) == "every" || distinctWords[p.low(k)] || p.is(k, "different") {
		each = each || p.low(k) == "each" || p.low(k) == "every"
		if distinctWords[p.low(k)] && p.is(i, "of") {
			s.f.distinct = true // different names, whether of different students or not
		}
		k++
	}
	if p.kind(k) == number && s.f.limit == 0 { // of the three students with the best marks
		s.f.limit = atoi(p.toks[k].num)
		k++
	}
	var out []state
	for _, e := range p.entity(state{at: k, f: s.f}) {
		t := last(e.f.also)
		e.f.own(t)
		if each {
			e.f.each = true
			if p.aggregates(s.f) {
				e.f.groups = add(e.f.groups, group{table: t})
			}
		}
		out = append(out, e)
	}
	return out
}

// own tells the columns asked for so far whose they are.
func (f *frame) own(table tableRef) {
	outs, groups := slices.Clone(f.outs), slices.Clone(f.groups)
	for i, o := range outs {
		if o.col == nil || o.col.owner != nil {
			continue
		}
		c := *o.col
		c.owner = table
		outs[i].col = &c
		for k, g := range groups {
			if g.col == o.col {
				groups[k].col = &c
			}
		}
	}
	f.outs, f.groups = outs, groups
}

// aggregates tells whether something asked for is a number over many rows.
func (p *parser) aggregates(f frame) bool {
	for _, o := range f.outs {
		if o.fn != "" || o.metric != nil {
			return true
		}
	}
	return false
}

// per reads "per region", "by month and segment", "for each product",
// "grouped by", "monthly".
func (p *parser) per(s state) []state {
	if u := adverbUnits[p.low(s.at)]; u != "" {
		s.f.groups = add(s.f.groups, group{unit: u})
		return []state{{at: s.at + 1, f: s.f}}
	}
	if lightVerbs[p.low(s.at)] && s.at+1 < len(p.toks) {
		s.at++ // living in each city
	}
	if p.is(s.at, "by") && (s.f.sorting && len(s.f.orders) == 0 || (p.relates(s.at-1) || verbForm(p.token(s.at-1))) && !p.named(s.at-1)) {
		return nil
	}
	n := p.oneOf(s.at, [][]string{{"per"}, {"by"}, {"for", "each"}, {"for", "every"}, {"in", "each"}, {"of", "each"}, {"from", "each"}, {"at", "each"}, {"on", "each"}, {"with", "each"},
		{"grouped", "by"}, {"group", "by"}, {"broken", "down", "by"}, {"for", "different"}, {"in", "every"}, {"of", "every"}, {"by", "each"}, {"each"}, {"across", "different"},
		{"do", "each"}, {"does", "each"}, {"did", "each"}, {"to", "each"}, {"under", "each"}, {"that", "each"}, {"of", "different"}, {"in", "different"}})
	if n == 0 || p.is(s.at, "of") && !p.aggregates(s.f) {
		return nil // the name of each: owners reads it
	}
	var out []state
	for _, d := range p.dims(state{at: s.at + n, f: s.f}) {
		out = append(out, state{at: d.at, f: d.f})
		if m := p.oneOf(d.at, [][]string{{"have"}, {"has"}, {"had"}, {"contain"}, {"contains"}, {"own"}, {"owns"}, {"offer"}, {"offers"}, {"make"}, {"made"}, {"produce"}}); m > 0 && d.at+m == len(p.toks) {
			out = append(out, state{at: d.at + m, f: d.f})
		}
	}
	return out
}

// dims reads one or more dimensions.
func (p *parser) dims(s state) []state {
	if p.spent() {
		return nil
	}
	s.at = p.det(s.at)
	var firsts []state
	if u := timeUnits[p.low(s.at)]; u != "" {
		n := state{at: s.at + 1, f: s.f}
		if len(p.find(s.at, isColumn)) > 0 {
			n.f.cost += ownName // the table's own month column is meant where it has one
		}
		n.f.groups = add(n.f.groups, group{unit: u})
		firsts = append(firsts, n)
	}
	for _, h := range p.find(s.at, isColumn) {
		n := state{at: s.at + h.n, f: s.f}
		n.f.groups = add(n.f.groups, group{col: &mention{at: s.at, n: h.n, meanings: h.meanings}})
		firsts = append(firsts, n)
	}
	for _, e := range p.entity(s) {
		if len(e.f.conds) > len(s.f.conds) {
			if !p.is(s.at-1, "each") && !p.is(s.at-1, "every") {
				continue // "per completed order" groups by nothing
			}
			e.f.cost += 0.05
		}
		e.f.groups = add(e.f.groups, group{table: last(e.f.also)})
		if s.f.subject == nil {
			e.f.subject = nil
		}
		firsts = append(firsts, e)
	}
	out := firsts
	for _, f := range firsts {
		if n := p.separator(f.at); n > 0 && len(f.f.groups) < maxItems {
			out = append(out, p.dims(state{at: f.at + n, f: f.f})...)
		}
	}
	return out
}

// ordering reads "ordered by X descending", "in alphabetical order", "from
// highest to lowest".
func (p *parser) ordering(s state) []state {
	i := s.at
	if p.is(i, "and") {
		i++
	}
	if out := p.thatFirst(state{at: p.det(i), f: s.f}); out != nil {
		return out
	}
	if p.is(i, "by") {
		if n, d, label := p.direction(i + 1); n > 0 && !label && p.is(i+1+n, "of") { // by ascending order of age
			return p.orderKeys(state{at: p.det(i + 2 + n), f: s.f}, d, true)
		}
	}
	desc, dir := false, false
	if n := p.oneOf(i, [][]string{{"ordered"}, {"sorted"}, {"order"}, {"sort"}, {"ranked"}, {"listed"}, {"arranged"}, {"order", "them"}, {"sort", "them"}, {"order", "the", "results"}, {"sort", "the", "results"}, {"order", "the", "result"}, {"sorting"}, {"ordering"}, {"in", "order"}, {"in", "the", "order"}, {"ordered", "by", "the", "order"}, {"sorted", "by", "the", "order"}}); n > 0 {
		i += n
	}
	if p.is(i, "alphabetically") {
		if !p.is(i+1, "by") {
			s.f.orders = add(s.f.orders, order{label: true})
			return []state{{at: i + 1, f: s.f}}
		}
		return p.orderKeys(state{at: p.det(i + 2), f: s.f}, false, true)
	}
	if n, d, label := p.direction(i); n > 0 {
		i, desc, dir = i+n, d, true
		if label && !p.is(i, "of") && !p.is(i, "by") {
			s.f.orders = add(s.f.orders, order{label: true, desc: desc})
			return []state{{at: i, f: s.f}}
		}
	}
	if p.is(i, "by") && i > s.at {
		if n, d, _ := p.direction(i + 1); n > 0 { // by descending price
			return p.orderKeys(state{at: p.det(i + 1 + n + p.oneOf(i+1+n, [][]string{{"of"}})), f: s.f}, d, true)
		}
	}
	if n := p.oneOf(i, [][]string{{"by"}, {"of"}, {"based", "on"}, {"according", "to"}, {"in", "terms", "of"}, {"on"}}); n > 0 && (i > s.at || s.f.sorting && len(s.f.orders) == 0) {
		i += n
	} else {
		return nil
	}
	return p.orderKeys(state{at: p.det(i), f: s.f}, desc, dir)
}

// thatFirst reads "the most expensive first" and "highest first".
func (p *parser) thatFirst(s state) []state {
	for _, a := range p.adjective(s.at) {
		if p.is(s.at+a.n, "first") {
			s.f.orders = add(s.f.orders, order{col: a.col, desc: a.desc})
			return []state{{at: s.at + a.n + 1, f: s.f}}
		}
	}
	desc, ok := superlatives[p.low(s.at)]
	if n := len(s.f.orders); ok && p.is(s.at+1, "first") && n > 0 {
		s.f.orders = slices.Clone(s.f.orders)
		s.f.orders[n-1].desc = desc
		return []state{{at: s.at + 2, f: s.f}}
	}
	return nil
}

// direction reads "in descending order", "ascending", "in alphabetical order";
// label tells that it is about the names.
func (p *parser) direction(i int) (n int, desc, label bool) {
	k := i
	if p.is(k, "in") || p.is(k, "from") {
		k++
	}
	if p.is(k, "the") || p.is(k, "a") || p.is(k, "an") {
		k++
	}
	label = false
	switch {
	case p.is(k, "descending"), p.is(k, "decreasing"), p.is(k, "desc"):
		desc, k = true, k+1
	case p.is(k, "ascending"), p.is(k, "increasing"), p.is(k, "asc"), p.is(k, "lexicographical"), p.is(k, "lexicographic"):
		label = p.is(k, "lexicographical") || p.is(k, "lexicographic")
		k++
	case p.is(k, "alphabetical"), p.is(k, "alphabetic"):
		label, k = true, k+1
	case p.is(k, "reverse", "alphabetical"):
		label, desc, k = true, true, k+2
	case p.is(k, "highest", "to", "lowest"), p.is(k, "largest", "to", "smallest"), p.is(k, "high", "to", "low"), p.is(k, "most", "to", "least"):
		return k + 3 - i, true, false
	case p.is(k, "lowest", "to", "highest"), p.is(k, "smallest", "to", "largest"), p.is(k, "low", "to", "high"), p.is(k, "least", "to", "most"):
		return k + 3 - i, false, false
	default:
		return 0, false, false
	}
	if p.is(k, "alphabetical") || p.is(k, "lexicographical") {
		label, k = true, k+1
	}
	if p.is(k, "order") {
		k++
	}
	return k - i, desc, label
}

// orderKeys reads what to sort by, and a direction behind it.
func (p *parser) orderKeys(s state, desc, dir bool) []state {
	if p.spent() {
		return nil
	}
	var out []state
	for _, r := range p.ranking(s, desc) {
		k := r.at
		d, has := desc, dir
		if n, dd, _ := p.direction(k); n > 0 && !has {
			k, d, has = k+n, dd, true
		}
		r.f.orders[len(r.f.orders)-1].desc = d
		done := state{at: k, f: r.f}
		out = append(out, done)
		if n := p.separator(k); n > 0 && len(r.f.orders) < 4 {
			out = append(out, p.orderKeys(state{at: p.det(k + n), f: r.f}, false, false)...)
		}
	}
	return out
}

// listsTable tells whether a column asked for can be one of the table's.
func (p *parser) listsTable(o out, t tableRef) bool {
	for _, m := range o.col.meanings {
		if m.table == t {
			return true
		}
	}
	return false
}

// superlative reads "with the highest price", "with the most orders", "whose
// age is the highest".
func (p *parser) superlative(s state) []state {
	n := p.oneOf(s.at, [][]string{{"whose"}, {"by"}, {"for"}, {"of"}})
	if n == 0 {
		return nil
	}
	return p.superlativeAt(state{at: s.at + n, f: s.f})
}

// superlativeAt reads "the highest price", "the most orders", "the oldest
// player".
func (p *parser) superlativeAt(s state) []state {
	k := p.det(s.at)
	var out []state
	if p.kind(k) == number && len(p.adjective(k+1)) > 0 { // the 5 oldest players
		s.f.limit = atoi(p.toks[k].num)
		k++
	}
	for _, a := range p.adjective(k) {
		for _, h := range p.find(k+a.n, isMeasure) { // the youngest age
			r := state{at: k + a.n + h.n, f: s.f}
			r.f.orders = add(r.f.orders, order{col: &mention{at: k, n: h.n, meanings: h.meanings}, desc: a.desc})
			out = append(out, p.ranked(r))
		}
		for _, e := range p.entity(state{at: k + a.n, f: s.f}) { // the oldest player
			col := *a.col
			col.owner = last(e.f.also)
			e.f.orders = add(e.f.orders, order{col: &col, desc: a.desc})
			out = append(out, p.ranked(e))
		}
	}
	if p.is(k, "top") && p.kind(k+1) == number || p.kind(k) == number {
		top := p.is(k, "top")
		if top {
			k++
		}
		s.f.limit = atoi(p.toks[k].num)
		k++
		if _, more := superlatives[p.low(k)]; !more {
			if !top || s.f.limit == 0 {
				return out
			}
			k-- // the number stands where "highest" would
		}
	}
	desc, ok := superlatives[p.low(k)]
	if p.kind(k) == number {
		desc, ok = true, true
	}
	if !ok {
		return out
	}
	k++
	for _, r := range p.ranking(state{at: k, f: s.f}, desc) {
		if ordered(last(r.f.orders)) {
			out = append(out, p.ranked(r))
		}
	}
	if !manyWords[p.low(k-1)] {
		return out
	}
	for _, e := range p.entity(state{at: k, f: s.f}) {
		e.f.orders = add(e.f.orders, order{count: last(e.f.also), desc: desc})
		if amounts(last(e.f.also)) {
			e.f.cost += 0.4 // the most degrees aren't the most rows
		}
		out = append(out, p.ranked(e))
	}
	for _, h := range p.find(k, isCount) {
		r := state{at: k + h.n, f: s.f}
		r.f.orders = add(r.f.orders, order{col: &mention{at: k, n: h.n, meanings: h.meanings}, desc: desc})
		out = append(out, p.ranked(r))
	}
	return out
}

// manyWords are superlatives of how many there are.
var manyWords = set("most", "fewest", "least")

// ranked cuts a ranking to the first where no number was given.
func (p *parser) ranked(s state) state {
	if s.f.limit == 0 {
		s.f.limit = 1
	}
	return s
}

// ordered narrows a ranking to columns that have a highest and a lowest; false
// where none is left.
func ordered(o order) bool {
	if o.col == nil {
		return true
	}
	var kept []meaning
	for _, m := range o.col.meanings {
		if isMeasure(m) || m.count {
			kept = append(kept, m)
		}
	}
	o.col.meanings = kept
	return kept != nil
}
