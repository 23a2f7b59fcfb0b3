package semantic

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
)

// metricView makes metrics what they are for who sees the snapshot.
type metricView struct {
	snapshot      *catalog.Snapshot
	relationships []*Relationship
	done          map[*Metric]*Metric
}

// metric is the metric as it is seen, the same each time; nil where it isn't.
func (v *metricView) metric(x *Metric) *Metric {
	if seen, done := v.done[x]; done {
		return seen
	}
	look := v.base
	if x.Derived() {
		look = v.derived
	}
	v.done[x] = look(x)
	return v.done[x]
}

// derived is one that is made of others as they are seen.
func (v *metricView) derived(x *Metric) *Metric {
	var parts []*Metric
	for _, p := range x.Parts {
		if p = v.metric(p); p == nil {
			return nil
		}
		parts = append(parts, p)
	}
	if slices.Equal(parts, x.Parts) {
		return x
	}
	seen := *x
	seen.Parts = parts
	return &seen
}

// base is one that is measured. Without the date that the file says for it, it would fall into
// other periods than for others; a date that was only inferred it can do without.
func (v *metricView) base(x *Metric) *Metric {
	if !hasAll(v.snapshot, x.Table, Columns(x.Expr)) || !hasAll(v.snapshot, x.Table, x.Additivity.NotOver) {
		return nil
	}
	for _, f := range x.Filters {
		if !hasAll(v.snapshot, f.Table, Columns(f.Cond)) || !v.leads(f.Path) {
			return nil
		}
	}
	switch t := x.Time; {
	case t == nil || hasAll(v.snapshot, t.Table, []string{t.Column}) && v.leads(t.Path):
		return x
	case t.Stated:
		return nil
	}
	seen := *x
	seen.Time = nil
	return &seen
}

// leads tells whether every step of a path is visible.
func (v *metricView) leads(path []*Relationship) bool {
	return !slices.ContainsFunc(path, func(r *Relationship) bool { return !slices.Contains(v.relationships, r) })
}
