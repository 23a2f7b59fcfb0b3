package plan_test

import (
	"errors"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"pgregory.net/rapid"
)

// from is a table, or a derived block where one is valid.
func (g *generator) from(p *plan.Plan, depth int) {
	if depth > 0 && g.chance("derived", 25) {
		inner := g.nested(depth - 1)
		if checked, err := plan.Validate(outermost(inner), g.c); err == nil {
			p.From = plan.Source{Plan: inner, As: g.alias(0)}
			g.aliases, g.tables[g.alias(0)] = []string{g.alias(0)}, outputs(checked)
			return
		}
	}
	first := rapid.SampledFrom(g.c.Catalog.Tables).Draw(g.T, "from")
	p.From = plan.Source{Table: plan.TableName(first.Name), As: g.alias(0)}
	g.aliases, g.tables[g.alias(0)] = []string{g.alias(0)}, first
}

// alias is the n-th of this plan: those of nested plans start with other letters.
func (g *generator) alias(n int) string {
	letter := 't'
	for o := g.outer; o != nil; o = o.outer {
		letter++
	}
	return string(letter) + string(rune('0'+n))
}

// nested is a plan inside the one that is being made.
func (g *generator) nested(depth int) *plan.Plan {
	inner := &generator{T: g.T, c: g.c, outer: g}
	return inner.plan(depth)
}

func outermost(p *plan.Plan) *plan.Plan {
	out := *p
	out.Version = plan.Version
	return &out
}

// outputs are a plan's columns as a table.
func outputs(checked *plan.Checked) *catalog.Table {
	t := &catalog.Table{}
	for _, c := range checked.Columns() {
		t.Columns = append(t.Columns, &catalog.Column{Name: c.Name, Type: catalog.Type{Name: c.Type}})
	}
	return t
}

// set combines plans of one or two columns.
func (g *generator) set(depth int) *plan.Plan {
	p := &plan.Plan{Set: &plan.Set{Op: g.pick("set", "union", "intersect", "except"), All: g.chance("all", 40)}}
	make := g.pick("columns", "numbers", "texts", "moments")
	for range rapid.IntRange(2, 3).Draw(g.T, "members") {
		inner := &generator{T: g.T, c: g.c, outer: g.outer}
		m := inner.plan(0)
		m.OrderBy = nil
		value := map[string]func() plan.Expr{"numbers": func() plan.Expr { return inner.number(1) },
			"texts": func() plan.Expr { return inner.text(1) }, "moments": inner.moment}[make]
		m.Select = []plan.Item{{Expr: value(), As: "x"}}
		p.Set.Plans = append(p.Set.Plans, *m)
	}
	if g.chance("order", 50) {
		p.OrderBy = []plan.Order{{Item: "x", Desc: g.chance("desc", 50)}}
	}
	if g.chance("limit", 30) {
		n := int64(3)
		p.Limit = &n
	}
	g.aliases, g.tables = nil, map[string]*catalog.Table{}
	return p
}

// join adds a table, or a block that is grouped by the key, along a
// relationship of a table that is there.
func (g *generator) join(p *plan.Plan) {
	to := rapid.SampledFrom(g.aliases).Draw(g.T, "to")
	var fits []plan.Join
	var keys [][]string
	for _, r := range g.c.Semantic.Relationships {
		as := g.alias(len(p.Joins) + 1)
		if r.From == g.tables[to].Name {
			fits = append(fits, plan.Join{Table: plan.TableName(r.To), As: as, To: to, Key: r.Name})
			keys = append(keys, r.ToColumns)
		}
		if r.To == g.tables[to].Name {
			fits = append(fits, plan.Join{Table: plan.TableName(r.From), As: as, To: to, Key: r.Name, Reverse: r.From == r.To})
			keys = append(keys, r.FromColumns)
		}
	}
	if len(fits) == 0 {
		return
	}
	i := rapid.IntRange(0, len(fits)-1).Draw(g.T, "join")
	j := fits[i]
	var joined *catalog.Table
	for _, t := range g.c.Catalog.Tables {
		if plan.TableName(t.Name) == j.Table {
			joined = t
		}
	}
	if g.chance("block", 20) {
		inner := &plan.Plan{From: plan.Source{Table: j.Table, As: "b"}}
		for _, k := range keys[i] {
			inner.Select = append(inner.Select, plan.Item{Expr: plan.Expr{Column: plan.ColumnName("b", k)}})
		}
		inner.Select = append(inner.Select, plan.Item{Expr: plan.Expr{Aggregate: &plan.Aggregate{Func: "count"}}, As: "n"})
		checked, err := plan.Validate(outermost(inner), g.c)
		if err != nil {
			g.Fatalf("%v", err)
		}
		joined, j.Table, j.Plan = outputs(checked), "", inner
	}
	j.Kind = g.pick("kind", "", "inner", "inner", "left", "right", "full", "semi", "anti")
	p.Joins = append(p.Joins, j)
	if j.Kind == "semi" || j.Kind == "anti" {
		return
	}
	g.aliases, g.tables[j.As] = append(g.aliases, j.As), joined
}

