package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"golang.org/x/sync/semaphore"
)

// Request is one question to a model. System comes first and should stay the
// same from question to question, so that a provider can cache it.
type Request struct {
	Task   string // planner, refiner, matcher, narrator: chooses the model
	System string
	User   string
	// Schema is the JSON schema the reply must follow, SchemaName its name
	// (letters, digits, _ and -); both empty for plain text.
	SchemaName string
	Schema     json.RawMessage
	// Sample asks for another answer to the same messages than Sample 0 gets, with a
	// seed of its own and a temperature.
	Sample int
}

// Reply is what the model said. It is not checked against the schema: the
// caller decodes it strictly.
type Reply struct {
	Text                           string
	PromptTokens, CompletionTokens int
}

// Client asks one provider. It is safe for concurrent use.
type Client struct {
	config Config
	api    *openai.Client
	slots  *semaphore.Weighted
}

// New makes a client; it connects to nothing yet. Record and Replay exclude
// each other.
func New(c Config) (*Client, error) {
	if c.Record != "" && c.Replay != "" {
		return nil, errors.New("llm: record and replay exclude each other")
	}
	if c.BaseURL == "" && c.Replay == "" && c.Replies == nil {
		return nil, errors.New("llm: no base_url")
	}
	c = c.withDefaults()
	api := openai.DefaultConfig(c.APIKey)
	api.BaseURL = c.BaseURL
	api.HTTPClient = &transport{http: c.HTTP, limit: c.ReplyBytes}
	return &Client{
		config: c,
		api:    openai.NewClientWithConfig(api),
		slots:  semaphore.NewWeighted(int64(c.Concurrency)),
	}, nil
}

// Model is the model that a task is routed to.
func (c *Client) Model(task string) string {
	if m := c.config.Routing[task]; m != "" {
		return m
	}
	return c.config.Model
}

// Cost is what so many tokens of the task's model cost, in millionths of the unit that
// prices are in, rounded up.
func (c *Client) Cost(task string, prompt, completion int64) int64 {
	p := c.config.Prices[c.Model(task)]
	return int64(math.Ceil(p.Prompt*float64(prompt) + p.Completion*float64(completion)))
}

// Complete asks the task's model. Errors are a *ProviderError, or wrap
// context.Canceled when the caller gave up.
func (c *Client) Complete(ctx context.Context, r Request) (Reply, error) {
	start := time.Now()
	reply, err := c.complete(ctx, r)
	c.observe(r.Task, start, reply.PromptTokens, reply.CompletionTokens, err)
	heard(ctx, Exchange{Model: c.Model(r.Task), Request: r, Reply: reply, Err: err, Took: time.Since(start)})
	return reply, err
}

// observe tells what a call cost.
func (c *Client) observe(task string, start time.Time, promptTokens, completionTokens int, err error) {
	if c.config.Observe != nil {
		c.config.Observe(Call{Task: task, Model: c.Model(task), Failure: failureOf(err), Took: time.Since(start),
			PromptTokens: promptTokens, CompletionTokens: completionTokens})
	}
}

func (c *Client) complete(ctx context.Context, r Request) (Reply, error) {
	if c.config.Replies != nil {
		return c.config.Replies(r)
	}
	key := keyOf(c.Model(r.Task), r)
	if c.config.Replay != "" {
		return replay(c.config.Replay, key)
	}
	var reply Reply
	err := c.bounded(ctx, func(ctx context.Context) (header http.Header, fail *ProviderError) {
		reply, header, fail = c.once(ctx, r)
		return header, fail
	})
	if err != nil {
		return Reply{}, err
	}
	if c.config.Record != "" {
		if err := record(c.config.Record, key, c.Model(r.Task), r, reply); err != nil {
			return Reply{}, err
		}
	}
	return reply, nil
}

// bounded makes a request, as often as it takes, within the client's time, and
// tells the caller's own end from a provider that is too slow.
func (c *Client) bounded(ctx context.Context, once attempt) error {
	own, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	err := c.try(own, once)
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("ask the model: %w", ctx.Err())
	}
	return err
}

func failureOf(err error) string {
	var p *ProviderError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &p):
		return p.Detail()
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return "failed"
}
