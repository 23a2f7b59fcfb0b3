package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/plan"
)

// shareWords are the words for a part of a whole, true for those of a hundred.
var shareWords = map[string]bool{"share": false, "fraction": false, "proportion": false, "percentage": true, "percent": true, "%": true}

// share reads "the share of", "percentage of" and the number that it is a part of.
func (p *parser) share(s state) []state {
	percent, ok := shareWords[p.low(s.at)]
	if !ok || !p.is(s.at+1, "of") || len(p.find(s.at, func(meaning) bool { return true })) > 0 {
		return nil
	}
	word := p.low(s.at)
	if percent {
		word = "percentage"
	}
	s.f.figure = &figure{kind: "share", at: s.at, word: word, percent: percent}
	return p.number(state{at: p.det(s.at + 2), f: s.f})
}

// shares reads what the part is, and what the whole: the groups each of the total, or the rows
// for which something holds of all. Where both could be meant, both are read.
func (q *question) shares(f frame, fig figure) (out []reading, why []error) {
	for _, o := range f.outs {
		if m := o.metric; m != nil && m.Additivity.Kind == "non" && !m.Counts() {
			return nil, []error{unfit("a share is of what adds up to a whole, and %s doesn't", m.Name)}
		}
	}
	splits, err := q.parser.splits(&f)
	if err != nil {
		return nil, []error{err}
	}
	for _, base := range splits {
		part, whole := f, f.restricted(base, false)
		if base == nil {
			whole = f.ungrouped()
		}
		pairs, errs := q.pairs(part, whole)
		why = append(why, errs...)
		for _, pair := range pairs {
			p, err := q.ratio(pair, fig)
			if err != nil {
				why = append(why, err)
				continue
			}
			about := describe(pair[0].plan) + ", as a " + fig.word + " of the total"
			if base != nil {
				about = describe(pair[0].plan) + ", as a " + fig.word + " of (" + describe(pair[1].plan) + ")"
			}
			r, err := worked(p, about, f, pair[0], pair[1])
			if err != nil {
				return out, append(why, err)
			}
			out = append(out, r)
		}
	}
	return out, why
}

// splits are the ways to tell the whole from its part: the conditions that hold for the
// whole, nil where it is the total of the groups.
func (p *parser) splits(f *frame) ([][]cond, error) {
	var base, said, rest, periods []cond
	for _, c := range f.conds {
		switch {
		case c.op == "period":
			periods = append(periods, c)
		case p.predicate(c.spoken - 1):
			said = append(said, c)
		default:
			rest = append(rest, c)
		}
	}
	base = []cond{}
	links := len(f.linked) + len(f.objects)
	switch {
	case links > 0 || len(said) > 0: // of completed orders that …
		base = append(append(base, rest...), periods...)
		return [][]cond{base}, nil
	case len(f.groups) == 0 && len(rest) == 1:
		return [][]cond{append(base, periods...)}, nil
	case len(f.groups) == 0 && len(rest) == 0 && len(periods) == 1:
		return [][]cond{base}, nil
	case len(f.groups) == 1 && !slices.ContainsFunc(rest, func(c cond) bool { return c.spoken < f.groups[0].at }):
		return [][]cond{nil}, nil
	case len(f.groups) == 1 && len(rest) == 1: // of all cancelled orders, or of all of the region's
		return [][]cond{nil, append(base, periods...)}, nil
	}
	return nil, unfit("it isn't clear of which whole the part is")
}

// predicate tells whether what ends at i leads to what is said of rows, and not to which rows are
// meant: "that were", "come from", but not "of" and "in".
func (p *parser) predicate(i int) bool {
	for ; i > 0; i-- {
		switch w := p.low(i); {
		case relatives[w], w == "is", w == "are", w == "was", w == "were", w == "been", lightVerbs[w], p.relates(i):
			return true
		case !preposition[w] && !determiners[w] && !negations[w]:
			return false
		}
	}
	return false
}

// ratio is the plan of a part of a whole: of the same groups, or of the total.
func (q *question) ratio(of [2]reading, fig figure) (*plan.Plan, error) {
	if grouped := len(of[1].f.groups) > 0; grouped {
		p, err := q.beside(of[:])
		if err != nil {
			return nil, err
		}
		n := len(p.Select) - 2
		p.Select = append(p.Select[:n:n], plan.Item{Expr: fig.of(p.Select[n].Expr, p.Select[n+1].Expr), As: fig.word})
		return p, nil
	}
	from, scalar := of[0].plan, of[1].plan
	if len(of[0].f.groups) == 0 {
		from, scalar = scalar, from
	}
	p := &plan.Plan{Version: plan.Version, From: plan.Source{Plan: nested(from), As: "each"}}
	p.Select = outer(from, "each")
	n := len(p.Select) - 1
	value, other := p.Select[n].Expr, plan.Expr{Plan: nested(scalar)}
	if len(of[0].f.groups) == 0 {
		value, other = other, value
	}
	p.Select = append(p.Select[:n:n], plan.Item{Expr: fig.of(value, other), As: fig.word})
	if len(from.OrderBy) > 0 && n > 0 {
		p.OrderBy = []plan.Order{{Item: p.Select[0].As}}
	}
	return p, nil
}

// of is a part of a whole; nothing is none of it.
func (fig figure) of(part, whole plan.Expr) plan.Expr {
	part = plan.Expr{Call: &plan.Call{Func: "coalesce", Args: []plan.Expr{part, integer(0)}}}
	if fig.percent {
		part = apply("*", integer(100), part)
	}
	return apply("/", part, whole)
}
