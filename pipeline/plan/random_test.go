package plan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/stmt"
	"pgregory.net/rapid"
)

// checkPrints demands that a compiled plan survives printing: the text parses
// to the same tree.
func checkPrints(t fatal, checked *plan.Checked) string {
	t.Helper()
	tree := plan.Compile(checked)
	sql, err := stmt.Print(tree)
	if err != nil {
		t.Fatalf("print: %v", err)
	}
	again, err := stmt.ParseOne(sql, stmt.DefaultLimits())
	if err != nil {
		t.Fatalf("parse: %v\n%s", err, sql)
	}
	if !stmt.Equal(tree, again) {
		t.Fatalf("another tree after printing: %s", sql)
	}
	return sql
}

func TestExamplesPrint(t *testing.T) {
	for _, x := range examples(t) {
		checked, _ := sqlOf(t, x.plan, testContext(t))
		checkPrints(t, checked)
	}
}

// generator makes random plans over the star schema. Many are valid; those
// that are must run.
type generator struct {
	*rapid.T
	c       plan.Context
	aliases []string
	tables  map[string]*catalog.Table
	// outer made the plan around, depth is how many more may be inside.
	outer *generator
	depth int
}

func (g *generator) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(g.T, label)
}

func (g *generator) chance(label string, percent int) bool {
	return rapid.IntRange(0, 99).Draw(g.T, label) < percent
}

func (g *generator) plan(depth int) *plan.Plan {
	if depth > 0 && g.chance("set", 10) {
		return g.set(depth)
	}
	p := &plan.Plan{}
	g.aliases, g.tables = nil, map[string]*catalog.Table{}
	g.from(p, depth)
	for range rapid.IntRange(0, 3).Draw(g.T, "joins") {
		g.join(p)
	}
	g.depth = depth
	if g.chance("where", 60) {
		p.Where = g.condition(2)
	}
	for range rapid.IntRange(1, 4).Draw(g.T, "items") {
		p.Select = append(p.Select, plan.Item{Expr: g.item()})
	}
	if g.chance("order", 50) {
		e := rapid.SampledFrom(p.Select).Draw(g.T, "order").Expr
		p.OrderBy = append(p.OrderBy, plan.Order{Expr: &e, Desc: g.chance("desc", 50), Nulls: g.pick("nulls", "", "first", "last")})
	}
	if g.chance("limit", 40) {
		n := int64(rapid.IntRange(0, 5).Draw(g.T, "n"))
		p.Limit = &n
	}
	p.Distinct = g.chance("distinct", 15)
	return p
}

