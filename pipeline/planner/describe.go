package planner

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pgask/pgask/pipeline/plan"
)

// describe is a plan in one line, for a reader who must choose between plans.
func describe(p *plan.Plan) string {
	var b strings.Builder
	if p.Set != nil {
		for i := range p.Set.Plans {
			b.WriteString([]string{"", " " + p.Set.Op + " "}[min(i, 1)] + "(" + describe(&p.Set.Plans[i]) + ")")
		}
	} else {
		describeBlock(&b, p)
	}
	for i, o := range p.OrderBy {
		b.WriteString([]string{" ordered by ", ", "}[min(i, 1)])
		if o.Expr != nil {
			b.WriteString(expr(*o.Expr))
		} else {
			b.WriteString(o.Item)
		}
		if o.Desc {
			b.WriteString(" descending")
		}
	}
	if p.Limit != nil {
		fmt.Fprintf(&b, ", first %d", *p.Limit)
	}
	return b.String()
}

func describeBlock(b *strings.Builder, p *plan.Plan) {
	if p.Distinct {
		b.WriteString("different ")
	}
	between := ""
	for _, it := range p.Select {
		if it.Expr.Literal != nil && it.Expr.Literal.Value == nil {
			continue // it stands where another part of a union has a measure
		}
		b.WriteString(between + expr(it.Expr))
		between = ", "
	}
	b.WriteString(" from " + source(p.From.Table, p.From.Plan))
	for _, j := range p.Joins {
		fmt.Fprintf(b, ", %s %s by %s", j.Kind, source(j.Table, j.Plan), cmp.Or(j.Key, "what both have"))
		if j.Where != nil {
			b.WriteString(" (where " + expr(*j.Where) + ")")
		}
	}
	if p.Where != nil {
		b.WriteString(" where " + expr(*p.Where))
	}
	for i, g := range p.GroupBy {
		b.WriteString([]string{" grouped by ", ", "}[min(i, 1)] + expr(g))
	}
	if p.Having != nil {
		b.WriteString(" having " + expr(*p.Having))
	}
}

// source is a table's name or what a derived block gives.
func source(table string, block *plan.Plan) string {
	if block == nil {
		return table
	}
	return "(" + describe(block) + ")"
}

func expr(e plan.Expr) string {
	switch {
	case e.Column != "":
		return e.Column
	case e.Literal != nil:
		return fmt.Sprint(e.Literal.Value)
	case e.Metric != "":
		return e.Metric
	case e.Dimension != "":
		return e.Dimension
	case e.Aggregate != nil && e.Aggregate.Arg == nil:
		return e.Aggregate.Func + "(*)"
	case e.Aggregate != nil:
		return e.Aggregate.Func + "(" + expr(*e.Aggregate.Arg) + ")"
	case e.Call != nil && strings.HasPrefix(e.Call.Func, "date_") && len(e.Call.Args) == 1:
		return e.Call.Unit + " of " + expr(e.Call.Args[0])
	case e.Call != nil:
		return e.Call.Func + "(" + exprs(e.Call.Args, ", ") + ")"
	case e.Cast != nil:
		return expr(e.Cast.Arg) + " as " + e.Cast.To
	case e.Plan != nil:
		return "(" + describe(e.Plan) + ")"
	case e.Window != nil:
		return e.Window.Func + "(" + exprs(e.Window.Args, ", ") + ") over rows"
	case e.Period != nil:
		return e.Period.Column + " in the " + map[bool]string{true: "latest "}[e.Period.Latest] + "period of " + e.Period.Unit
	case e.Date != nil:
		return startOf(e.Date)
	case e.Op != nil:
		if len(e.Op.Args) == 1 {
			return e.Op.Op + " " + expr(e.Op.Args[0])
		}
		return exprs(e.Op.Args, " "+e.Op.Op+" ")
	}
	return "…"
}

func exprs(list []plan.Expr, between string) string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = expr(e)
	}
	return strings.Join(parts, between)
}

// startOf is the beginning of a period, or a day, in words.
func startOf(d *plan.Date) string {
	unit, after := d.Unit, ""
	if d.Fiscal {
		unit = "fiscal " + unit
	}
	if d.Days != 0 {
		after = fmt.Sprintf(" %+d days", d.Days)
	}
	switch {
	case unit == "day" && d.Offset == 0:
		return "today" + after
	case unit == "day" && d.Offset < 0:
		return fmt.Sprintf("%d days ago", -d.Offset) + after
	case unit == "day":
		return fmt.Sprintf("%d days ahead", d.Offset) + after
	case d.Offset < -1:
		return fmt.Sprintf("the start of the %s %d before this one", unit, -d.Offset) + after
	case d.Offset > 1:
		return fmt.Sprintf("the start of the %s %d after this one", unit, d.Offset) + after
	}
	return "the start of " + []string{"last", "this", "next"}[d.Offset+1] + " " + unit + after
}
