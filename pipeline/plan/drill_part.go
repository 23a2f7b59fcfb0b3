package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// grain is what one part of a block that drills across measures: metrics of one table, and
// of one date where the block names metric_time.
type grain struct {
	metrics []*semantic.Metric
}

// grains are the parts of the block, in the order in which it names their metrics.
func (c *checker) grains() []*grain {
	var out []*grain
	for _, use := range c.drill.uses {
		for _, m := range use.metric.Bases() {
			i := slices.IndexFunc(out, func(g *grain) bool { return c.alike(g.metrics[0], m) })
			switch {
			case i < 0:
				out = append(out, &grain{metrics: []*semantic.Metric{m}})
			case !slices.Contains(out[i].metrics, m):
				out[i].metrics = append(out[i].metrics, m)
			}
		}
	}
	return out
}

// alike tells whether two metrics can be measured in one part.
func (c *checker) alike(a, b *semantic.Metric) bool {
	if a.Table != b.Table || c.drill.date == nil {
		return a.Table == b.Table
	}
	return a.Time == b.Time || a.Time != nil && b.Time != nil && a.Time.Table == b.Time.Table && a.Time.Column == b.Time.Column &&
		slices.Equal(a.Time.Path, b.Time.Path)
}

// unrolled is what a block that drills across means: a part for each grain, put together;
// nil after a fault.
func (c *checker) unrolled(b *block, given *Plan) (*Plan, *drilled) {
	done := &drilled{base: c.base, at: c.drill.uses[0].at}
	grains := c.grains()
	var parts []crossed
	for _, g := range grains {
		p, date := c.drillPart(b, given, g)
		if p == nil {
			return nil, nil
		}
		if len(grains) == 1 {
			return dated(given, p, date), done
		}
		x := crossed{plan: *p}
		for _, t := range b.groups {
			x.plan.Select = append(x.plan.Select, Item{Expr: datedExpr(t.expr, date)})
		}
		var names []string
		for _, m := range g.metrics {
			x.plan.Select = append(x.plan.Select, Item{Expr: Expr{Metric: m.Name}})
			x.measures = append(x.measures, crossedMeasure{m.Name, metricType(m, c.Catalog), m.Counts()})
			names = append(names, m.Name)
		}
		parts, done.names = append(parts, x), append(done.names, strings.Join(names, ", "))
	}
	return c.drillTogether(b, grains, parts), done
}

// drillTogether is the block over its parts.
func (c *checker) drillTogether(b *block, grains []*grain, parts []crossed) *Plan {
	groups := make([]string, len(b.groups))
	for i := range groups {
		groups[i] = "group_" + strconv.Itoa(i+1)
	}
	whole, ok := across(groups, parts)
	if !ok {
		c.faultf(stageNames, CodeType, c.drill.uses[0].at, "%s can't be put together: a part has values of a type without nulls in the plan language", c.drill.name())
		return nil
	}
	columns := map[string]Expr{}
	for i, t := range b.groups {
		columns[keyOf(t)] = whole.Select[i].Expr
	}
	next := len(b.groups)
	for _, g := range grains {
		for _, m := range g.metrics {
			columns[keyOf(&typed{expr: Expr{Metric: m.Name}})] = whole.Select[next].Expr
			next++
		}
	}
	return c.outside(b, whole, columns)
}

// drillPart is where a part's rows come from: its table, joined to what the block is
// over, the block's own joins and conditions. Date is what stands for metric_time. A block that names
// nothing of its tables is over all rows of each part. Nil after a fault.
func (c *checker) drillPart(b *block, given *Plan, g *grain) (p *Plan, date string) {
	m, root := g.metrics[0], c.rels[0]
	p = &Plan{Version: Version, From: given.From, Where: given.Where}
	way := &wayTo{c: c, plan: p}
	own := given.From.As
	switch {
	case m.Table == root.table.Name:
		p.Joins = slices.Clone(given.Joins)
	case len(given.Joins) == 0 && len(c.named(b)) == 0:
		own = way.alias(m.Table)
		p.From = Source{Table: TableName(m.Table), As: own}
	default:
		path, n := c.Semantic.Way(m.Table, root.table.Name)
		if n != 1 {
			c.unreached(b, m, n)
			return nil, ""
		}
		own = way.alias(m.Table)
		p.From = Source{Table: TableName(m.Table), As: own}
		way.join(own, path, given.From.As)
		p.Joins = append(p.Joins, given.Joins...)
	}
	if c.drill.date == nil {
		return p, ""
	}
	if m.Time == nil {
		c.faultf(stageMeasures, CodeGrain, c.drill.uses[0].at, "rows of %s have no date that must be the one that counts for %s, and its time_dimension doesn't say it",
			TableName(m.Table), strings.TrimSuffix(c.drill.part(m), ","))
		return nil, ""
	}
	date = ColumnName(way.join(own, m.Time.Path, ""), m.Time.Column)
	if p.Where != nil {
		where := datedExpr(*p.Where, date)
		p.Where = &where
	}
	return p, date
}

