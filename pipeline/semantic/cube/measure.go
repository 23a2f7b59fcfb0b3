package cube

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/semantic/foreign"
	"github.com/pgask/pgask/pipeline/stmt"
)

// measure takes over a measure as a metric.
func (im *importer) measure(c *cube, m *measure) {
	what := "measure " + c.Name + "." + m.Name
	if err := im.metric(c, m); err != nil {
		im.Note(m.At, what, "%v", err)
		return
	}
	if m.Public != nil && !*m.Public {
		im.Note(m.At, what, "it isn't public there; here everybody sees it who may read what it is made of")
	}
	if m.Type == "count_distinct_approx" {
		im.Note(m.At, what, "it is taken over as an exact count")
	}
}

// words are a measure's name and other words; one that is only called count counts what its cube is about.
func (m *measure) words(c *cube) foreign.Metric {
	words := []string{foreign.Spoken(m.called), strings.ToLower(m.Title)}
	if m.Name == "count" {
		words = append(words, "number of "+foreign.Spoken(c.Name))
	}
	return foreign.Metric{Name: m.called, Description: m.Description, Synonyms: foreign.Words(m.called, words...)}
}

func (im *importer) metric(c *cube, m *measure) error {
	sql, err := m.aggregate()
	if err != nil {
		return err
	}
	r, err := im.resolve(c, sql, false)
	if err != nil {
		return err
	}
	if r.metrics && len(semantic.Aggregates(r.n)) == 0 && len(r.of) == 0 {
		if len(m.Filters) > 0 {
			return errors.New("it filters what it is made of: give the filtered ones names of their own")
		}
		im.Calculated(m.At, m.words(c), r.n)
		return nil
	}
	if r.metrics { // beside aggregates of its own
		if r, err = im.resolve(c, sql, true); err != nil {
			return err
		}
	}
	if !r.only(c) {
		return errors.New("it is of several cubes' columns")
	}
	if err := foreign.Check(r.n, true); err != nil {
		return err
	}
	out := m.words(c)
	out.Table, out.Additivity = c.table, foreign.KindOf(r.n)
	if out.Filter, err = im.filters(c, m); err != nil {
		return err
	}
	if out.Expr, err = stmt.PrintExpr(r.n); err != nil {
		return err
	}
	im.Metric(m.At, out)
	return nil
}

// aggregate is a measure's SQL as the file has it.
func (m *measure) aggregate() (string, error) {
	for _, more := range []struct {
		given any
		what  string
	}{{m.Rolling, "a window that moves along time"}, {m.MultiStage, "calculated in stages"}, {m.TimeShift, "of another time"},
		{m.Case, "chosen by a dimension"}, {m.GroupBy, "grouped by itself"}, {m.ReduceBy, "grouped by itself"}, {m.AddGroupBy, "grouped by itself"}} {
		if more.given != nil {
			return "", fmt.Errorf("it is %s, which a plan says", more.what)
		}
	}
	sql := strings.TrimSpace(m.SQL)
	if sql == "" && m.Type != "count" {
		return "", errors.New("it has no sql")
	}
	switch m.Type {
	case "count":
		if sql == "" || sql == "*" {
			return "count(*)", nil
		}
		return "count(" + sql + ")", nil
	case "count_distinct", "count_distinct_approx":
		return "count(DISTINCT " + sql + ")", nil
	case "sum", "avg", "min", "max":
		return m.Type + "(" + sql + ")", nil
	case "number", "number_agg", "string", "time", "boolean":
		return sql, nil
	}
	return "", fmt.Errorf("the type %q has no counterpart", m.Type)
}

// filters are a measure's conditions by table.
func (im *importer) filters(c *cube, m *measure) (map[string]string, error) {
	by := map[string][]string{}
	for _, f := range m.Filters {
		r, err := im.resolve(c, f.SQL, false)
		if err != nil {
			return nil, err
		}
		if r.metrics || len(r.of) > 1 {
			return nil, errors.New("one of its filters isn't a condition on one cube's columns")
		}
		if err := foreign.Check(r.n, false); err != nil {
			return nil, fmt.Errorf("its filter: %w", err)
		}
		table := c.table
		if len(r.of) == 1 {
			table = r.of[0].table
		}
		text, err := stmt.PrintExpr(r.n)
		if err != nil {
			return nil, err
		}
		by[table] = append(by[table], text)
	}
	return foreign.Conditions(by), nil
}
