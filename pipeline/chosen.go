package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/planner"
)

// chosen is the n-th of the readings that a question has. They are found
// without verified queries, without a model and without plans that are kept, since what
// those answer has no readings, and a number must mean the same tomorrow.
func chosen(ctx context.Context, planners planner.Planner, n int, in planner.Input) (planner.Proposal, error) {
	in.PlanOnly, in.Model, in.Afresh = true, false, true
	p, err := planners.Plan(ctx, in)
	var several *planner.NotAnswerable
	if errors.As(err, &several) && several.Readings != nil {
		return chosenOf(several, n, in)
	}
	if err == nil && n > 1 {
		return planner.Proposal{}, &Error{Code: "PA002", Message: fmt.Sprintf("the question has no reading %d: it has only one", n),
			Advice: "ASK " + quoted(in.Question)}
	}
	if err == nil {
		p.Source = sourceChosen
	}
	return p, err
}

const sourceChosen = "chosen"

// noReading is a number past the readings that there are.
type noReading struct {
	*planner.NotAnswerable
	n int
}

func (e *noReading) Error() string {
	return fmt.Sprintf("the question has no reading %d: it has %d readings", e.n, len(e.Readings))
}

func chosenOf(several *planner.NotAnswerable, n int, in planner.Input) (planner.Proposal, error) {
	if n > len(several.Readings) {
		return planner.Proposal{}, &noReading{several, n}
	}
	r := several.Readings[n-1]
	c, err := plan.Validate(r.Plan, in.Context())
	if err != nil {
		return planner.Proposal{}, err
	}
	return planner.Proposal{Source: sourceChosen, Checked: c, Steps: append(several.Steps,
		planner.Step{Stage: sourceChosen, Outcome: "ok", Detail: fmt.Sprintf("reading %d: %s", n, r.Text)})}, nil
}
