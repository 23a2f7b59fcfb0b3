package semantic

import (
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// metric resolves one measure. What it can't be sure of it leaves out: a
// metric that is there can be trusted.
func (b *builder) metric(f configs.Metric) {
	key := "metrics." + f.Name
	t := b.resolve(f.Table, key+".table", f.Pos)
	if t == nil {
		return
	}
	if b.model.Metric(f.Name) != nil {
		b.fault(f.Pos, key, "the metric is defined twice")
		return
	}
	before := len(b.faults)
	m := &Metric{Name: f.Name, Description: f.Description, Table: t.Name, ExprText: f.Expr, Unit: f.Unit,
		Grain: f.Grain, Synonyms: f.Synonyms, Owner: f.Owner, Additivity: b.additivity(f, t, key), ReviewRequiredBy: f.ReviewRequiredBy, Reviewed: f.Reviewed}
	m.Expr = b.expression(f.Expr, t, true, f.Pos, key+".expr")
	b.filters(f, m, key)
	b.hasColumns(t, f.Grain, f.Pos, key+".grain")
	m.Time = b.timeDimension(f, m, key)
	if len(b.faults) == before {
		b.model.Metrics = append(b.model.Metrics, m)
	}
}

func (b *builder) additivity(f configs.Metric, t *catalog.Table, key string) Additivity {
	a := Additivity{Kind: f.Additivity.Kind, NotOver: f.Additivity.NotOver, Time: f.Additivity.Time}
	key += ".additivity"
	switch a.Kind {
	case "":
		a.Kind = "non" // what nobody declared additive isn't added up
	case "additive", "non":
	case "semi":
		if len(a.NotOver) == 0 {
			b.fault(f.Pos, key+".not_over", "a semi-additive metric says over which columns it may not be added")
		}
		if a.Time == "" {
			a.Time = "last"
		}
	default:
		b.fault(f.Pos, key+".kind", "must be additive, semi or non, not %s", a.Kind)
	}
	if a.Time != "" && !slices.Contains([]string{"last", "first", "avg"}, a.Time) {
		b.fault(f.Pos, key+".time", "must be last, first or avg, not %s", a.Time)
	}
	b.hasColumns(t, a.NotOver, f.Pos, key+".not_over")
	return a
}

func (b *builder) hasColumns(t *catalog.Table, columns []string, pos configs.Pos, key string) {
	for _, c := range columns {
		if t.Column(c) == nil {
			b.fault(pos, key, "table %s.%s has no column %s", t.Name.Schema, t.Name.Table, c)
		}
	}
}

// filters resolves the conditions that are part of the definition, the
// metric's own table first, then by name.
func (b *builder) filters(f configs.Metric, m *Metric, key string) {
	var names []string
	for spelled := range f.Filter {
		names = append(names, spelled)
	}
	slices.Sort(names)
	for _, spelled := range names {
		at := key + ".filter." + spelled
		t := b.spelled(spelled)
		if t == nil {
			b.warn(f.Pos, at, "there is no table %s", spelled)
			continue
		}
		cond := b.expression(f.Filter[spelled], t, false, f.Pos, at)
		filter := Filter{Table: t.Name, Cond: cond, Text: f.Filter[spelled]}
		if t.Name != m.Table {
			path, n := b.model.Way(m.Table, t.Name)
			if n != 1 {
				b.fault(f.Pos, at, "the metric's table reaches it by %d many-to-one ways, it needs exactly one", n)
				continue
			}
			filter.Path = path
		}
		m.Filters = append(m.Filters, filter)
	}
}

// spelled finds a table as a key of the file spells it.
func (b *builder) spelled(text string) *catalog.Table {
	n, err := configs.ParseName(text)
	if err != nil {
		return nil
	}
	return b.snapshot.Table(catalog.Name{Schema: n.Schema, Table: n.Table})
}

// expression parses an SQL expression over the columns of one table. A metric
// is an aggregate over them: every column stands inside one, and none inside
// two; a condition holds no aggregate.
func (b *builder) expression(text string, t *catalog.Table, aggregate bool, pos configs.Pos, key string) *pg_query.Node {
	n, names, err := stmt.ParseExpr(text)
	if err != nil {
		b.fault(pos, key, "%v", err)
		return nil
	}
	if len(names) > 0 {
		b.fault(pos, key, "there are no values here for :%s", names[0])
		return nil
	}
	v := &visit{table: t, aggregate: aggregate}
	v.all(n)
	for _, msg := range v.wrong {
		b.fault(pos, key, "%s", msg)
	}
	unqualify(n)
	return n
}

// Vet says what is wrong with a definition whose table isn't known: the same as is
// wrong with one whose table has every column that it names.
func Vet(n *pg_query.Node, aggregate bool) []string {
	v := &visit{aggregate: aggregate}
	v.all(n)
	return v.wrong
}

// visit checks an expression's nodes against an allow-list. Without a table any column is there.
type visit struct {
	table      *catalog.Table
	aggregate  bool
	aggregates int
	wrong      []string
}

func (v *visit) say(format string, args ...any) {
	if msg := fmt.Sprintf(format, args...); !slices.Contains(v.wrong, msg) {
		v.wrong = append(v.wrong, msg)
	}
}

// all visits a whole expression.
func (v *visit) all(n *pg_query.Node) {
	v.node(n, false)
	if v.aggregate && v.aggregates == 0 {
		v.say("a metric is an aggregate, such as sum(amount)")
	}
}

// node visits one node; inside tells that it is an aggregate's argument.
func (v *visit) node(n *pg_query.Node, inside bool) {
	switch x := n.GetNode().(type) {
	case nil, *pg_query.Node_AConst, *pg_query.Node_SqlvalueFunction:
	case *pg_query.Node_ColumnRef:
		v.column(x.ColumnRef, inside)
	case *pg_query.Node_FuncCall:
		v.call(x.FuncCall, inside)
	case *pg_query.Node_AExpr:
		v.node(x.AExpr.Lexpr, inside)
		v.node(x.AExpr.Rexpr, inside)
	case *pg_query.Node_BoolExpr:
		v.nodes(x.BoolExpr.Args, inside)
	case *pg_query.Node_NullTest:
		v.node(x.NullTest.Arg, inside)
	case *pg_query.Node_BooleanTest:
		v.node(x.BooleanTest.Arg, inside)
	case *pg_query.Node_TypeCast:
		v.node(x.TypeCast.Arg, inside)
	case *pg_query.Node_CoalesceExpr:
		v.nodes(x.CoalesceExpr.Args, inside)
	case *pg_query.Node_MinMaxExpr:
		v.nodes(x.MinMaxExpr.Args, inside)
	case *pg_query.Node_List:
		v.nodes(x.List.Items, inside)
	case *pg_query.Node_AArrayExpr:
		v.nodes(x.AArrayExpr.Elements, inside)
	case *pg_query.Node_CaseExpr:
		v.node(x.CaseExpr.Arg, inside)
		v.nodes(x.CaseExpr.Args, inside)
		v.node(x.CaseExpr.Defresult, inside)
	case *pg_query.Node_CaseWhen:
		v.node(x.CaseWhen.Expr, inside)
		v.node(x.CaseWhen.Result, inside)
	default:
		v.say("a definition is an expression over the table's own columns, without sub-selects or windows")
	}
}

func (v *visit) nodes(list []*pg_query.Node, inside bool) {
	for _, n := range list {
		v.node(n, inside)
	}
}

// column accepts column, table.column and schema.table.column.
func (v *visit) column(ref *pg_query.ColumnRef, inside bool) {
	parts := make([]string, len(ref.Fields))
	for i, f := range ref.Fields {
		if f.GetString_() == nil {
			v.say("a definition names its columns, * isn't one")
			return
		}
		parts[i] = f.GetString_().Sval
	}
	last := len(parts) - 1
	if v.table != nil {
		v.own(parts)
	}
	if v.aggregate && !inside {
		v.say("column %s stands outside an aggregate", parts[last])
	}
}

// own demands that a column is the table's.
func (v *visit) own(parts []string) {
	last := len(parts) - 1
	own := len(parts) == 1 || len(parts) == 2 && parts[0] == v.table.Name.Table ||
		len(parts) == 3 && parts[0] == v.table.Name.Schema && parts[1] == v.table.Name.Table
	if !own || v.table.Column(parts[last]) == nil {
		v.say("table %s.%s has no column %s", v.table.Name.Schema, v.table.Name.Table, strings.Join(parts, "."))
	}
}

func (v *visit) call(call *pg_query.FuncCall, inside bool) {
	if call.Over != nil {
		v.say("a definition has no window functions")
	}
	if IsAggregate(call) {
		v.aggregates++
		if inside || !v.aggregate {
			v.say("an aggregate can't stand here")
		}
		inside = true
	}
	v.nodes(call.Args, inside)
	v.node(call.AggFilter, inside)
	for _, o := range call.AggOrder {
		v.node(o.GetSortBy().GetNode(), inside)
	}
}

// unqualify leaves bare column names.
func unqualify(n *pg_query.Node) {
	for _, ref := range columnRefs(n) {
		ref.Fields = ref.Fields[len(ref.Fields)-1:]
	}
}
