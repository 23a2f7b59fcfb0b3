package snowflake

import "github.com/pgask/pgask/pipeline/semantic/foreign"

// file is what of a semantic model is read.
type file struct {
	Tables        []*table       `yaml:"tables"`
	Relationships []relationship `yaml:"relationships"`
	Metrics       []*metric      `yaml:"metrics"`
	Queries       []query        `yaml:"verified_queries"`
}

// table is a logical table: a view of a base table.
type table struct {
	At          foreign.Place `yaml:"-"`
	Name        string        `yaml:"name"`
	Description string        `yaml:"description"`
	Synonyms    []string      `yaml:"synonyms"`
	Base        struct {
		Database string `yaml:"database"`
		Schema   string `yaml:"schema"`
		Table    string `yaml:"table"`
	} `yaml:"base_table"`
	Key struct {
		Columns []string `yaml:"columns"`
	} `yaml:"primary_key"`
	Dimensions []*column `yaml:"dimensions"`
	Times      []*column `yaml:"time_dimensions"`
	Facts      []*column `yaml:"facts"`
	Measures   []*column `yaml:"measures"` // what facts were called before
	Metrics    []*metric `yaml:"metrics"`
	Filters    []struct {
		At   foreign.Place `yaml:"-"`
		Name string        `yaml:"name"`
		Expr string        `yaml:"expr"`
		// Words for a thing that isn't taken over.
		Description string   `yaml:"description"`
		Synonyms    []string `yaml:"synonyms"`
	} `yaml:"filters"`

	schema  string             // the base table's
	base    string             // the base table as SQL spells it
	columns map[string]*column // by name, as it counts in SQL
	metrics map[string]*metric
	// resolutions are what columns and metrics were found to be.
	resolutions map[any]*resolution
}

// column is a logical column: an expression over the base table's.
type column struct {
	At          foreign.Place `yaml:"-"`
	Name        string        `yaml:"name"`
	Description string        `yaml:"description"`
	Synonyms    []string      `yaml:"synonyms"`
	Expr        string        `yaml:"expr"`
	Aggregation string        `yaml:"default_aggregation"`
	Access      string        `yaml:"access_modifier"`

	called string // the name that it gets as a dimension
}

type metric struct {
	At          foreign.Place `yaml:"-"`
	Name        string        `yaml:"name"`
	Description string        `yaml:"description"`
	Synonyms    []string      `yaml:"synonyms"`
	Expr        string        `yaml:"expr"`
	Access      string        `yaml:"access_modifier"`
	NonAdditive []struct {
		Table     string `yaml:"table"`
		Dimension string `yaml:"dimension"`
		Sort      string `yaml:"sort_direction"`
		Nulls     string `yaml:"null_order"`
	} `yaml:"non_additive_dimensions"`

	called string // the name that it gets
}

type relationship struct {
	At          foreign.Place `yaml:"-"`
	Name        string        `yaml:"name"`
	Left        string        `yaml:"left_table"`
	Right       string        `yaml:"right_table"`
	Cardinality string        `yaml:"relationship_type"`
	Columns     []struct {
		Left  string `yaml:"left_column"`
		Right string `yaml:"right_column"`
	} `yaml:"relationship_columns"`
}

type query struct {
	At       foreign.Place `yaml:"-"`
	Name     string        `yaml:"name"`
	Question string        `yaml:"question"`
	SQL      string        `yaml:"sql"`
}

// reasons are why keys that aren't read have no place here.
func reasons() map[string]string {
	return map[string]string{
		// What describes the file, or says of columns what Postgres says itself.
		"name": "", "comments": "", "description": "", "data_type": "", "unique": "", "sample_values": "", "is_enum": "",
		"unique_keys": "", "join_type": "", "verified_at": "", "verified_by": "", "use_as_onboarding_question": "", "semantic_model_name": "",
		"cortex_search_service":      "values are found in Postgres itself",
		"cortex_search_service_name": "values are found in Postgres itself",
		"custom_instructions":        "a model is told nothing but names, descriptions and synonyms",
		"module_custom_instructions": "a model is told nothing but names, descriptions and synonyms",
	}
}
