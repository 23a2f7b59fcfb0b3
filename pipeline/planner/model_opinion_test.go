package planner

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pgask/pgask/pipeline/plan"
)

// TestOpinions wants more than half of a model's plans to be the same one, whatever
// else it says, and no call that can't change the outcome.
func TestOpinions(t *testing.T) {
	other := strings.Replace(countsOrders, "orders", "accounts", 1)
	third := strings.Replace(countsOrders, `{"func":"count"}`, `{"func":"max","arg":{"column":"o.id"}}`, 1)
	none := `{"answerable":false,"missing":"orders","plan":null}`
	renamed := strings.Replace(countsOrders, `"plan":{`, `"plan":{"reasoning":"in other words",`, 1)
	for name, c := range map[string]struct {
		opinions int
		replies  []string
		state    string
		from     string // the table that is counted
		calls    int
	}{
		"one":                    {1, []string{countsOrders, other}, "", "orders", 1},
		"two agree":              {2, []string{countsOrders, renamed}, "", "orders", 2},
		"two don't":              {2, []string{countsOrders, other}, "PA008", "", 2},
		"the first two of three": {3, []string{countsOrders, renamed, other}, "", "orders", 2},
		"the last two of three":  {3, []string{other, countsOrders, renamed}, "", "orders", 3},
		"three differ":           {3, []string{other, countsOrders, third}, "PA008", "", 3},
		"one is no plan":         {3, []string{countsOrders, "{", countsOrders}, "", "orders", 3},
		"two are no plans":       {3, []string{countsOrders, none, "{", countsOrders}, "PA008", "", 3},
		"hopeless":               {5, []string{countsOrders, none, none, none, countsOrders}, "PA008", "", 4},
	} {
		provider := &modelProvider{}
		for _, r := range c.replies {
			provider.replies = append(provider.replies, modelReply{Text: r})
		}
		got, err := askedModel(t, provider, ModelOptions{Opinions: c.opinions}).Plan(t.Context(), modelInput(t, "how many orders"))
		state := ""
		if abstained, ok := errors.AsType[*Abstained](err); ok {
			state = abstained.SQLState()
			if lines := strings.Split(abstained.Detail(), "\n"); lines[len(lines)-1] != `{"code":"OPINIONS_DISAGREE","path":"","repair":null}` {
				t.Errorf("%s: detail %s", name, abstained.Detail())
			}
		}
		if state != c.state || (err == nil) != (c.state == "") || got.ModelCalls != c.calls {
			t.Errorf("%s: %v after %d calls", name, err, got.ModelCalls)
			continue
		}
		if err == nil && (got.Checked.Plan().From.Table != "public."+c.from || got.Made == nil) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestOpinionWithoutProvider fails the question: an opinion that can't be had isn't one.
func TestOpinionWithoutProvider(t *testing.T) {
	provider := &modelProvider{replies: []modelReply{{Text: countsOrders}, {Status: 401}}}
	_, err := askedModel(t, provider, ModelOptions{Opinions: 2}).Plan(t.Context(), modelInput(t, "how many orders"))
	if coded, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); !ok || coded.SQLState() != "PA009" {
		t.Errorf("got %v", err)
	}
}

// TestOpinionsByResult lets plans agree that give the same, where they were run; what
// can't be run or compared agrees with the same plan only. Nothing runs twice, nor where
// plans are the same.
func TestOpinionsByResult(t *testing.T) {
	other := strings.Replace(countsOrders, "orders", "accounts", 1)
	third := strings.Replace(countsOrders, `{"func":"count"}`, `{"func":"max","arg":{"column":"o.id"}}`, 1)
	for name, c := range map[string]struct {
		replies []string
		results map[string]string // by the table or aggregate
		from    string            // the table of the first that won; empty for none
		ran     int
	}{
		"the same plan":         {[]string{countsOrders, countsOrders}, nil, "orders", 0},
		"the same rows":         {[]string{countsOrders, other}, map[string]string{"orders": "5", "accounts": "5"}, "orders", 2},
		"other rows":            {[]string{countsOrders, other, third}, map[string]string{"orders": "5", "accounts": "6", "max": "7"}, "", 3},
		"the last two":          {[]string{countsOrders, other, third}, map[string]string{"orders": "5", "accounts": "6", "max": "6"}, "accounts", 3},
		"one can't be compared": {[]string{countsOrders, other, third}, map[string]string{"accounts": "6", "max": "6"}, "accounts", 3},
		"none can":              {[]string{countsOrders, other, third}, nil, "", 2},
	} {
		provider := &modelProvider{}
		for _, r := range c.replies {
			provider.replies = append(provider.replies, modelReply{Text: r})
		}
		ran := 0
		in := modelInput(t, "how many orders")
		in.Result = func(_ context.Context, checked *plan.Checked) (string, error) {
			ran++
			of := strings.TrimPrefix(checked.Plan().From.Table, "public.")
			if checked.Plan().Select[0].Expr.Aggregate.Func == "max" {
				of = "max"
			}
			if c.results[of] == "" {
				return "", errors.New("too large")
			}
			return c.results[of], nil
		}
		got, err := askedModel(t, provider, ModelOptions{Opinions: 3, ByResult: true}).Plan(t.Context(), in)
		if (err == nil) != (c.from != "") || err == nil && got.Checked.Plan().From.Table != "public."+c.from || ran != c.ran {
			t.Errorf("%s: %v after %d results", name, err, ran)
		}
	}
}
