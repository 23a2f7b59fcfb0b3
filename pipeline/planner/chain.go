package planner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pgask/pgask/pipeline/plan"
)

// Chain tries planners in order: the first that answers wins, a final error
// ends, and a question that all decline is not answerable.
type Chain struct {
	planners []Planner
}

// New makes a chain of planners, in the order in which they are tried.
func New(planners ...Planner) *Chain { return &Chain{planners: planners} }

// Name is what the chain calls itself among planners.
func (c *Chain) Name() string { return "chain" }

// Plan answers the question with the first planner that can. The error is the
// context's, a planner's final one (with an SQLState method) or
// *NotAnswerable; [StepsOf] finds what happened before it in any of them. What
// models cost is all planners' together, also beside an error.
func (c *Chain) Plan(ctx context.Context, in Input) (Proposal, error) {
	var steps []Step
	var declines []*Declined
	var cost Proposal
	for _, p := range c.planners {
		if err := ctx.Err(); err != nil {
			return cost, err
		}
		proposal, err := p.Plan(ctx, in)
		cost.ModelCalls += proposal.ModelCalls
		cost.Cost = cost.Cost.plus(proposal.Cost)
		var declined *Declined
		if errors.As(err, &declined) {
			steps = append(steps, declinedSteps(p, declined)...)
			declines = append(declines, declined)
			continue
		}
		steps = append(steps, proposal.Steps...)
		if err != nil {
			return cost, withSteps(err, steps)
		}
		proposal.Steps, proposal.ModelCalls, proposal.Cost = steps, cost.ModelCalls, cost.Cost
		proposal.Ran = c.learned(in, proposal.Made)
		return proposal, nil
	}
	return cost, notAnswerable(in.Question, declines, steps)
}

// learned tells those who keep plans of a new one.
func (c *Chain) learned(in Input, made *plan.Plan) func() {
	if made == nil {
		return nil
	}
	for _, p := range c.planners {
		if l, ok := p.(Learner); ok {
			return l.Learn(in, made)
		}
	}
	return nil
}

// declinedSteps are a decline's own steps, or one made of its reason.
func declinedSteps(p Planner, d *Declined) []Step {
	if len(d.Steps) > 0 {
		return d.Steps
	}
	return []Step{{Stage: p.Name(), Outcome: "declined", Detail: d.Reason}}
}

// failure carries the steps that led to a final error.
type failure struct {
	error
	steps []Step
}

func (f *failure) Unwrap() error { return f.error }

func withSteps(err error, steps []Step) error {
	var inner *failure
	if errors.As(err, &inner) {
		// The planner's own steps come behind the chain's.
		return &failure{error: inner.error, steps: append(steps, inner.steps...)}
	}
	return &failure{error: err, steps: steps}
}

// StepsOf is what the planners did before err, for ASK EXPLAIN; nil where err
// doesn't come from a chain.
func StepsOf(err error) []Step {
	var f *failure
	if errors.As(err, &f) {
		return f.steps
	}
	var n *NotAnswerable
	if errors.As(err, &n) {
		return n.Steps
	}
	return nil
}

// NotAnswerable says that no planner could answer: nothing fits what the asker
// can see (PA002), or several readings fit equally well (PA003).
type NotAnswerable struct {
	Reason   string
	Words    []string
	Try      string
	Readings []Reading
	Steps    []Step
}

// notAnswerable makes one error of all declines. The last planner that names
// words or readings had the best look at the question.
func notAnswerable(question string, declines []*Declined, steps []Step) *NotAnswerable {
	n := &NotAnswerable{Reason: "no planner is configured that could answer", Steps: steps}
	for _, d := range declines {
		if len(d.Readings) >= 2 || n.Readings == nil && (len(d.Words) > 0 || d.Try != "" || n.Words == nil) {
			n.Reason, n.Words, n.Readings = d.Reason, d.Words, d.Readings
		}
		if d.Try != "" {
			n.Try = d.Try
		}
	}
	if len(n.Readings) < 2 {
		n.Readings = nil
	}
	return n
}

// SQLState is PA003 where there are readings to choose from, else PA002.
func (n *NotAnswerable) SQLState() string {
	if n.Readings != nil {
		return "PA003"
	}
	return "PA002"
}

// Error is the refusal in one line.
func (n *NotAnswerable) Error() string {
	switch {
	case n.Readings != nil:
		return fmt.Sprintf("the question is ambiguous: it has %d readings", len(n.Readings))
	case len(n.Words) > 0:
		return "the question is not answerable: no match for " + quoteAll(n.Words)
	}
	return "the question is not answerable: " + n.Reason
}

// Detail lists the readings of an ambiguous question, one a line, else it gives
// the reason where the message doesn't.
func (n *NotAnswerable) Detail() string {
	if n.Readings == nil {
		if len(n.Words) > 0 {
			return n.Reason
		}
		return ""
	}
	lines := make([]string, len(n.Readings))
	for i, r := range n.Readings {
		lines[i] = fmt.Sprintf("%d. %s", i+1, r.Text)
	}
	return strings.Join(lines, "\n")
}

// Hint is what can be typed instead: an ASK for each reading, or a question.
func (n *NotAnswerable) Hint() string {
	if n.Readings == nil {
		return n.Try
	}
	asks := make([]string, len(n.Readings))
	for i, r := range n.Readings {
		asks[i] = r.Ask
	}
	return strings.Join(asks, "\n")
}

// quoteAll lists words the way messages quote them.
func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = `"` + w + `"`
	}
	return strings.Join(quoted, ", ")
}
