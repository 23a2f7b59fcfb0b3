package configs

import (
	"cmp"
	"slices"
)

// DecodeSemantic reads semantic.yaml. Its SQL (expressions, filters) is parsed
// by package semantic.
func DecodeSemantic(file string, data []byte) (*Semantic, []Fault) {
	v := open(file, data)
	s := &Semantic{}
	v.object(semanticFields(s))
	for i := range s.Metrics {
		s.Metrics[i].Owner = cmp.Or(s.Metrics[i].Owner, s.Owner)
	}
	for i := range s.Dimensions {
		s.Dimensions[i].Owner = cmp.Or(s.Dimensions[i].Owner, s.Owner)
	}
	tables, metrics, entities, sources, hierarchies := map[string]Pos{}, map[string]Pos{}, map[string]Pos{}, map[string]Pos{}, map[string]Pos{}
	for _, t := range s.Tables {
		if t.Table.Table != "" {
			v.unique(tables, t.Table.String(), "tables."+t.Table.String(), t.Pos)
		}
	}
	for _, m := range s.Metrics {
		v.unique(metrics, m.Name, "metrics."+m.Name, m.Pos)
	}
	v.uniqueDimensions(s)
	for _, e := range s.Entities {
		v.unique(entities, e.Name, "entities."+e.Name, e.Pos)
	}
	for _, one := range s.Sources {
		v.unique(sources, one.Name, "sources."+one.Name, one.Pos)
	}
	for _, h := range s.Hierarchies {
		v.unique(hierarchies, h.Name, "hierarchies."+h.Name, h.Pos)
	}
	return s, sorted(v.d.faults)
}

func semanticFields(s *Semantic) fields {
	return fields{
		"tables":        records(&s.Tables, "table", semanticTable),
		"metrics":       records(&s.Metrics, "name", metric),
		"dimensions":    records(&s.Dimensions, "name", dimension),
		"entities":      records(&s.Entities, "name", entity),
		"relationships": records(&s.Relationships, "", relationship),
		"hierarchies":   records(&s.Hierarchies, "name", hierarchy),
		"sources":       records(&s.Sources, "name", source),

		"owner": text(&s.Owner),

		"fiscal_year_start": func(v value) {
			s.FiscalPos = v.pos()
			integer(&s.FiscalYearStart, 1, 12)(v)
		},
	}
}

func semanticTable(t *SemanticTable) setter {
	return func(v value) {
		t.Pos = v.pos()
		v.object(fields{
			"table":       name(&t.Table),
			"description": text(&t.Description),
			"synonyms":    texts(&t.Synonyms),
			"preferred":   boolean(&t.Preferred),
			"columns":     byColumn(&t.Columns, semanticColumn),
		})
		v.need("table", t.Table.Table != "")
	}
}

func semanticColumn(c *SemanticColumn) setter {
	return func(v value) {
		c.Pos, c.LLM = v.pos(), "full"
		additive := true
		v.object(fields{
			"description": text(&c.Description),
			"synonyms":    texts(&c.Synonyms),
			"llm":         enum(&c.LLM, "full", "name_only", "hidden"),
			"additive":    boolean(&additive),
		})
		c.NonAdditive = !additive
	}
}

func metric(m *Metric) setter {
	return func(v value) {
		m.Pos = v.pos()
		additivityGiven := false
		v.object(fields{
			"name":               text(&m.Name),
			"description":        text(&m.Description),
			"table":              name(&m.Table),
			"expr":               text(&m.Expr),
			"derived":            text(&m.Derived),
			"filter":             filter(&m.Filter),
			"unit":               text(&m.Unit),
			"grain":              list(&m.Grain, identifierOf),
			"additivity":         given(&additivityGiven, additivity(&m.Additivity)),
			"time_dimension":     column(&m.TimeDimension),
			"synonyms":           texts(&m.Synonyms),
			"owner":              text(&m.Owner),
			"review_required_by": text(&m.ReviewRequiredBy),
		})
		v.need("name", m.Name != "")
		switch {
		case v.schema != nil:
			v.schema["anyOf"] = []any{map[string]any{"required": []string{"table", "expr"}}, map[string]any{"required": []string{"derived"}}}
		case m.Derived == "":
			v.need("table", m.Table.Table != "")
			v.need("expr", m.Expr != "")
		case m.Expr != "" || m.Table.Table != "" || len(m.Filter) > 0 || additivityGiven || m.TimeDimension.Column != "":
			v.fault("derived takes table, filter, additivity and time_dimension from the metrics that it is made of; leave them and expr out")
		}
		if m.Derived != "" {
			m.Additivity.Kind = "non" // it is computed after aggregation
			return
		}
		if !additivityGiven {
			m.Additivity.Kind = "additive"
			v.warn("additivity is not given and taken as additive; say additive, semi or non")
		}
	}
}

// filter reads conditions by table. The keys stay as spelled, once they are
// names.
func filter(dst *map[string]string) setter {
	return func(v value) {
		out := map[string]string{}
		v.entries(func(key string, child value) {
			if _, err := ParseName(key); err != nil {
				child.fault("%s", err)
				return
			}
			var condition string
			text(&condition)(child)
			out[key] = condition
		})
		*dst = out
	}
}

func additivity(a *Additivity) setter {
	return func(v value) {
		before := v.d.wrong
		v.object(fields{
			"kind":     enum(&a.Kind, "additive", "semi", "non"),
			"not_over": list(&a.NotOver, identifierOf),
			"time":     enum(&a.Time, "last", "first", "avg"),
		})
		if v.d.wrong > before {
			return
		}
		switch {
		case a.Kind == "":
			v.fault("kind is missing: additive, semi or non")
		case a.Kind == "semi" && len(a.NotOver) == 0:
			v.fault("a semi-additive measure needs not_over, the columns over which it may not be summed")
		case a.Kind != "semi" && (len(a.NotOver) > 0 || a.Time != ""):
			v.fault("not_over and time belong to kind semi, not to %s", a.Kind)
		case a.Kind == "semi" && a.Time == "":
			a.Time = "last"
		}
	}
}

func entity(e *Entity) setter {
	return func(v value) {
		e.Pos = v.pos()
		v.object(fields{
			"name":     text(&e.Name),
			"table":    name(&e.Table),
			"key":      list(&e.Key, identifierOf),
			"synonyms": texts(&e.Synonyms),
		})
		v.need("name", e.Name != "")
		v.need("table", e.Table.Table != "")
		v.need("key", len(e.Key) > 0)
	}
}

func relationship(r *Relationship) setter {
	return func(v value) {
		r.Pos, r.Cardinality = v.pos(), "many_to_one"
		before := v.d.wrong
		v.object(fields{
			"from":        column(&r.From),
			"to":          column(&r.To),
			"cardinality": enum(&r.Cardinality, "many_to_one", "one_to_one"),
		})
		v.need("from", r.From.Column != "")
		v.need("to", r.To.Column != "")
		if v.d.wrong == before && sameColumn(r.From, r.To) {
			v.fault("from and to are the same column")
		}
	}
}

func sameColumn(a, b ColumnRef) bool {
	return slices.Equal([]string{a.Schema, a.Table, a.Column}, []string{b.Schema, b.Table, b.Column})
}
