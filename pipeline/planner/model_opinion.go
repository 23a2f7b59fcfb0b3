package planner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pgask/pgask/pipeline/plan"
)

// codeOpinions says that no plan was given by more than half of the opinions.
const codeOpinions plan.Code = "OPINIONS_DISAGREE"

// Abstained says that the evidence is too weak for an answer (PA008).
type Abstained struct {
	// Opinions is how many plans were asked for.
	Opinions int
}

// Error is the refusal in one line.
func (e *Abstained) Error() string {
	return fmt.Sprintf("no answer: of %d plans of the model no more than half agree", e.Opinions)
}

// SQLState is PA008.
func (e *Abstained) SQLState() string { return "PA008" }

// Detail is the rejection as one line of JSON.
func (e *Abstained) Detail() string { return rejection(codeOpinions, "", e.Error()).Detail() }

// Hint is what can be typed instead.
func (e *Abstained) Hint() string {
	return "ask in other words, or for one thing at a time; ASK PLAN shows a plan's reading"
}

// opinion is a plan as a model made it and as it was accepted.
type opinion struct {
	made    *plan.Plan
	checked *plan.Checked
	votes   int
}

// confirm asks for further plans until more than half of all that are to be asked
// for are the same one, or can't be any more. The first is the accepted one's; a
// reply without a valid plan agrees with none.
func (a *attempts) confirm(ctx context.Context, p prompt) error {
	n := a.model.options.Opinions
	first := &opinion{made: a.proposal.Made, checked: a.proposal.Checked, votes: 1}
	by := map[string]*opinion{first.checked.Hash(): first}
	best := first
	for i := 2; i <= n && 2*best.votes <= n && 2*(best.votes+n-i+1) > n; i++ {
		start := time.Now()
		reply, err := a.call(ctx, p.request(p.user(nil, nil), i-1))
		stage := fmt.Sprintf("opinion %d", i)
		if err != nil {
			a.step(stage, "failed", err.Error(), time.Since(start))
			return err
		}
		o, err := a.opinion(reply.Text, i)
		if err != nil {
			a.step(stage, "rejected", err.Error(), time.Since(start))
			continue
		}
		a.step(stage, "ok", "plan "+o.checked.Hash()[:12], time.Since(start))
		if same := by[o.checked.Hash()]; same != nil {
			o = same
		}
		by[o.checked.Hash()] = o
		if o.votes++; o.votes > best.votes {
			best = o
		}
	}
	if 2*best.votes <= n {
		return &Abstained{Opinions: n}
	}
	if best != first {
		a.proposal.Made, a.proposal.Checked = best.made, best.checked.WithConfidence(first.checked.Annotations().Confidence)
	}
	return nil
}

// opinion reads the reply of the i-th opinion.
func (a *attempts) opinion(text string, i int) (*opinion, error) {
	answer, err := a.decodeAnswer(text)
	switch {
	case err != nil:
		return nil, err
	case !answer.answerable:
		return nil, errors.New("the model finds no answer")
	}
	made, checked, err := a.check(answer.body, i)
	if err != nil {
		return nil, err
	}
	return &opinion{made: made, checked: checked}, nil
}
