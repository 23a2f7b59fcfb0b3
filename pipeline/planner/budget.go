package planner

import (
	"fmt"

	"github.com/pgask/pgask/pipeline/llm"
)

// Budget bounds what models may cost an asker, in tokens of prompts and replies. The
// zero Budget bounds nothing.
type Budget struct {
	// Question is the most that one question may cost, 0 for no limit.
	Question int64
	// Reserve takes what a call is expected to cost from what the asker has left
	// today, and tells whether there was so much; Settle adds what it cost more, or
	// less where negative. Both are nil for no limit.
	Reserve func(tokens int64) bool
	Settle  func(tokens int64)
}

// Overspent says that a call of a model would go past a budget (53400,
// configuration_limit_exceeded): no provider failed, and no other plan helps.
type Overspent struct {
	// Limit is the question's limit, 0 where the day's tokens are used up.
	Limit int64
	// Spent is what the question has cost.
	Spent int64
}

// Error is the refusal in one line.
func (e *Overspent) Error() string {
	if e.Limit == 0 {
		return "your tokens for today are used up"
	}
	return fmt.Sprintf("the question would cost more than the %d tokens that it may", e.Limit)
}

// SQLState is 53400.
func (e *Overspent) SQLState() string { return "53400" }

// Detail is what was spent.
func (e *Overspent) Detail() string {
	return fmt.Sprintf("The question's calls of a model took %d tokens, and another is needed.", e.Spent)
}

// Hint is what can be typed instead.
func (e *Overspent) Hint() string {
	if e.Limit == 0 {
		return "write the query in SQL, or ask again after midnight UTC"
	}
	return "ask for less at once, or write the query in SQL"
}

// bytesOfToken is about how much text a token is, which is known only of texts that a
// provider has counted.
const bytesOfToken = 4

// reserve takes what a call's prompt is about to cost from the budgets.
func (a *attempts) reserve(r llm.Request) (int64, error) {
	need := int64(len(r.System)+len(r.User)) / bytesOfToken
	b := a.in.Budget
	if spent := int64(a.proposal.Tokens); b.Question > 0 && spent+need > b.Question {
		return 0, &Overspent{Limit: b.Question, Spent: spent}
	}
	if b.Reserve != nil && !b.Reserve(need) {
		return 0, &Overspent{Spent: int64(a.proposal.Tokens)}
	}
	return need, nil
}

// spend counts what a call has cost: what the provider says, else what the texts
// suggest.
func (a *attempts) spend(reserved int64, reply llm.Reply, err error) {
	tokens := int64(reply.PromptTokens) + int64(reply.CompletionTokens)
	if tokens <= 0 && err == nil {
		tokens = reserved + int64(len(reply.Text))/bytesOfToken
	}
	a.proposal.Tokens += int(tokens)
	if settle := a.in.Budget.Settle; settle != nil {
		settle(tokens - reserved)
	}
}
