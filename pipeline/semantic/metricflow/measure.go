package metricflow

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/pgask/pgask/pipeline/semantic/foreign"
)

// aggregate is a measure's SQL.
func (x *measure) aggregate() (string, error) {
	text, err := x.sql()
	if err != nil {
		return "", err
	}
	n, err := foreign.Parse(text)
	if err != nil {
		return "", err
	}
	return text, foreign.Check(n, true)
}

func (x *measure) sql() (string, error) {
	expr := cmp.Or(strings.TrimSpace(x.Expr), x.Name)
	switch x.Agg {
	case "sum", "min", "max":
		return x.Agg + "(" + expr + ")", nil
	case "average", "avg":
		return "avg(" + expr + ")", nil
	case "count":
		if expr == "1" || expr == "*" {
			return "count(*)", nil
		}
		return "count(" + expr + ")", nil
	case "count_distinct":
		return "count(DISTINCT " + expr + ")", nil
	case "sum_boolean":
		return "count(*) FILTER (WHERE " + expr + ")", nil
	case "median":
		return "percentile_cont(0.5) WITHIN GROUP (ORDER BY " + expr + ")", nil
	case "percentile":
		f := map[bool]string{true: "percentile_disc", false: "percentile_cont"}[x.Params.Discrete]
		return f + "(" + strconv.FormatFloat(x.Params.Percentile, 'f', -1, 64) + ") WITHIN GROUP (ORDER BY " + expr + ")", nil
	}
	return "", fmt.Errorf("the aggregation %q has no counterpart", x.Agg)
}

// additivity is over what a measure may be summed. A stock's time is a dimension of its model.
func (im *importer) additivity(m *model, x *measure) (foreign.Additivity, error) {
	switch {
	case x.NonAdditive != nil && len(x.NonAdditive.Groupings)+len(x.NonAdditive.GroupBy) > 0:
		return foreign.Additivity{}, errors.New("its non_additive_dimension has groupings: the last time of each thing, where here one time counts for all")
	case x.NonAdditive != nil:
		for _, d := range m.Dimensions {
			if d.Name != x.NonAdditive.Name {
				continue
			}
			c, plain := column(d.Name, d.Expr)
			if !plain {
				return foreign.Additivity{}, fmt.Errorf("the time of its stock is computed (%s)", d.Expr)
			}
			return foreign.Additivity{Kind: "semi", NotOver: []string{c}, Time: map[bool]string{true: "first", false: "last"}[cmp.Or(x.NonAdditive.Choice, x.NonAdditive.Agg) == "min"]}, nil
		}
		return foreign.Additivity{}, fmt.Errorf("its model has no dimension %s", x.NonAdditive.Name)
	case x.Agg == "sum" || x.Agg == "count" || x.Agg == "sum_boolean":
		return foreign.Additivity{Kind: "additive"}, nil
	}
	return foreign.Additivity{Kind: "non"}, nil
}

// filters are the conditions of a metric by table. Each says one table's dimensions by a template.
func (im *importer) filters(own *model, list []string) (map[string]string, error) {
	conds := map[string][]string{}
	reference := regexp.MustCompile(`\{\{\s*(\w+)\(\s*['"]([^'"]*)['"][^)]*\)\s*\}\}`)
	for _, text := range list {
		table := ""
		var wrong error
		cond := reference.ReplaceAllStringFunc(strings.TrimSpace(text), func(found string) string {
			parts := reference.FindStringSubmatch(found)
			at, c, err := im.referred(own, parts[1], parts[2])
			switch {
			case err != nil:
				wrong = err
			case table != "" && table != at:
				wrong = fmt.Errorf("one of its conditions is about %s and %s; a condition is about one table", table, at)
			}
			table = at
			return c
		})
		switch {
		case wrong != nil:
			return nil, wrong
		case strings.Contains(cond, "{{") || table == "":
			return nil, fmt.Errorf("its condition %q names no dimension in a known form", text)
		}
		n, err := foreign.Parse(cond)
		if err == nil {
			err = foreign.Check(n, false)
		}
		if err != nil {
			return nil, fmt.Errorf("its condition: %w", err)
		}
		conds[table] = append(conds[table], cond)
	}
	return foreign.Conditions(conds), nil
}

// referred finds entity__dimension: a column of the entity's own model, or what is computed of its columns.
func (im *importer) referred(own *model, kind, name string) (table, of string, err error) {
	entity, dimension, ok := strings.Cut(name, "__")
	if kind != "Dimension" || !ok || strings.Contains(dimension, "__") {
		return "", "", fmt.Errorf("its condition names %s('%s'), which has no counterpart", kind, name)
	}
	for _, m := range im.models {
		for _, e := range m.Entities {
			if e.Name != entity || e.Type != "primary" && m != own {
				continue
			}
			for _, d := range m.Dimensions {
				if c, plain := column(d.Name, d.Expr); d.Name == dimension && plain {
					return m.table, c, nil
				} else if d.Name == dimension {
					return m.table, "(" + c + ")", nil
				}
			}
		}
	}
	return "", "", fmt.Errorf("no model of the entity %s has a dimension %s", entity, dimension)
}
