package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// What the names of dates say that rows came to be by, what they say where that is of people,
// who are older than it, and what they say where it is what became of the rows.
var (
	bornVerbs = verbStems(`begin build create establish file found issue launch make open order place post print publish release report start submit`, `began begun built made`)
	joinVerbs = verbStems(`add admit enroll enrol enter hire join register sign`, ``)
	doneVerbs = verbStems(`archive cancel close complete deliver delete die end expire finish leave modify pay resolve return ship stop update`, `died left paid`)
)

// born is the date at which a table's rows came to be: the one whose name says so, or, unless old
// ones are asked for, its only one. False where that isn't clear.
func (x *lexicon) born(t *catalog.Table, old bool) (meaning, bool) {
	says := func(c *catalog.Column, verbs map[string]bool) bool {
		return slices.ContainsFunc(stems(splitIdentifier(c.Name)), func(w string) bool { return verbs[w] })
	}
	var dates, sure []meaning
	for _, c := range t.Columns {
		if !temporal(c) || semantic.OfBirth(c) || says(c, doneVerbs) {
			continue
		}
		m := meaning{kind: aColumn, table: t, column: c, weight: 0.95}
		dates = append(dates, m)
		if says(c, bornVerbs) || !old && says(c, joinVerbs) {
			sure = append(sure, m)
		}
	}
	switch {
	case len(sure) == 1:
		return sure[0], true
	case len(dates) == 1 && !old:
		return dates[0], true
	}
	return meaning{}, false
}

// ages are the words for the first and the last row by date, true for the last.
var ages = map[string]bool{"latest": true, "newest": true, "last": true, "earliest": false, "oldest": false, "first": false}

// age reads latest, most recent, oldest; old ones are those that came first.
func (p *parser) age(i int) (n int, desc, old bool) {
	if p.is(i, "most", "recent") {
		return 2, true, false
	}
	desc, ok := ages[p.low(i)]
	if !ok {
		return 0, false, false
	}
	return 1, desc, p.is(i, "oldest")
}

// byAge reads "the latest order", "last 5 orders", "oldest account": the rows that came first or
// last. What is shown of them where they have no name is their key and the date.
func (p *parser) byAge(s state) []state {
	n, desc, old := p.age(s.at)
	if n == 0 {
		return nil
	}
	limit, k := int64(1), s.at+n
	if p.kind(k) == number && desc {
		limit, k = atoi(p.toks[k].num), k+1
	}
	var out []state
	for _, e := range p.entity(state{at: k, f: s.f}) {
		t := last(e.f.also)
		m, ok := p.x.born(t, old)
		if !ok || limit < 1 || p.one(e.at-1) != (limit == 1) || p.adjectiveOf(s.at, t) {
			continue
		}
		date := &mention{at: s.at, n: n, meanings: []meaning{m}, owner: t}
		e.f.outs = add(e.f.outs, p.shown(t, date, e.at)...)
		e.f.orders = add(e.f.orders, order{col: date, desc: desc})
		e.f.limit = limit
		out = append(out, e)
	}
	return out
}

// adjectiveOf tells whether a table has a column that the adjective at i implies by itself.
func (p *parser) adjectiveOf(i int, t *catalog.Table) bool {
	return slices.ContainsFunc(p.adjective(i), func(a implied) bool {
		return slices.ContainsFunc(a.col.meanings, func(m meaning) bool { return m.table == t })
	})
}

// shown is what is listed of a table's rows: the rows, or their key and a date where they have
// no name.
func (p *parser) shown(t *catalog.Table, date *mention, at int) []out {
	if p.x.labels[t] != nil || len(t.PrimaryKey) != 1 {
		return []out{{table: t, spoken: at}}
	}
	key := meaning{kind: aColumn, table: t, column: t.Column(t.PrimaryKey[0]), weight: 1}
	return []out{{col: &mention{at: date.at, n: date.n, meanings: []meaning{key}, owner: t}, spoken: at}, {col: date, spoken: at}}
}

// whenWas reads "when was the first order": the date alone.
func (p *parser) whenWas(s state) []state {
	if s.at != 0 || p.oneOf(0, [][]string{{"when", "was"}, {"when", "is"}}) == 0 {
		return nil
	}
	i := p.det(2)
	n, desc, old := p.age(i)
	if n == 0 {
		return nil
	}
	var out []state
	for _, e := range p.entity(state{at: i + n, f: s.f}) {
		t := last(e.f.also)
		if m, ok := p.x.born(t, old); ok && p.one(e.at-1) {
			fn := map[bool]string{true: "max", false: "min"}[desc]
			o := outCol(fn, false, i, hit{n: n, meanings: []meaning{m}})
			o.col.owner = t
			e.f.outs = add(e.f.outs, o)
			out = append(out, e)
		}
	}
	return out
}

// fresh reads "new customers": those that came in the period that is asked about.
func (p *parser) fresh(s state) []state {
	if !p.is(s.at, "new") || len(p.find(s.at, func(meaning) bool { return true })) > 0 {
		return nil
	}
	var out []state
	for _, e := range p.entity(state{at: s.at + 1, f: s.f}) {
		t := last(e.f.also)
		if _, ok := p.x.born(t, false); ok && len(e.f.conds) == len(s.f.conds) {
			e.f.fresh = t
			out = append(out, e)
		}
	}
	return out
}
