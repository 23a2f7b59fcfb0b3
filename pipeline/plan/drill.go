package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// metricTime is the column of a block that drills across which stands for each metric's
// own date.
const metricTime = "metric_time"

// drill is what a block has that drills across: one whose metrics are measured on tables
// that it needn't hold. It says by what they are grouped and restricted; each is measured over its own
// table's rows, joined to the block's tables, and the answers are put beside each other.
type drill struct {
	// uses are the metrics as the block's expressions name them.
	uses []*typed
	// date has the one column metric_time; nil where nothing names it.
	date *rel
}

// drilled is a block that was replaced by what it means, so that faults in that are told of the
// block as it was given.
type drilled struct {
	base, at string
	// names are the metrics of each part, in the order of the parts.
	names []string
}

// drills tells whether the block drills across: a metric is derived from several tables,
// or metric_time is none of its tables' columns.
func (c *checker) drills() *drill {
	found := false
	look := func(e Expr) *Expr {
		if m := c.Semantic.Metric(e.Metric); m != nil && len(m.Tables()) > 1 {
			found = true
		}
		if e.Column == metricTime || e.Period != nil && e.Period.Column == metricTime {
			found = found || !slices.ContainsFunc(c.rels, func(r *rel) bool { return r.table.Column(metricTime) != nil })
		}
		return nil
	}
	p := c.given
	for _, it := range p.Select {
		substituted(it.Expr, look)
	}
	for _, e := range p.GroupBy {
		substituted(e, look)
	}
	for _, e := range []*Expr{p.Where, p.Having} {
		if e != nil {
			substituted(*e, look)
		}
	}
	for _, o := range p.OrderBy {
		if o.Expr != nil {
			substituted(*o.Expr, look)
		}
	}
	if !found {
		return nil
	}
	return &drill{}
}

// drillMetric is a metric of a block that drills across, which is measured elsewhere.
func (c *checker) drillMetric(m *semantic.Metric) *typed {
	t := &typed{expr: Expr{Metric: m.Name}, metric: m, typ: typeNumeric}
	if !m.Derived() {
		t.typ = metricType(m, c.Catalog)
	}
	c.drill.uses = append(c.drill.uses, t)
	return t
}

// metricDate is the column metric_time.
func (c *checker) metricDate() *typed {
	d := c.drill
	if d.date == nil {
		d.date = &rel{alias: metricTime, table: &catalog.Table{Columns: []*catalog.Column{{Name: metricTime}}}}
	}
	return &typed{expr: Expr{Column: metricTime}, typ: typeTimestamptz, column: d.date.table.Columns[0], rel: d.date}
}

// mark is how far a run was before a block.
type mark struct {
	faults, queries, searches, qualifiers, unmeant int
	newest                                         map[string]Period
}

func (k *run) mark() mark {
	return mark{len(k.faults), len(k.queries), len(k.searches), len(k.qualifiers), k.unmeant, maps.Clone(k.newest)}
}

// sound tells whether what was checked since can be built upon: what is wrong with it is of a late
// stage, and each block in it has a meaning.
func (k *run) sound(since mark) bool {
	return onlyLate(k.faults[since.faults:]) && k.unmeant == since.unmeant
}

// rewind forgets what was noted since, faults aside.
func (k *run) rewind(m mark) {
	k.queries, k.searches, k.qualifiers, k.newest = k.queries[:m.queries], k.searches[:m.searches], k.qualifiers[:m.qualifiers], m.newest
}

// drillAcross checks a block that drills across by what it means: a part for each table that is
// measured, put together. The block itself was looked at for its names and types.
func (k *run) drillAcross(c *checker, b *block, before mark) *query {
	if !k.sound(before) {
		return nil
	}
	given, whole, done := c.meant(b)
	if whole == nil {
		k.unmeant++
		return nil
	}
	stocks := make([]*stockColumn, len(b.items))
	for i, o := range b.items {
		stocks[i] = c.drillStock(b, o.typed)
	}
	k.rewind(before)
	k.drilled = append(k.drilled, done)
	q := k.query(whole, c.base, c.outer, c.outerEnv)
	if q == nil {
		return nil
	}
	q.canonical, q.described = given, slices.Clone(q.outputs())
	for i, o := range b.items {
		if stocks[i] != nil {
			q.columns[i].stock = stocks[i]
		}
		if m := o.metric; m != nil {
			out := &q.described[i]
			out.Metric, out.Measure, out.Count, out.Additive = m.Name, true, m.Counts(), m.Additivity.Kind == "additive"
		}
	}
	return q
}

