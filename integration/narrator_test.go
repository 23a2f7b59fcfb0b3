package integration

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sentences is a narrator's reply.
func sentences(said ...string) func(http.ResponseWriter) {
	text, _ := json.Marshal(map[string]any{"sentences": said})
	return func(w http.ResponseWriter) { _, _ = w.Write([]byte(chatReply(string(text)))) }
}

// withNarrator runs a second pgask whose answers a model at the address tells.
func withNarrator(t *testing.T, address string) *fixture {
	t.Helper()
	return secondProxy(t, func(text string) string {
		return text + fmt.Sprintf("\nllm: {base_url: %q, api_key: top-secret-key, model: other, routing: {narrator: teller}, timeout: 20s}\ntraces: {dir: traces, mode: always}\n", address+"/v1")
	})
}

// TestNarrator: what a model says of an answer is checked against its rows, and no
// qualifier can be left out; where it fails the template tells.
func TestNarrator(t *testing.T) {
	p := newProvider(t)
	f := withNarrator(t, p.URL)
	ana := f.Connect(t, "ana")
	const ask = "ASK NARRATE 'orders by region'"
	const note = "\nNote: within what you may see: public.accounts, public.orders"
	rows := table(t, f.Direct(t), "SELECT a.region, count(*) FROM orders o JOIN accounts a ON a.id = o.account_id WHERE o.tenant_id = 1 GROUP BY 1 ORDER BY 2 DESC")
	most := strings.Split(rows[0], " | ")
	true1 := most[0] + " has the most orders: " + commas(most[1]) + "."
	template := table(t, f.Connect(t, "bot"), ask)[0] // model: off
	if len(p.prompts()) != 0 || !strings.HasSuffix(template, note) {
		t.Fatalf("without a model: %q after %d calls", template, len(p.prompts()))
	}
	words := strings.TrimSuffix(template, note)
	for name, c := range map[string]struct {
		reply func(http.ResponseWriter)
		want  string
		told  string
	}{
		"qualifiers dropped": {sentences(true1, "There are three regions."), true1 + " There are three regions." + note, "model"},
		"a false number":     {sentences(true1, "All together there are 99,999,999 orders."), true1 + " " + words + note, "model, 1 of 2 sentences replaced"},
		"nothing true":       {sentences("There are 99,999,999 orders.", "Some 88,888,888 are old."), words + note, "model, 2 of 2 sentences replaced"},
		"the qualifier said": {sentences(true1 + " This is within what you may see: public.accounts, public.orders."), true1 + " This is within what you may see: public.accounts, public.orders.", "model"},
		"a link":             {sentences("Read http://192.0.2.1/orders for more."), words + note, "model, 1 of 1 sentences replaced"},
		"no sentences":       {func(w http.ResponseWriter) { _, _ = w.Write([]byte(chatReply("hello"))) }, template + "\nNote: told without a model: the reply isn't sentences", "template: the reply isn't sentences"},
		"wrong key":          {status(401), template + "\nNote: told without a model: PROVIDER_AUTH", "template: PROVIDER_AUTH"},
	} {
		p.script(c.reply)
		if got := table(t, ana, ask)[0]; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		last := receipt(t, ana)
		if last["model_calls"] != "1" || last["source"] != "builtin" || last["verdict"] != "allowed" {
			t.Errorf("%s: receipt %v", name, last)
		}
		waitFor(t, func() bool {
			text, _ := os.ReadFile(filepath.Join(filepath.Dir(f.Config), "traces", last["request_id"]+".json"))
			return strings.Contains(string(text), fmt.Sprintf("%q", c.told))
		})
		text, err := os.ReadFile(filepath.Join(filepath.Dir(f.Config), "traces", last["request_id"]+".json"))
		if err != nil || strings.Contains(string(text), most[1]) {
			t.Errorf("%s: the trace holds a row: %s, %v", name, text, err)
		}
	}
	prompt := strings.Join(p.prompts(), "")
	for _, part := range []string{"teller", "orders by region", most[0], most[1], "within what you may see"} {
		if !strings.Contains(prompt, part) {
			t.Errorf("the prompt lacks %q: %s", part, prompt)
		}
	}
	// The names of accounts aren't shown to models; the template shows them to ana.
	const top = "ASK NARRATE 'top 3 accounts by revenue'"
	names := table(t, ana, "ASK 'top 3 accounts by revenue'")
	p.script(sentences("There are three."))
	table(t, ana, top)
	name, figure, _ := strings.Cut(names[0], " | ")
	if prompt := strings.Join(p.prompts(), ""); strings.Contains(prompt, name) || !strings.Contains(prompt, figure) {
		t.Errorf("a prompt about %q: %s", names, prompt)
	}
	p.script()
	table(t, ana, "ASK CHART 'orders by region'")
	table(t, ana, "ASK 'orders by region'")
	if n := len(p.prompts()); n != 0 {
		t.Errorf("%d calls for a chart and rows", n)
	}
}

