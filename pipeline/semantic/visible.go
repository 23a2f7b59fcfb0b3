package semantic

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
)

// Visible is the part of the model that stands on what the snapshot, filtered
// for a role, holds: a metric whose table, columns, filters or stated date aren't all
// visible isn't there, nor is a dimension. Of a hierarchy the levels remain that are visible.
func (m *Model) Visible(s *catalog.Snapshot) *Model {
	v := &Model{Version: m.Version, Tables: map[catalog.Name]*Table{}, FiscalYearStart: m.FiscalYearStart}
	for name, t := range m.Tables {
		if seen := s.Table(name); seen != nil {
			v.Tables[name] = t.visible(seen)
		}
	}
	for _, r := range m.Relationships {
		if hasAll(s, r.From, r.FromColumns) && hasAll(s, r.To, r.ToColumns) {
			v.Relationships = append(v.Relationships, r)
		}
	}
	seen := &metricView{snapshot: s, relationships: v.Relationships, done: map[*Metric]*Metric{}}
	for _, x := range m.Metrics {
		if x = seen.metric(x); x != nil {
			v.Metrics = append(v.Metrics, x)
		}
	}
	for _, x := range m.Dimensions {
		if hasAll(s, x.Table, Columns(x.Expr)) {
			v.Dimensions = append(v.Dimensions, x)
		}
	}
	for _, h := range m.Hierarchies {
		if seen := h.visible(s, v); seen != nil {
			v.Hierarchies = append(v.Hierarchies, seen)
		}
	}
	for _, x := range m.Sources {
		if seen := x.visible(s); seen != nil {
			v.Sources = append(v.Sources, seen)
		}
	}
	for _, e := range m.Entities {
		if hasAll(s, e.Table, e.Key) {
			v.Entities = append(v.Entities, e)
		}
	}
	return v
}

func (t *Table) visible(seen *catalog.Table) *Table {
	v := *t
	v.Columns = map[string]Column{}
	for name, c := range t.Columns {
		if seen.Column(name) != nil {
			v.Columns[name] = c
		}
	}
	return &v
}

func hasAll(s *catalog.Snapshot, n catalog.Name, columns []string) bool {
	t := s.Table(n)
	return t != nil && !slices.ContainsFunc(columns, func(c string) bool { return t.Column(c) == nil })
}