// meant is the block as it was given, and what it means; nil after a fault.
func (c *checker) meant(b *block) (given, whole *Plan, done *drilled) {
	if !c.mayDrill(b) {
		return nil, nil, nil
	}
	given = c.canonical(b)
	whole, done = c.unrolled(b, given)
	return given, whole, done
}

// mayDrill refuses what can't be measured apart.
func (c *checker) mayDrill(b *block) bool {
	before := len(c.faults)
	name := c.drill.name()
	for _, u := range c.sums {
		f := c.faultf(stageMeasures, CodeGrain, u.at, "%s stands beside %s, which is measured on its own tables: beside it only metrics are", u.name, name)
		f.Hint = "ask for the two in two questions"
	}
	root := c.rels[0]
	switch {
	case len(c.drill.uses) == 0:
		c.faultf(stageNames, CodeColumn, c.base, "metric_time is the date of metrics, and the block has none")
	case root.query != nil || root.search != nil:
		c.faultf(stageStructure, CodeUnsupported, c.base+"/from", "%s is grouped and restricted by whole tables, not by a block or a search", name)
	case len(c.correlated) > 0:
		c.faultf(stageStructure, CodeUnsupported, c.drill.uses[0].at, "%s can't be looked up for each row of another block: group by what that has", name)
	}
	for _, u := range c.overWindow {
		if stock := c.windowStock(b, u); stock != nil {
			f := c.faultf(stageMeasures, CodeAdditivity, u.at, "the values of %s can't be added up over a window", stock.what)
			f.Hint = "take its average over the window"
		}
	}
	return len(c.faults) == before
}

// windowStock is what a window adds up though it can't be.
func (c *checker) windowStock(b *block, u *measureUse) *stockColumn {
	if u.name != "sum" || u.arg == nil {
		return nil
	}
	return c.drillStock(b, u.arg)
}

// name is the first metric that isn't measured in the block.
func (d *drill) name() string {
	i := max(0, slices.IndexFunc(d.uses, func(t *typed) bool { return t.metric.Derived() }))
	if len(d.uses) == 0 {
		return metricTime
	}
	return d.uses[i].metric.Name
}

// drillStock is why an output of the block can't be added up: it holds a metric that never is,
// or a stock for each of several times.
func (c *checker) drillStock(b *block, t *typed) (stock *stockColumn) {
	t.walk(func(x *typed) {
		if x.metric == nil || stock != nil {
			return
		}
		several := slices.ContainsFunc(b.groups, func(g *typed) bool { return c.drill.date != nil && g.relations()[c.drill.date] })
		switch kind := x.metric.Additivity.Kind; {
		case kind == "semi" && several:
			stock = &stockColumn{what: x.metric.Name}
		case kind == "semi":
			stock = &stockColumn{what: x.metric.Name, once: true}
		case kind != "additive":
			stock = &stockColumn{what: x.metric.Name}
		}
	})
	return stock
}

// explain tells a fault of a block's meaning as one of the block.
func (d *drilled) explain(f *Rejection) {
	rest, inside := strings.CutPrefix(f.Path, d.base+"/")
	if !inside {
		return
	}
	f.Repair, f.Safe = nil, false // of a plan that nobody has
	f.Path = d.at
	for i, name := range d.names {
		if strings.HasPrefix(rest, fmt.Sprintf("from/plan/set/plans/%d/", i)) && !strings.Contains(f.Message, name) {
			f.Message = name + ": " + f.Message
		}
	}
}
