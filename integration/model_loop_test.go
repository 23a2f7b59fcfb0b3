package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// replied is a reply of the provider with any content.
func replied(content string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": content}}},
			"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 20},
		})
	}
}

// withLoop runs a second pgask whose questions all go to the provider, with prices by
// which each reply costs 0.0201, and further limits of analysts.
func withLoop(t *testing.T, p *provider, planner, limits string) *fixture {
	t.Helper()
	f := unstarted(t, func(text string) string {
		return strings.Replace(text, demoPlanner, "order: [model], "+planner, 1) +
			fmt.Sprintf("\nllm: {base_url: %q, model: scripted, timeout: 5s, routing: {refiner: adviser}, prices: {scripted: {prompt: 1, completion: 1000}, adviser: {prompt: 1, completion: 1000}}}\n", p.URL+"/v1")
	})
	edit(t, filepath.Join(filepath.Dir(f.Config), "policy.yaml"), func(text string) string {
		return strings.Replace(text, "limits: {rows: 1000,", "limits: {"+limits+"rows: 1000,", 1)
	})
	serve(t, f)
	return f
}

// TestBudgets refuses calls of a model that would go past what a role may cost, in
// tokens and in money, of a question and of a day; answers without a model go on, and
// the metrics say what was spent.
func TestBudgets(t *testing.T) {
	p := newProvider(t)
	for _, c := range []struct{ limits, says string }{
		{"question_cost: 0.025, ", "the question would cost more than the 0.025 that it may"},
		{"question_tokens: 120, ", "the question would cost more than the 120 tokens that it may"},
		{"daily_cost: 0.025, ", "what your questions may cost today is used up"},
		{"daily_tokens: 120, ", "your tokens for today are used up"},
	} {
		t.Run(c.limits, func(t *testing.T) {
			f := withLoop(t, p, "retries: 3", c.limits)
			ana, finn := f.Connect(t, "ana"), f.Connect(t, "finn")
			p.script(planned(unknownColumn), planned(accountsByRegion))
			e := failure(t, ana, "ASK 'how do our accounts spread over regions'")
			if e.Code != "53400" || e.Message != c.says || e.Hint == "" || !strings.Contains(e.Detail, "another is needed") {
				t.Errorf("%s: %s %s (%s, %s)", c.limits, e.Code, e.Message, e.Detail, e.Hint)
			}
			calls := len(p.prompts())
			if want := map[bool]int{true: 1, false: 0}[strings.Contains(c.limits, "cost")]; calls != want {
				t.Errorf("%d calls were made, want %d", calls, want)
			}
			if got := table(t, ana, "SELECT 1"); !slices.Equal(got, []string{"1"}) {
				t.Errorf("the session is no good: %v", got)
			}
			p.script(planned(accountsByRegion)) // another role has no limit
			table(t, finn, "ASK 'how do our accounts spread over regions'")
			want := fmt.Sprintf("\npgask_model_cost_total %g\n", 0.0201*float64(calls+1))
			if text := metrics(t, f); !strings.Contains(text, want) {
				t.Errorf("metrics lack %q", want)
			}
		})
	}
}

// TestRefiner has another model say what to mend, and the retry be told of it.
func TestRefiner(t *testing.T) {
	p := newProvider(t)
	f := withLoop(t, p, "retries: 2, refine: true", "")
	ana := f.Connect(t, "ana")
	p.script(planned(unknownColumn), replied(`{"advice":["select accounts.region, there is no colour"]}`), planned(accountsByRegion))
	want := table(t, f.Direct(t), "SELECT region, count(*) FROM accounts WHERE tenant_id = 1 GROUP BY region ORDER BY region")
	if got := table(t, ana, "ASK 'how do our accounts spread over colours'"); !slices.Equal(got, want) || source(t, ana) != "model 3" {
		t.Errorf("%v by %s", got, source(t, ana))
	}
	prompts := p.prompts()
	if len(prompts) != 3 || !strings.Contains(prompts[1], `"model":"adviser"`) || !strings.Contains(prompts[1], "colour") || !strings.Contains(prompts[2], "[ADVICE]") || !strings.Contains(prompts[2], "there is no colour") {
		t.Errorf("the model was asked %d times, or isn't told the advice", len(prompts))
	}
	p.script(planned(unknownColumn), status(500), status(500), status(500), planned(accountsByRegion))
	if got := table(t, ana, "ASK 'how do our accounts spread over colours today'"); !slices.Equal(got, want) {
		t.Errorf("without advice: %v", got)
	}
}

