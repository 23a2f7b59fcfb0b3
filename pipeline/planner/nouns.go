package planner

import (
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
)

// tail is 1 where a word behind a column's name only says what kind of thing it
// holds: the founded year, the company name.
func (p *parser) tail(i int, h hit) int {
	k := i + h.n
	w := p.low(k)
	if len(p.find(k, func(m meaning) bool { return m.kind != aValue })) > 0 && !nameWords[w] && w != "year" && w != "date" {
		return 0
	}
	for _, m := range h.meanings {
		switch w {
		case "name", "names":
			if !textual(m.column) || isKey(m.table, m.column) {
				return 0
			}
		case "year", "years":
			if !yearly(m.column) {
				return 0
			}
		case "date", "dates":
			if !temporal(m.column) {
				return 0
			}
		default:
			return 0
		}
	}
	return 1
}

// yearly tells whether a column holds years: by its name, or since it says when
// something happened.
func yearly(c *catalog.Column) bool {
	words := splitIdentifier(c.Name)
	return yearColumn(c) || temporal(c) || numeric(c) && len(words) == 1 && datedVerbs[stem(words[0])]
}

// sharedHead reads "low and high estimates": the last word belongs to both.
func (p *parser) sharedHead(s state) []state {
	i := s.at
	if p.kind(i) != word || !p.is(i+1, "and") || p.kind(i+2) != word {
		return nil
	}
	var out []state
	for _, h := range p.find(i+2, isColumn) {
		if h.n < 2 {
			continue
		}
		stems := []string{p.toks[i].stem}
		for _, t := range p.toks[i+3 : i+2+h.n] {
			stems = append(stems, t.stem)
		}
		ph := p.x.byKey[strings.Join(stems, " ")]
		if ph == nil {
			continue
		}
		first := p.keep(hit{n: 1, meanings: asSaid(ph.meanings, p.toks[i:i+1])}, isColumn)
		if first.meanings == nil {
			continue
		}
		n := state{at: i + 2 + h.n, f: s.f}
		n.f.outs = add(n.f.outs, outCol("", false, i, first), outCol("", false, i+2, h))
		out = append(out, n)
	}
	return out
}

// further reads what else is asked for behind what was said of the first things:
// "…, and how many orders do they have", "… and what are their names".
func (p *parser) further(s state) []state {
	k := s.at
	if p.kind(k) == comma {
		k++
	}
	if !p.is(k, "and") || len(s.f.outs) == 0 || len(s.f.outs) >= maxItems {
		return nil
	}
	k++
	switch {
	case p.is(k, "how", "many"):
		return p.items(state{at: k, f: s.f}, 1)
	case p.is(k, "what", "is"), p.is(k, "what", "are"), p.is(k, "what", "was"), p.is(k, "what", "were"):
		return p.items(state{at: p.det(k + 2), f: s.f}, 1)
	case p.is(k, "the", "number", "of"), p.is(k, "number", "of"):
		return p.items(state{at: p.det(k), f: s.f}, 1)
	}
	return nil
}

// oftenest reads "most frequently", "the least often": the things asked for are
// ranked by how many rows there are of each.
func (p *parser) oftenest(s state) []state {
	i := p.det(s.at)
	desc := p.is(i, "most")
	if !desc && !p.is(i, "least") || len(s.f.groups) > 0 || len(s.f.outs) == 0 {
		return nil
	}
	switch p.low(i + 1) {
	case "often", "frequently", "commonly", "common", "popular", "frequent":
	default:
		return nil
	}
	o := s.f.outs[0]
	if len(s.f.outs) != 1 || o.col == nil || o.fn != "" {
		return nil
	}
	k := i + 2
	if p.relates(k) {
		k++
	}
	s.f.groups = add(s.f.groups, group{col: o.col})
	s.f.orders = add(s.f.orders, order{fn: "count", desc: desc})
	s.f.mostBy = true
	return []state{p.ranked(state{at: k, f: s.f})}
}

// lately reads "most recently", "latest" behind a verb: the first by date.
func (p *parser) lately(s state) []state {
	i := p.det(s.at)
	n := p.oneOf(i, [][]string{{"most", "recently"}, {"latest"}, {"last"}, {"earliest"}, {"first"}, {"least", "recently"}})
	if n == 0 || i+n < len(p.toks) || s.f.subject == nil || len(s.f.orders) > 0 || p.aggregates(s.f) {
		return nil
	}
	desc := !p.is(i, "earliest") && !p.is(i, "first") && !p.is(i, "least")
	col := p.impliedColumn(i, n, []string{"date", "year", "time"})
	if dated := p.x.dateOptions(s.f.subject, true); len(dated) == 1 {
		col = &mention{at: i, n: n, meanings: dated}
	}
	if col == nil {
		return nil
	}
	s.f.orders = add(s.f.orders, order{col: col, desc: desc})
	return []state{p.ranked(state{at: i + n, f: s.f})}
}

// gap reads the end of a clause whose object stands before it: "that the
// climbers are from", "which the author wrote", "they belong to".
func (p *parser) gap(s state) []state {
	preps, verbs := 0, 0
	for k := s.at; k < len(p.toks); k++ {
		switch {
		case preposition[p.low(k)]:
			preps++
		case p.relates(k) || lightVerbs[p.low(k)]:
			verbs++
		case !auxiliaries[p.low(k)]:
			return nil
		}
	}
	if preps > 1 || preps+verbs == 0 || len(s.f.also) == 0 || len(s.f.also)+len(s.f.conds)+len(s.f.linked)+len(s.f.groups) < 2 && s.f.outs[0].col == nil {
		return nil
	}
	return []state{{at: len(p.toks), f: s.f}}
}

// contact reads a clause without a word that leads to it: "the papers the author
// wrote". A verb must end it.
func (p *parser) contact(s state) []state {
	end := len(p.toks) - 1
	if preposition[p.low(end)] {
		end--
	}
	if len(s.f.also) == 0 || end <= s.at || !p.relates(end) || !p.is(s.at, "the") && len(p.find(s.at, isTable)) == 0 {
		return nil
	}
	return p.present(s, s.at)
}
