package integration

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestReplayOfSessions plays questions again whose answer hangs on more than their text: a
// hook's word, the answer before, and a choice of a model that is remembered.
func TestReplayOfSessions(t *testing.T) {
	p, h := newProvider(t), newHooks(t)
	f := secondProxy(t, func(text string) string {
		settings := fmt.Sprintf("order: [curated, builtin, model], retries: 0}\nhooks: {timeout: 2s, plan_after: [%q]}\ntraces: {dir: traces, mode: always", h.URL)
		return strings.Replace(text, demoPlanner, settings, 1) +
			fmt.Sprintf("\nllm: {base_url: %q, model: scripted, timeout: 5s}\n", p.URL+"/v1")
	})
	dir := filepath.Join(filepath.Dir(f.Config), "traces")
	ana := f.Connect(t, "ana")
	again := func(ask string) string {
		t.Helper()
		table(t, ana, ask)
		id := lastRequest(t, ana)
		waitFor(t, func() bool { return readTrace(t, dir, id).Rows != nil })
		if out, err := f.command("trace", "replay", id); err != nil || !strings.Contains(out, "the same comes of it") {
			t.Errorf("%s: %v\n%s", ask, err, out)
		}
		return id
	}
	again("ASK 'orders by status'")
	id := again("ASK MORE 'only EMEA'")
	if got := readTrace(t, dir, id); got.Last == nil || got.Last.Question != "orders by status" || len(got.Last.Plan) == 0 {
		t.Errorf("the trace of a follow-up: %+v", got.Last)
	}

	h.say(`{"decision":"modify","plan":`+accountsByRegion+`}`, "")
	id = again("ASK 'how many accounts'")
	h.say(`{"decision":"deny","reason":"not today"}`, "")
	differs(t, f, id, "PA010")
	h.say("", "")

	p.script(choosing("top_products", "n", "4"))
	const chosen = "ASK 'the four products with the most revenue of all'"
	again(chosen)
	id = again(chosen)
	if calls := readTrace(t, dir, id).Calls; len(calls) != 1 || calls[0].Task != "matcher" || calls[0].PromptTokens != 0 || source(t, ana) != "curated 0" {
		t.Errorf("a remembered choice: %+v by %s", calls, source(t, ana))
	}
}
