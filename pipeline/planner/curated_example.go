package planner

import (
	"strconv"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/stmt"
)

// Example is a verified query with example values.
type Example struct {
	Query configs.CuratedQuery
	SQL   string
	// Invented are the parameters that the file has no value for, neither an example
	// nor a default: they have any that they take.
	Invented []string
}

// Examples are the queries for a database, those for all among them.
func (c *Curated) Examples(database string) ([]Example, error) {
	var out []Example
	for _, q := range c.forDatabase(database) {
		e := Example{Query: q.CuratedQuery}
		for _, name := range paramNames(q.CuratedQuery) {
			if p := q.Params[name]; p.Example == nil && p.Default == nil {
				e.Invented = append(e.Invented, name)
			}
		}
		values, err := q.values(q.exampleTexts())
		if err != nil {
			return nil, err
		}
		tree, err := q.bind(values)
		if err != nil {
			return nil, err
		}
		if e.SQL, err = stmt.Print(tree); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// exampleTexts are values of all parameters.
func (q *verified) exampleTexts() map[string]string {
	texts := make(map[string]string, len(q.Params))
	for name, p := range q.Params {
		texts[name] = ExampleOf(p)
	}
	return texts
}

// ExampleOf is a value that a parameter takes: its example or its default, else any.
func ExampleOf(p configs.CuratedParam) string {
	switch {
	case p.Example != nil:
		return textOfValue(p.Example)
	case p.Default != nil:
		return textOfValue(p.Default)
	case len(p.Choices) > 0:
		return p.Choices[0]
	case p.Type == "date":
		return "2026-01-01"
	case p.Type == "bool":
		return "true"
	case p.Type == "text":
		return "x"
	}
	n := 1.0
	if p.Min != nil {
		n = max(n, *p.Min)
	}
	if p.Max != nil {
		n = min(n, *p.Max)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}
