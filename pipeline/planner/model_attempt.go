package planner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/pgask/pgask/pipeline/llm"
	"github.com/pgask/pgask/pipeline/plan"
)

// plannerTask is the task that routing chooses the model for.
const plannerTask = "planner"

// attempts is one question's way through the model.
type attempts struct {
	model    *Model
	in       Input
	mode     Mode
	proposal Proposal
}

func (a *attempts) step(stage, outcome, detail string, took time.Duration) {
	a.proposal.Steps = append(a.proposal.Steps, Step{Stage: stage, Outcome: outcome, Detail: detail, Took: took})
}

func (a *attempts) declined(reason string, words []string) error {
	a.step("model", "declined", reason, 0)
	return &Declined{Reason: reason, Words: words, Steps: a.proposal.Steps}
}

// run asks until an answer is accepted. Each retry is told the faults of the
// attempt before it and of no other, with a refiner's advice where there is one.
func (a *attempts) run(ctx context.Context, p prompt) error {
	var last *plan.Rejections
	var faults, advice []string
	for n := 1; n <= a.model.options.Retries+1; n++ {
		text, err := a.ask(ctx, p, n, p.user(faults, advice))
		if err != nil {
			return err
		}
		err = a.accept(ctx, text, n)
		if err == nil || final(err) || !errors.As(err, &last) {
			return err
		}
		faults = feedback(last, p.hidden)
		if a.model.options.Refine && n <= a.model.options.Retries {
			if advice, err = a.refine(ctx, p, n, text, faults); err != nil {
				return err
			}
		}
	}
	if last.All[0].Code == codeColumns {
		return a.declined("no answer of the model has just the columns asked for", nil)
	}
	return &PlanningFailed{Attempts: a.model.options.Retries + 1, Mode: a.mode, Last: last}
}

// call asks a model, within the budget, and counts what it costs.
func (a *attempts) call(ctx context.Context, r llm.Request) (llm.Reply, error) {
	reserved, err := a.reserve(r)
	if err != nil {
		return llm.Reply{}, err
	}
	reply, err := a.model.client.Complete(ctx, r)
	a.proposal.ModelCalls++
	a.spend(r, reserved, reply, err)
	return reply, err
}

// ask makes the n-th attempt's call.
func (a *attempts) ask(ctx context.Context, p prompt, n int, user string) (string, error) {
	start := time.Now()
	reply, err := a.call(ctx, p.request(user, 0))
	stage := fmt.Sprintf("model call %d", n)
	if err != nil {
		a.step(stage, "failed", err.Error(), time.Since(start))
		return "", err
	}
	a.step(stage, "ok", fmt.Sprintf("%s, %d tokens in, %d out", a.model.client.Model(plannerTask),
		reply.PromptTokens, reply.CompletionTokens), time.Since(start))
	return reply.Text, nil
}

// decodeAnswer reads a reply in the form of the mode. A plan that is a text counts as the
// JSON in it.
func (a *attempts) decodeAnswer(text string) (modelAnswer, error) {
	if a.mode == ModeSQL {
		return decodeReply(text, "sql")
	}
	answer, err := decodeReply(text, "plan")
	var inner string
	if err == nil && json.Unmarshal(answer.body, &inner) == nil {
		answer.body = json.RawMessage(inner)
	}
	return answer, err
}

// accept takes the n-th reply's plan or SELECT as the proposal, if it passes every
// check.
func (a *attempts) accept(ctx context.Context, text string, n int) error {
	start := time.Now()
	stage := fmt.Sprintf("validate %d", n)
	answer, err := a.decodeAnswer(text)
	if err == nil && !answer.answerable {
		return a.declined("the model finds no answer in what you can see", missingWords(answer.missing, a.in.Question))
	}
	var detail string
	switch {
	case err != nil:
	case a.mode == ModeSQL:
		detail, err = a.acceptSQL(ctx, answer)
	default:
		detail, err = a.acceptPlan(answer.body, n)
	}
	if err != nil {
		a.step(stage, "rejected", err.Error(), time.Since(start))
		return err
	}
	a.step(stage, "ok", detail, time.Since(start))
	return nil
}

// acceptPlan takes a plan as the proposal, if it passes every check.
func (a *attempts) acceptPlan(text []byte, n int) (detail string, err error) {
	made, checked, err := a.check(text, n)
	if err != nil {
		return "", err
	}
	a.proposal.Checked = checked.WithConfidence(confidence(n))
	if n == 1 {
		a.proposal.Made = made
	}
	return "plan " + checked.Hash()[:12], nil
}

// confidence in a plan that took n attempts. A model reads well but not
// surely, and every rejected attempt shows that it guessed.
func confidence(n int) float64 { return max(0.5, 1-0.1*float64(n)) }

// check reads a plan, and mends what is certain to mean the same: that costs no
// other attempt.
func (a *attempts) check(text []byte, n int) (*plan.Plan, *plan.Checked, error) {
	p, err := plan.Decode(text)
	if err != nil {
		return nil, nil, err
	}
	start := time.Now()
	p, checked, mended, err := plan.Mend(p, a.in.Context())
	if err != nil {
		return nil, nil, err
	}
	for _, f := range mended {
		a.step(fmt.Sprintf("repair %d", n), "ok", f.String(), time.Since(start))
	}
	return p, checked, demanded(checked.Columns(), a.in.Columns)
}
