package plan_test

import (
	"slices"

	"github.com/pgask/pgask/pipeline/plan"
	"pgregory.net/rapid"
)

// ask draws a question about a world.
func (w *world) ask(t *rapid.T) *ask {
	chance := func(label string, percent int) bool { return rapid.IntRange(0, 99).Draw(t, label) < percent }
	a := &ask{root: rapid.SampledFrom(w.tables).Draw(t, "root")}
	for range rapid.IntRange(0, 4).Draw(t, "joins") {
		ways := a.ways(w)
		if len(ways) == 0 {
			break
		}
		j := rapid.SampledFrom(ways).Draw(t, "join")
		j.kind = rapid.SampledFrom([]string{"inner", "inner", "inner", "left", "semi"}).Draw(t, "kind")
		if chance("on", 15) {
			c := w.cond(t, j.to)
			j.where = &c
		}
		a.joins = append(a.joins, j)
	}
	tables := a.tables()
	if chance("where", 40) {
		a.where = append(a.where, w.cond(t, rapid.SampledFrom(tables).Draw(t, "of")))
	}
	for range rapid.IntRange(0, 2).Draw(t, "groups") {
		g := askGroup{table: rapid.SampledFrom(tables).Draw(t, "by")}
		g.column = rapid.SampledFrom(map[bool][]string{true: {"day", "day", "id", "band", "half", "odd"}, false: {"kind", "size", "class"}}[g.table.fact]).Draw(t, "column")
		g.month = g.column == "day" && chance("month", 60)
		if !slices.Contains(a.groups, g) {
			a.groups = append(a.groups, g)
		}
	}
	for range rapid.IntRange(1, 3).Draw(t, "measures") {
		if m := w.measure(t, tables); !slices.Contains(a.measures, m) {
			a.measures = append(a.measures, m)
		}
	}
	return a
}

// tables are those that are joined, semi joins aside.
func (a *ask) tables() []*worldTable {
	out := []*worldTable{a.root}
	for _, j := range a.joins {
		if j.kind != "semi" {
			out = append(out, j.to)
		}
	}
	return out
}

// ways are the joins that could come next.
func (a *ask) ways(w *world) (out []askJoin) {
	in := []*worldTable{a.root}
	for _, j := range a.joins {
		in = append(in, j.to)
	}
	for _, from := range a.tables() {
		for _, ref := range from.refs {
			if !slices.Contains(in, ref.to) {
				out = append(out, askJoin{from: from, to: ref.to, ref: ref, up: true})
			}
		}
		for _, to := range w.tables {
			for _, ref := range to.refs {
				if ref.to == from && !slices.Contains(in, to) {
					out = append(out, askJoin{from: from, to: to, ref: ref})
				}
			}
		}
	}
	return out
}

func (w *world) cond(t *rapid.T, table *worldTable) askCond {
	if !table.fact {
		return rapid.SampledFrom([]askCond{{table, "kind", "=", "a"}, {table, "size", "<", 3}, {table, "size", ">", 1}, {table, "class", "=", "none2"}}).Draw(t, "cond")
	}
	return rapid.SampledFrom([]askCond{{table, "amount", ">", 1}, {table, "day", "<", "2026-03-01"}, {table, "day", "=", "2026-01-15"}, {table, "band", "=", "small"}, {table, "half", "=", "H1"}}).Draw(t, "cond")
}

// measure is a metric, mostly of a table that is joined, or an aggregate.
func (w *world) measure(t *rapid.T, tables []*worldTable) askMeasure {
	if rapid.IntRange(0, 99).Draw(t, "plain") < 25 {
		table := rapid.SampledFrom(tables).Draw(t, "over")
		column := rapid.SampledFrom(map[bool][]string{true: {"amount", "amount", "level"}, false: {"size"}}[table.fact]).Draw(t, "column")
		return askMeasure{table: table, fn: rapid.SampledFrom([]string{"sum", "avg", "min", "max", "count"}).Draw(t, "fn"), column: column}
	}
	var fits []int
	for i, m := range w.metrics {
		if rapid.IntRange(0, 19).Draw(t, "any") == 0 || slices.Contains(tables, w.table(m.Table.Table)) {
			fits = append(fits, i)
		}
	}
	if len(fits) == 0 {
		fits = []int{0}
	}
	m := &w.metrics[rapid.SampledFrom(fits).Draw(t, "metric")]
	return askMeasure{metric: m, table: w.table(m.Table.Table)}
}

// plan says it in the plan language.
func (a *ask) plan() *plan.Plan {
	p := &plan.Plan{Version: plan.Version, From: plan.Source{Table: a.root.name}}
	for _, j := range a.joins {
		key := j.ref.key(j.from)
		if !j.up {
			key = j.ref.key(j.to)
		}
		join := plan.Join{Table: j.to.name, To: j.from.name, Key: key, Kind: j.kind}
		if j.where != nil {
			join.Where = j.where.expr()
		}
		p.Joins = append(p.Joins, join)
	}
	for _, c := range a.where {
		p.Where = c.expr()
	}
	for _, g := range a.groups {
		e := g.table.spelled(g.column)
		if g.month {
			e = plan.Expr{Call: &plan.Call{Func: "date_trunc", Unit: "month", Args: []plan.Expr{e}}}
		}
		p.Select = append(p.Select, plan.Item{Expr: e})
	}
	for _, m := range a.measures {
		if m.metric != nil {
			p.Select = append(p.Select, plan.Item{Expr: plan.Expr{Metric: m.metric.Name}})
			continue
		}
		arg := plan.Expr{Column: m.table.name + "." + m.column}
		p.Select = append(p.Select, plan.Item{Expr: plan.Expr{Aggregate: &plan.Aggregate{Func: m.fn, Arg: &arg}}})
	}
	return p
}

func (c askCond) expr() *plan.Expr {
	return &plan.Expr{Op: &plan.Op{Op: c.op, Args: []plan.Expr{c.table.spelled(c.column), {Literal: &plan.Literal{Value: c.value}}}}}
}
