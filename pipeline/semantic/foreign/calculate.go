package foreign

import (
	"errors"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

// calculation is a metric that is made of others, whose names are the columns of its expression.
type calculation struct {
	at   Place
	x    Metric
	expr *pg_query.Node
}

// Calculated adds a metric that is made of others, in whichever order they come.
func (m *Model) Calculated(at Place, x Metric, expr *pg_query.Node) {
	m.pending = append(m.pending, calculation{at, x, expr})
}

// calculate adds the metrics that are made of others, those that are made of the least first.
func (m *Model) calculate() {
	for before := -1; before != len(m.pending); {
		before = len(m.pending)
		m.pending = slices.DeleteFunc(m.pending, func(c calculation) bool {
			if m.missing(c) != "" {
				return false
			}
			text, err := c.arithmetic()
			if err != nil {
				m.Note(c.at, "metric "+c.x.Name, "%v", err)
				return true
			}
			c.x.Derived = text
			m.Metric(c.at, c.x)
			return true
		})
	}
	for _, c := range m.pending {
		m.Note(c.at, "metric "+c.x.Name, "it is made of %s, which isn't there or wasn't taken over", m.missing(c))
	}
}

func (m *Model) metric(name string) *Metric {
	i := slices.IndexFunc(m.file.Metrics, func(x Metric) bool { return x.Name == name })
	if i < 0 {
		return nil
	}
	return &m.file.Metrics[i]
}

// missing is the first metric that isn't there.
func (m *Model) missing(c calculation) string {
	for _, parts := range References(c.expr) {
		if m.metric(parts[len(parts)-1]) == nil {
			return parts[len(parts)-1]
		}
	}
	return ""
}

// arithmetic is a calculation's text.
func (c calculation) arithmetic() (string, error) {
	n := bare(c.expr)
	if wrong := semantic.NotArithmetic(n); wrong != "" {
		return "", errors.New(wrong)
	}
	return stmt.PrintExpr(n)
}
