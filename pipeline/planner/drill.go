package planner

import (
	"errors"
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// metricTime is the date of whatever is measured, where that is in several tables.
var metricTime = meaning{kind: aColumn, weight: 1, table: &catalog.Table{},
	column: &catalog.Column{Name: "metric_time", Type: catalog.Type{Schema: "pg_catalog", Name: "timestamptz", Category: 'D'}}}

// drilled tells whether a metric is derived from those of several tables, which are measured
// each by itself.
func drilled(m *semantic.Metric) bool { return m != nil && len(m.Tables()) > 1 }

// drills tells whether such a metric is asked for, or ranks the answer.
func (f *frame) drills() bool {
	return slices.ContainsFunc(f.outs, func(o out) bool { return drilled(o.metric) }) ||
		slices.ContainsFunc(f.orders, func(o order) bool { return drilled(o.metric) })
}

// errUnshared is why a metric can't be grouped or restricted by something: only some of what
// it is derived from has to do with it. The plan says so when it is validated.
type errUnshared struct {
	errUnfit
	plan *plan.Plan
}

// ownDate is the date by which the one metric that is asked for falls into periods; false where
// its definition doesn't tell.
func (q *question) ownDate(f *frame) (meaning, bool) {
	if len(f.outs) != 1 {
		return meaning{}, false
	}
	return q.dateOf(f.outs[0].metric)
}

// aboveDate is the date of the metric of which rows have more than a number, where all periods
// stand behind that: accounts with an ARR above 50,000 in 2026.
func (q *question) aboveDate(f *frame, at []int) (meaning, bool) {
	for _, l := range f.linked {
		if l.metric != nil && !slices.ContainsFunc(at, func(i int) bool { return i < l.at }) {
			return q.dateOf(l.metric)
		}
	}
	return meaning{}, false
}

func (q *question) dateOf(m *semantic.Metric) (meaning, bool) {
	if m == nil || m.Time == nil {
		return meaning{}, false
	}
	at := m.Time
	t := q.in.Catalog.Table(at.Table)
	if t == nil || t.Column(at.Column) == nil {
		return meaning{}, false
	}
	return meaning{kind: aColumn, table: t, column: t.Column(at.Column), weight: 1}, true
}

// drillTrees are the ways to join what a metric of several tables is grouped and restricted by,
// each from a table to which the rows of all that is measured belong.
func (b *builder) drillTrees(needed, filters []*catalog.Table) ([]tree, error) {
	if len(b.measures) > 0 {
		return nil, unfit("rows of %s are counted beside what is measured by itself", b.measures[0].Name.Table)
	}
	var measured []catalog.Name
	for _, m := range b.metrics() {
		measured = append(measured, m.Table)
	}
	wanted := slices.Concat(needed, filters)
	if len(b.f.linked)+len(b.f.objects) > 0 && !contains(wanted, b.subject) {
		wanted = append(wanted, b.subject) // whose rows must have others, or must not
	}
	if len(wanted) == 0 {
		return []tree{{root: b.catalog.Table(measured[0])}}, nil
	}
	var all []tree
	for _, name := range b.semantic.Shared(measured) {
		if root := b.catalog.Table(name); root != nil {
			all = append(all, b.above(root, wanted)...)
		}
	}
	if len(all) > 0 {
		return cheapest(all), nil
	}
	err := &errUnshared{errUnfit: errUnfit{"not all that is measured has to do with " + spoken(wanted[0])}}
	for _, root := range wanted {
		for _, t := range b.above(root, wanted) {
			c := *b
			c.tree, c.semi = t, nil
			if p, failed := c.build(); failed == nil {
				err.plan = p
				return nil, err
			}
		}
	}
	return nil, err
}

// above are the trees from a root all of whose joins lead from rows to the one that they
// belong to.
func (b *builder) above(root *catalog.Table, wanted []*catalog.Table) []tree {
	return slices.DeleteFunc(b.x.graph.trees(root, wanted), func(t tree) bool {
		return slices.ContainsFunc(t.steps, func(s step) bool { return !s.up })
	})
}

// unshared is the validator's word on a question whose words all have a meaning, except
// that what it measures can't be grouped so; nil for other questions.
func (q *question) unshared(why []error) error {
	for _, err := range why {
		u, ok := errors.AsType[*errUnshared](err)
		if !ok || u.plan == nil {
			continue
		}
		_, wrong := plan.Validate(u.plan, q.in.Context())
		r, ok := errors.AsType[*plan.Rejections](wrong)
		if !ok || r.SQLState() != "PA006" {
			continue
		}
		if ask := q.ofPart(); ask != "" {
			return &advised{Rejections: r, ask: ask}
		}
		return r
	}
	return nil
}

// ofPart is the question about a part of the metric that it asks for; "" where that can't be
// answered either.
func (q *question) ofPart() string {
	for i := range q.parser.toks {
		for _, h := range q.parser.find(i, func(m meaning) bool { return isMetric(m) && drilled(m.metric) }) {
			for _, base := range h.meanings[0].metric.Bases() {
				words := slices.Concat(textsOf(q.parser.toks[:i]), []string{spokenName(base.Name)}, textsOf(q.parser.toks[i+h.n:]))
				if ask := q.answerable(strings.Join(words, " ")); ask != "" {
					return ask
				}
			}
		}
	}
	return ""
}

// textsOf are tokens as they can be read again.
func textsOf(toks []token) []string {
	out := make([]string, len(toks))
	for i, t := range toks {
		out[i] = t.text
		if t.kind == quoted {
			out[i] = "'" + strings.ReplaceAll(t.text, "'", "''") + "'"
		}
	}
	return out
}