// TestOpinions demands that more than half of three plans are the same one.
func TestOpinions(t *testing.T) {
	p := newProvider(t)
	f := withLoop(t, p, "retries: 0, opinions: 3", "")
	ana := f.Connect(t, "ana")
	other := strings.Replace(accountsByRegion, "accounts.region", "accounts.segment", 1)
	other = strings.Replace(other, `"item":"region"`, `"item":"segment"`, 1)
	third := strings.Replace(accountsByRegion, `"from"`, `"where":{"op":{"op":"=","args":[{"column":"accounts.segment"},{"literal":{"value":"smb"}}]}},"from"`, 1)
	p.script(planned(other), planned(accountsByRegion), planned(accountsByRegion))
	want := table(t, f.Direct(t), "SELECT region, count(*) FROM accounts WHERE tenant_id = 1 GROUP BY region ORDER BY region")
	if got := table(t, ana, "ASK 'how do our accounts spread'"); !slices.Equal(got, want) || source(t, ana) != "model 3" {
		t.Errorf("%v by %s", got, source(t, ana))
	}
	p.script(planned(other), planned(accountsByRegion), planned(third))
	if e := failure(t, ana, "ASK 'how do our accounts spread out'"); e.Code != "PA008" || !strings.Contains(e.Detail, "OPINIONS_DISAGREE") || e.Hint == "" {
		t.Errorf("%s %s (%s)", e.Code, e.Message, e.Detail)
	}
}

// TestOpinionsByResult lets two different plans agree that give the asker the same rows,
// and runs nothing for those forms of ASK that don't.
func TestOpinionsByResult(t *testing.T) {
	p := newProvider(t)
	f := withLoop(t, p, "retries: 0, opinions: 3, agree: result", "")
	ana := f.Connect(t, "ana")
	alike := strings.Replace(accountsByRegion, `{"func":"count"}`, `{"func":"count","arg":{"column":"accounts.id"}}`, 1)
	other := strings.Replace(accountsByRegion, `"from"`, `"where":{"op":{"op":"=","args":[{"column":"accounts.segment"},{"literal":{"value":"smb"}}]}},"from"`, 1)
	want := table(t, f.Direct(t), "SELECT region, count(*) FROM accounts WHERE tenant_id = 1 GROUP BY region ORDER BY region")
	p.script(planned(other), planned(accountsByRegion), planned(alike))
	if got := table(t, ana, "ASK 'how do our accounts spread'"); !slices.Equal(got, want) || source(t, ana) != "model 3" {
		t.Errorf("%v by %s", got, source(t, ana))
	}
	p.script(planned(other), planned(accountsByRegion), planned(alike))
	if got := table(t, ana, "ASK NARRATE 'how do our accounts spread about'"); len(got) != 1 || !strings.Contains(got[0], " by region: ") {
		t.Errorf("in words: %v", got)
	}
	p.script(planned(other), planned(accountsByRegion), planned(failingPlan))
	if e := failure(t, ana, "ASK 'how do our accounts spread out'"); e.Code != "PA008" {
		t.Errorf("%s %s", e.Code, e.Message)
	}
	p.script(planned(other), planned(accountsByRegion), planned(alike))
	if e := failure(t, ana, "ASK SQL 'how do our accounts spread over there'"); e.Code != "PA008" {
		t.Errorf("what would run: %s %s", e.Code, e.Message)
	}
}

// TestReplySchema sends providers the schema that llm.schema says.
func TestReplySchema(t *testing.T) {
	text, err := json.Marshal(accountsByRegion)
	if err != nil {
		t.Fatal(err)
	}
	for schema, reply := range map[string]func(http.ResponseWriter){
		"flat": replied(`{"answerable":true,"missing":null,"plan":` + string(text) + `}`),
		"none": planned(accountsByRegion),
	} {
		p := newProvider(t)
		f := secondProxy(t, func(text string) string {
			return strings.Replace(text, demoPlanner, "order: [model], retries: 0", 1) +
				fmt.Sprintf("\nllm: {base_url: %q, model: scripted, schema: %s}\n", p.URL+"/v1", schema)
		})
		p.script(reply)
		table(t, f.Connect(t, "ana"), "ASK 'how do our accounts spread over regions'")
		var sent struct {
			Format *struct {
				Schema struct{ Schema map[string]any } `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.Unmarshal([]byte(p.prompts()[0]), &sent); err != nil {
			t.Fatal(err)
		}
		if schema == "none" && sent.Format != nil || schema == "flat" && (sent.Format == nil || sent.Format.Schema.Schema["$defs"] != nil || sent.Format.Schema.Schema["properties"] == nil) {
			t.Errorf("%s: %+v", schema, sent.Format)
		}
	}
}
