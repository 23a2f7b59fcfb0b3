package planner

import (
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// shownMetric is a registered measure as a model sees it.
type shownMetric struct {
	Metric string `json:"metric"`
	Table  string `json:"table,omitempty"`
	// Over are the tables by which a metric of several can be grouped and restricted.
	Over       []string `json:"over,omitempty"`
	About      string   `json:"about,omitempty"`
	Synonyms   []string `json:"synonyms,omitempty"`
	Definition string   `json:"definition,omitempty"`
	Filter     []string `json:"filter,omitempty"`
	Unit       string   `json:"unit,omitempty"`
	Grain      []string `json:"grain,omitempty"`
	Additivity string   `json:"additivity,omitempty"`
}

// shownMetrics are the metrics that can be computed from the tables shown and
// from what the asker may read, by name.
func shownMetrics(in Input, shown map[catalog.Name]bool) []shownMetric {
	if in.Semantic == nil {
		return nil
	}
	var out []shownMetric
	for _, m := range in.Semantic.Metrics {
		if measurable(in, m, shown) {
			out = append(out, showMetric(in, m))
		}
	}
	slices.SortFunc(out, func(a, b shownMetric) int { return strings.Compare(a.Metric, b.Metric) })
	return out
}

// measurable tells whether a metric can be asked for over the tables that a model sees.
func measurable(in Input, m *semantic.Metric, shown map[catalog.Name]bool) bool {
	return readable(in, m) && slices.ContainsFunc(over(in.Semantic, m), func(t catalog.Name) bool { return shown[t] })
}

// over are the tables that a block with the metric may be over: its own, or those by which all
// that it is derived from can be grouped, or where there are none those that are measured.
func over(s *semantic.Model, m *semantic.Metric) []catalog.Name {
	tables := m.Tables()
	if len(tables) == 1 {
		return tables
	}
	if shared := s.Shared(tables); len(shared) > 0 {
		return shared
	}
	return tables
}

// readable tells whether every column of a metric's definition is in the
// asker's catalog.
func readable(in Input, m *semantic.Metric) bool {
	return metricColumns(m, func(table catalog.Name, column string) bool {
		t := in.Catalog.Table(table)
		return t != nil && t.Column(column) != nil
	})
}

// metricColumns asks ok of each column that a definition reads; false at the
// first no. A filter's table is asked for even if it names no column.
func metricColumns(m *semantic.Metric, ok func(catalog.Name, string) bool) bool {
	if m.Derived() {
		return !slices.ContainsFunc(m.Bases(), func(base *semantic.Metric) bool { return !metricColumns(base, ok) })
	}
	for _, c := range semantic.Columns(m.Expr) {
		if !ok(m.Table, c) {
			return false
		}
	}
	for _, f := range m.Filters {
		for _, c := range semantic.Columns(f.Cond) {
			if !ok(f.Table, c) {
				return false
			}
		}
	}
	return true
}

func showMetric(in Input, m *semantic.Metric) shownMetric {
	out := shownMetric{Metric: m.Name, About: clip(m.Description, shownComment), Synonyms: m.Synonyms, Unit: m.Unit, Additivity: additivity(m.Additivity)}
	if tables := over(in.Semantic, m); len(m.Tables()) == 1 {
		out.Table = plan.TableName(tables[0])
	} else {
		for _, t := range tables {
			out.Over = append(out.Over, plan.TableName(t))
		}
	}
	told := metricColumns(m, func(t catalog.Name, c string) bool { return in.Semantic.Exposure(t, c) != semantic.Hidden })
	if !told {
		return out
	}
	out.Definition, out.Grain = m.ExprText, m.Grain
	for _, f := range m.Filters {
		out.Filter = append(out.Filter, plan.TableName(f.Table)+": "+f.Text)
	}
	return out
}

func additivity(a semantic.Additivity) string {
	switch {
	case a.Kind == "semi" && len(a.NotOver) > 0:
		return "not to be summed over " + strings.Join(a.NotOver, ", ")
	case a.Kind == "non":
		return "not to be summed"
	}
	return ""
}
