package metricflow

import (
	"fmt"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// file is what of a dbt file is read. Other keys are for dbt itself.
type file struct {
	Models  []model  `yaml:"semantic_models"`
	Metrics []metric `yaml:"metrics"`
}

// place is where something stands in a file.
type place struct {
	file string
	line int
}

// model is a semantic model: a table with what it is about.
type model struct {
	at          place
	Name        string      `yaml:"name"`
	Description string      `yaml:"description"`
	Model       string      `yaml:"model"`
	Entities    []entity    `yaml:"entities"`
	Dimensions  []dimension `yaml:"dimensions"`
	Measures    []measure   `yaml:"measures"`
	table       string      // schema.table
}

type entity struct {
	at   place
	Name string `yaml:"name"`
	Type string `yaml:"type"`
	Expr string `yaml:"expr"`
}

type dimension struct {
	at          place
	Name        string `yaml:"name"`
	Label       string `yaml:"label"`
	Description string `yaml:"description"`
	Type        string `yaml:"type"`
	Expr        string `yaml:"expr"`
}

type measure struct {
	at          place
	Name        string `yaml:"name"`
	Label       string `yaml:"label"`
	Description string `yaml:"description"`
	Agg         string `yaml:"agg"`
	Expr        string `yaml:"expr"`
	Create      bool   `yaml:"create_metric"`
	Params      struct {
		Percentile float64 `yaml:"percentile"`
		Discrete   bool    `yaml:"use_discrete_percentile"`
	} `yaml:"agg_params"`
	NonAdditive *struct {
		Name      string   `yaml:"name"`
		Choice    string   `yaml:"window_choice"`
		Groupings []string `yaml:"window_groupings"`
	} `yaml:"non_additive_dimension"`
}

type metric struct {
	at          place
	Name        string `yaml:"name"`
	Label       string `yaml:"label"`
	Description string `yaml:"description"`
	Type        string `yaml:"type"`
	Filter      texts  `yaml:"filter"`
	Meta        meta   `yaml:"meta"`
	Config      struct {
		Meta meta `yaml:"meta"`
	} `yaml:"config"`
	Params struct {
		Measure     input   `yaml:"measure"`
		Numerator   input   `yaml:"numerator"`
		Denominator input   `yaml:"denominator"`
		Expr        string  `yaml:"expr"`
		Metrics     []input `yaml:"metrics"`
	} `yaml:"type_params"`
}

type meta struct {
	Owner string `yaml:"owner"`
}

// input is a measure or metric that a metric is made of: a name, or a name with more.
type input struct {
	Name        string `yaml:"name"`
	Alias       string `yaml:"alias"`
	Filter      texts  `yaml:"filter"`
	Offset      string `yaml:"offset_window"`
	OffsetGrain string `yaml:"offset_to_grain"`
}

// UnmarshalYAML takes a name alone, too.
func (i *input) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		i.Name = n.Value
		return nil
	}
	type plain input
	return n.Decode((*plain)(i))
}

// texts is a text or a list of them.
type texts []string

// UnmarshalYAML takes a single text, too.
func (t *texts) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		if n.Tag != "!!null" {
			*t = texts{n.Value}
		}
		return nil
	}
	type plain texts
	return n.Decode((*plain)(t))
}

// lined decodes a thing and notes its line. Plain is the thing as a type without this method.
func lined[T any](at *place, n *yaml.Node, plain *T) error {
	at.line = n.Line
	return n.Decode(plain)
}

type (
	plainModel     model
	plainEntity    entity
	plainDimension dimension
	plainMeasure   measure
	plainMetric    metric
)

func (m *model) UnmarshalYAML(n *yaml.Node) error     { return lined(&m.at, n, (*plainModel)(m)) }
func (e *entity) UnmarshalYAML(n *yaml.Node) error    { return lined(&e.at, n, (*plainEntity)(e)) }
func (d *dimension) UnmarshalYAML(n *yaml.Node) error { return lined(&d.at, n, (*plainDimension)(d)) }
func (x *measure) UnmarshalYAML(n *yaml.Node) error   { return lined(&x.at, n, (*plainMeasure)(x)) }
func (m *metric) UnmarshalYAML(n *yaml.Node) error    { return lined(&m.at, n, (*plainMetric)(m)) }

// read decodes one file, which may hold several documents.
func read(name string, data []byte) (file, error) {
	var all file
	d := yaml.NewDecoder(strings.NewReader(string(data)))
	for {
		var f file
		err := d.Decode(&f)
		if err != nil && err.Error() == "EOF" {
			break
		}
		if err != nil {
			return all, fmt.Errorf("%s: %w", name, err)
		}
		all.Models, all.Metrics = append(all.Models, f.Models...), append(all.Metrics, f.Metrics...)
	}
	for i := range all.Models {
		m := &all.Models[i]
		m.at.file = name
		for k := range m.Entities {
			m.Entities[k].at.file = name
		}
		for k := range m.Dimensions {
			m.Dimensions[k].at.file = name
		}
		for k := range m.Measures {
			m.Measures[k].at.file = name
		}
	}
	for i := range all.Metrics {
		all.Metrics[i].at.file = name
	}
	return all, nil
}

// column is the column that an item names by itself or by a plain expr; false
// where it is computed.
func column(name, expr string) (string, bool) {
	if expr == "" {
		expr = name
	}
	return expr, regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(expr)
}
