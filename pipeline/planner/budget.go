package planner

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/pgask/pgask/pipeline/llm"
)

// Spend is what calls of models cost, or may: tokens of prompts and replies, and money
// in millionths of whatever unit llm.prices counts in.
type Spend struct{ Tokens, Money int64 }

func (s Spend) plus(t Spend) Spend  { return Spend{s.Tokens + t.Tokens, s.Money + t.Money} }
func (s Spend) minus(t Spend) Spend { return Spend{s.Tokens - t.Tokens, s.Money - t.Money} }

// Over is what of a spend goes past a limit, where 0 is no limit; nil where nothing does.
func (s Spend) Over(limit Spend) *Overspent {
	switch {
	case limit.Tokens > 0 && s.Tokens > limit.Tokens:
		return &Overspent{Limit: limit.Tokens}
	case limit.Money > 0 && s.Money > limit.Money:
		return &Overspent{Limit: limit.Money, Money: true}
	}
	return nil
}

// Budget bounds what models may cost the asker of one question, whichever planners ask
// them. It is used by one goroutine.
type Budget struct {
	// Question is the most that the question may cost, 0 for no limit.
	Question Spend
	// Reserve takes what a call is expected to cost from what the asker has left today,
	// or says what there isn't enough of; Settle adds what it cost more, or less where
	// negative. Both are nil for no limit.
	Reserve func(Spend) *Overspent
	Settle  func(Spend)

	spent Spend
}

// Overspent says that a call of a model would go past a budget (53400,
// configuration_limit_exceeded): no provider failed, and no other plan helps.
type Overspent struct {
	// Limit is what was allowed, in tokens or with Money in millionths; with Day of the
	// asker's day, else of the question.
	Limit      int64
	Money, Day bool
	// Spent is what the question has cost.
	Spent Spend
}

// Error is the refusal in one line.
func (e *Overspent) Error() string {
	switch {
	case e.Day && e.Money:
		return "what your questions may cost today is used up"
	case e.Day:
		return "your tokens for today are used up"
	case e.Money:
		return "the question would cost more than the " + money(e.Limit) + " that it may"
	}
	return fmt.Sprintf("the question would cost more than the %d tokens that it may", e.Limit)
}

// SQLState is 53400.
func (e *Overspent) SQLState() string { return "53400" }

// Detail is what was spent.
func (e *Overspent) Detail() string {
	cost := ""
	if e.Money {
		cost = ", which cost " + money(e.Spent.Money)
	}
	return fmt.Sprintf("The question's calls of a model took %d tokens%s, and another is needed.", e.Spent.Tokens, cost)
}

// Hint is what can be typed instead.
func (e *Overspent) Hint() string {
	if e.Day {
		return "write the query in SQL, or ask again after midnight UTC"
	}
	return "ask for less at once, or write the query in SQL"
}

// money is an amount as prices are written.
func money(millionths int64) string { return strconv.FormatFloat(float64(millionths)/1e6, 'f', -1, 64) }

// bytesOfToken is about how much text a token is, which is known only of texts that a
// provider has counted.
const bytesOfToken = 4

// reserve takes what a call's prompt is about to cost from the budgets.
func (a *attempts) reserve(r llm.Request) (Spend, error) {
	tokens := int64(len(r.System)+len(r.User)) / bytesOfToken
	need := Spend{tokens, a.model.client.Cost(r.Task, tokens, 0)}
	b := a.in.Budget
	if b == nil {
		return need, nil
	}
	over := b.spent.plus(need).Over(b.Question)
	if over == nil && b.Reserve != nil {
		over = b.Reserve(need)
	}
	if over != nil {
		over.Spent = b.spent
		return Spend{}, over
	}
	return need, nil
}

// spend counts what a call has cost: what the provider says, else what the texts
// suggest. A prompt whose reply nobody waits for was sent all the same.
func (a *attempts) spend(r llm.Request, reserved Spend, reply llm.Reply, err error) {
	in, out := int64(reply.PromptTokens), int64(reply.CompletionTokens)
	if in+out <= 0 && (err == nil || errors.Is(err, context.Canceled)) {
		in, out = reserved.Tokens, int64(len(reply.Text))/bytesOfToken
	}
	cost := Spend{in + out, a.model.client.Cost(r.Task, in, out)}
	a.proposal.Cost = a.proposal.Cost.plus(cost)
	b := a.in.Budget
	if b == nil {
		return
	}
	b.spent = b.spent.plus(cost)
	if b.Settle != nil {
		b.Settle(cost.minus(reserved))
	}
}