// column is a random column, of one of the types (by a part of their names)
// where there is one.
func (g *generator) column(types ...string) plan.Expr {
	if g.outer != nil && len(g.outer.aliases) > 0 && g.chance("outer", 10) {
		return g.outer.column(types...)
	}
	alias := rapid.SampledFrom(g.aliases).Draw(g.T, "alias")
	var fits []string
	for _, c := range g.tables[alias].Columns {
		for _, want := range types {
			if strings.Contains(c.Type.Name, want) {
				fits = append(fits, c.Name)
			}
		}
		if len(types) == 0 {
			fits = append(fits, c.Name)
		}
	}
	if len(fits) == 0 {
		return plan.Expr{Literal: &plan.Literal{Value: g.pick("text", "", "a'b", "EMEA", "%", `\`, "null")}}
	}
	return plan.Expr{Column: plan.ColumnName(alias, rapid.SampledFrom(fits).Draw(g.T, "column"))}
}

func (g *generator) number(depth int) plan.Expr {
	switch k := rapid.IntRange(0, 5).Draw(g.T, "number"); {
	case k <= 1 || depth == 0:
		return g.column("int", "numeric")
	case g.depth > 0 && g.chance("scalar", 10):
		return plan.Expr{Plan: g.subplan(func(in *generator) plan.Expr {
			arg := in.number(1)
			return plan.Expr{Aggregate: &plan.Aggregate{Func: in.pick("agg", "max", "count", "avg"), Arg: &arg}}
		})}
	case k == 2:
		return plan.Expr{Literal: &plan.Literal{Value: rapid.SampledFrom([]any{0, 1, -3, 2.5, 1e10, -0.001}).Draw(g.T, "value")}}
	case k == 3:
		if g.chance("cast", 30) {
			return plan.Expr{Cast: &plan.Cast{Arg: g.value(depth - 1), To: g.pick("to", "integer", "bigint", "numeric", "double precision")}}
		}
		if g.chance("dates", 20) {
			return plan.Expr{Call: &plan.Call{Func: "date_diff", Unit: g.pick("unit", "year", "quarter", "month", "week", "day"), Args: []plan.Expr{g.moment(), g.moment()}}}
		}
		f := g.pick("func", "trunc", "abs", "ceil", "floor", "round", "sign", "sqrt", "numeric")
		return plan.Expr{Call: &plan.Call{Func: f, Args: []plan.Expr{g.number(depth - 1)}}}
	default:
		return plan.Expr{Op: &plan.Op{Op: g.pick("op", "+", "-", "*", "/", "%"), Args: []plan.Expr{g.number(depth - 1), g.number(depth - 1)}}}
	}
}

// value is anything that a cast may take.
func (g *generator) value(depth int) plan.Expr {
	switch g.pick("value", "number", "text", "moment", "bool") {
	case "number":
		return g.number(depth)
	case "text":
		return g.text(depth)
	case "moment":
		return g.moment()
	}
	return *g.condition(0)
}

func (g *generator) moment() plan.Expr {
	if g.chance("cast", 10) {
		return plan.Expr{Cast: &plan.Cast{Arg: g.text(1), To: g.pick("to", "date", "timestamp")}}
	}
	if g.chance("symbol", 50) {
		return plan.Expr{Date: &plan.Date{Unit: g.pick("unit", "year", "quarter", "month", "week", "day"),
			Offset: rapid.IntRange(-20, 20).Draw(g.T, "offset"), Days: rapid.IntRange(-3, 3).Draw(g.T, "days")}}
	}
	return g.column("date", "timestamp")
}

func (g *generator) text(depth int) plan.Expr {
	if depth == 0 || g.chance("plain", 50) {
		return g.column("text")
	}
	if g.chance("cast", 20) {
		return plan.Expr{Cast: &plan.Cast{Arg: g.value(depth - 1), To: "text"}}
	}
	f := g.pick("func", "lower", "upper", "trim", "text", "initcap", "rtrim")
	return plan.Expr{Call: &plan.Call{Func: f, Args: []plan.Expr{g.text(depth - 1)}}}
}

func (g *generator) condition(depth int) *plan.Expr {
	op := func(name string, args ...plan.Expr) *plan.Expr { return &plan.Expr{Op: &plan.Op{Op: name, Args: args}} }
	if g.depth > 0 && g.chance("sub-plan", 15) {
		if g.chance("exists", 30) {
			return op(g.pick("exists", "exists", "not_exists"), plan.Expr{Plan: g.subplan(func(in *generator) plan.Expr { return in.column() })})
		}
		return op(g.pick("in", "in", "not_in"), g.text(1), plan.Expr{Plan: g.subplan(func(in *generator) plan.Expr { return in.text(1) })})
	}
	compare := g.pick("compare", "=", "<>", "<", "<=", ">", ">=")
	switch k := rapid.IntRange(0, 6).Draw(g.T, "condition"); {
	case depth > 0 && k == 0:
		return op(g.pick("logic", "and", "or"), *g.condition(depth - 1), *g.condition(depth - 1), *g.condition(depth - 1))
	case depth > 0 && k == 1:
		return op("not", *g.condition(depth - 1))
	case k == 2:
		return op(g.pick("null", "is_null", "is_not_null"), g.column())
	case k == 3 && g.chance("period", 40):
		if column := g.column("date", "timestamp").Column; column != "" {
			p := &plan.Period{Column: column, Unit: g.pick("unit", "year", "quarter", "month", "week", "day"), Last: 3, Back: 2, ToDate: g.chance("to date", 30)}
			p.Fiscal = p.Unit == "quarter"
			return &plan.Expr{Period: p}
		}
		return op(compare, g.moment(), g.moment())
	case k == 3:
		return op(compare, g.moment(), g.moment())
	case k == 4:
		return op(g.pick("like", "like", "not_ilike"), g.text(1), plan.Expr{Literal: &plan.Literal{Value: g.pick("pattern", "%a%", "_", "", `x\%`)}})
	case k == 5:
		return op(g.pick("in", "in", "not_in", "between"), g.text(1), plan.Expr{Literal: &plan.Literal{Value: "a"}}, plan.Expr{Literal: &plan.Literal{Value: "EMEA"}})
	}
	return op(compare, g.number(2), g.number(2))
}

func (g *generator) item() plan.Expr {
	if g.chance("window", 12) {
		return g.window()
	}
	switch rapid.IntRange(0, 8).Draw(g.T, "item") {
	case 0:
		return plan.Expr{Aggregate: &plan.Aggregate{Func: "count"}}
	case 1:
		arg := g.number(1)
		a := &plan.Aggregate{Func: g.pick("agg", "sum", "avg", "min", "max", "count", "stddev", "variance", "median", "percentile_cont", "percentile_disc"),
			Arg: &arg, Distinct: g.chance("distinct", 20)}
		if strings.HasPrefix(a.Func, "percentile") {
			fraction := rapid.Float64Range(0, 1).Draw(g.T, "fraction")
			a.Fraction = &fraction
		}
		if g.chance("texts", 15) {
			text := g.text(1)
			a = &plan.Aggregate{Func: "string_agg", Arg: &text, Distinct: g.chance("distinct", 30)}
		}
		return plan.Expr{Aggregate: a}
	case 2:
		m := rapid.SampledFrom(g.c.Semantic.Metrics).Draw(g.T, "metric")
		return plan.Expr{Metric: m.Name}
	case 3:
		return g.number(2)
	case 4:
		return plan.Expr{Call: &plan.Call{Func: g.pick("func", "date_trunc", "date_part"), Unit: g.pick("unit", "year", "quarter", "month", "week", "day"), Args: []plan.Expr{g.moment()}}}
	case 5:
		arg := g.column()
		return plan.Expr{Aggregate: &plan.Aggregate{Func: "count", Arg: &arg, Filter: g.condition(1)}}
	case 6:
		return plan.Expr{Case: &plan.Case{When: []plan.When{{If: *g.condition(1), Then: g.number(1)}}}}
	case 7:
		return g.text(2)
	}
	return g.column()
}

// A plan that passes runs, whatever it is, and gives the columns that it
// promised.
func TestRandomPlansRun(t *testing.T) {
	conn, c := database(t)
	d := &describer{conn: conn, names: map[[2]int64]string{}}
	rows, passed, codes := 0, 0, map[plan.Code]int{}
	rapid.Check(t, func(t *rapid.T) {
		g := &generator{T: t, c: c}
		if g.chance("symbolic", 30) {
			g.c.Today = ""
		}
		checked, err := plan.Validate(outermost(g.plan(2)), g.c)
		if err != nil {
			var r *plan.Rejections
			if !errors.As(err, &r) {
				t.Fatal(err)
			}
			codes[r.All[0].Code]++
			return
		}
		passed++
		sql := checkPrints(t, checked)
		got, err := query(conn, sql)
		if err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
		rows += len(got) - 1
		d.check(t, checked, sql)
		again, err := plan.Validate(checked.Plan(), g.c)
		if err != nil || again.Hash() != checked.Hash() || checkPrints(t, again) != sql {
			t.Fatalf("the canonical form is another plan: %v\n%s", err, sql)
		}
		checkWrapped(t, conn, checked, g.c, got)
	})
	t.Logf("%d plans gave %d rows; refused: %v", passed, rows, codes)
	if passed < 10 {
		t.Errorf("only %d random plans passed: the property says nothing", passed)
	}
}
