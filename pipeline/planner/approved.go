package planner

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/plans"
)

// Approved answers a question with the plan that a reviewer pinned to it.
type Approved struct {
	approvals plans.Approvals
	log       *slog.Logger
}

// NewApproved makes a planner over approved plans.
func NewApproved(approvals plans.Approvals, log *slog.Logger) *Approved {
	return &Approved{approvals: approvals, log: log}
}

// Name is the planner's name in sources.
func (a *Approved) Name() string { return "approved" }

// Plan answers with the approved plan. The error is a *Declined, also where the plan names
// what this asker or this schema doesn't have, or the validator's where measures or
// guarantees forbid it: to that question there is no other answer.
func (a *Approved) Plan(ctx context.Context, in Input) (Proposal, error) {
	start := time.Now()
	checked, why, err := a.find(ctx, in)
	step := Step{Stage: a.Name(), Outcome: "ok", Took: time.Since(start)}
	switch {
	case err != nil:
		step.Outcome, step.Detail = "rejected", err.Error()
		return Proposal{Steps: []Step{step}}, err
	case checked == nil:
		step.Outcome, step.Detail = "declined", why
		return Proposal{}, &Declined{Reason: why, Steps: []Step{step}}
	}
	step.Detail = "plan " + checked.Hash()[:12]
	return Proposal{Source: a.Name(), Checked: checked, Steps: []Step{step}}, nil
}

// find is the question's approved plan, or why there is none.
func (a *Approved) find(ctx context.Context, in Input) (checked *plan.Checked, why string, err error) {
	const none = "no plan is approved for it"
	if in.Afresh {
		return nil, none, nil
	}
	ctx, stop := context.WithTimeout(ctx, lookTimeout)
	defer stop()
	all, err := a.approvals.Approved(ctx, in.Database)
	if err != nil {
		a.log.Warn("approved plans can't be looked up", "error", err)
		return nil, "approved plans can't be looked up", nil
	}
	found := plans.Find(all, in.Question)
	if found == nil {
		return nil, none, nil
	}
	p, err := plan.Decode(found.Plan)
	if err == nil {
		checked, err = plan.Validate(p, in.Context())
	}
	if err == nil {
		err = demanded(checked.Columns(), in.Columns)
	}
	var r *plan.Rejections
	if errors.As(err, &r) && r.SQLState() == "PA005" {
		// Which names those are is nobody's business who may not read them.
		return nil, "the plan that is approved for it names what isn't there for you", nil
	}
	return checked, "", err
}
