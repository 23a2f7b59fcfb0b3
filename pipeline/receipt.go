package pipeline

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/pgask/pgask/pipeline/answer"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/planner"
)

// Receipt is what SHOW pgask.last tells of a governed statement.
type Receipt struct {
	RequestID     string              `json:"request_id"`
	Source        *string             `json:"source"`
	PlanHash      *string             `json:"plan_hash"`
	SchemaVersion string              `json:"schema_version"`
	PolicyVersion string              `json:"policy_version"`
	Curated       *planner.CuratedUse `json:"curated"`
	Verdict       string              `json:"verdict"`
	Scopes        []string            `json:"scopes"`
	Qualifiers    []string            `json:"qualifiers"`
	RowCap        *int64              `json:"row_cap"`
	ModelCalls    int                 `json:"model_calls"`
	Rows          *int64              `json:"rows"`
	EstimatedRows *int64              `json:"estimated_rows"`
	Truncated     bool                `json:"truncated"`
	MS            float64             `json:"ms"`
	Annotations   *plan.Annotations   `json:"annotations"`
}

// allowed is the verdict of a statement that ran; a refused or failed one has
// its SQLSTATE there.
const allowed = "allowed"

// conclusion is an execution that has ended, or a refusal, from which its receipt is
// made when it is asked for.
type conclusion struct {
	// of is the receipt of all executions, or the refusal's; nil for nothing.
	of      *Receipt
	refused bool
	outcome Outcome
	took    time.Duration
}

func (e *conclusion) receipt() *Receipt {
	if e.of == nil || e.refused {
		return e.of
	}
	if e.outcome.RequestID == "" {
		e.outcome.RequestID = requestID()
	}
	r, o := *e.of, e.outcome
	r.RequestID, r.Rows, r.Truncated, r.MS = o.RequestID, &o.Rows, o.Truncated, took(e.took)
	if o.SQLState != "" {
		r.Verdict = o.SQLState
	}
	if o.Tale != nil {
		r.ModelCalls += o.Tale.ModelCalls
	}
	if o.Truncated && r.Source != nil {
		r.Qualifiers = append(slices.Clip(r.Qualifiers), fmt.Sprintf("only the first %d rows", o.of()))
	}
	if o.Tied {
		r.Qualifiers = append(slices.Clip(r.Qualifiers), answer.Tied(o.of()))
	}
	return &r
}

// rows is the receipt as the one row of SHOW pgask.last; no receipt, no row.
func (r *Receipt) rows() string {
	if r == nil {
		return "[]"
	}
	b, err := json.Marshal([]*Receipt{r})
	if err != nil {
		return "[]"
	}
	return string(b)
}
