package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
)

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
		if p.is(i, "by") && k == i+n && p.one(e.at-1) {
			if p.aggregates(s.f) {
				continue // revenue by product is that of each, which per reads
			}
			e.f.outs = slices.Concat(rowsOf(t, i), e.f.outs) // so is price by product
		}
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

// one tells whether the word at i is a noun for one thing.
func (p *parser) one(i int) bool { return !plural(p.low(i)) }

// rowsOf asks for a table's rows by name.
func rowsOf(t *catalog.Table, at int) []out { return []out{{table: t, spoken: at}} }

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
	if p.is(s.at, "by") && (s.f.sorting && len(s.f.orders) == 0 || (p.relates(s.at-1) || verbForm(p.token(s.at-1))) && !p.named(s.at-1) && !p.grouped(s.at+1)) {
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

// grouped tells whether what stands behind "by" at i is a period, and not who did what stands
// before it: cancelled by month, but not by a rider.
func (p *parser) grouped(i int) bool { return timeUnits[p.low(p.det(i))] != "" }

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
		n.f.groups = add(n.f.groups, group{unit: u, at: s.at})
		firsts = append(firsts, n)
	}
	if k := p.oneOf(s.at, [][]string{{"weekday"}, {"day", "of", "week"}, {"day", "of", "the", "week"}}); k > 0 && len(p.find(s.at, isColumn)) == 0 {
		n := state{at: s.at + k, f: s.f}
		n.f.groups = add(n.f.groups, group{unit: weekday, at: s.at})
		firsts = append(firsts, n)
	}
	for _, h := range p.find(s.at, isColumn) {
		n := state{at: s.at + h.n, f: s.f}
		n.f.groups = add(n.f.groups, group{col: &mention{at: s.at, n: h.n, meanings: h.meanings}, at: s.at})
		firsts = append(firsts, n)
	}
	firsts = append(firsts, p.levels(s)...)
	for _, e := range p.entity(s) {
		if len(e.f.conds) > len(s.f.conds) {
			if !p.is(s.at-1, "each") && !p.is(s.at-1, "every") {
				continue // "per completed order" groups by nothing
			}
			e.f.cost += 0.05
		}
		e.f.groups = add(e.f.groups, group{table: last(e.f.also), at: s.at})
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

// listsTable tells whether a column asked for can be one of the table's.
func (p *parser) listsTable(o out, t tableRef) bool {
	for _, m := range o.col.meanings {
		if m.table == t {
			return true
		}
	}
	return false
}
