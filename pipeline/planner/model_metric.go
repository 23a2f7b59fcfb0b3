package planner

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// shownMetric is a registered measure as a model sees it.
type shownMetric struct {
	Metric     string   `json:"metric"`
	Table      string   `json:"table"`
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
		if shown[m.Table] && readable(in, m) {
			out = append(out, showMetric(in, m))
		}
	}
	slices.SortFunc(out, func(a, b shownMetric) int { return strings.Compare(a.Metric, b.Metric) })
	return out
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
	for _, c := range columnsOf(m.Expr) {
		if !ok(m.Table, c) {
			return false
		}
	}
	for _, f := range m.Filters {
		for _, c := range columnsOf(f.Cond) {
			if !ok(f.Table, c) {
				return false
			}
		}
	}
	return true
}

func showMetric(in Input, m *semantic.Metric) shownMetric {
	out := shownMetric{Metric: m.Name, Table: tableName(m.Table), About: clip(m.Description, shownComment),
		Synonyms: m.Synonyms, Unit: m.Unit, Additivity: additivity(m.Additivity)}
	told := metricColumns(m, func(t catalog.Name, c string) bool { return exposure(in.Semantic, t, c) != semantic.Hidden })
	if !told {
		return out
	}
	out.Definition, out.Grain = m.ExprText, m.Grain
	for _, f := range m.Filters {
		out.Filter = append(out.Filter, tableName(f.Table)+": "+f.Text)
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

// columnsOf lists the columns that an expression names, wherever they stand.
func columnsOf(n *pg_query.Node) []string {
	var out []string
	if n != nil {
		visit(n.ProtoReflect(), &out)
	}
	return out
}

func visit(m protoreflect.Message, out *[]string) {
	if ref, ok := m.Interface().(*pg_query.ColumnRef); ok {
		if f := ref.Fields; len(f) > 0 && f[len(f)-1].GetString_() != nil {
			*out = append(*out, f[len(f)-1].GetString_().Sval)
		}
		return
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil || f.IsMap():
		case f.IsList():
			for i := range v.List().Len() {
				visit(v.List().Get(i).Message(), out)
			}
		default:
			visit(v.Message(), out)
		}
		return true
	})
}
