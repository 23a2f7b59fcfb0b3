package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Code names what is wrong with a plan. Codes are stable: models are retried
// with them and tests count them.
type Code string

// The codes, by the stage that gives them.
const (
	// Structure.
	CodeJSON        Code = "INVALID_JSON"        // not one JSON object
	CodeTooLarge    Code = "TOO_LARGE"           // over a size or nesting limit
	CodeUnknownKey  Code = "UNKNOWN_KEY"         // a key the language doesn't have
	CodeDuplicate   Code = "DUPLICATE_KEY"       // one key twice in an object
	CodeWrongShape  Code = "WRONG_SHAPE"         // a value of another JSON type than the key takes
	CodeVersion     Code = "UNSUPPORTED_VERSION" // another language version
	CodeMissing     Code = "MISSING"             // a key that must be there
	CodeChoice      Code = "INVALID_CHOICE"      // not one of a key's few values
	CodeOneOf       Code = "NOT_ONE_OF"          // an expression with no or several forms
	CodeArity       Code = "WRONG_ARITY"         // too few or too many arguments
	CodeLimit       Code = "INVALID_LIMIT"       // negative limit or offset, offset without order
	CodeUnsupported Code = "UNSUPPORTED"         // outside what the language can prove
	CodeSubplan     Code = "WRONG_SUBPLAN"       // a sub-plan of other columns or rows than its place takes

	// Names and types.
	CodeTable     Code = "TABLE_NOT_FOUND"
	CodeAmbiguous Code = "AMBIGUOUS_NAME"
	CodeAlias     Code = "ALIAS_NOT_FOUND"
	CodeAliasUsed Code = "ALIAS_IN_USE"
	CodeColumn    Code = "COLUMN_NOT_FOUND"
	CodeMetric    Code = "METRIC_NOT_FOUND"
	CodeDimension Code = "DIMENSION_NOT_FOUND"
	CodeItem      Code = "ITEM_NOT_FOUND"
	CodeFunction  Code = "FUNCTION_NOT_FOUND"
	CodeType      Code = "TYPE_MISMATCH"
	CodeLiteral   Code = "INVALID_LITERAL"
	CodeGrouping  Code = "NOT_GROUPED"
	CodeNested    Code = "NESTED_AGGREGATE"
	CodeAggregate Code = "AGGREGATE_NOT_ALLOWED"
	CodeWindow    Code = "WINDOW_NOT_ALLOWED"
	CodeOutput    Code = "DUPLICATE_OUTPUT"
	CodeSearch    Code = "NOT_SEARCHABLE"

	CodeDimensionJoin Code = "DIMENSION_TABLE_MISSING"

	// Joins.
	CodeJoin          Code = "JOIN_NOT_DECLARED"
	CodeJoinAmbiguous Code = "JOIN_AMBIGUOUS"

	// Access (PA002).
	CodeAccess Code = "ACCESS_PATTERN" // a source that can't be read in this way

	// Measures (PA006).
	CodeFanOut       Code = "FAN_OUT"
	CodeGrain        Code = "METRIC_GRAIN"
	CodeAdditivity   Code = "NOT_ADDITIVE"
	CodeMetricJoin   Code = "METRIC_TABLE_MISSING"
	CodeCountMissing Code = "COUNTS_MISSING_ROWS"

	// Guarantee (PA007).
	CodeNegation   Code = "NEGATION_OVER_RESTRICTED"
	CodeIncomplete Code = "AGGREGATE_OVER_INCOMPLETE"
)

// stage orders rejections as Validate answers them.
type stage int

const (
	stageStructure stage = iota
	stageNames
	stageJoins
	stageAccess
	stageMeasures
	stageGuarantee
)

// Rejection is one fault of a plan.
type Rejection struct {
	Code Code
	// Path is the place in the plan, a JSON pointer (RFC 6901).
	Path    string
	Message string
	// Nearest holds the names that may have been meant, nearest first.
	Nearest []string
	// Repair is set where one change certainly makes this fault go away; Safe
	// tells that it can't change what the plan means either.
	Repair Repair
	Safe   bool
	// Hint is what the asker could ask for instead, "" where nothing is sure.
	Hint string

	stage stage
}

// Repair is a JSON patch (RFC 6902) of the plan as it was given.
type Repair []Patch

// Patch is one change: add, replace or remove.
type Patch struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// line is the rejection as one line of JSON.
func (r *Rejection) line() string {
	b, err := json.Marshal(struct {
		Code   Code   `json:"code"`
		Path   string `json:"path"`
		Repair Repair `json:"repair"`
	}{r.Code, r.Path, r.Repair})
	if err != nil {
		return fmt.Sprintf(`{"code":%q,"path":%q,"repair":null}`, r.Code, r.Path)
	}
	return string(b)
}

// String is the rejection for a reader: where, what, and what may have been meant.
func (r *Rejection) String() string {
	s := r.Message
	if r.Path != "" {
		s = r.Path + ": " + s
	}
	if len(r.Nearest) > 0 {
		s += " (nearest: " + strings.Join(r.Nearest, ", ") + ")"
	}
	return s
}

// Rejections is why a plan was refused: every fault at once, in the order of
// the checks. It is the error of Decode and Validate.
type Rejections struct {
	All []*Rejection
}

func newRejections(all []*Rejection) *Rejections {
	slices.SortStableFunc(all, func(a, b *Rejection) int { return int(a.stage) - int(b.stage) })
	return &Rejections{All: all}
}

// SQLState is PA005, PA002, PA006 or PA007, by the first fault.
func (r *Rejections) SQLState() string {
	switch r.All[0].stage {
	case stageAccess:
		return "PA002"
	case stageMeasures:
		return "PA006"
	case stageGuarantee:
		return "PA007"
	default:
		return "PA005"
	}
}

// Error is the first fault.
func (r *Rejections) Error() string { return "plan rejected: " + r.All[0].Message }

// Detail lists every fault, one a line; its last line is the first fault as
// JSON with code, path and repair.
func (r *Rejections) Detail() string {
	var b strings.Builder
	for _, x := range r.All {
		fmt.Fprintf(&b, "%s: %s\n", x.Code, x)
	}
	b.WriteString(r.All[0].line())
	return b.String()
}

// Hint is the first hint that a fault of the deciding stage has.
func (r *Rejections) Hint() string {
	for _, x := range r.All {
		if x.stage == r.All[0].stage && x.Hint != "" {
			return x.Hint
		}
	}
	return ""
}
