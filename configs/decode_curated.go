package configs

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// hole is a {param} in a curated question.
var hole = regexp.MustCompile(`\{([^{}]*)\}`)

// DecodeCurated reads curated.yaml. Its SQL is parsed by package planner.
func DecodeCurated(file string, data []byte) (*Curated, []Fault) {
	v := open(file, data)
	c := &Curated{}
	v.object(curatedFields(c))
	seen := map[string]Pos{}
	for _, q := range c.Queries {
		v.unique(seen, q.ID, "queries."+q.ID, q.Pos)
	}
	return c, sorted(v.d.faults)
}

func curatedFields(c *Curated) fields {
	return fields{"queries": records(&c.Queries, "id", curatedQuery)}
}

func curatedQuery(q *CuratedQuery) setter {
	return func(v value) {
		q.Pos = v.pos()
		v.object(fields{
			"id":          text(&q.ID),
			"database":    text(&q.Database),
			"question":    text(&q.Question),
			"also":        texts(&q.Also),
			"description": text(&q.Description),
			"sql":         text(&q.SQL),
			"params":      curatedParams(&q.Params),
		})
		v.need("id", q.ID != "")
		v.need("question", q.Question != "")
		v.need("sql", q.SQL != "")
		for _, question := range append([]string{q.Question}, q.Also...) {
			for _, m := range hole.FindAllStringSubmatch(question, -1) {
				if _, declared := q.Params[m[1]]; !declared {
					v.fault("{%s} in a question is not declared under params", m[1])
				}
			}
		}
	}
}

func curatedParams(dst *map[string]CuratedParam) setter {
	return func(v value) {
		out := map[string]CuratedParam{}
		v.entries(func(name string, child value) {
			if !attributeName.MatchString(name) {
				child.fault("a parameter's name must be letters, digits and underscores, to be written as :name")
				return
			}
			var p CuratedParam
			curatedParam(&p)(child)
			out[name] = p
		})
		*dst = out
	}
}

func curatedParam(p *CuratedParam) setter {
	return func(v value) {
		p.Pos = v.pos()
		before := v.d.wrong
		values := map[string]value{}
		var choices []value
		v.object(fields{
			"type": enum(&p.Type, "int", "number", "text", "date", "bool"),
			"min":  bound(&p.Min),
			"max":  bound(&p.Max),
			"choices": func(v value) {
				texts(&p.Choices)(v)
				v.items(func(_ int, item value) { choices = append(choices, item) })
			},
			"default":  scalarNamed(&p.Default, values, "default"),
			"required": boolean(&p.Required),
			"example":  scalarNamed(&p.Example, values, "example"),
		})
		v.need("type", p.Type != "")
		if v.d.wrong > before {
			return
		}
		v.paramBounds(p)
		for _, c := range choices {
			c.fits(p, false)
		}
		for _, key := range []string{"default", "example"} {
			if at, ok := values[key]; ok {
				at.fits(p, true)
			}
		}
	}
}

// bound stores an optional number.
func bound(dst **float64) setter {
	return func(v value) {
		var n float64
		before := v.d.wrong
		number(&n, -math.MaxFloat64, math.MaxFloat64)(v)
		if v.d.wrong == before {
			*dst = &n
		}
	}
}

// scalarNamed stores a scalar and remembers its place for later checks.
func scalarNamed(dst *any, places map[string]value, key string) setter {
	return func(v value) {
		if x, ok := scalarOf(v); ok {
			*dst = x
			places[key] = v
		}
	}
}

// paramBounds checks what belongs to the type.
func (v value) paramBounds(p *CuratedParam) {
	numeric := p.Type == "int" || p.Type == "number"
	switch {
	case !numeric && (p.Min != nil || p.Max != nil):
		v.fault("min and max are for int and number, not for %s", p.Type)
	case p.Min != nil && p.Max != nil && *p.Min > *p.Max:
		v.fault("min %g is larger than max %g", *p.Min, *p.Max)
	case p.Required && p.Default != nil:
		v.fault("a required value has no default")
	}
}

// fits checks a default, an example or a choice against its parameter.
func (v value) fits(p *CuratedParam, choose bool) {
	s := v.node.Value
	if reason := misfit(p, s); reason != "" {
		v.fault("%s", reason)
		return
	}
	if choose && len(p.Choices) > 0 && !slices.Contains(p.Choices, s) {
		v.fault("%q is not one of the choices %s", s, join(p.Choices))
	}
}

// misfit is why a text is no value of the parameter, or "".
func misfit(p *CuratedParam, s string) string {
	switch p.Type {
	case "int":
		if _, err := strconv.ParseInt(s, 10, 64); err != nil {
			return fmt.Sprintf("%q is not a whole number", s)
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			return fmt.Sprintf("%q is not a date as YYYY-MM-DD", s)
		}
	case "bool":
		if s != "true" && s != "false" {
			return fmt.Sprintf("%q is not true or false", s)
		}
	}
	if p.Type != "int" && p.Type != "number" {
		return ""
	}
	n, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
		return fmt.Sprintf("%q is not a number", s)
	case p.Min != nil && n < *p.Min:
		return fmt.Sprintf("%s is less than min %g", s, *p.Min)
	case p.Max != nil && n > *p.Max:
		return fmt.Sprintf("%s is more than max %g", s, *p.Max)
	}
	return ""
}