// subplan is a plan of one column; it may name the tables around it.
func (g *generator) subplan(value func(*generator) plan.Expr) *plan.Plan {
	inner := &generator{T: g.T, c: g.c, outer: g}
	p := inner.plan(0)
	if p.Set != nil {
		return p
	}
	p.OrderBy = nil
	p.Select = []plan.Item{{Expr: value(inner)}}
	return p
}

// window is over rows, or over the groups of a block that aggregates.
func (g *generator) window() plan.Expr {
	w := &plan.Window{Func: g.pick("window", "row_number", "rank", "ntile", "lag", "first_value", "last_value", "sum", "avg", "count", "max", "percent_rank")}
	switch w.Func {
	case "ntile":
		w.Args = []plan.Expr{{Literal: &plan.Literal{Value: 3}}}
	case "lag", "first_value", "last_value", "max", "sum", "avg":
		w.Args = []plan.Expr{g.number(1)}
		if g.chance("aggregate", 30) {
			w.Args = []plan.Expr{{Aggregate: &plan.Aggregate{Func: "count"}}}
		}
	}
	if g.chance("partition", 50) {
		w.PartitionBy = []plan.Expr{g.column()}
	}
	if g.chance("order", 80) {
		e := g.column()
		w.OrderBy = []plan.Order{{Expr: &e, Desc: g.chance("desc", 50)}}
	}
	if g.chance("frame", 30) {
		start, end := rapid.IntRange(-2, 1).Draw(g.T, "start"), rapid.IntRange(-1, 2).Draw(g.T, "end")
		w.Frame = &plan.Frame{Unit: g.pick("unit", "rows", "groups"), Start: &start, End: &end}
		if g.chance("open", 30) {
			w.Frame.Start = nil
		}
	}
	return plan.Expr{Window: w}
}

// checkWrapped demands that a derived block around a plan, and a union of both,
// give its rows.
func checkWrapped(t *rapid.T, conn *pgx.Conn, checked *plan.Checked, c plan.Context, rows [][]string) {
	t.Helper()
	inner := *checked.Plan()
	inner.Version, inner.Reasoning = 0, ""
	block := plan.Plan{From: plan.Source{Plan: &inner, As: "w"}}
	for _, col := range checked.Columns() {
		block.Select = append(block.Select, plan.Item{Expr: plan.Expr{Column: plan.ColumnName("w", col.Name)}})
	}
	twice := &plan.Plan{Version: plan.Version, Set: &plan.Set{Op: "union", All: true, Plans: []plan.Plan{inner, block}}}
	around, err := plan.Validate(twice, c)
	if err != nil {
		var r *plan.Rejections
		if errors.As(err, &r) && r.All[0].Code == plan.CodeTooLarge {
			return
		}
		t.Fatalf("%v\n%v", err, checked.Plan())
	}
	got, err := query(conn, checkPrints(t, around))
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(rows[1:], rows[1:])
	less := func(a, b []string) int { return slices.Compare(a, b) }
	slices.SortFunc(want, less)
	slices.SortFunc(got[1:], less)
	if diff := cmp.Diff(want, got[1:], cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s", diff)
	}
}
