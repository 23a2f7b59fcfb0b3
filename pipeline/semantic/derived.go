package semantic

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// derivation resolves the metrics that are arithmetic over others, whichever stands
// first in the files.
type derivation struct {
	b     *builder
	files map[string]configs.Metric
	// open are the metrics whose parts are being resolved, from the outermost in.
	open []string
	done map[string]bool
}

// derive resolves all derived metrics of the file.
func (b *builder) derive(metrics []configs.Metric) {
	d := &derivation{b: b, files: map[string]configs.Metric{}, done: map[string]bool{}}
	for _, m := range metrics {
		if _, twice := d.files[m.Name]; twice && m.Derived != "" {
			b.fault(m.Pos, "metrics."+m.Name, "the metric is defined twice")
			continue
		}
		d.files[m.Name] = m
	}
	for _, m := range metrics {
		if m.Derived != "" {
			d.metric(m.Name)
		}
	}
}

// metric resolves a metric, what it is made of first; nil where that can't be.
func (d *derivation) metric(name string) *Metric {
	f := d.files[name]
	if f.Derived == "" || d.done[name] {
		return d.b.model.Metric(name)
	}
	d.done[name] = true
	d.open = append(d.open, name)
	defer func() { d.open = d.open[:len(d.open)-1] }()
	key := "metrics." + name + ".derived"
	n, names, err := stmt.ParseExpr(f.Derived)
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("there is no value for :%s", names[0])
	}
	if err != nil {
		d.b.fault(f.Pos, key, "it isn't arithmetic over metrics: %v", d.unquoted(f.Derived, err))
		return nil
	}
	if wrong := NotArithmetic(n); wrong != "" {
		d.b.fault(f.Pos, key, "%s", wrong)
		return nil
	}
	parts := d.parts(n, f, key)
	if parts == nil {
		return nil
	}
	if size, deep := written(n, parts); size > mostTerms || deep > mostDeep {
		d.b.fault(f.Pos, key, "written out it has %d metrics and numbers, up to %d deep: %d are allowed, %d deep; brackets make a long sum less deep", size, deep, mostTerms, mostDeep)
		return nil
	}
	m := &Metric{Name: f.Name, Description: f.Description, Parts: parts, Arithmetic: n, ExprText: f.Derived, Unit: cmp.Or(f.Unit, unitOf(n, parts)), Grain: f.Grain,
		Synonyms: f.Synonyms, Owner: f.Owner, Additivity: Additivity{Kind: "non"}, ReviewRequiredBy: f.ReviewRequiredBy, Reviewed: f.Reviewed}
	if tables := m.Tables(); len(tables) == 1 {
		m.Table = tables[0]
	}
	d.b.model.Metrics = append(d.b.model.Metrics, m)
	return m
}

// unquoted is why a text can't be read: mostly a name of several words stands in it as it is.
func (d *derivation) unquoted(text string, err error) error {
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		if strings.Contains(name, " ") && strings.Contains(text, name) && !strings.Contains(text, `"`+name+`"`) {
			return fmt.Errorf("put %q in double quotes", name)
		}
	}
	return err
}

// parts are the metrics that the arithmetic names, each once; nil after a fault, or
// where one can't be computed in this database.
func (d *derivation) parts(n *pg_query.Node, f configs.Metric, key string) []*Metric {
	var out []*Metric
	refs := columnRefs(n)
	for _, ref := range refs {
		name := PartName(ref)
		if i := slices.Index(d.open, name); i >= 0 {
			d.b.fault(f.Pos, key, "it is made of itself: %s", strings.Join(append(slices.Clone(d.open[i:]), name), " → "))
			return nil
		}
		if _, known := d.files[name]; !known {
			d.b.fault(f.Pos, key, "there is no metric %s", name)
			return nil
		}
		part := d.metric(name)
		if part == nil { // which is a fault, or a warning, of its own
			d.b.warn(f.Pos, key, "it is made of %s, which can't be computed", name)
			return nil
		}
		if !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	if len(refs) == 0 {
		d.b.fault(f.Pos, key, "it names no metric")
	}
	return out
}

// PartName is the metric that stands in a derived one's arithmetic; "" where it isn't a name.
func PartName(ref *pg_query.ColumnRef) string {
	if len(ref.Fields) != 1 {
		return ""
	}
	return ref.Fields[0].GetString_().GetSval()
}

// NotArithmetic is what a derived metric has besides + - * /, numbers and metrics; "" where
// it has nothing else.
func NotArithmetic(n *pg_query.Node) string {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_AConst:
		if f := x.AConst.GetFval(); x.AConst.GetIval() == nil && (f == nil || strings.Trim(f.Fval, "0123456789.eE+-") != "") {
			return "only decimal numbers are calculated with"
		}
	case *pg_query.Node_AExpr:
		if x.AExpr.Kind != pg_query.A_Expr_Kind_AEXPR_OP || !slices.Contains([]string{"+", "-", "*", "/"}, Operator(x.AExpr)) {
			return "only + - * / are calculated with"
		}
		if x.AExpr.Lexpr != nil {
			if wrong := NotArithmetic(x.AExpr.Lexpr); wrong != "" {
				return wrong
			}
		}
		return NotArithmetic(x.AExpr.Rexpr)
	case *pg_query.Node_ColumnRef:
		if PartName(x.ColumnRef) == "" {
			return "a metric's name has one part; put it in double quotes where it holds a dot"
		}
	default:
		return "only + - * /, numbers and metrics may stand in it"
	}
	return ""
}

// Operator is the operator's name; "" where it is qualified.
func Operator(e *pg_query.A_Expr) string {
	if len(e.Name) != 1 {
		return ""
	}
	return e.Name[0].GetString_().GetSval()
}

// Derived tells whether the metric is arithmetic over others.
func (x *Metric) Derived() bool { return x.Arithmetic != nil }

// Counts tells whether the metric is a plain count, which is 0 of no rows.
func (x *Metric) Counts() bool {
	call := x.Expr.GetFuncCall()
	return call != nil && call.Funcname[len(call.Funcname)-1].GetString_().GetSval() == "count"
}

// Bases are the metrics that are measured for this one, each once: itself, or those that
// it is derived from in the end.
func (x *Metric) Bases() []*Metric {
	if !x.Derived() {
		return []*Metric{x}
	}
	var out []*Metric
	for _, part := range x.Parts {
		for _, base := range part.Bases() {
			if !slices.Contains(out, base) {
				out = append(out, base)
			}
		}
	}
	return out
}

// Tables are those that the metric is measured on, each once.
func (x *Metric) Tables() []catalog.Name {
	var out []catalog.Name
	for _, base := range x.Bases() {
		if !slices.Contains(out, base.Table) {
			out = append(out, base.Table)
		}
	}
	return out
}

// Shared are the tables by whose columns all of some tables' rows can be grouped: each row
// of them belongs to one row there, by exactly one way.
func (m *Model) Shared(tables []catalog.Name) []catalog.Name {
	candidates := slices.Clone(tables)
	for _, r := range m.Relationships {
		candidates = append(candidates, r.To)
	}
	slices.SortFunc(candidates, catalog.Name.Compare)
	return slices.DeleteFunc(slices.Compact(candidates), func(to catalog.Name) bool {
		return slices.ContainsFunc(tables, func(from catalog.Name) bool {
			_, n := m.Way(from, to)
			return n != 1
		})
	})
}