// part says a metric, and of which one it is a part where that is another.
func (d *drill) part(m *semantic.Metric) string {
	for _, use := range d.uses {
		if use.metric != m && slices.Contains(use.metric.Bases(), m) {
			return m.Name + ", of which " + use.metric.Name + " is made,"
		}
	}
	return m.Name
}

// named are the columns of the block's tables by which it groups and restricts.
func (c *checker) named(b *block) []string {
	var out []string
	look := func(t *typed) {
		t.walk(func(x *typed) {
			if x.rel == nil || x.rel == c.drill.date {
				return
			}
			name := x.expr.Column
			if x.rel.query == nil {
				name = TableName(x.rel.table.Name) + "." + Ident(x.column.Name)
			}
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		})
	}
	for _, g := range b.groups {
		look(g)
	}
	if b.where != nil {
		look(b.where)
	}
	return out
}

// unreached refuses to group or restrict a part by what has nothing to do with its rows.
func (c *checker) unreached(b *block, m *semantic.Metric, ways int) {
	what := strings.Join(c.named(b), ", ")
	if what == "" {
		what = "what the block joins"
	}
	root := TableName(c.rels[0].table.Name)
	if ways > 1 {
		c.faultf(stageMeasures, CodeGrain, c.drill.uses[0].at, "%s can't be grouped or restricted by %s: rows of %s belong to %s in %d ways", c.drill.part(m), what, TableName(m.Table), root, ways)
		return
	}
	f := c.faultf(stageMeasures, CodeGrain, c.drill.uses[0].at, "%s can't be grouped or restricted by %s: rows of %s belong to none of %s", c.drill.part(m), what, TableName(m.Table), root)
	var measured []catalog.Name
	for _, use := range c.drill.uses {
		measured = append(measured, use.metric.Tables()...)
	}
	var shared []string
	for _, t := range c.Semantic.Shared(measured) {
		shared = append(shared, TableName(t))
	}
	if len(shared) > 0 {
		f.Hint = "group and restrict it by columns of " + strings.Join(shared, ", ")
	}
}

// wayTo adds joins to a part.
type wayTo struct {
	c    *checker
	plan *Plan
}

// join joins along a way from the source that has the alias, unless the plan does already, and gives
// the alias of where it ends: last, unless that is empty.
func (w *wayTo) join(alias string, path []*semantic.Relationship, last string) string {
	for i, r := range path {
		j := Join{Table: TableName(r.To), Kind: "inner", To: alias, Key: r.Name}
		at := slices.IndexFunc(w.plan.Joins, func(x Join) bool {
			return x.Table == j.Table && x.Kind == j.Kind && x.To == j.To && x.Key == j.Key && !x.Reverse && x.Where == nil && x.Search == nil
		})
		if at >= 0 {
			alias = w.plan.Joins[at].As
			continue
		}
		if j.As = last; last == "" || i < len(path)-1 {
			j.As = w.alias(r.To)
		}
		alias = j.As
		w.plan.Joins = append(w.plan.Joins, j)
	}
	return alias
}

// alias is one that neither the block nor the part has.
func (w *wayTo) alias(t catalog.Name) string {
	name := t.Table
	for n := 2; w.c.taken(name) || w.plan.From.As == name || slices.ContainsFunc(w.plan.Joins, func(j Join) bool { return j.As == name }); n++ {
		name = t.Table + strconv.Itoa(n)
	}
	return name
}

// dated is the given block over the one part that it has.
func dated(given, part *Plan, date string) *Plan {
	p := *given
	p.From, p.Joins, p.Where = part.From, part.Joins, part.Where
	p.Select, p.GroupBy, p.OrderBy = nil, nil, nil
	for _, it := range given.Select {
		p.Select = append(p.Select, Item{Expr: datedExpr(it.Expr, date), As: it.As})
	}
	for _, e := range given.GroupBy {
		p.GroupBy = append(p.GroupBy, datedExpr(e, date))
	}
	if given.Having != nil {
		having := datedExpr(*given.Having, date)
		p.Having = &having
	}
	for _, o := range given.OrderBy {
		if o.Expr != nil {
			e := datedExpr(*o.Expr, date)
			o.Expr = &e
		}
		p.OrderBy = append(p.OrderBy, o)
	}
	return &p
}

// datedExpr has a column in the place of metric_time.
func datedExpr(e Expr, date string) Expr {
	return substituted(e, func(x Expr) *Expr {
		switch {
		case x.Column == metricTime:
			return &Expr{Column: date}
		case x.Period != nil && x.Period.Column == metricTime:
			p := *x.Period
			p.Column = date
			return &Expr{Period: &p}
		}
		return nil
	})
}
