package planner

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgask/pgask/pipeline/plan"
)

// cut reads another number of rows: top 5, first 10, all.
func (a *amendment) cut() bool {
	if a.whole("all", "all rows", "all of them", "everything", "no limit", "without limit") {
		a.plan.Limit, a.plan.Offset, a.did = nil, nil, "all rows"
		return true
	}
	n := a.starts("top", "first", "limit", "limit to", "the top", "the first")
	if n == 0 || n+1 != len(a.toks) || a.toks[n].kind != number {
		return false
	}
	limit, err := strconv.ParseInt(a.toks[n].num, 10, 64)
	if err != nil || limit <= 0 {
		return false
	}
	if len(a.plan.OrderBy) == 0 && !a.byNumber(true) {
		return false // the first rows of no order are just any
	}
	a.plan.Limit, a.plan.Offset, a.did = &limit, nil, "first "+a.toks[n].num+" rows"
	return true
}

// sorted reads another order.
func (a *amendment) sorted() bool {
	switch {
	case a.whole("reversed", "reverse", "in reverse", "the other way round", "other way round", "upside down"):
		for i := range a.plan.OrderBy {
			a.plan.OrderBy[i].Desc = !a.plan.OrderBy[i].Desc
		}
		a.did = "order reversed"
		return len(a.plan.OrderBy) > 0
	case a.whole("descending", "highest first", "largest first", "biggest first", "most first"):
		a.did = "descending"
		return a.turned(true)
	case a.whole("ascending", "lowest first", "smallest first", "least first"):
		a.did = "ascending"
		return a.turned(false)
	}
	n := a.starts("sorted by", "ordered by", "order by", "sort by")
	if n == 0 {
		return false
	}
	rest, desc := a.toks[n:], false
	if last := len(rest) - 1; last > 0 && (rest[last].low == "descending" || rest[last].low == "ascending") {
		desc, rest = rest[last].low == "descending", rest[:last]
	}
	words := make([]string, len(rest))
	for i, t := range rest {
		words[i] = t.low
	}
	name := a.output(words)
	if name == "" {
		a.words = []string{strings.Join(words, " ")}
		return false
	}
	a.plan.OrderBy, a.did = []plan.Order{{Item: name, Desc: desc}}, "ordered by "+name
	return true
}

// turned sets the direction of the first sort key.
func (a *amendment) turned(desc bool) bool {
	if len(a.plan.OrderBy) == 0 {
		return a.byNumber(desc)
	}
	a.plan.OrderBy[0].Desc = desc
	return true
}

// byNumber orders by the last number that was asked for, if there is one.
func (a *amendment) byNumber(desc bool) bool {
	for _, it := range slices.Backward(a.plan.Select) {
		if measured(it.Expr) && it.As != "" {
			a.plan.OrderBy = []plan.Order{{Item: it.As, Desc: desc}}
			return true
		}
	}
	return false
}

// output is the name of the output column that the words say.
func (a *amendment) output(words []string) string {
	for _, it := range a.plan.Select {
		if slices.EqualFunc(splitIdentifier(it.As), words, strings.EqualFold) {
			return it.As
		}
	}
	return ""
}

// measured tells whether an expression is over several rows.
func measured(e plan.Expr) bool {
	found := e.Metric != "" || e.Aggregate != nil || e.Window != nil
	for _, part := range parts(e) {
		found = found || measured(part)
	}
	return found
}

// parts are the operands of an expression.
func parts(e plan.Expr) []plan.Expr {
	var out []plan.Expr
	if e.Op != nil {
		out = append(out, e.Op.Args...)
	}
	if e.Call != nil {
		out = append(out, e.Call.Args...)
	}
	if e.Cast != nil {
		out = append(out, e.Cast.Arg)
	}
	if e.Case != nil {
		for _, w := range e.Case.When {
			out = append(out, w.If, w.Then)
		}
		if e.Case.Else != nil {
			out = append(out, *e.Case.Else)
		}
	}
	return out
}
