package pipeline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/stmt"
)

// supplied is the plan of USING PLAN, validated like any other.
func supplied(ask *stmt.Ask, in planner.Input) (planner.Proposal, error) {
	p, err := plan.Decode([]byte(ask.Plan))
	if err != nil {
		return planner.Proposal{}, example(ask, in, err)
	}
	c, err := plan.Validate(p, in.Context())
	if err != nil {
		return planner.Proposal{}, repaired(ask, p, err)
	}
	return planner.Proposal{Source: "supplied", Checked: c,
		Steps: []planner.Step{{Stage: "supplied", Outcome: "ok", Detail: "plan " + c.Hash()}}}, nil
}

// repairable is a rejection of a supplied plan with the plan that would pass,
// as a statement to type.
type repairable struct {
	*plan.Rejections
	hint string
}

func (r *repairable) Hint() string { return r.hint }

// repaired adds to a rejection what to type instead, where its first fault has
// a certain repair.
func repaired(ask *stmt.Ask, p *plan.Plan, err error) error {
	var r *plan.Rejections
	if !errors.As(err, &r) {
		return err
	}
	if code := r.All[0].Code; len(r.All[0].Repair) == 0 && (code == plan.CodeTable || code == plan.CodeColumn) {
		return &repairable{r, "SHOW pgask.policy"}
	}
	if len(r.All[0].Repair) == 0 {
		return err
	}
	better, fault := r.All[0].Repair.Apply(p)
	if fault != nil {
		return err
	}
	return withPlan(ask, r, better)
}

// withPlan is a rejection with the statement that would pass.
func withPlan(ask *stmt.Ask, r *plan.Rejections, better *plan.Plan) error {
	text, err := plainJSON(better)
	if err != nil {
		return r
	}
	return &repairable{r, fmt.Sprintf("ASK %s USING PLAN %s", quoted(ask.Question), quoted(text))}
}

// example adds to what is no plan one that is: how many rows the first table has.
func example(ask *stmt.Ask, in planner.Input, err error) error {
	var r *plan.Rejections
	if !errors.As(err, &r) || len(in.Catalog.Tables) == 0 {
		return err
	}
	return withPlan(ask, r, &plan.Plan{Version: 1, From: plan.Source{Table: plan.TableName(in.Catalog.Tables[0].Name)},
		Select: []plan.Item{{Expr: plan.Expr{Aggregate: &plan.Aggregate{Func: "count"}}}}})
}

// quoted is a text as an SQL string literal.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
