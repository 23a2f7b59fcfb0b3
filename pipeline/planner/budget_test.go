package planner

import (
	"errors"
	"testing"
)

// TestBudget ends questions that would cost too much, before the call that would.
func TestBudget(t *testing.T) {
	free := modelInput(t, "how many orders")
	var prompt int64
	{
		system, user := unasked(t).Prompt(t.Context(), free)
		prompt = int64(len(system)+len(user)) / bytesOfToken
	}
	provider := func() *modelProvider { return &modelProvider{replies: []modelReply{{Text: "{"}, {Text: countsOrders}}} } // 110 tokens each
	for name, c := range map[string]struct {
		question int64
		day      int64 // what is left of it; negative for no limit
		calls    int
		spent    bool
	}{
		"no limit":              {0, -1, 2, false},
		"enough":                {10 * prompt, 10 * prompt, 2, false},
		"not for one call":      {prompt - 1, -1, 0, true},
		"not for the retry":     {prompt + 100, -1, 1, true},
		"a day without any":     {0, 0, 0, true},
		"a day with one prompt": {0, prompt, 1, true},
	} {
		in, left := free, c.day
		in.Budget.Question = c.question
		if c.day >= 0 {
			in.Budget.Reserve = func(n int64) bool {
				if n > left {
					return false
				}
				left -= n
				return true
			}
			in.Budget.Settle = func(n int64) { left -= n }
		}
		got, err := askedModel(t, provider(), ModelOptions{Retries: 1}).Plan(t.Context(), in)
		var over *Overspent
		if errors.As(err, &over) != c.spent || err != nil && !c.spent || got.ModelCalls != c.calls || got.Tokens != 110*c.calls {
			t.Errorf("%s: %v after %d calls and %d tokens", name, err, got.ModelCalls, got.Tokens)
		}
		if c.day >= 0 && left != c.day-int64(got.Tokens) {
			t.Errorf("%s: %d tokens are left of %d", name, left, c.day)
		}
		if c.spent && (over.SQLState() != "53400" || over.Hint() == "" || over.Detail() == "") {
			t.Errorf("%s: %+v", name, over)
		}
	}
}
