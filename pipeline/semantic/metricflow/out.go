package metricflow

// semantic is semantic.yaml as it is written, in the order of its keys.
type semantic struct {
	Tables        []outTable        `yaml:"tables,omitempty"`
	Metrics       []outMetric       `yaml:"metrics,omitempty"`
	Entities      []outEntity       `yaml:"entities,omitempty"`
	Relationships []outRelationship `yaml:"relationships,omitempty"`
}

type outTable struct {
	Table       string               `yaml:"table"`
	Description string               `yaml:"description,omitempty"`
	Columns     map[string]outColumn `yaml:"columns,omitempty"`
}

type outColumn struct {
	Description string   `yaml:"description,omitempty"`
	Synonyms    []string `yaml:"synonyms,omitempty,flow"`
}

type outMetric struct {
	Name        string            `yaml:"name"`
	Description string            `yaml:"description,omitempty"`
	Table       string            `yaml:"table,omitempty"`
	Expr        string            `yaml:"expr,omitempty"`
	Derived     string            `yaml:"derived,omitempty"`
	Filter      map[string]string `yaml:"filter,omitempty"`
	Additivity  outAdditivity     `yaml:"additivity,omitempty,flow"`
	Synonyms    []string          `yaml:"synonyms,omitempty,flow"`
	Owner       string            `yaml:"owner,omitempty"`
}

type outAdditivity struct {
	Kind    string   `yaml:"kind,omitempty"`
	NotOver []string `yaml:"not_over,omitempty,flow"`
	Time    string   `yaml:"time,omitempty"`
}

type outEntity struct {
	Name  string   `yaml:"name"`
	Table string   `yaml:"table"`
	Key   []string `yaml:"key,flow"`
}

type outRelationship struct {
	From        string `yaml:"from"`
	To          string `yaml:"to"`
	Cardinality string `yaml:"cardinality"`
}
