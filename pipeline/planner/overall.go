package planner

import "github.com/pgask/pgask/pipeline/plan"

// overall reads a number over all rows that something is compared with: "the
// average", "the maximum score", "the average price of all rooms".
func (p *parser) overall(i int) (value, int) {
	fn := aggregateWords[p.low(i)]
	if fn == "" || fn == "sum" {
		return value{}, 0
	}
	n := 1
	o := &out{fn: fn, spoken: i}
	k := p.det(i + n)
	if p.is(k, "value") || p.is(k, "number") && !p.is(k+1, "of") {
		k, n = k+1, k+1-i
	}
	for _, h := range p.find(k, isMeasure) {
		o.col = &mention{at: k, n: h.n, meanings: h.meanings}
		n = k + h.n - i
		break
	}
	n += p.oneOf(i+n, [][]string{{"overall"}, {"in", "total"}})
	if p.oneOf(i+n, [][]string{{"of"}, {"for"}, {"among"}, {"across"}, {"in"}}) > 0 {
		// Of all rows: what else is said of them would be passed over.
		for _, h := range p.find(p.det(i+n+1), isTable) {
			if end := p.det(i+n+1) + h.n; end >= len(p.toks) || p.is(end, "and") || p.kind(end) == comma {
				return value{of: o, text: p.textOf(i, n)}, end - i
			}
		}
		return value{}, 0
	}
	return value{of: o, text: p.textOf(i, n)}, n
}

// overallOf is the number over all rows of a column's table as a sub-plan.
func overallOf(m meaning, o *out) (plan.Expr, error) {
	if o.col != nil {
		same := false
		for _, c := range o.col.meanings {
			same = same || c.column == m.column
		}
		if !same {
			return plan.Expr{}, unfit("%s isn't compared with itself", m.column.Name)
		}
	}
	if !numeric(m.column) {
		return plan.Expr{}, unfit("%s holds no numbers", m.column.Name)
	}
	as := alias(m.table) + "_all"
	arg := columnAs(as, m.table, m.column)
	return plan.Expr{Plan: &plan.Plan{From: plan.Source{Table: plan.TableName(m.table.Name), As: plan.Ident(as)},
		Select: []plan.Item{{Expr: plan.Expr{Aggregate: &plan.Aggregate{Func: o.fn, Arg: &arg}}}}}}, nil
}
