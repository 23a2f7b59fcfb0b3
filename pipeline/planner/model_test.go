package planner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/pipeline/index"
	"github.com/pgask/pgask/pipeline/llm"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/stmt"
)

// modelReply is one recorded reply of a provider: an answer given as JSON or
// as bare text, a text repeated, or a status without an answer.
type modelReply struct {
	Answer json.RawMessage `json:"answer"`
	Text   string          `json:"text"`
	Repeat int             `json:"repeat"`
	Status int             `json:"status"`
	Finish string          `json:"finish"`
}

// modelProvider answers with the replies in turn, the last one for ever, and
// keeps the user messages it was sent.
type modelProvider struct {
	mu      sync.Mutex
	replies []modelReply
	users   []string
	system  string
}

func (p *modelProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Messages []struct{ Content string } `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Messages) != 2 {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	reply := p.replies[min(len(p.users), len(p.replies)-1)]
	p.system = body.Messages[0].Content
	p.users = append(p.users, body.Messages[1].Content)
	p.mu.Unlock()
	if reply.Status != 0 {
		w.WriteHeader(reply.Status)
		return
	}
	content := reply.Text
	if reply.Answer != nil {
		content = string(reply.Answer)
	}
	finish := reply.Finish
	if finish == "" {
		finish = "stop"
	}
	text, _ := json.Marshal(content + strings.Repeat("x", reply.Repeat))
	fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%s},"finish_reason":%q}],"usage":{"prompt_tokens":100,"completion_tokens":10}}`, text, finish)
}

