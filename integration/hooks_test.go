package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// hooks is a server that answers as a test says, and keeps what it was told.
type hooks struct {
	*httptest.Server
	mu     sync.Mutex
	reply  map[string]string // by the event's hook
	events []map[string]any
	texts  strings.Builder
}

func newHooks(t *testing.T) *hooks {
	h := &hooks{reply: map[string]string{}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var e map[string]any
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			t.Error(err)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.events = append(h.events, e)
		text, _ := json.Marshal(e)
		h.texts.Write(text)
		reply := h.reply[e["hook"].(string)]
		switch reply {
		case "":
			reply = `{"decision":"allow"}`
		case "hang":
			h.mu.Unlock()
			<-r.Context().Done()
			h.mu.Lock()
		}
		_, _ = w.Write([]byte(reply))
	}))
	t.Cleanup(h.Close)
	return h
}

// say sets the replies and forgets the events.
func (h *hooks) say(planAfter, sqlBefore string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reply, h.events = map[string]string{"plan.after": planAfter, "sql.before": sqlBefore}, nil
}

func (h *hooks) heard() []map[string]any {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.events)
}

func TestHooks(t *testing.T) {
	h, p := newHooks(t), newProvider(t)
	settings := fmt.Sprintf("order: [curated, cache, builtin, model], retries: 3, cache: true}\nhooks: {timeout: 2s, plan_after: [%q], sql_before: [%q]", h.URL+"/?token=s3cret", h.URL)
	f := withPlanner(t, p, settings)
	ana, direct := f.Connect(t, "ana"), f.Direct(t)
	byStatus := sorted(table(t, direct, "SELECT status, count(*) FROM orders WHERE tenant_id = 1 GROUP BY status"))
	byRegion := table(t, direct, "SELECT region, count(*) FROM accounts WHERE tenant_id = 1 GROUP BY region ORDER BY region")

	h.say("", "")
	if got := sorted(table(t, ana, "ASK 'orders by status'")); !slices.Equal(got, byStatus) {
		t.Errorf("allowed: %v", got)
	}
	heard := h.heard()
	if len(heard) != 2 || heard[0]["hook"] != "plan.after" || heard[0]["plan"] == nil || heard[1]["sql"] == "" || heard[1]["user"] != "ana" ||
		heard[1]["source"] != "builtin" || heard[0]["question"] != "orders by status" {
		t.Errorf("heard %v", heard)
	}
	table(t, ana, "SELECT count(*) FROM orders")
	if n := len(h.heard()); n != 2 {
		t.Errorf("SQL of a person's own is asked about: %d events", n)
	}

	// A plan that is changed is validated, and authorized, again.
	h.say(`{"decision":"modify","plan":`+accountsByRegion+`}`, "")
	if got := table(t, ana, "ASK 'orders by status'"); !slices.Equal(got, byRegion) {
		t.Errorf("another plan: %v", got)
	}
	if last := table(t, ana, "SHOW pgask.last")[0]; !strings.Contains(last, "the plan was changed by a hook") {
		t.Errorf("receipt %s", last)
	}
	h.say("", `{"decision":"modify","sql":"SELECT region, count(*) FROM accounts GROUP BY region ORDER BY region"}`)
	for _, sql := range []string{"ASK 'orders by status'", "SELECT * FROM ask('orders by status') AS a"} {
		if got := table(t, ana, sql); !slices.Equal(got, byRegion) {
			t.Errorf("%s by other SQL: %v", sql, got)
		}
		if last := receipt(t, ana)["annotations"]; !strings.Contains(last, `"completeness":"unknown"`) {
			t.Errorf("%s by other SQL: %s", sql, last)
		}
	}
	if got := table(t, ana, "ASK SQL 'orders by status'"); !strings.Contains(got[0], "tenant_id = 1") || !strings.Contains(got[0], "region") {
		t.Errorf("what would run: %s", got[0])
	}
	for name, c := range map[string]struct{ plan, sql, state, detail string }{
		"deny":              {`{"decision":"deny","reason":"not on Sundays"}`, "", "PA010", "HOOK_DENIED"},
		"deny SQL":          {"", `{"decision":"deny"}`, "PA010", "HOOK_DENIED"},
		"hang":              {"", "hang", "PA010", "HOOK_FAILED: no reply within 2s"},
		"nonsense":          {"sure", "", "PA010", "HOOK_FAILED"},
		"a forbidden table": {`{"decision":"modify","plan":` + forbiddenTable + `}`, "", "PA010", "HOOK_FAILED"},
		"no plan":           {`{"decision":"modify"}`, "", "PA010", "HOOK_FAILED"},
		"forbidden SQL":     {"", `{"decision":"modify","sql":"SELECT * FROM payroll"}`, "42501", ""},
		"a hidden column":   {"", `{"decision":"modify","sql":"SELECT tax_id FROM accounts"}`, "42501", ""},
		"a write":           {"", `{"decision":"modify","sql":"DELETE FROM accounts"}`, "PA010", "HOOK_FAILED"},
		"two statements":    {"", `{"decision":"modify","sql":"SELECT 1; SELECT 2"}`, "PA010", "HOOK_FAILED"},
		"a question":        {"", `{"decision":"modify","sql":"ASK 'orders by status'"}`, "PA010", "HOOK_FAILED"},
		"a question inside": {"", `{"decision":"modify","sql":"SELECT * FROM ask('orders by status') a"}`, "PA010", "HOOK_FAILED"},
	} {
		h.say(c.plan, c.sql)
		e := failure(t, ana, "ASK 'orders by status'")
		if e.Code != c.state || !strings.HasPrefix(e.Detail, c.detail) || strings.Contains(e.Detail, "payroll") {
			t.Errorf("%s: %s %s, %s", name, e.Code, e.Message, e.Detail)
		}
		if n := len(h.heard()); n > 2 {
			t.Errorf("%s: asked again, %d events", name, n)
		}
	}

	// The model isn't asked again after a refusal, and the cache keeps the model's own plan.
	const question = "ASK 'how do our accounts spread over regions'"
	p.script(planned(accountsByRegion), planned(accountsByRegion))
	h.say(`{"decision":"deny","reason":"no"}`, "")
	if e := failure(t, ana, question); e.Code != "PA010" || len(p.prompts()) != 1 {
		t.Errorf("%s after %d calls", e.Code, len(p.prompts()))
	}
	h.say(`{"decision":"modify","plan":`+strings.Replace(accountsByRegion, `"order_by"`, `"limit":1,"order_by"`, 1)+`}`, "")
	if got := table(t, ana, question); len(got) != 1 || source(t, ana) != "model 1" {
		t.Errorf("%v by %s", got, source(t, ana))
	}
	h.say("", "")
	if got := table(t, ana, question); !slices.Equal(got, byRegion) || source(t, ana) != "cache 0" {
		t.Errorf("%v by %s", got, source(t, ana))
	}
	for _, secret := range []string{"s3cret", "top-secret-key", "tenant_id = 1", `"attributes"`} {
		if strings.Contains(h.texts.String(), secret) {
			t.Errorf("a hook was told %s", secret)
		}
	}
	if strings.Contains(f.Proxy.log.String(), "s3cret") {
		t.Error("the log holds a hook's token")
	}
}
