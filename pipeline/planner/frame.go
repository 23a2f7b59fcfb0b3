package planner

import (
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// mention is a column the question speaks of: everything the words can mean,
// and whose column it is where the question says so.
type mention struct {
	at       int // position of its words, for messages
	n        int
	meanings []meaning
	owner    *catalog.Table
	// near is the table named last before it: whose it is more likely.
	near *catalog.Table
}

// out is one thing asked for.
type out struct {
	fn       string // "", count, sum, avg, min, max
	distinct bool
	col      *mention
	table    *catalog.Table // rows counted or listed
	metric   *semantic.Metric
	spoken   int // position, for messages
}

// cond is a condition on a column, or a disjunction of conditions.
type cond struct {
	col    *mention
	op     string // = <> < <= > >= between in not_in like is_null …
	vals   []value
	period *period
	any    []cond         // or
	near   *catalog.Table // of a period: the table named last before it
	spoken int
}

// value is what a column is compared with: the text as typed, the token's
// number, or a sampled value (which depends on the column chosen).
type value struct {
	text   string
	num    string
	quoted bool
	link   []meaning // the sampled values it matches
	date   bool
	// literal marks a pattern, which is taken as it is.
	literal bool
	// of is a number over all rows that is compared with: the average price.
	// Without a column it is that of the column compared.
	of *out
	// than is the column that is compared with.
	than *mention
}

// linked are the rows of another table that must or must not exist, or how many.
type linked struct {
	table *catalog.Table
	kind  string // semi, anti, having
	conds []cond
	op    string // having: the comparison
	count string
	// metric is what is compared with count, in the place of the number of rows.
	metric *semantic.Metric
	at     int
}

// group is one dimension: a column, the rows of a table, or periods of a date.
type group struct {
	col   *mention
	table *catalog.Table
	unit  string
	at    int // position of its words, where they name it
	// opposed is set where the groups are values that are compared.
	opposed bool
}

// order ranks the answer by a column, a count of rows, a metric, or the n-th
// thing asked for.
type order struct {
	col    *mention
	fn     string
	count  *catalog.Table
	metric *semantic.Metric
	out    int // 1-based, 0 for none
	desc   bool
	label  bool // by the first column of the output
}

// ranks tells whether an order is by a number over several rows.
func (o order) ranks() bool { return o.metric != nil || o.count != nil || o.fn != "" }

// frame is what a question asks for, as far as it has been read.
type frame struct {
	subject   *catalog.Table
	outs      []out
	conds     []cond
	linked    []linked
	both      [2][]cond // of each of two sides, which what is asked for must have both
	except    []cond    // what no row of it may have
	groups    []group
	orders    []order
	limit     int64
	several   bool // the limit is ours: the first of several were asked for, but not how many
	distinct  bool
	each      bool // "of each", without a table: group by what is listed
	mostBy    bool // groups were made by a superlative: only their names are asked for
	overTime  bool // "over all months": added up over time
	linkedEnd int  // where the words about linked rows ended
	notEnd    int  // where the words about what must not be so ended
	also      []*catalog.Table
	near      *catalog.Table   // named last
	comparing bool             // the question began with "compare"
	figure    *figure          // what is worked out from the number asked for
	over      *catalog.Table   // whose rows an average is over
	fresh     *catalog.Table   // of which new rows are asked for: those that came in the period
	listing   bool             // "for each" row something is listed, not counted
	sorting   bool             // the question began with "sort"
	objects   []*catalog.Table // of which rows must exist, if nothing else is said of them
	cost      float64
	named     []meaning // the tables and metrics that words were taken for
}

// add appends without sharing what other readings append.
func add[T any](list []T, items ...T) []T { return append(list[:len(list):len(list)], items...) }

// state is a frame and the position up to which the question was read.
type state struct {
	at int
	f  frame
}

// names is s after words that were taken for a table or a metric.
func (s state) names(m meaning) state {
	s.f.named = add(s.f.named, m)
	return s
}
