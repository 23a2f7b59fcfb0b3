package plan

import (
	"slices"
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

// metric checks the use of a registered measure. Its table must be in the
// plan, once; its filters bring the tables they test.
func (c *checker) metric(e *Expr, at string, env env) *typed {
	at += "/metric"
	if !c.mayMeasure(at, env) {
		return nil
	}
	m := c.Semantic.Metric(e.Metric)
	if m == nil {
		f := c.faultf(stageNames, CodeMetric, at, "there is no metric %s", e.Metric)
		var names []string
		for _, x := range c.Semantic.Metrics {
			names = append(names, x.Name)
		}
		f.Nearest = nearest(e.Metric, names)
		return nil
	}
	switch {
	case c.drill != nil:
		return c.drillMetric(m)
	case m.Derived():
		return c.derived(m, at, env)
	}
	r := c.metricRel(m, at)
	if r == nil {
		return nil
	}
	u := &measureUse{at: at, expr: Expr{Metric: m.Name}, metric: m, rel: r, tree: &pg_query.Node{}}
	c.sums = append(c.sums, u)
	c.use(r, semantic.Columns(m.Expr))
	return &typed{expr: u.expr, measure: u, tree: u.tree, typ: metricType(m, c.Catalog)}
}

// metricRel is the one relation of the plan at whose grain the metric is.
func (c *checker) metricRel(m *semantic.Metric, at string) *rel {
	var found []*rel
	for _, r := range c.rels {
		if r.table.Name == m.Table && r.host == nil && !r.added {
			found = append(found, r)
		}
	}
	switch {
	case len(found) == 1:
		return found[0]
	case len(found) > 1:
		c.faultf(stageMeasures, CodeGrain, at, "metric %s is measured on %s, which is in the plan %d times", m.Name, TableName(m.Table), len(found))
	case len(c.broken) == 0:
		f := c.faultf(stageMeasures, CodeMetricJoin, at, "metric %s is measured on %s, which the plan doesn't join", m.Name, TableName(m.Table))
		if c.connects(m) {
			f.Repair = Repair{{"add", c.base + "/joins/-", Join{Table: TableName(m.Table)}}}
			if c.given.Joins == nil {
				f.Repair = Repair{{"add", c.base + "/joins", []Join{{Table: TableName(m.Table)}}}}
			}
		}
	}
	return nil
}

// connects tells whether exactly one relationship would join the metric's
// table to the plan.
func (c *checker) connects(m *semantic.Metric) bool {
	t := c.Catalog.Table(m.Table)
	if t == nil {
		return false
	}
	n := 0
	for _, r := range c.rels {
		if r.host == nil {
			n += len(c.edges(r, &rel{table: t}, &Join{}))
		}
	}
	return n == 1
}

// metricConditions resolves a metric's filters: every table they test is found in
// the plan, or joined to it many-to-one.
func (c *checker) metricConditions(u *measureUse) {
	for _, f := range u.metric.Filters {
		r := u.rel
		for _, key := range f.Path {
			r = c.follow(r, key)
		}
		c.use(r, semantic.Columns(f.Cond))
		u.conds = append(u.conds, qualify(f.Cond, r.alias))
	}
}

// follow finds the relation that r reaches along key, or adds it: beside one that is left
// joined under a condition, too, since that may show no row where there is one.
func (c *checker) follow(r *rel, key *semantic.Relationship) *rel {
	for _, x := range c.rels {
		if x.host != nil || x.query != nil {
			continue
		}
		if x.kind == "left" && x.where != nil && x.parent == r {
			continue
		}
		if x.parent == r && x.key == key && x.forward || r.parent == x && r.key == key && !r.forward {
			return x
		}
	}
	x := &rel{table: c.Catalog.Table(key.To), at: r.at, kind: "left", parent: r, key: key,
		toOne: true, forward: true, nullable: true, added: true, fromOne: key.OneToOne,
		parentColumns: key.FromColumns, ownColumns: key.ToColumns}
	alias := x.table.Name.Table
	if c.taken(alias) {
		alias = c.freshAlias(alias)
	}
	x.alias = alias
	c.rels = append(c.rels, x)
	return x
}

// qualify copies an expression over a table's bare columns and puts the alias
// in front of each.
func qualify(n *pg_query.Node, alias string) *pg_query.Node {
	out, err := stmt.Rewrite(stmt.Clone(n), func(x *pg_query.Node) (*pg_query.Node, error) {
		if ref := x.GetColumnRef(); ref != nil {
			ref.Fields = append(stmt.Names(alias), ref.Fields[len(ref.Fields)-1])
		}
		return x, nil
	})
	if err != nil {
		panic("plan: qualify: " + err.Error()) // the function above never fails
	}
	return out
}

// compileMetrics fills in the trees of metrics. Where all that the block
// measures shares the same conditions, they go into its where, as a person
// would write it; else each aggregate gets them as its own filter.
func (c *checker) compileMetrics(b *block) (where []*pg_query.Node) {
	first := slices.IndexFunc(c.sums, func(u *measureUse) bool { return u.metric != nil })
	if first < 0 {
		return nil
	}
	hoist := c.hoists(c.sums[first].conds)
	for _, u := range c.sums {
		if u.metric != nil {
			u.tree.Node = c.metricTree(u, b, hoist).Node
		}
	}
	if !hoist {
		return nil
	}
	for _, r := range c.rels {
		if r.added { // its empty rows would fail the conditions anyway
			r.kind, r.nullable = "inner", false
		}
	}
	return c.sums[first].conds
}

// hoists tells whether the metrics' conditions may restrict the whole block:
// every measure has them, and no outer join's empty row would be lost.
func (c *checker) hoists(conds []*pg_query.Node) bool {
	for _, r := range c.rels {
		if r.host == nil && r.nullable && !r.added {
			return false
		}
	}
	for _, u := range c.sums {
		if !slices.EqualFunc(u.conds, conds, stmt.Equal) {
			return false
		}
	}
	return true
}

// metricTree is the metric's expression over its relation.
func (c *checker) metricTree(u *measureUse, b *block, hoist bool) *pg_query.Node {
	tree := divisible(qualify(u.metric.Expr, u.rel.alias))
	tree, err := stmt.Rewrite(tree, func(n *pg_query.Node) (*pg_query.Node, error) {
		if call := n.GetFuncCall(); call != nil && semantic.IsAggregate(call) {
			c.restrict(call, u, hoist)
		}
		return n, nil
	})
	if err != nil {
		panic("plan: metric: " + err.Error()) // the function above never fails
	}
	a := u.metric.Additivity
	if a.Kind != "semi" || a.Time != "avg" || len(a.NotOver) == 0 {
		return tree
	}
	tree = castNode(tree, "numeric")
	if b.groupedBy(u.rel, a.NotOver[0]) {
		return tree
	}
	return c.averaged(u, tree, hoist)
}

// restrict gives an aggregate of a metric its conditions, where the block's
// where doesn't hold them. Over a left joined table an aggregate that reads no
// column would count the row that isn't there, so it gets a test for one.
func (c *checker) restrict(call *pg_query.FuncCall, u *measureUse, hoist bool) {
	var conds []*pg_query.Node
	if call.AggFilter != nil {
		conds = append(conds, call.AggFilter)
	}
	if !hoist {
		conds = append(conds, u.conds...)
	}
	if u.rel.nullable && readsNone(call) {
		conds = append(conds, nullTestNode(columnNode(u.rel.alias, presentColumn(u.rel.table)), pg_query.NullTestType_IS_NOT_NULL))
	}
	call.AggFilter = stmt.Clone(allOf(conds))
}

// readsNone tells whether an aggregate's arguments hold no column.
func readsNone(call *pg_query.FuncCall) bool {
	return !slices.ContainsFunc(call.Args, func(n *pg_query.Node) bool { return len(semantic.Columns(n)) > 0 })
}

func isDivision(e *pg_query.A_Expr) bool {
	if e.Kind != pg_query.A_Expr_Kind_AEXPR_OP || len(e.Name) == 0 {
		return false
	}
	op := e.Name[len(e.Name)-1].GetString_().GetSval()
	return op == "/" || op == "%"
}

// metricType infers the type of a metric's expression; numeric where it is
// not certain.
func metricType(m *semantic.Metric, s catalogSnapshot) typ {
	t := s.Table(m.Table)
	if t == nil {
		return typeNumeric
	}
	averaged := m.Additivity.Kind == "semi" && m.Additivity.Time == "avg"
	if got := inferType(m.Expr, t, s); got.sql != "" && !averaged {
		return got
	}
	return typeNumeric
}

func position(i int, list string) string { return "/" + list + "/" + strconv.Itoa(i) }
