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

// opinion is a plan as a model made it and as it was accepted, and how many others are
// the same.
type opinion struct {
	made    *plan.Plan
	checked *plan.Checked
	votes   int
	// result is the digest of what it gives, once it was asked for; empty for none.
	result string
	ran    bool
}

// confirm asks for further plans until more than half of all that are to be asked
// for agree, or can't any more. The first is the accepted one's; a
// reply without a valid plan agrees with none.
func (a *attempts) confirm(ctx context.Context, p prompt) error {
	n := a.model.options.Opinions
	first := &opinion{made: a.proposal.Made, checked: a.proposal.Checked, votes: 1}
	all := []*opinion{first}
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
		if same := a.same(ctx, o, all); same != nil {
			o = same
		} else {
			all = append(all, o)
		}
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

// same is the opinion that another one agrees with: the same plan, else one with the same
// result where that counts. A result that can't be had agrees with none.
func (a *attempts) same(ctx context.Context, o *opinion, all []*opinion) *opinion {
	for _, other := range all {
		if other.checked.Hash() == o.checked.Hash() {
			return other
		}
	}
	if !a.model.options.ByResult || a.in.Result == nil || !a.ran(ctx, o) {
		return nil
	}
	for _, other := range all {
		if a.ran(ctx, other) && other.result == o.result {
			a.step("compare", "ok", fmt.Sprintf("plans %s and %s give the same rows", other.checked.Hash()[:12], o.checked.Hash()[:12]), 0)
			return other
		}
	}
	return nil
}

// ran tells whether there is a result of an opinion, which it asks for once.
func (a *attempts) ran(ctx context.Context, o *opinion) bool {
	if o.ran {
		return o.result != ""
	}
	start := time.Now()
	var err error
	if o.result, err = a.in.Result(ctx, o.checked); err != nil {
		a.step("compare", "failed", fmt.Sprintf("plan %s: %v", o.checked.Hash()[:12], err), time.Since(start))
	}
	o.ran = true
	return o.result != ""
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
