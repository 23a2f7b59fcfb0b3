package planner

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestFlatSchema has a plan come as a text, from providers that refuse a recursive schema:
// it is decoded as strictly, and a retry is told its faults. Without it a plan in a text
// counts all the same.
func TestFlatSchema(t *testing.T) {
	var answer struct{ Plan json.RawMessage }
	if err := json.Unmarshal([]byte(countsOrders), &answer); err != nil {
		t.Fatal(err)
	}
	reply := func(plan string) modelReply {
		text, err := json.Marshal(map[string]any{"answerable": true, "missing": nil, "plan": plan})
		if err != nil {
			t.Fatal(err)
		}
		return modelReply{Text: string(text)}
	}
	unknown := strings.Replace(string(answer.Plan), `"version"`, `"sql":"DROP","version"`, 1)
	for _, flat := range []bool{false, true} {
		provider := &modelProvider{replies: []modelReply{reply("no JSON"), reply(unknown), reply(string(answer.Plan))}}
		m := askedModel(t, provider, ModelOptions{Retries: 2, FlatSchema: flat})
		got, err := m.Plan(t.Context(), modelInput(t, "how many orders"))
		if err != nil || got.ModelCalls != 3 || got.Checked.Plan().From.Table != "public.orders" {
			t.Errorf("flat %v: %+v, %v", flat, got, err)
		}
		if !strings.Contains(provider.users[1], "INVALID_JSON") || !strings.Contains(provider.users[2], "UNKNOWN_KEY") {
			t.Errorf("flat %v: the retries were told %q", flat, provider.users[1:])
		}
		if says := strings.Contains(provider.system, `"plan" is a string here`); says != flat {
			t.Errorf("flat %v: the system message says so: %v", flat, says)
		}
		if recursive := strings.Contains(string(m.schema), `"$ref"`); recursive == flat {
			t.Errorf("flat %v: the schema is recursive: %v", flat, recursive)
		}
	}
	provider := &modelProvider{replies: []modelReply{{Text: `{"answerable":false,"missing":"orders","plan":null}`}}}
	if _, err := askedModel(t, provider, ModelOptions{FlatSchema: true}).Plan(t.Context(), modelInput(t, "how many orders")); err == nil {
		t.Error("a model that finds no answer gave one")
	}
}
