package planner

import (
	"slices"
	"sort"

	"github.com/pgask/pgask/pipeline/catalog"
)

// question is one question being read.
type question struct {
	in     Input
	x      *lexicon
	parser *parser
}

func newQuestion(x *lexicon, in Input) *question {
	toks := oneSentence(tokenize(in.Question))
	return &question{in: in, x: x, parser: &parser{x: x, toks: toks, hits: link(x, toks), today: dateOf(in)}}
}

// readings are all distinct plans, cheapest first, and why frames were given up.
func (q *question) readings() ([]reading, []error) {
	var all []reading
	var why []error
	for _, f := range q.parser.parse() {
		rs, errs := q.resolve(f)
		if rate, ok := q.rated(f); ok && len(rs) > 0 {
			more, _ := q.resolve(rate)
			for i := range more {
				more[i].cost = rs[0].cost // of the same words
			}
			rs = append(rs, more...)
		}
		for i := range rs {
			rs[i].parsed = f
		}
		all, why = append(all, rs...), append(why, errs...)
	}
	return distinct(all), why
}

// distinct are readings, each once, cheapest first.
func distinct(all []reading) []reading {
	found := map[string]reading{}
	for _, r := range all {
		if old, ok := found[r.key]; !ok || r.cost < old.cost {
			found[r.key] = r
		}
	}
	out := make([]reading, 0, len(found))
	for _, r := range found {
		out = append(out, r)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].cost != out[j].cost {
			return out[i].cost < out[j].cost
		}
		return out[i].key < out[j].key
	})
	return out
}

// resolve makes plans of a frame: for each table it can be about, each meaning
// of its words, each date it can mean and each way to join.
func (q *question) resolve(f frame) (out []reading, why []error) {
	if f.figure != nil {
		return q.figured(f)
	}
	if f.leads() {
		return q.leaders(f)
	}
	if f.having() {
		return q.havers(f)
	}
	if frames := q.apart(&f); frames != nil {
		return q.across(f, frames)
	}
	measured := q.x.measured(&f, q.in.Catalog)
	subjects := f.subjects()
	if f.subject == nil && len(subjects) == 0 {
		subjects = measured
	}
	for _, subject := range subjects {
		choices, costs, err := q.x.choose(&f, subject, measured)
		if err != nil {
			why = append(why, err)
			continue
		}
		for i, p := range choices {
			for _, dates := range q.dates(&f, subject, measured, p) {
				b := &builder{x: q.x, f: f, picks: p, subject: subject, catalog: q.in.Catalog, semantic: q.in.Semantic, dates: dates, today: dateOf(q.in)}
				rs, err := b.plans(f.cost + costs[i])
				if err != nil {
					why = append(why, err)
				}
				out = append(out, rs...)
			}
		}
	}
	return out, why
}

// dates are the choices of a date column for what doesn't say its own.
func (q *question) dates(f *frame, subject *catalog.Table, measured []*catalog.Table, p picks) []map[int]meaning {
	at, year := f.undated()
	if len(at) == 0 {
		return []map[int]meaning{nil}
	}
	if f.fresh != nil {
		m, _ := q.x.born(f.fresh, false)
		return []map[int]meaning{chosenDates(at, m)}
	}
	if f.drills() {
		return []map[int]meaning{chosenDates(at, metricTime)}
	}
	if m, ok := q.aboveDate(f, at); ok {
		return []map[int]meaning{chosenDates(at, m)}
	}
	from := subject
	if len(measured) > 0 {
		from = measured[0]
	}
	for _, o := range f.outs {
		if o.fn != "" && o.col != nil {
			from = p[o.col].table
		}
	}
	counts := len(measured) > 0 || q.parser.aggregates(*f)
	options := q.x.dateOptions(from, year)
	if m, ok := q.ownDate(f); ok {
		options = []meaning{m}
	}
	if t := f.dated(); t != nil {
		own := slices.DeleteFunc(q.x.dateOptions(t, year), func(m meaning) bool { return m.table != t })
		switch {
		case len(own) == 0 || slices.ContainsFunc(options, func(m meaning) bool { return m.table == t }):
		case len(options) == 0 || !counts || slices.Contains(f.objects, t):
			options = own
		case !f.shows(t): // orders of customers in 2026: when they were placed, or the customers came
			options = append(options, own...)
		}
	}
	options = append(options, q.passed(f, from, p, year)...)
	var out []map[int]meaning
	for i, m := range options {
		if !slices.ContainsFunc(options[:i], func(o meaning) bool { return o.column == m.column }) {
			out = append(out, chosenDates(at, m))
		}
	}
	return out
}

// chosenDates is one date column for all that doesn't say its own.
func chosenDates(at []int, m meaning) map[int]meaning {
	dates := map[int]meaning{}
	for _, i := range at {
		dates[i] = m
	}
	return dates
}
