package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// embedder answers with a vector of each text's length, the last text first.
func embedder(t *testing.T, w http.ResponseWriter, r *http.Request) {
	var body struct {
		Input []string `json:"input"`
		Model string   `json:"model"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/embeddings" || body.Model != "small" {
		t.Errorf("%s of %q: %v", r.URL.Path, body.Model, err)
	}
	var data []string
	for i := len(body.Input) - 1; i >= 0; i-- {
		data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,1]}`, i, len(body.Input[i])))
	}
	fmt.Fprintf(w, `{"object":"list","data":[%s],"model":"small","usage":{"prompt_tokens":%d,"total_tokens":5}}`, strings.Join(data, ","), len(data))
}

func TestEmbed(t *testing.T) {
	requests, tokens := 0, 0
	s := provider(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		embedder(t, w, r)
	})
	c := client(t, s, func(c *Config) { c.Observe = func(call Call) { tokens += call.PromptTokens } })
	var texts []string
	var want [][]float32
	for i := range EmbedBatch + 3 {
		texts = append(texts, strings.Repeat("x", i+1))
		want = append(want, []float32{float32(i + 1), 1})
	}
	got, err := c.Embed(t.Context(), "embedder", texts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if requests != 2 || tokens != len(texts) {
		t.Errorf("%d requests for %d tokens", requests, tokens)
	}
	if got, err := c.Embed(t.Context(), "embedder", nil); got != nil || err != nil {
		t.Errorf("no texts gave %v, %v", got, err)
	}
}

func TestEmbedMisbehaviour(t *testing.T) {
	for name, c := range map[string]struct {
		h    http.HandlerFunc
		kind Failure
	}{
		"rate limit":       {status(429, fmt.Sprintf(echo, "rate_limit_exceeded")), RateLimit},
		"wrong key":        {status(401, fmt.Sprintf(echo, "invalid_api_key")), Auth},
		"down":             {status(503, ""), Unavailable},
		"no JSON":          {says("yes"), BadReply},
		"no vectors":       {says(`{"data":[]}`), BadReply},
		"one too few":      {says(`{"data":[{"index":0,"embedding":[1]}]}`), BadReply},
		"one twice":        {says(`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`), BadReply},
		"a stray one":      {says(`{"data":[{"index":0,"embedding":[1]},{"index":7,"embedding":[1]}]}`), BadReply},
		"several lengths":  {says(`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`), BadReply},
		"without a length": {says(`{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`), BadReply},
		"zero":             {says(`{"data":[{"index":0,"embedding":[0]},{"index":1,"embedding":[1]}]}`), BadReply},
		"too large":        {says(`{"data":[` + strings.Repeat(" ", 2<<20) + `]}`), BadReply},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client(t, provider(t, c.h), nil).Embed(t.Context(), "embedder", []string{asked, "b"})
			var failed *ProviderError
			if !errors.As(err, &failed) || failed.Kind != c.kind {
				t.Fatalf("got %v, want %s", err, c.kind)
			}
			if text := err.Error(); strings.Contains(text, secret) || strings.Contains(text, asked) {
				t.Errorf("%s betrays", text)
			}
		})
	}
}

func TestEmbedRecordAndReplay(t *testing.T) {
	dir := t.TempDir()
	s := provider(t, func(w http.ResponseWriter, r *http.Request) { embedder(t, w, r) })
	texts := []string{"one", "three"}
	want, err := client(t, s, func(c *Config) { c.Record = dir }).Embed(t.Context(), "embedder", texts)
	if err != nil {
		t.Fatal(err)
	}
	silent := client(t, provider(t, func(http.ResponseWriter, *http.Request) { t.Error("the provider was asked") }), func(c *Config) { c.Replay = dir })
	got, err := silent.Embed(t.Context(), "embedder", texts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := silent.Embed(t.Context(), "embedder", []string{"two"}); err == nil {
		t.Error("what was not recorded was replayed")
	}
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if err := os.WriteFile(dir+"/"+f.Name(), []byte(`{"vectors":[[0]]}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := silent.Embed(t.Context(), "embedder", texts); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged recording gave %v", err)
	}
}

// Whatever a provider sends is vectors that can be compared or a ProviderError.
func FuzzEmbeddings(f *testing.F) {
	for _, s := range []string{`{"data":[{"index":0,"embedding":[1,2]}]}`, `{"data":[{"index":0,"embedding":[1e39]}]}`, `{"data":null}`,
		`{"data":[{"index":-1}]}`, "null", "[]", "", `{"data":[{"index":0,"embedding":"AACAPw=="}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := New(Config{BaseURL: "http://provider", Retries: -1, HTTP: &http.Client{Transport: canned{200, body}}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Embed(t.Context(), "embedder", []string{"a"})
		if err == nil && checkVectors(got, 1) != nil || err != nil && !errors.As(err, new(*ProviderError)) {
			t.Fatalf("%v, %v", got, err)
		}
	})
}
