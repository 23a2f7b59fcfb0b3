package configs

// Semantic is semantic.yaml: what tables, columns and numbers mean.
type Semantic struct {
	Tables        []SemanticTable
	Metrics       []Metric
	Dimensions    []Dimension
	Entities      []Entity
	Relationships []Relationship
	Hierarchies   []Hierarchy
	Sources       []Source
	// Owner owns the metrics and dimensions that name nobody.
	Owner string
	// FiscalYearStart is the month, 1 to 12, in which the fiscal year starts; 0
	// where there is none of its own.
	FiscalYearStart int
	FiscalPos       Pos
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
	// NonAdditive tells of a rate or a price, whose values make no sum.
	NonAdditive bool
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
	Derived          string            // in the place of table and expr: arithmetic over other metrics
	Filter           map[string]string // spelled table name → SQL condition
	Unit             string
	Grain            []string
	Additivity       Additivity
	TimeDimension    ColumnRef // by which date its rows fall into periods
	Synonyms         []string
	Owner            string
	ReviewRequiredBy string
	// Reviewed tells that files.reviews lists the definition as seen by those who have to.
	Reviewed bool
}

// Dimension is a registered expression to group and choose rows by: one value for
// each row of Table, computed of its own columns. LLM is as a column's.
type Dimension struct {
	Pos         Pos
	Name        string
	Description string
	Table       Name
	Expr        string
	Synonyms    []string
	Owner       string
	LLM         string
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

// Hierarchy is a thing that people group by at several levels, such as geography: by
// region, and within it by country. Each value of a finer level belongs to one of the coarser.
type Hierarchy struct {
	Pos         Pos
	Name        string
	Description string
	// Levels are from coarse to fine: of one table, or of tables of which the finer
	// one's rows point to the coarser one's.
	Levels   []ColumnRef
	Synonyms []string
}

// Source says how a table may be read, and, where it has a column of embeddings
// (pgvector), how it is searched.
type Source struct {
	Pos   Pos
	Name  string
	Table Name
	// Embedding is the column of embeddings, Text what they were made of; both are empty
	// for a source that isn't searched.
	Embedding, Text string
	// Distance is cosine (default), l2 or inner.
	Distance string
	// K is how many matches a search takes that doesn't say it, Within how far away they
	// may be; 0 for any distance.
	K      int
	Within float64
	// Links lead from its rows to things that they are about, by matching of some kind.
	Links []Link
	// MaxHops bounds the links that one question may follow, one behind another.
	MaxHops int
	Access  SourceAccess
}

// Link is a column of a source that tells what a row is about, found by a method that is
// right with some confidence, 0 to 1.
type Link struct {
	Pos        Pos
	Column     string
	To         ColumnRef
	Method     string
	Confidence float64
}

// SourceAccess is how a source can be read: whole, where all of ByKey are given, by search.
type SourceAccess struct {
	Whole, BySearch bool
	ByKey           []string
}
