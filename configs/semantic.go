package configs

// Semantic is semantic.yaml: what tables, columns and numbers mean.
type Semantic struct {
	Tables        []SemanticTable
	Metrics       []Metric
	Entities      []Entity
	Relationships []Relationship
	Sources       []Source
	// FiscalYearStart is the month, 1 to 12, in which the fiscal year starts; 0
	// where there is none of its own.
	FiscalYearStart int
}

// SemanticTable describes a table beyond what its comment says.
type SemanticTable struct {
	Pos         Pos
	Table       Name
	Description string
	Synonyms    []string
	Preferred   bool
	Columns     map[string]SemanticColumn
}

// SemanticColumn describes a column. LLM is full (default), name_only (its
// values never leave the database side) or hidden (a model never hears of it).
type SemanticColumn struct {
	Pos         Pos
	Description string
	Synonyms    []string
	LLM         string
}

// Metric is a registered measure: one definition with an owner. Expr is an
// aggregate SQL expression over the columns of Table; Filter holds, by table,
// conditions that are part of the definition.
type Metric struct {
	Pos              Pos
	Name             string
	Description      string
	Table            Name
	Expr             string
	Filter           map[string]string // spelled table name → SQL condition
	Unit             string
	Grain            []string
	Additivity       Additivity
	Synonyms         []string
	Owner            string
	ReviewRequiredBy string
}

// Additivity says over which dimensions a measure may be summed: additive
// (all), semi (all but NotOver, along which Time picks last, first or avg) or
// non (none).
type Additivity struct {
	Kind    string // additive | semi | non
	NotOver []string
	Time    string // last | first | avg
}

// Entity is a thing people talk about, with the table that lists it.
type Entity struct {
	Pos      Pos
	Name     string
	Table    Name
	Key      []string
	Synonyms []string
}

// Relationship is a join the foreign keys don't declare.
type Relationship struct {
	Pos         Pos
	From, To    ColumnRef
	Cardinality string // many_to_one | one_to_one
}

// Source is a vector table with its access patterns.
type Source struct {
	Pos            Pos
	Name           string
	Table          Name
	AccessPatterns []string
}
