package semantic

import (
	"fmt"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/stmt"
)

// derivation puts the definitions of metrics in the place of their names.
type derivation struct {
	model *Model
	of    []*Metric
	wrong string
}

// derived resolves a metric that is arithmetic over others of one table. Each is
// aggregated first, then they are calculated with.
func (b *builder) derived(f configs.Metric) {
	key := "metrics." + f.Name
	if b.model.Metric(f.Name) != nil {
		b.fault(f.Pos, key, "the metric is defined twice")
		return
	}
	n, names, err := stmt.ParseExpr(f.Derived)
	if err != nil || len(names) > 0 {
		b.fault(f.Pos, key+".derived", "it isn't arithmetic over metrics: %v", err)
		return
	}
	d := &derivation{model: b.model}
	d.collect(n)
	if d.wrong == "" && len(d.of) == 0 {
		d.wrong = "it names no metric"
	}
	if d.wrong == "" {
		d.alike()
	}
	if d.wrong != "" {
		b.fault(f.Pos, key+".derived", "%s", d.wrong)
		return
	}
	first := d.of[0]
	b.model.Metrics = append(b.model.Metrics, &Metric{Name: f.Name, Description: f.Description, Table: first.Table, Expr: d.expand(n), ExprText: f.Derived,
		Filters: d.shared(), Unit: f.Unit, Grain: f.Grain, Synonyms: f.Synonyms, Owner: f.Owner, Additivity: Additivity{Kind: "non"},
		ReviewRequiredBy: f.ReviewRequiredBy, Reviewed: f.Reviewed})
}

// collect finds the metrics, and refuses what isn't arithmetic.
func (d *derivation) collect(n *pg_query.Node) {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_AConst:
		if x.AConst.GetSval() != nil || x.AConst.Isnull {
			d.wrong = "only numbers are calculated with"
		}
	case *pg_query.Node_AExpr:
		op := x.AExpr.Name[len(x.AExpr.Name)-1].GetString_().GetSval()
		if x.AExpr.Kind != pg_query.A_Expr_Kind_AEXPR_OP || len(x.AExpr.Name) != 1 || !slices.Contains([]string{"+", "-", "*", "/"}, op) {
			d.wrong = "only + - * / are calculated with"
			return
		}
		if x.AExpr.Lexpr != nil {
			d.collect(x.AExpr.Lexpr)
		}
		d.collect(x.AExpr.Rexpr)
	case *pg_query.Node_ColumnRef:
		m := d.metric(x.ColumnRef)
		if m == nil {
			d.wrong = "it names a metric that isn't there, or is itself derived later in the file"
			return
		}
		d.of = append(d.of, m)
	default:
		d.wrong = "only + - * /, numbers and metrics may stand in it"
	}
}

func (d *derivation) metric(ref *pg_query.ColumnRef) *Metric {
	if len(ref.Fields) != 1 {
		return nil
	}
	return d.model.Metric(ref.Fields[0].GetString_().GetSval())
}

// alike demands what makes the metrics one: the same table, the same conditions on other tables,
// and none that is picked at a time.
func (d *derivation) alike() {
	for _, m := range d.of {
		switch {
		case m.Table != d.of[0].Table:
			d.wrong = fmt.Sprintf("%s is measured on %s.%s and %s on %s.%s; ask for both instead", d.of[0].Name, d.of[0].Table.Schema, d.of[0].Table.Table, m.Name, m.Table.Schema, m.Table.Table)
		case m.Additivity.Kind == "semi":
			d.wrong = fmt.Sprintf("%s is a stock, whose time is picked for it alone", m.Name)
		case !slices.EqualFunc(parents(m), parents(d.of[0]), func(a, b Filter) bool { return a.Table == b.Table && stmt.Equal(a.Cond, b.Cond) }):
			d.wrong = fmt.Sprintf("%s and %s have different conditions on other tables", d.of[0].Name, m.Name)
		}
		if d.wrong != "" {
			return
		}
	}
}

// parents are the conditions on tables that the metric's own points to.
func parents(m *Metric) []Filter {
	return slices.DeleteFunc(slices.Clone(m.Filters), func(f Filter) bool { return len(f.Path) == 0 })
}

// shared are the conditions that all have: those on other tables. Each one's own
// stand in its aggregates.
func (d *derivation) shared() []Filter { return parents(d.of[0]) }

// expand puts each metric's expression, with its own conditions, in the place of its name. A division is
// one of numerics: counts would lose what is behind the point.
func (d *derivation) expand(n *pg_query.Node) *pg_query.Node {
	out, err := stmt.Rewrite(stmt.Clone(n), func(x *pg_query.Node) (*pg_query.Node, error) {
		if ref := x.GetColumnRef(); ref != nil {
			return filtered(d.metric(ref)), nil
		}
		if e := x.GetAExpr(); e != nil && e.Name[0].GetString_().GetSval() == "/" {
			e.Lexpr = stmt.Cast(e.Lexpr, &pg_query.TypeName{Typemod: -1, Names: stmt.Names("pg_catalog", "numeric")})
		}
		return x, nil
	})
	if err != nil {
		panic("semantic: derive: " + err.Error()) // the function above never fails
	}
	return out
}

// filtered is a metric's expression whose aggregates hold the conditions on its own table.
func filtered(m *Metric) *pg_query.Node {
	out := stmt.Clone(m.Expr)
	for _, f := range m.Filters {
		if len(f.Path) > 0 {
			continue
		}
		for _, call := range Aggregates(out) {
			if call.AggFilter == nil {
				call.AggFilter = stmt.Clone(f.Cond)
				continue
			}
			call.AggFilter = stmt.And(call.AggFilter, stmt.Clone(f.Cond))
		}
	}
	return out
}
