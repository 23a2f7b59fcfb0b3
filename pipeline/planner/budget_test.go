package planner

import (
	"errors"
	"testing"
)

// TestBudget ends questions that would cost too much, before the call that would. A token
// costs as many millionths as it counts.
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
		for _, inMoney := range []bool{false, true} {
			in, left := free, Spend{Tokens: c.day, Money: 1 << 40}
			limit := Spend{Tokens: c.question}
			if inMoney {
				left, limit = Spend{Tokens: 1 << 40, Money: c.day}, Spend{Money: c.question}
			}
			in.Budget = &Budget{Question: limit}
			before := left
			if c.day >= 0 {
				in.Budget.Reserve = func(s Spend) *Overspent {
					if s.Tokens > left.Tokens || s.Money > left.Money {
						return &Overspent{Day: true, Money: inMoney}
					}
					left = left.minus(s)
					return nil
				}
				in.Budget.Settle = func(s Spend) { left = left.minus(s) }
			}
			got, err := askedModel(t, provider(), ModelOptions{Retries: 1}).Plan(t.Context(), in)
			var over *Overspent
			if cost := int64(110 * c.calls); errors.As(err, &over) != c.spent || err != nil && !c.spent || got.ModelCalls != c.calls || got.Cost != (Spend{cost, cost}) {
				t.Errorf("%s: %v after %d calls that cost %v", name, err, got.ModelCalls, got.Cost)
			}
			if c.day >= 0 && left != before.minus(got.Cost) {
				t.Errorf("%s: %v are left of %v", name, left, before)
			}
			if c.spent && (over.SQLState() != "53400" || over.Hint() == "" || over.Detail() == "" || over.Money != inMoney || over.Spent != got.Cost) {
				t.Errorf("%s: %+v", name, over)
			}
		}
	}
}

// TestBudgetOfSeveralPlanners counts all calls of a question, whoever made them.
func TestBudgetOfSeveralPlanners(t *testing.T) {
	in := modelInput(t, "how many orders")
	system, user := unasked(t).Prompt(t.Context(), in)
	in.Budget = &Budget{Question: Spend{Tokens: int64(len(system)+len(user))/bytesOfToken + 50}}
	model := askedModel(t, &modelProvider{replies: []modelReply{{Text: countsOrders}, {Text: countsOrders}}}, ModelOptions{})
	if _, err := model.Plan(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	var over *Overspent
	if _, err := model.Plan(t.Context(), in); !errors.As(err, &over) || over.Spent.Tokens != 110 {
		t.Errorf("the second planner: %v", err)
	}
}

func TestOverspent(t *testing.T) {
	for want, e := range map[string]*Overspent{
		"the question would cost more than the 500 tokens that it may": {Limit: 500},
		"the question would cost more than the 0.05 that it may":       {Limit: 50_000, Money: true},
		"your tokens for today are used up":                            {Limit: 500, Day: true},
		"what your questions may cost today is used up":                {Limit: 500, Day: true, Money: true},
	} {
		if e.Error() != want {
			t.Errorf("%q, want %q", e.Error(), want)
		}
	}
	e := &Overspent{Money: true, Spent: Spend{Tokens: 7, Money: 1_250_000}}
	if want := "The question's calls of a model took 7 tokens, which cost 1.25, and another is needed."; e.Detail() != want {
		t.Errorf("%q, want %q", e.Detail(), want)
	}
}
