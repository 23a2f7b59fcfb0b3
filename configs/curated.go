package configs

// Curated is curated.yaml: queries that people verified.
type Curated struct {
	Queries []CuratedQuery
}

// CuratedQuery is a verified query: the questions it answers, word for word
// or with {param} holes, and its SQL with :param places.
type CuratedQuery struct {
	Pos         Pos
	ID          string
	Database    string
	Question    string
	Also        []string
	Description string
	SQL         string
	Params      map[string]CuratedParam
}

// CuratedParam is one value a curated query takes.
type CuratedParam struct {
	Pos      Pos
	Type     string // int | number | text | date | bool
	Min, Max *float64
	Choices  []string
	Default  any // nil: the value is required
	Required bool
	Example  any
}
