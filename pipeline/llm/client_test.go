package llm

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
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	secret = "sk-very-secret"
	asked  = "what does the payroll say"
)

// provider starts a server that speaks the API by the handler alone.
func provider(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// client makes a client of a server, without pauses between retries.
func client(t *testing.T, s *httptest.Server, change func(*Config)) *Client {
	t.Helper()
	own := &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	c := Config{BaseURL: s.URL + "/v1", APIKey: secret, Model: "small",
		HTTP:  &http.Client{Transport: own},
		Sleep: func(context.Context, time.Duration) error { return nil }}
	if change != nil {
		change(&c)
	}
	out, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func envelope(content string) string {
	text, _ := json.Marshal(content)
	return fmt.Sprintf(`{"id":"1","object":"chat.completion","model":"small","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}`, text)
}

var request = Request{Task: "planner", System: "you plan", User: asked, SchemaName: "answer",
	Schema: json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`)}

func TestCompleteSpeaksTheAPI(t *testing.T) {
	var got map[string]any
	s := provider(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("%s %s with %q", r.Method, r.URL.Path, r.Header.Get("Authorization"))
		}
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), `"temperature":0,`) {
			t.Errorf("temperature is not spelled 0 in %s", body)
		}
		if err := json.Unmarshal(body, &got); err != nil {
			t.Error(err)
		}
		io.WriteString(w, envelope(`{"a":1}`))
	})
	var seen Call
	c := client(t, s, func(c *Config) {
		c.Routing = map[string]string{"planner": "large"}
		c.Observe = func(call Call) { seen = call }
	})
	reply, err := c.Complete(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Reply{Text: `{"a":1}`, PromptTokens: 11, CompletionTokens: 7}, reply); diff != "" {
		t.Error(diff)
	}
	want := map[string]any{"model": "large", "seed": 42.0, "temperature": 0.0, "stream": false,
		"messages": []any{map[string]any{"role": "system", "content": "you plan"}, map[string]any{"role": "user", "content": asked}},
		"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "strict": true,
			"schema": map[string]any{"type": "object", "properties": map[string]any{}, "required": []any{}, "additionalProperties": false}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if seen.Model != "large" || seen.Failure != "" || seen.PromptTokens != 11 {
		t.Errorf("observed %+v", seen)
	}
}

// A sample has a seed and a temperature of its own.
func TestSample(t *testing.T) {
	s := provider(t, func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); !strings.Contains(string(body), `"temperature":0.7`) || !strings.Contains(string(body), `"seed":44`) {
			t.Errorf("sample 2 is %s", body)
		}
		io.WriteString(w, envelope("yes"))
	})
	second := request
	second.Sample = 2
	if _, err := client(t, s, func(*Config) {}).Complete(t.Context(), second); err != nil {
		t.Error(err)
	}
}

// A model that allows no temperature is asked without one.
func TestReasoningModelsGetNoTemperature(t *testing.T) {
	s := provider(t, func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "temperature") {
			t.Errorf("temperature in %s", body)
		}
		io.WriteString(w, envelope("yes"))
	})
	c := client(t, s, func(c *Config) { c.Model = "o3-mini" })
	if _, err := c.Complete(t.Context(), request); err != nil {
		t.Fatal(err)
	}
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

func says(body string) http.HandlerFunc { return status(http.StatusOK, body) }

// echo is the worst a provider can say in an error: everything it was told.
const echo = `{"error":{"message":"key ` + secret + ` asked ` + asked + `","type":"x","code":"%s"}}`

func TestMisbehaviour(t *testing.T) {
	for _, c := range []struct {
		name   string
		h      http.HandlerFunc
		kind   Failure
		tries  int32
		reason string
	}{
		{"rate limit", status(429, fmt.Sprintf(echo, "rate_limit_exceeded")), RateLimit, 3, "HTTP status 429 (rate_limit_exceeded)"},
		{"quota used up", status(429, fmt.Sprintf(echo, "insufficient_quota")), RateLimit, 1, "insufficient_quota"},
		{"wrong key", status(401, fmt.Sprintf(echo, "invalid_api_key")), Auth, 1, "invalid_api_key"},
		{"code is prose", status(401, fmt.Sprintf(echo, "Your key "+secret)), Auth, 1, "HTTP status 401"},
		{"forbidden", status(403, "no"), Auth, 1, "HTTP status 403"},
		{"server error", status(500, "<html>"+asked), Unavailable, 3, "HTTP status 500"},
		{"overloaded", status(529, `{"error":null}`), Unavailable, 3, "HTTP status 529"},
		{"long error page", status(503, strings.Repeat("x", 3<<20)), Unavailable, 3, "HTTP status 503"},
		{"no such model", status(404, fmt.Sprintf(echo, "model_not_found")), Unavailable, 1, "model_not_found"},
		{"request refused", status(400, fmt.Sprintf(echo, "context_length_exceeded")), BadReply, 1, "context_length_exceeded"},
		{"server's time-out", status(408, ""), Timeout, 3, "HTTP status 408"},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusTemporaryRedirect)
		}, BadReply, 1, "not what the API describes"},
		{"not JSON", says("hello"), BadReply, 1, "not what the API describes"},
		{"nothing", says(""), BadReply, 1, "not what the API describes"},
		{"other types", says(`{"choices":"none"}`), BadReply, 1, "not what the API describes"},
		{"cut envelope", says(envelope("x")[:60]), BadReply, 1, "not what the API describes"},
		{"no choices", says(`{"choices":[]}`), BadReply, 1, "holds no answer"},
		{"error with status 200", says(fmt.Sprintf(echo, "oops")), BadReply, 1, "holds no answer"},
		{"empty answer", says(envelope("")), BadReply, 1, "empty"},
		{"cut answer", says(strings.Replace(envelope("{"), `"stop"`, `"length"`, 1)), BadReply, 1, "cut off"},
		{"filtered", says(strings.Replace(envelope("{"), `"stop"`, `"content_filter"`, 1)), BadReply, 1, "content filter"},
		{"refusal", says(`{"choices":[{"message":{"role":"assistant","content":null,"refusal":"no"},"finish_reason":"stop"}]}`), BadReply, 1, "refused"},
		{"tool call", says(`{"choices":[{"message":{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"f"}}]},"finish_reason":"tool_calls"}]}`), BadReply, 1, "empty"},
		{"huge reply", says(envelope(strings.Repeat("x", 2<<20))), BadReply, 1, "over 1048576 bytes"},
		{"not UTF-8", says(strings.Replace(envelope("x"), `"x"`, "\"\xff\xfe\"", 1)), BadReply, 1, "not UTF-8"},
		{"cut connection", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, envelope("yes"))
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, Unavailable, 1, "broke off"},
		{"hangs up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, Unavailable, 1, "can't be reached"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var tries atomic.Int32
			s := provider(t, func(w http.ResponseWriter, r *http.Request) { tries.Add(1); c.h(w, r) })
			cl := client(t, s, func(x *Config) { x.HTTP.CheckRedirect = noRedirect })
			_, err := cl.Complete(t.Context(), request)
			demand(t, err, c.kind, c.reason)
			if tries.Load() != c.tries {
				t.Errorf("asked %d times, want %d", tries.Load(), c.tries)
			}
		})
	}
}

// demand checks the kind of a failure and that it betrays nothing.
func demand(t *testing.T, err error, kind Failure, reason string) {
	t.Helper()
	var p *ProviderError
	if !errors.As(err, &p) {
		t.Fatalf("got %v, want a ProviderError", err)
	}
	if p.Kind != kind || p.SQLState() != "PA009" || p.Detail() != string(kind) || !strings.Contains(p.Error(), reason) {
		t.Errorf("got %s: %v; want %s: …%s…", p.Detail(), p, kind, reason)
	}
	for _, word := range []string{secret, "payroll", "127.0.0.1", "http"} {
		if strings.Contains(fmt.Sprintf("%+v", err), word) {
			t.Errorf("%q betrays %q", err, word)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	s := provider(t, says(""))
	c := client(t, s, func(c *Config) { c.BaseURL = "http://user:" + secret + "@127.0.0.1:1/v1?key=" + secret })
	_, err := c.Complete(t.Context(), request)
	demand(t, err, Unavailable, "can't be reached")
}

func TestRetryThenAnswer(t *testing.T) {
	var tries atomic.Int32
	s := provider(t, func(w http.ResponseWriter, _ *http.Request) {
		if tries.Add(1) == 1 {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(429)
			return
		}
		if tries.Load() == 2 {
			w.WriteHeader(500)
			return
		}
		io.WriteString(w, envelope("yes"))
	})
	var pauses []time.Duration
	c := client(t, s, func(c *Config) {
		c.Sleep = func(_ context.Context, d time.Duration) error { pauses = append(pauses, d); return nil }
	})
	reply, err := c.Complete(t.Context(), request)
	if err != nil || reply.Text != "yes" {
		t.Fatal(reply, err)
	}
	if diff := cmp.Diff([]time.Duration{7 * time.Second, 2 * firstWait}, pauses); diff != "" {
		t.Error(diff)
	}
}

// A pause that would outlast the deadline isn't begun.
func TestNoRetryPastTheDeadline(t *testing.T) {
	var tries atomic.Int32
	s := provider(t, func(w http.ResponseWriter, _ *http.Request) {
		tries.Add(1)
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(429)
	})
	_, err := client(t, s, nil).Complete(t.Context(), request)
	demand(t, err, RateLimit, "HTTP status 429")
	if tries.Load() != 1 {
		t.Errorf("asked %d times", tries.Load())
	}
}

// hanging answers when the client has gone, or when the test ends.
func hanging(t *testing.T, started chan<- struct{}) *httptest.Server {
	return provider(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		if started != nil {
			started <- struct{}{}
		}
		<-r.Context().Done()
	})
}

func TestHangIsATimeout(t *testing.T) {
	c := client(t, hanging(t, nil), func(c *Config) { c.Timeout = 50 * time.Millisecond })
	_, err := c.Complete(t.Context(), request)
	demand(t, err, Timeout, "no answer in time")
}

func TestCancelEndsTheCall(t *testing.T) {
	started := make(chan struct{}, 1)
	var failure string
	c := client(t, hanging(t, started), func(c *Config) { c.Observe = func(call Call) { failure = call.Failure } })
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	if _, err := c.Complete(ctx, request); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if failure != "cancelled" {
		t.Errorf("observed %q", failure)
	}
}

func TestSlotsAreBounded(t *testing.T) {
	started := make(chan struct{}, 2)
	c := client(t, hanging(t, started), func(c *Config) { c.Concurrency = 1; c.Timeout = 10 * time.Second })
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { _, err := c.Complete(ctx, request); first <- err }()
	<-started
	short, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	_, err := c.Complete(short, request)
	demand(t, err, Timeout, "no free slot in time")
	if len(started) != 0 {
		t.Error("the second request went out")
	}
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRecordThenReplay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	s := provider(t, says(envelope("yes")))
	if _, err := client(t, s, func(c *Config) { c.Record = dir }).Complete(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 1 {
		t.Fatalf("recorded %v", files)
	}
	text, _ := os.ReadFile(files[0])
	if strings.Contains(string(text), secret) || strings.Contains(string(text), "127.0.0.1") {
		t.Errorf("the recording betrays the key or the address: %s", text)
	}
	r, err := New(Config{Model: "small", Replay: dir})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := r.Complete(t.Context(), request)
	if diff := cmp.Diff(Reply{Text: "yes", PromptTokens: 11, CompletionTokens: 7}, reply); err != nil || diff != "" {
		t.Error(err, diff)
	}
	other := request
	other.User += "?"
	_, err = r.Complete(t.Context(), other)
	demand(t, err, Unavailable, "no recording of this request")
	os.WriteFile(files[0], []byte("{"), 0o600)
	_, err = r.Complete(t.Context(), request)
	demand(t, err, BadReply, "damaged")
}

func TestKeyDependsOnEverything(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range []Request{request, {}, {Task: "a"}, {System: "a"}, {User: "a"}, {SchemaName: "a"}, {Schema: json.RawMessage("a")}, {Sample: 1}} {
		for _, model := range []string{"", "a"} {
			seen[keyOf(model, r)] = true
		}
	}
	if len(seen) != 16 {
		t.Errorf("%d keys of 16 requests", len(seen))
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []Config{{}, {BaseURL: "http://x", Record: "a", Replay: "b"}} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}