// askedModel makes a model planner that asks the provider.
func askedModel(t *testing.T, p *modelProvider, o ModelOptions) *Model {
	t.Helper()
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	client, err := llm.New(llm.Config{BaseURL: s.URL, APIKey: "sk-secret", Model: "small", Prices: map[string]llm.Price{"small": {Prompt: 1, Completion: 1}},
		Sleep: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModel(client, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// modelCase is a file of testdata: a question, what the provider says, and
// what must become of it.
type modelCase struct {
	About    string        `json:"about"`
	Question string        `json:"question"`
	Scoped   bool          `json:"scoped"`
	Columns  []plan.Column `json:"columns"`
	Replies  []modelReply  `json:"replies"`
	Want     struct {
		// State is the SQLSTATE, DECLINED for a planner that declined, or
		// empty for a plan, whose SQL is one statement with these parts.
		State  string   `json:"state"`
		SQL    []string `json:"sql"`
		Detail string   `json:"detail"`
		Words  []string `json:"words"`
		Calls  int      `json:"calls"`
		// Told is what the last attempt was told of the one before.
		Told string `json:"told"`
	} `json:"want"`
}

func TestModelCases(t *testing.T) {
	files, _ := filepath.Glob("testdata/model_case_*.json")
	if len(files) < 15 {
		t.Fatalf("%d cases", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var c modelCase
			if err := json.Unmarshal(text, &c); err != nil {
				t.Fatal(err)
			}
			c.run(t)
		})
	}
}

func (c modelCase) run(t *testing.T) {
	provider := &modelProvider{replies: c.Replies}
	m := askedModel(t, provider, ModelOptions{Retries: 2})
	in := modelInput(t, c.Question)
	if c.Scoped {
		in = scopedInput(t, c.Question)
	}
	in.Columns = c.Columns
	got, err := m.Plan(t.Context(), in)
	c.compare(t, got, err)
	if len(provider.users) < c.Want.Calls {
		t.Fatalf("%d requests", len(provider.users))
	}
	if last := provider.users[len(provider.users)-1]; !strings.Contains(last, c.Want.Told) ||
		c.Want.Told == "" && len(provider.users) == 1 && strings.Contains(last, "[ERRORS]") {
		t.Errorf("the last attempt was told %s", last)
	}
}

func (c modelCase) compare(t *testing.T, got Proposal, err error) {
	t.Helper()
	var (
		state, detail, sql string
		words              []string
		declined           *Declined
		coded              interface {
			SQLState() string
			Detail() string
		}
	)
	switch {
	case errors.As(err, &declined):
		state, words = "DECLINED", declined.Words
	case errors.As(err, &coded):
		state, detail = coded.SQLState(), coded.Detail()
	case err != nil:
		t.Fatal(err)
	default:
		sql = compiled(t, got.Checked)
	}
	if state != c.Want.State || !containsAll(sql, c.Want.SQL) || !slices.Equal(words, c.Want.Words) || !strings.Contains(detail, c.Want.Detail) {
		t.Errorf("got %q %v %q\n%s\n%v", state, words, detail, sql, err)
	}
	if got.ModelCalls != c.Want.Calls {
		t.Errorf("%d calls, want %d", got.ModelCalls, c.Want.Calls)
	}
	for _, word := range []string{"payroll", "sk-secret", "risk_score"} {
		// A name that the model made up is quoted as one that doesn't exist.
		if said := strings.ReplaceAll(fmt.Sprint(err, detail), "there is no table public.payroll", ""); strings.Contains(said, word) {
			t.Errorf("%s betrays %q", said, word)
		}
	}
	if len(got.Steps) == 0 {
		t.Error("no steps")
	}
}

func containsAll(text string, parts []string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(text, p) })
}

func compiled(t *testing.T, c *plan.Checked) string {
	t.Helper()
	sql, err := stmt.Print(plan.Compile(c))
	if err != nil {
		t.Fatal(err)
	}
	if all, err := stmt.Parse(sql, stmt.DefaultLimits()); err != nil || len(all) != 1 {
		t.Errorf("%s is %d statements: %v", sql, len(all), err)
	}
	return sql
}

func TestModelStepsAndCost(t *testing.T) {
	good := json.RawMessage(`{"answerable":true,"missing":null,"plan":{"version":1,"from":{"table":"public.orders","as":"o"},"select":[{"expr":{"aggregate":{"func":"count"}},"as":"orders"}]}}`)
	m := askedModel(t, &modelProvider{replies: []modelReply{{Text: "{"}, {Answer: good}}}, ModelOptions{Retries: 1})
	got, err := m.Plan(t.Context(), modelInput(t, "how many orders"))
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, s := range got.Steps {
		steps = append(steps, s.Stage+": "+s.Outcome)
	}
	want := []string{"retrieve: ok", "render: ok", "model call 1: ok", "validate 1: rejected", "model call 2: ok", "validate 2: ok"}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
	if got.Source != "model" || got.ModelCalls != 2 || got.Cost != (Spend{220, 220}) {
		t.Errorf("%s, %d calls that cost %v", got.Source, got.ModelCalls, got.Cost)
	}
}

// A recorded question is answered again without a provider, retry and all.
func TestModelRecordAndReplay(t *testing.T) {
	good := `{"answerable":true,"missing":null,"plan":{"version":1,"from":{"table":"public.orders","as":"o"},"select":[{"expr":{"aggregate":{"func":"count"}},"as":"orders"}]}}`
	dir := t.TempDir()
	s := httptest.NewServer(&modelProvider{replies: []modelReply{{Text: "{"}, {Text: good}}})
	t.Cleanup(s.Close)
	var hashes []string
	for _, config := range []llm.Config{{BaseURL: s.URL, Model: "small", Record: dir}, {Model: "small", Replay: dir}} {
		client, err := llm.New(config)
		if err != nil {
			t.Fatal(err)
		}
		m, err := NewModel(client, ModelOptions{Retries: 1})
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Plan(t.Context(), modelInput(t, "how many orders"))
		if err != nil || got.ModelCalls != 2 {
			t.Fatalf("%v after %d calls", err, got.ModelCalls)
		}
		hashes = append(hashes, got.Checked.Hash())
	}
	if len(slices.Compact(hashes)) != 1 {
		t.Errorf("the plans are %v", hashes)
	}
	var failed *llm.ProviderError
	if _, err := unasked(t).Plan(t.Context(), modelInput(t, "how many accounts")); !errors.As(err, &failed) || failed.Kind != llm.Unavailable {
		t.Errorf("got %v", err)
	}
}

// Only the faults of the attempt before are told.
func TestModelForgetsOlderFaults(t *testing.T) {
	from := func(table string) modelReply {
		return modelReply{Answer: json.RawMessage(`{"answerable":true,"missing":null,"plan":{"version":1,"from":{"table":"` + table + `"},"select":[{"expr":{"aggregate":{"func":"count"}}}]}}`)}
	}
	provider := &modelProvider{replies: []modelReply{from("first"), from("second"), from("third")}}
	_, err := askedModel(t, provider, ModelOptions{Retries: 2}).Plan(t.Context(), modelInput(t, "how many orders"))
	var failed *PlanningFailed
	if !errors.As(err, &failed) || failed.Attempts != 3 || !strings.Contains(failed.Detail(), "third") {
		t.Fatalf("got %v", err)
	}
	if u := provider.users; strings.Contains(u[0], "[ERRORS]") || !strings.Contains(u[1], "first") ||
		strings.Contains(u[2], "first") || !strings.Contains(u[2], "second") {
		t.Errorf("told %q", u)
	}
}

// A schema that is shown whole is searched for nothing.
func TestModelWholeSchema(t *testing.T) {
	in := modelInput(t, "how many orders")
	in.Near = func(context.Context) []index.Near {
		t.Error("the vectors were searched")
		return nil
	}
	unasked(t).Prompt(t.Context(), in)
}

func TestModelOffForTheRole(t *testing.T) {
	provider := &modelProvider{replies: []modelReply{{Text: "{}"}}}
	in := modelInput(t, "how many orders")
	in.Model = false
	_, err := askedModel(t, provider, ModelOptions{}).Plan(t.Context(), in)
	var declined *Declined
	if !errors.As(err, &declined) || len(provider.users) != 0 {
		t.Errorf("got %v after %d requests", err, len(provider.users))
	}
}

func TestModelCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	client, err := llm.New(llm.Config{BaseURL: s.URL, Model: "small"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModel(client, ModelOptions{Retries: 2})
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Plan(ctx, modelInput(t, "how many orders"))
	if !errors.Is(err, context.Canceled) || got.ModelCalls != 1 {
		t.Errorf("got %v after %d calls", err, got.ModelCalls)
	}
}
