package cube

import "github.com/pgask/pgask/pipeline/semantic/foreign"

// file is what of a data model is read.
type file struct {
	Cubes []*cube `yaml:"cubes"`
	Views []struct {
		At   foreign.Place `yaml:"-"`
		Name string        `yaml:"name"`
	} `yaml:"views"`
}

type cube struct {
	At          foreign.Place `yaml:"-"`
	Name        string        `yaml:"name"`
	SQLTable    string        `yaml:"sql_table"`
	SQL         string        `yaml:"sql"`
	Extends     string        `yaml:"extends"`
	Title       string        `yaml:"title"`
	Description string        `yaml:"description"`
	Joins       []join        `yaml:"joins"`
	Dimensions  []*dimension  `yaml:"dimensions"`
	Measures    []*measure    `yaml:"measures"`
	Segments    []struct {
		At          foreign.Place `yaml:"-"`
		Name        string        `yaml:"name"`
		SQL         string        `yaml:"sql"`
		Title       string        `yaml:"title"`
		Description string        `yaml:"description"`
	} `yaml:"segments"`
	Hierarchies []hierarchy `yaml:"hierarchies"`

	table      string // as SQL spells it
	dimensions map[string]*dimension
	measures   map[string]*measure
}

type join struct {
	At           foreign.Place `yaml:"-"`
	Name         string        `yaml:"name"`
	SQL          string        `yaml:"sql"`
	Relationship string        `yaml:"relationship"`
}

type dimension struct {
	At          foreign.Place `yaml:"-"`
	Name        string        `yaml:"name"`
	Title       string        `yaml:"title"`
	Description string        `yaml:"description"`
	SQL         string        `yaml:"sql"`
	Type        string        `yaml:"type"`
	PrimaryKey  bool          `yaml:"primary_key"`
	SubQuery    bool          `yaml:"sub_query"`
	Public      *bool         `yaml:"public"`
	Case        *struct {
		When []struct {
			SQL   string `yaml:"sql"`
			Label string `yaml:"label"`
		} `yaml:"when"`
		Else struct {
			Label *string `yaml:"label"`
		} `yaml:"else"`
	} `yaml:"case"`

	called string // the name that it gets where it isn't a column
}

type measure struct {
	At          foreign.Place `yaml:"-"`
	Name        string        `yaml:"name"`
	Title       string        `yaml:"title"`
	Description string        `yaml:"description"`
	SQL         string        `yaml:"sql"`
	Type        string        `yaml:"type"`
	Public      *bool         `yaml:"public"`
	Filters     []struct {
		SQL string `yaml:"sql"`
	} `yaml:"filters"`
	// What makes it more than an aggregate.
	Rolling    any `yaml:"rolling_window"`
	MultiStage any `yaml:"multi_stage"`
	TimeShift  any `yaml:"time_shift"`
	Case       any `yaml:"case"`
	GroupBy    any `yaml:"group_by"`
	ReduceBy   any `yaml:"reduce_by"`
	AddGroupBy any `yaml:"add_group_by"`

	called string // the name that it gets
}

type hierarchy struct {
	At     foreign.Place `yaml:"-"`
	Name   string        `yaml:"name"`
	Title  string        `yaml:"title"`
	Levels []string      `yaml:"levels"`
}

// reasons are why keys that aren't read have no place here.
func reasons() map[string]string {
	return map[string]string{
		// How things are shown, and what only Cube does with them.
		"format": "", "drill_members": "", "meta": "", "sql_alias": "", "refresh_key": "", "folders": "",
		// Said of the whole view or dimension that has them.
		"cubes": "", "includes": "", "latitude": "", "longitude": "",
		"public":           "who may see what is said in policy.yaml",
		"pre_aggregations": "pgask keeps no copies of data",
		"access_policy":    "who may see what is said in policy.yaml",
		"data_source":      "one file is about one database",
		"granularities":    "a plan says periods; fiscal_year_start says where years begin",
	}
}
