package semantic

import (
	"cmp"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
)

// Model is the meaning of one database's schema, immutable once built.
type Model struct {
	// Version digests the file's content; empty content has a version too.
	Version       string
	Tables        map[catalog.Name]*Table
	Metrics       []*Metric    // sorted by name
	Dimensions    []*Dimension // sorted by name
	Entities      []*Entity
	Relationships []*Relationship // declared foreign keys and configured ones, sorted
	Hierarchies   []*Hierarchy    // sorted by name
	Sources       []*Source
	// Inferred are relationships that nothing declares but names and an asker's rows
	// suggest. Only a plan that names one follows it; each points to a unique key.
	Inferred []*Relationship
	// FiscalYearStart is the month, 1 to 12, in which the fiscal year starts; 0
	// where the file doesn't say.
	FiscalYearStart int
}

// Table is what is known of a table beyond the catalog.
type Table struct {
	Description string
	Synonyms    []string
	Preferred   bool
	Columns     map[string]Column
}

// Column is what is known of a column beyond the catalog.
type Column struct {
	Description string
	Synonyms    []string
	LLM         Exposure
	// NonAdditive tells of a rate or a price, whose values make no sum.
	NonAdditive bool
}

// Exposure is how much of a column a model may learn.
type Exposure string

// The exposures, from most to least.
const (
	Full     Exposure = "full"
	NameOnly Exposure = "name_only"
	Hidden   Exposure = "hidden"
)

// Exposure is how much of a column or dimension a model may learn: all, where nothing is said of it.
func (m *Model) Exposure(table catalog.Name, column string) Exposure {
	if m == nil {
		return Full
	}
	if d := m.Dimension(column); d != nil && d.Table == table {
		return d.LLM
	}
	if m.Tables[table] == nil {
		return Full
	}
	return cmp.Or(m.Tables[table].Columns[column].LLM, Full)
}

// Additive tells whether the values of a column may be added up.
func (m *Model) Additive(table catalog.Name, column string) bool {
	return m == nil || m.Tables[table] == nil || !m.Tables[table].Columns[column].NonAdditive
}

// Metric is a registered measure at the grain of its table, or arithmetic over others.
type Metric struct {
	Name        string
	Description string
	// Table is where it is measured; empty for a derived metric of several.
	Table catalog.Name
	// Expr is the aggregate expression over unqualified columns of Table; nil for a
	// derived metric.
	Expr *pg_query.Node
	// Arithmetic is a derived metric's expression over the names of its Parts.
	Arithmetic *pg_query.Node
	Parts      []*Metric
	// ExprText is Expr or Arithmetic as the file spells it.
	ExprText string
	// Time is by which date its rows fall into periods; nil where that isn't clear.
	Time *TimeDimension
	// Filters are conditions over the unqualified columns of a table: Table
	// itself or one it reaches many-to-one, in the file's order.
	Filters    []Filter
	Unit       string
	Grain      []string
	Additivity Additivity
	Synonyms   []string
	Owner      string
	// ReviewRequiredBy is who has to see changes of the definition, Reviewed whether
	// this one was seen.
	ReviewRequiredBy string
	Reviewed         bool
}

// Filter is a condition of a metric's definition.
type Filter struct {
	Table catalog.Name
	// Path leads from the metric's table to Table, many-to-one at each step;
	// empty for the metric's table itself.
	Path []*Relationship
	Cond *pg_query.Node
	Text string
}

// Additivity says how a measure may be added up (Kimball's additive,
// semi-additive and non-additive facts).
type Additivity struct {
	Kind    string   // additive | semi | non
	NotOver []string // semi: the columns it may not be summed over
	Time    string   // semi: last | first | avg along NotOver
}

// Entity is a thing people talk about.
type Entity struct {
	Name     string
	Table    catalog.Name
	Key      []string
	Synonyms []string
}

// Relationship is a join edge: many rows of From point to at most one of To.
type Relationship struct {
	// Name is the foreign key's name, or from_table.column for a configured one.
	Name        string
	From        catalog.Name
	FromColumns []string
	To          catalog.Name
	ToColumns   []string
	// OneToOne tells that at most one row of From points to a row of To.
	OneToOne bool
	// Method is how a source's rows were linked to what they are about, with
	// Confidence, 0 to 1; empty where a row is known to belong to another.
	Method     string
	Confidence float64
	// Inferred tells that nothing declares it, with Confidence.
	Inferred bool
}

// Metric finds a metric by its exact name; nil when there is none.
func (m *Model) Metric(name string) *Metric {
	for _, x := range m.Metrics {
		if x.Name == name {
			return x
		}
	}
	return nil
}
