package metricflow

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/pgask/pgask/pipeline/semantic/foreign"
	"gopkg.in/yaml.v3"
)

// file is what of a dbt file is read. Other keys are for dbt itself.
type file struct {
	At      foreign.Place `yaml:"-"`
	Models  []model       `yaml:"semantic_models"`
	Latest  []dbtModel    `yaml:"models"`
	Metrics []metric      `yaml:"metrics"`
}

// model is a semantic model: a table with what it is about.
type model struct {
	At          foreign.Place `yaml:"-"`
	Name        string        `yaml:"name"`
	Description string        `yaml:"description"`
	Model       string        `yaml:"model"`
	Entities    []entity      `yaml:"entities"`
	Dimensions  []dimension   `yaml:"dimensions"`
	Measures    []measure     `yaml:"measures"`
	Defaults    struct {
		Time string `yaml:"agg_time_dimension"`
	} `yaml:"defaults"`
	table string // schema.table
}

type entity struct {
	At   foreign.Place `yaml:"-"`
	Name string        `yaml:"name"`
	Type string        `yaml:"type"`
	Expr string        `yaml:"expr"`
}

type dimension struct {
	At          foreign.Place `yaml:"-"`
	Name        string        `yaml:"name"`
	Label       string        `yaml:"label"`
	Description string        `yaml:"description"`
	Type        string        `yaml:"type"`
	Expr        string        `yaml:"expr"`
}

type measure struct {
	At          foreign.Place `yaml:"-"`
	Name        string        `yaml:"name"`
	Label       string        `yaml:"label"`
	Description string        `yaml:"description"`
	Agg         string        `yaml:"agg"`
	Expr        string        `yaml:"expr"`
	Create      bool          `yaml:"create_metric"`
	Time        string        `yaml:"agg_time_dimension"`
	Params      struct {
		Percentile float64 `yaml:"percentile"`
		Discrete   bool    `yaml:"use_discrete_percentile"`
	} `yaml:"agg_params"`
	NonAdditive *nonAdditive `yaml:"non_additive_dimension"`
}

// nonAdditive is the time over which a stock isn't added up. Newer files call the same otherwise.
type nonAdditive struct {
	Name      string   `yaml:"name"`
	Choice    string   `yaml:"window_choice"`
	Groupings []string `yaml:"window_groupings"`
	Agg       string   `yaml:"window_agg"`
	GroupBy   []string `yaml:"group_by"`
}

type metric struct {
	At          foreign.Place `yaml:"-"`
	Name        string        `yaml:"name"`
	Label       string        `yaml:"label"`
	Description string        `yaml:"description"`
	Type        string        `yaml:"type"`
	Filter      texts         `yaml:"filter"`
	Meta        meta          `yaml:"meta"`
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
	// What follows stands in newer files only.
	Agg            string       `yaml:"agg"`
	Expr           string       `yaml:"expr"`
	Time           string       `yaml:"agg_time_dimension"`
	Percentile     float64      `yaml:"percentile"`
	PercentileType string       `yaml:"percentile_type"`
	NonAdditive    *nonAdditive `yaml:"non_additive_dimension"`
	Numerator      input        `yaml:"numerator"`
	Denominator    input        `yaml:"denominator"`
	Metrics        []input      `yaml:"input_metrics"`
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

// sql is an item's expression: its name where it has none.
func sql(name, expr string) string { return cmp.Or(strings.TrimSpace(expr), name) }

// column is the column that an item names by itself or by a plain expr; false
// where it is computed.
func column(name, expr string) (string, bool) {
	return sql(name, expr), regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(sql(name, expr))
}
