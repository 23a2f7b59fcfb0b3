package planner

import (
	"slices"
	"strconv"

	"github.com/pgask/pgask/pipeline/plan"
)

// Words for what becomes of a number from period to period.
var (
	changeWords  = map[string]string{"growth": "growth", "change": "change"}
	runningWords = [][]string{{"cumulative"}, {"running", "total", "of"}, {"running", "sum", "of"}, {"cumulative", "sum", "of"}, {"cumulative", "number", "of"}, {"running"}}
	yearOverYear = map[string]string{"yoy": "year", "qoq": "quarter", "mom": "month", "wow": "week"}
)

// course reads what becomes of a number in time at the start of a question: "revenue growth",
// "month over month change in orders", "cumulative revenue".
func (p *parser) course(s state) []state {
	if n := p.oneOf(s.at, runningWords); n > 1 || n == 1 && p.free(s.at) {
		s.f.figure = &figure{kind: "running", at: s.at, word: "cumulative"}
		return p.number(state{at: p.det(s.at + n), f: s.f})
	}
	unit, i := p.overUnit(s.at)
	percent := p.is(i, "percentage") || p.is(i, "percent")
	k := i
	if percent {
		k++
	}
	fig := func(kind string, percent bool) *figure {
		return &figure{kind: "change", at: s.at, word: kind, percent: percent || kind == "growth", unit: unit}
	}
	if kind := changeWords[p.low(k)]; kind != "" && p.free(k) {
		n := p.oneOf(k+1, [][]string{{"in"}, {"of"}, {"rate", "of"}})
		if n == 0 {
			return nil
		}
		s.f.figure = fig(kind, percent)
		return p.number(state{at: p.det(k + 1 + n), f: s.f})
	}
	if percent {
		return nil
	}
	var out []state
	for _, n := range p.number(state{at: p.det(i), f: s.f}) {
		k, percent := n.at, p.is(n.at, "percentage") || p.is(n.at, "percent")
		if percent {
			k++
		}
		kind := changeWords[p.low(k)]
		if kind == "" || !p.free(k) {
			continue
		}
		n.f.figure = fig(kind, percent)
		n.at = k + 1 + p.oneOf(k+1, [][]string{{"rate"}})
		out = append(out, n)
	}
	return out
}

// free tells whether no name of the schema stands at i.
func (p *parser) free(i int) bool {
	return len(p.find(i, func(meaning) bool { return true })) == 0
}

// overUnit reads "month over month", "year on year", "yoy", "monthly".
func (p *parser) overUnit(i int) (string, int) {
	if u := yearOverYear[p.low(i)]; u != "" {
		return u, i + 1
	}
	if u := timeUnits[p.low(i)]; u != "" && u == p.low(i) && (p.is(i+1, "over", u) || p.is(i+1, "on", u)) {
		return u, i + 3
	}
	if u := adverbUnits[p.low(i)]; u != "" {
		return u, i + 1
	}
	return "", i
}

// courses puts what becomes of a number beside the periods that it is counted by.
func (q *question) courses(f frame, fig figure) (out []reading, why []error) {
	if fig.unit != "" && !slices.ContainsFunc(f.groups, func(g group) bool { return g.unit != "" }) {
		f.groups = add(f.groups, group{unit: fig.unit})
	}
	f.outs = counting(f.outs)
	rs, why := q.resolve(f)
	for _, r := range rs {
		p, err := fig.course(r)
		if err != nil {
			why = append(why, err)
			continue
		}
		w, err := worked(p, "the "+fig.word+" of "+describe(r.plan), f, r)
		if err != nil {
			return out, append(why, err)
		}
		out = append(out, w)
	}
	return out, why
}

// course is the plan around that of a number by periods.
func (fig figure) course(r reading) (*plan.Plan, error) {
	if len(r.plan.GroupBy) > 0 {
		return nil, unfit("the %s of what is called alike can't be told apart", fig.word)
	}
	if fig.kind == "running" && !addsUp(r.plan.Select[len(r.plan.Select)-1].Expr, r.f) {
		return nil, unfit("what is asked for can't be added up from period to period")
	}
	p := &plan.Plan{Version: plan.Version, From: plan.Source{Plan: nested(r.plan), As: "each"}}
	p.Select = outer(r.plan, "each")
	n := len(p.Select) - 1
	at, unit, err := onePeriod(r.plan.Select[:n])
	if err != nil {
		return nil, err
	}
	value, when := p.Select[n].Expr, p.Select[at].Expr
	var others []plan.Expr
	for i, it := range p.Select[:n] {
		if i != at {
			others = append(others, it.Expr)
		}
	}
	over := func(fn string, args ...plan.Expr) plan.Expr {
		return plan.Expr{Window: &plan.Window{Func: fn, Args: args, PartitionBy: others, OrderBy: []plan.Order{{Expr: &when}}}}
	}
	name := p.Select[n].As
	p.OrderBy = []plan.Order{{Item: p.Select[at].As}}
	if fig.kind == "running" {
		p.Select[n] = plan.Item{Expr: over("sum", value), As: "cumulative_" + name}
		return p, nil
	}
	back := 1
	if fig.unit != "" && fig.unit != unit {
		if back = inYear[unit]; fig.unit != "year" || back < 2 {
			return nil, unfit("a %s isn't compared with one %s before", unit, fig.unit)
		}
	}
	rows := integer(back)
	before := over("lag", value, rows)
	// Where the period before has no row, the row before is of another one.
	next := plan.Expr{Call: &plan.Call{Func: "date_add", Unit: unit, Args: []plan.Expr{over("lag", when, rows), rows}}}
	change := apply("-", value, before)
	if fig.percent {
		change = apply("/", apply("*", integer(100), change), before)
		fig.word += "_percent"
	}
	p.Select[n] = plan.Item{As: name + "_" + fig.word,
		Expr: plan.Expr{Case: &plan.Case{When: []plan.When{{If: apply("=", when, next), Then: change}}}}}
	return p, nil
}

// onePeriod is which of the groups is the one period, and its unit.
func onePeriod(groups []plan.Item) (at int, unit string, err error) {
	at = -1
	for i, it := range groups {
		u := ""
		if c := it.Expr.Call; c != nil && c.Func == "date_trunc" {
			u = c.Unit
		} else if u = timeUnits[outputName(it)]; it.Expr.Column == "" {
			u = ""
		}
		if u == "" {
			continue
		}
		if at >= 0 {
			return 0, "", unfit("it isn't clear from which period to which")
		}
		at, unit = i, u
	}
	if at < 0 {
		return 0, "", unfit("it isn't said from which period to which")
	}
	return at, unit, nil
}

// addsUp tells whether a measure of several periods is the sum of theirs.
func addsUp(e plan.Expr, f frame) bool {
	if e.Metric != "" {
		return f.outs[0].metric != nil && f.outs[0].metric.Additivity.Kind == "additive"
	}
	return e.Aggregate != nil && !e.Aggregate.Distinct && (e.Aggregate.Func == "count" || e.Aggregate.Func == "sum")
}

func integer(n int) plan.Expr {
	return plan.Expr{Literal: &plan.Literal{Value: jsonNumber(strconv.Itoa(n))}}
}
