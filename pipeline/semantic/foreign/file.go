package foreign

// file is semantic.yaml as it is written, in the order of its keys.
type file struct {
	Tables        []Table        `yaml:"tables,omitempty"`
	Metrics       []Metric       `yaml:"metrics,omitempty"`
	Dimensions    []Dimension    `yaml:"dimensions,omitempty"`
	Entities      []Entity       `yaml:"entities,omitempty"`
	Relationships []Relationship `yaml:"relationships,omitempty"`
	Hierarchies   []Hierarchy    `yaml:"hierarchies,omitempty"`
}

// Table is an entry of tables. Names of tables and columns are spelled as in SQL in all of these.
type Table struct {
	Table       string            `yaml:"table"`
	Description string            `yaml:"description,omitempty"`
	Synonyms    []string          `yaml:"synonyms,omitempty,flow"`
	Columns     map[string]Column `yaml:"columns,omitempty"`
}

// Column is what is known of a column.
type Column struct {
	Description string   `yaml:"description,omitempty"`
	Synonyms    []string `yaml:"synonyms,omitempty,flow"`
}

// Metric is an entry of metrics.
type Metric struct {
	Name        string            `yaml:"name"`
	Description string            `yaml:"description,omitempty"`
	Table       string            `yaml:"table,omitempty"`
	Expr        string            `yaml:"expr,omitempty"`
	Derived     string            `yaml:"derived,omitempty"`
	Filter      map[string]string `yaml:"filter,omitempty"`
	Additivity  Additivity        `yaml:"additivity,omitempty,flow"`
	Time        string            `yaml:"time_dimension,omitempty"`
	Synonyms    []string          `yaml:"synonyms,omitempty,flow"`
	Owner       string            `yaml:"owner,omitempty"`
}

// Additivity says over what a metric may be summed.
type Additivity struct {
	Kind    string   `yaml:"kind,omitempty"`
	NotOver []string `yaml:"not_over,omitempty,flow"`
	Time    string   `yaml:"time,omitempty"`
}

// Dimension is an entry of dimensions.
type Dimension struct {
	Name        string   `yaml:"name"`
	Description string   `yaml:"description,omitempty"`
	Table       string   `yaml:"table"`
	Expr        string   `yaml:"expr"`
	Synonyms    []string `yaml:"synonyms,omitempty,flow"`
}

// Entity is an entry of entities.
type Entity struct {
	Name  string   `yaml:"name"`
	Table string   `yaml:"table"`
	Key   []string `yaml:"key,flow"`
}

// Relationship is an entry of relationships.
type Relationship struct {
	From        string `yaml:"from"`
	To          string `yaml:"to"`
	Cardinality string `yaml:"cardinality"`
}

// Hierarchy is an entry of hierarchies.
type Hierarchy struct {
	Name     string   `yaml:"name"`
	Levels   []string `yaml:"levels,flow"`
	Synonyms []string `yaml:"synonyms,omitempty,flow"`
}

// Query is an entry of curated.yaml's queries.
type Query struct {
	ID       string `yaml:"id"`
	Question string `yaml:"question"`
	SQL      string `yaml:"sql"`
}
