package configs

import (
	"fmt"
	"slices"
	"strings"
)

func dimension(x *Dimension) setter {
	return func(v value) {
		x.Pos, x.LLM = v.pos(), "full"
		v.object(fields{
			"name":        text(&x.Name),
			"description": text(&x.Description),
			"table":       name(&x.Table),
			"expr":        text(&x.Expr),
			"synonyms":    texts(&x.Synonyms),
			"owner":       text(&x.Owner),
			"llm":         enum(&x.LLM, "full", "name_only", "hidden"),
		})
		v.need("name", x.Name != "")
		v.need("table", x.Table.Table != "")
		v.need("expr", x.Expr != "")
	}
}

// Spoken is a name as people say it: order_size and Order Size are order size.
func Spoken(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", " ")) }

// uniqueDimensions notes names that another dimension or a metric of the file has:
// a question that says the name couldn't tell which is meant.
func (v value) uniqueDimensions(s *Semantic) {
	seen := map[string]Pos{}
	for _, d := range s.Dimensions {
		key := "dimensions." + d.Name
		v.unique(seen, Spoken(d.Name), key, d.Pos)
		if m := s.metricCalled(d.Name); m != nil {
			v.d.wrong++
			v.d.faults = append(v.d.faults, Fault{Pos: d.Pos, Key: key, Msg: fmt.Sprintf("a metric is called so too, on line %d", m.Pos.Line)})
		}
	}
}

func (s *Semantic) metricCalled(name string) *Metric {
	i := slices.IndexFunc(s.Metrics, func(m Metric) bool { return name != "" && Spoken(m.Name) == Spoken(name) })
	if i < 0 {
		return nil
	}
	return &s.Metrics[i]
}

// joinDimensions adds the dimensions of another file. What is wrong inside of one file is
// a fault already.
func (s *Semantic) joinDimensions(one *Semantic) []Fault {
	var faults []Fault
	taken := func(key string, pos, before Pos, what string) bool {
		if pos.File == before.File {
			return false
		}
		faults = append(faults, Fault{Pos: pos, Key: key, Msg: fmt.Sprintf("a %s, first at %s", what, before)})
		return true
	}
	for _, m := range one.Metrics {
		for _, d := range s.Dimensions {
			if Spoken(d.Name) == Spoken(m.Name) {
				taken("metrics."+m.Name, m.Pos, d.Pos, "dimension is called so too")
			}
		}
	}
	for _, d := range one.Dimensions {
		key := "dimensions." + d.Name
		if m := s.metricCalled(d.Name); m != nil {
			taken(key, d.Pos, m.Pos, "metric is called so too")
		}
		i := slices.IndexFunc(s.Dimensions, func(x Dimension) bool { return Spoken(x.Name) == Spoken(d.Name) })
		if i < 0 || !taken(key, d.Pos, s.Dimensions[i].Pos, "second one of this name") {
			s.Dimensions = append(s.Dimensions, d)
		}
	}
	return faults
}
