package plan

import (
	"encoding/json"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/semantic"
)

// unfolded is a derived metric as arithmetic over those that it is derived from in the
// end; base gives what stands for each of them.
func unfolded(m *semantic.Metric, base func(*semantic.Metric) Expr) Expr {
	if !m.Derived() {
		return base(m)
	}
	return calculation(m.Arithmetic, m.Parts, base)
}

func calculation(n *pg_query.Node, parts []*semantic.Metric, base func(*semantic.Metric) Expr) Expr {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_AConst:
		return Expr{Literal: &Literal{Value: numberOf(x.AConst)}}
	case *pg_query.Node_ColumnRef:
		for _, part := range parts {
			if part.Name == semantic.PartName(x.ColumnRef) {
				return unfolded(part, base)
			}
		}
	case *pg_query.Node_AExpr:
		op := &Op{Op: semantic.Operator(x.AExpr), Args: []Expr{calculation(x.AExpr.Rexpr, parts, base)}}
		switch {
		case x.AExpr.Lexpr != nil:
			op.Args = []Expr{calculation(x.AExpr.Lexpr, parts, base), op.Args[0]}
		case op.Op == "+":
			return op.Args[0]
		}
		return Expr{Op: op}
	}
	panic("plan: calculation: " + n.String()) // the semantic model holds nothing else
}

// numberOf is a constant as JSON spells numbers.
func numberOf(a *pg_query.A_Const) json.Number {
	if a.GetFval() == nil {
		text, err := json.Marshal(a.GetIval().GetIval())
		if err != nil {
			panic("plan: number: " + err.Error()) // an integer always encodes
		}
		return json.Number(text)
	}
	text := strings.TrimSuffix(strings.NewReplacer(".e", "e", ".E", "e").Replace(a.GetFval().GetFval()), ".")
	if strings.HasPrefix(text, ".") {
		text = "0" + text
	}
	return json.Number(text)
}

// orNone is what stands for an additive metric that a group has no rows of: nothing was
// sold, so 0 was. What isn't additive is unknown there, and so is what is computed of it.
func orNone(m *semantic.Metric, e Expr) Expr {
	if m.Additivity.Kind != "additive" {
		return e
	}
	return Expr{Call: &Call{Func: "coalesce", Args: []Expr{e, {Literal: &Literal{Value: json.Number("0")}}}}}
}

// derived checks a derived metric whose parts are measured where it stands: all are of one
// table, which the plan holds.
func (c *checker) derived(m *semantic.Metric, at string, env env) *typed {
	e := unfolded(m, func(base *semantic.Metric) Expr {
		if base.Counts() {
			return Expr{Metric: base.Name}
		}
		return orNone(base, Expr{Metric: base.Name})
	})
	before := len(c.faults)
	t := c.expr(&e, at, env)
	for _, f := range c.faults[before:] { // the plan has no place for what stands in it
		f.Path = at
	}
	if t == nil {
		return nil
	}
	t.walk(func(x *typed) {
		if x.measure != nil {
			x.measure.at = at
		}
	})
	return &typed{expr: Expr{Metric: m.Name}, metric: m, typ: t.typ, tree: t.tree, parts: []*typed{t}}
}
