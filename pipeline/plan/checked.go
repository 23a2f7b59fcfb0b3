package plan

import (
	"math"
	"slices"
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"google.golang.org/protobuf/proto"
)

// Checked is a plan that passed every check. Only Validate makes one, so that
// what is compiled was judged.
type Checked struct {
	plan        *Plan
	hash        string
	annotations Annotations
	qualifiers  []string
	columns     []Column
	types       []typ
	counts      []bool // which columns are counts, which are 0 where nothing is counted
	outputs     []Output
	tables      []catalog.Name
	tree        *pg_query.Node
	searches    []string
	cut         *cut
	// linked is how sure the links between its rows are, 0 to 1.
	linked float64
}

// Annotations say how far an answer can be trusted.
type Annotations struct {
	// Completeness is exact, bounded, sampled or unknown.
	Completeness string `json:"completeness"`
	// Confidence is from 0 to 1: how sure the reading of the question is.
	Confidence float64 `json:"confidence"`
	// Guarantee is full (all rows were visible), scoped or none.
	Guarantee string `json:"guarantee"`
}

// Rounded is a confidence as people are told it, with two decimals and never more than it
// is: what is below a limit reads so.
func Rounded(confidence float64) float64 { return math.Floor(confidence*100+1e-9) / 100 }

// Confidence spells one.
func Confidence(c float64) string { return strconv.FormatFloat(Rounded(c), 'f', -1, 64) }

// Plan is the canonical form: names qualified, defaults spelled out, the
// reasoning kept. Callers must not change it.
func (c *Checked) Plan() *Plan { return c.plan }

// Hash is the SHA-256, in hex, of the canonical form without the reasoning.
func (c *Checked) Hash() string { return c.hash }

// Annotations are the plan's completeness, confidence and guarantee.
func (c *Checked) Annotations() Annotations { return c.annotations }

// Qualifiers are sentences that every telling of the answer must carry.
func (c *Checked) Qualifiers() []string { return slices.Clone(c.qualifiers) }

// Columns are the output columns in order.
func (c *Checked) Columns() []Column { return slices.Clone(c.columns) }

// Tables are the relations the plan reads, sorted, those of metric filters included.
func (c *Checked) Tables() []catalog.Name { return slices.Clone(c.tables) }

// WithConfidence is the same plan with how sure its reading is, 0 to 1: a
// plan can't know that of itself.
func (c *Checked) WithConfidence(confidence float64) *Checked {
	d := *c
	d.annotations.Confidence = min(max(confidence, 0), 1) * c.linked
	return &d
}

// Compile is the plan as a SELECT tree: relations schema-qualified, values as
// typed constants, ready to be authorized. The tree is the caller's own.
func Compile(c *Checked) *pg_query.Node { return proto.Clone(c.tree).(*pg_query.Node) }
