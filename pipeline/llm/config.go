package llm

import (
	"context"
	"net/http"
	"time"
)

// Config says which provider to ask and within which bounds. The zero values
// of the bounds mean the defaults beside them.
type Config struct {
	// BaseURL is the API's root, such as https://api.example.com/v1.
	BaseURL string
	// APIKey is sent as a bearer token; empty for servers that want none.
	APIKey string
	// Model answers every task that Routing doesn't name.
	Model string
	// Routing maps a task (planner, refiner, matcher, narrator) to a model.
	Routing map[string]string
	// Schemaless sends no schema of the reply, for providers that know none.
	Schemaless bool
	// Prices are those of models by name; what has none costs nothing.
	Prices map[string]Price
	// Timeout bounds one Complete with its retries and its wait for a slot.
	Timeout time.Duration // 30 s
	// Concurrency is how many requests may be under way at once.
	Concurrency int // 8
	// ReplyBytes bounds the body of a reply.
	ReplyBytes int64 // 1 MiB
	// Retries is how often a rate-limited or failing provider is asked again;
	// negative for never.
	Retries int // 2
	// Record is a folder that gets one file per answered request, Replay one
	// that is read instead of asking. At most one of them is set.
	Record, Replay string
	// Replies, unless nil, answers in the provider's place.
	Replies func(Request) (Reply, error)
	// HTTP carries the requests; nil for a client of our own that follows no
	// redirect, since a redirect would carry the prompt elsewhere.
	HTTP *http.Client
	// Sleep waits between retries; nil for the real clock.
	Sleep func(ctx context.Context, d time.Duration) error
	// Observe hears of every Complete when it ends; nil for nobody.
	Observe func(Call)
}

// Price is what a million tokens of a model cost.
type Price struct{ Prompt, Completion float64 }

// Call is what one Complete cost, for metrics. It holds no text.
type Call struct {
	Task, Model                    string
	PromptTokens, CompletionTokens int
	// Failure is the ProviderError's detail, "cancelled", or empty for success.
	Failure string
	Took    time.Duration
}

// Seed is sent with every request, so that a provider that can repeat itself does.
const Seed = 42

const (
	defaultTimeout     = 30 * time.Second
	defaultConcurrency = 8
	defaultReplyBytes  = 1 << 20
	defaultRetries     = 2
)

func (c Config) withDefaults() Config {
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.Concurrency <= 0 {
		c.Concurrency = defaultConcurrency
	}
	if c.ReplyBytes <= 0 {
		c.ReplyBytes = defaultReplyBytes
	}
	if c.Retries == 0 {
		c.Retries = defaultRetries
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	if c.HTTP == nil {
		c.HTTP = &http.Client{CheckRedirect: noRedirect}
	}
	return c
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