// TestNarratorCancelled: a client that doesn't want to wait for a model gets the
// template's words, and its session goes on.
func TestNarratorCancelled(t *testing.T) {
	asked := make(chan struct{}, 1)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else nobody notices that the client has left
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	f := withNarrator(t, slow.URL)
	ana := f.Connect(t, "ana")
	table(t, ana, "BEGIN")
	cancelled := make(chan error, 1)
	go func() {
		<-asked
		cancelled <- ana.PgConn().CancelRequest(t.Context())
	}()
	got := table(t, ana, "ASK NARRATE 'how many orders'")
	if err := <-cancelled; err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got[0], "There are ") || !strings.HasSuffix(got[0], "\nNote: told without a model: cancelled") {
		t.Errorf("%q", got)
	}
	if got := table(t, ana, "SELECT 'on'"); got[0] != "on" {
		t.Errorf("afterwards: %q", got)
	}
	table(t, ana, "COMMIT")
}

// TestNarratorOfNobody: what a model has cost that told an answer to a client who has left
// is counted.
func TestNarratorOfNobody(t *testing.T) {
	asked := make(chan struct{}, 1)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	f := withNarrator(t, slow.URL)
	ana := f.Connect(t, "ana")
	go func() {
		<-asked
		_ = ana.PgConn().Conn().Close()
	}()
	if _, err := ana.Exec(t.Context(), "ASK NARRATE 'how many orders'"); err == nil {
		t.Error("a client who has left has an answer")
	}
	waitFor(t, func() bool { return regexp.MustCompile(`\npgask_model_tokens_total [1-9]`).MatchString(metrics(t, f)) })
}

// TestNarratorHearsNothingHidden: no model is told of a column that is hidden from models,
// not even how many values it has, nor what SQL of a hook gives under a plan's names.
func TestNarratorHearsNothingHidden(t *testing.T) {
	p, h := newProvider(t), newHooks(t)
	f := unstarted(t, func(text string) string {
		return text + fmt.Sprintf("\nllm: {base_url: %q, model: other, routing: {narrator: teller}}\nhooks: {timeout: 20s, sql_before: [%q]}\n", p.URL+"/v1", h.URL)
	})
	edit(t, filepath.Join(filepath.Dir(f.Config), "semantic.yaml"), func(text string) string {
		return strings.Replace(text, "      segment: {", "      segment: {llm: hidden, ", 1)
	})
	var err error
	if f.Proxy, err = startServe(f.Config, f.Proxy.addr); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Proxy.stop(); err != nil {
			t.Error(err)
		}
	})
	ana := f.Connect(t, "ana")
	for ask, sql := range map[string]string{
		`ASK NARRATE 'segments' USING PLAN '{"version":1,"from":{"table":"public.accounts"},"select":[{"expr":{"aggregate":{"func":"count","distinct":true,"arg":{"column":"segment"}}},"as":"segments"}]}'`: "",
		"ASK NARRATE 'orders by status'": `{"decision":"modify","sql":"SELECT name AS status, count(*) AS orders FROM accounts GROUP BY 1 LIMIT 3"}`,
	} {
		h.say("", sql)
		if got := table(t, ana, ask)[0]; len(p.prompts()) != 0 || strings.Contains(got, "told without a model") {
			t.Errorf("%s: %q by %q", ask, got, p.prompts())
		}
	}
}
