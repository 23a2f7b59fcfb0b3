package metricflow

import (
	"cmp"

	"github.com/pgask/pgask/pipeline/semantic/foreign"
	"gopkg.in/yaml.v3"
)

// dbtModel is a model of dbt's newer files, which says beside its columns what is semantic about it.
type dbtModel struct {
	At          foreign.Place `yaml:"-"`
	Name        string        `yaml:"name"`
	Description string        `yaml:"description"`
	Semantic    *enabled      `yaml:"semantic_model"`
	Time        string        `yaml:"agg_time_dimension"`
	Columns     []dbtColumn   `yaml:"columns"`
	Computed    struct {
		Entities   []entity    `yaml:"entities"`
		Dimensions []dimension `yaml:"dimensions"`
	} `yaml:"derived_semantics"`
	Metrics []metric `yaml:"metrics"`
}

type dbtColumn struct {
	At          foreign.Place    `yaml:"-"`
	Name        string           `yaml:"name"`
	Description string           `yaml:"description"`
	Entity      *columnEntity    `yaml:"entity"`
	Dimension   *columnDimension `yaml:"dimension"`
}

// enabled is true, false, or a semantic model's name with more.
type enabled struct {
	Enabled *bool  `yaml:"enabled"`
	Name    string `yaml:"name"`
}

// UnmarshalYAML takes true and false alone, too.
func (e *enabled) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&e.Enabled)
	}
	type plain enabled
	return n.Decode((*plain)(e))
}

// columnEntity is an entity whose key is the column.
type columnEntity entity

// UnmarshalYAML takes a type alone, too.
func (e *columnEntity) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&e.Type)
	}
	return n.Decode((*entity)(e))
}

// columnDimension is a dimension that the column holds.
type columnDimension dimension

// UnmarshalYAML takes a type alone, too.
func (d *columnDimension) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&d.Type)
	}
	return n.Decode((*dimension)(d))
}

// semantic tells whether the model is one of the semantic layer's.
func (m *dbtModel) semantic() bool {
	return m.Semantic != nil && (m.Semantic.Enabled == nil || *m.Semantic.Enabled)
}

// model is the semantic model that a model says beside its columns, with the measures of its simple metrics.
func (m *dbtModel) model() *model {
	out := &model{At: m.At, Name: cmp.Or(m.Semantic.Name, m.Name), Description: m.Description, Model: "ref('" + m.Name + "')",
		Entities: m.Computed.Entities, Dimensions: m.Computed.Dimensions}
	out.Defaults.Time = m.Time
	for _, c := range m.Columns {
		if e := c.Entity; e != nil {
			out.Entities = append(out.Entities, entity{At: c.At, Name: cmp.Or(e.Name, c.Name), Type: e.Type, Expr: cmp.Or(e.Expr, c.Name)})
		}
		if d := c.Dimension; d != nil {
			out.Dimensions = append(out.Dimensions, dimension{At: c.At, Name: cmp.Or(d.Name, c.Name), Label: d.Label,
				Description: cmp.Or(d.Description, c.Description), Type: d.Type, Expr: cmp.Or(d.Expr, c.Name)})
		}
	}
	for i := range m.Metrics {
		if x := &m.Metrics[i]; x.Agg != "" {
			out.Measures = append(out.Measures, x.measure(out.Name))
		}
	}
	return out
}

// measure is what a simple metric of a model aggregates. No other measure has its name: the dot is ours.
func (m *metric) measure(of string) measure {
	out := measure{At: m.At, Name: of + "." + m.Name, Agg: m.Agg, Expr: cmp.Or(m.Expr, m.Name), Time: m.Time, NonAdditive: m.NonAdditive}
	out.Params.Percentile, out.Params.Discrete = m.Percentile, m.PercentileType == "discrete"
	if m.Percentile > 1 {
		out.Params.Percentile /= 100
	}
	m.Params.Measure.Name = out.Name
	return out
}

// latest puts what newer files say of a metric where older ones say it.
func (m *metric) latest() {
	if m.Params.Numerator.Name == "" {
		m.Params.Numerator, m.Params.Denominator = m.Numerator, m.Denominator
	}
	if m.Type == "derived" && m.Params.Expr == "" {
		m.Params.Expr, m.Params.Metrics = m.Expr, m.Metrics
	}
}

// latest adds the models that say themselves what is semantic about them. A file without any is named,
// unless it has semantic models or metrics.
func (im *importer) latest(f *file) {
	before := len(im.models)
	for i := range f.Latest {
		m := &f.Latest[i]
		if !m.semantic() {
			continue
		}
		im.models = append(im.models, m.model())
		for k := range m.Metrics {
			m.Metrics[k].latest()
			im.metrics = append(im.metrics, &m.Metrics[k])
		}
	}
	if len(im.models) == before && len(f.Models)+len(f.Metrics) == 0 {
		im.Note(f.At, "document", "none of its models has a semantic_model")
	}
}
