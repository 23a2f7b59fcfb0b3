package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
)

var meanWords = set("average", "mean", "avg")

// mean reads "average number of orders per account", "average monthly revenue", "the average
// revenue per month": a number of each of many, of which the average is asked for.
func (p *parser) mean(s state) []state {
	if !meanWords[p.low(s.at)] || !p.free(s.at) {
		return nil
	}
	fig := &figure{kind: "mean", at: s.at, word: "average"}
	i := p.det(s.at + 1)
	if u := adverbUnits[p.low(i)]; u != "" {
		fig.per = &group{unit: u, at: i}
		i++
	}
	numbers := p.number(state{at: i, f: s.f})
	if n := p.countIntro(i); n > 0 { // "number of orders" may itself be a metric's name
		numbers = append(numbers, p.number(state{at: i + n, f: s.f})...)
	}
	var out []state
	for _, n := range numbers {
		if o := last(n.f.outs); o.metric == nil && o.table == nil {
			continue // the average fee per month is that of each fee
		}
		n.f.figure = fig
		if fig.per != nil {
			out = append(out, n)
			continue
		}
		out = append(out, p.each(n)...)
	}
	return out
}

// onAverage reads "on average" behind "how many orders per account".
func (p *parser) onAverage(s state) []state {
	n := len(s.f.groups)
	if !p.is(s.at, "on", "average") || n == 0 || s.f.figure != nil || s.f.groups[n-1].col != nil || len(s.f.outs) != 1 {
		return nil
	}
	per := s.f.groups[n-1]
	s.f.groups = s.f.groups[: n-1 : n-1]
	s.f.figure = &figure{kind: "mean", at: s.at, word: "average", per: &per}
	s.at += 2
	return []state{s}
}

// each reads "per account", "per month": what the average is over.
func (p *parser) each(s state) []state {
	n := p.oneOf(s.at, [][]string{{"per"}, {"for", "each"}, {"in", "each"}, {"a"}, {"each"}})
	if n == 0 {
		return nil
	}
	k := p.det(s.at + n)
	if u := timeUnits[p.low(k)]; u != "" && u == p.low(k) {
		fig := *s.f.figure
		fig.per = &group{unit: u, at: k}
		s.f.figure, s.at = &fig, k+1
		return []state{s}
	}
	if p.is(s.at, "a") {
		return nil
	}
	var out []state
	for _, e := range p.entity(state{at: k, f: s.f}) {
		if len(e.f.conds) > len(s.f.conds) {
			continue
		}
		fig := *s.f.figure
		fig.per = &group{table: last(e.f.also), at: k}
		e.f.figure = &fig
		if s.f.subject == nil {
			e.f.subject = nil
		}
		out = append(out, e)
	}
	return out
}

// means reads an average over periods, or over the rows of a table: over those that have any, and
// over all of them, since either may be meant.
func (q *question) means(f frame, fig figure) (out []reading, why []error) {
	f.outs = counting(f.outs)
	if f.outs[0].table == fig.per.table && fig.per.table != nil || len(f.linked)+len(f.objects) > 0 {
		return nil, []error{unfit("it isn't clear what the average is over")}
	}
	if fig.per.table != nil && slices.ContainsFunc(f.groups, func(g group) bool { return g.unit != "" }) {
		return nil, []error{unfit("it isn't clear whether the average is over the periods, too")}
	}
	f.over = fig.per.table
	f.also = slices.DeleteFunc(slices.Clone(f.also), func(t *catalog.Table) bool { return t == fig.per.table })
	out, why = q.meanOfSome(f, fig)
	if fig.per.table == nil || len(out) == 0 {
		return out, why
	}
	all, errs := q.meanOfAll(f, fig)
	if len(all) == 0 {
		return nil, append(why, errs...) // the other alone may not be what is meant
	}
	return append(out, all...), why
}

// meanOfSome is the average over the periods, or the rows of a table, that have any.
func (q *question) meanOfSome(f frame, fig figure) (out []reading, why []error) {
	per := *fig.per
	over := per.unit
	if t := per.table; t != nil {
		if len(t.PrimaryKey) != 1 {
			return nil, []error{unfit("%s has no key of one column", t.Name.Table)}
		}
		key := meaning{kind: aColumn, table: t, column: t.Column(t.PrimaryKey[0]), weight: 1}
		per = group{col: &mention{at: per.at, n: 1, meanings: []meaning{key}, owner: t}, at: per.at}
		over = t.Name.Table + "." + key.column.Name
	}
	grouped := f
	grouped.groups = add(f.groups, per)
	rs, why := q.resolve(grouped)
	for _, r := range rs {
		items := outer(r.plan, "each")
		n := len(items) - 2
		if n < 0 || len(r.plan.GroupBy) > 0 || !addsUp(last(r.plan.Select).Expr, r.f) {
			why = append(why, unfit("it isn't clear what the average is worked out from"))
			continue
		}
		arg := items[n+1].Expr
		mean := plan.Item{As: "average_" + items[n+1].As, Expr: plan.Expr{Aggregate: &plan.Aggregate{Func: "avg", Arg: &arg}}}
		p := &plan.Plan{Version: plan.Version, From: plan.Source{Plan: nested(r.plan), As: "each"}, Select: append(items[:n:n], mean)}
		if n > 0 && len(r.plan.OrderBy) > 0 {
			p.OrderBy = []plan.Order{{Item: items[0].As}}
		}
		w, err := worked(p, "the average of ("+describe(r.plan)+")", f, r)
		if err != nil {
			return out, append(why, err)
		}
		w.said = union(w.said, []string{"the average is over each " + over + " that has any"})
		out = append(out, w)
	}
	return out, why
}

// meanOfAll is the number divided by how many rows there are that may have any.
func (q *question) meanOfAll(f frame, fig figure) (found []reading, why []error) {
	count := f.restricted(q.holders(&f, fig.per.table), false)
	count.outs, count.subject = []out{countOf(fig.per.table, fig.per.at)}, fig.per.table
	count.also = []*catalog.Table{fig.per.table}
	for _, g := range f.groups {
		if g.table != nil {
			count.also = append(count.also, g.table)
		}
	}
	pairs, why := q.pairs(f, count)
	for _, pair := range pairs {
		if c := last(pair[1].plan.Select).Expr.Aggregate; c == nil || c.Distinct || !addsUp(last(pair[0].plan.Select).Expr, pair[0].f) {
			why = append(why, unfit("it isn't clear for what the average is to be worked out"))
			continue
		}
		p, err := q.ratio(pair, figure{word: "average_" + outputName(last(pair[0].plan.Select))})
		if err != nil {
			why = append(why, err)
			continue
		}
		w, err := worked(p, "("+describe(pair[0].plan)+"), divided by ("+describe(pair[1].plan)+")", f, pair[0], pair[1])
		if err != nil {
			return found, append(why, err)
		}
		found = append(found, w)
	}
	return found, why
}

// holders are the conditions that a table's rows meet or don't, whatever they have.
func (q *question) holders(f *frame, t *catalog.Table) []cond {
	above := q.x.graph.above(t)
	return slices.DeleteFunc(slices.Clone(f.conds), func(c cond) bool {
		return c.any != nil || c.col == nil || !slices.ContainsFunc(c.col.meanings, func(m meaning) bool { _, ok := above[m.table]; return ok })
	})
}
