package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/pgask/pgask/pipeline/llm"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/trace"
)

// replayTrace asks a trace's question again and gives the differences.
func replayTrace(ctx context.Context, f *files, was *trace.Trace) ([]string, error) {
	who, err := f.user(was.User)
	if err != nil {
		return nil, err
	}
	hide := trace.NewRedactor(secretsOf(f.all))
	var now trace.Trace
	databases := newOwnDatabases(f.all.Config, false)
	defer databases.close()
	w, err := newScene(f, f.policy, databases, scene{staged: staged{replies: recorded(was.Calls, hide)}, today: was.Today,
		now: func() time.Time { return was.Time }, traces: func(t trace.Trace) { now = t }})
	if err != nil {
		return nil, err
	}
	s, err := w.open(ctx, who, was.Database)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if was.Last != nil {
		p, err := plan.Decode(was.Last.Plan)
		if err != nil {
			return nil, fmt.Errorf("the plan that the trace's question amends: %w", err)
		}
		s.Resume(&planner.Last{Question: was.Last.Question, Plan: p, Qualifiers: was.Last.Qualifiers, Several: was.Last.Several})
	}
	if got := len(s.Explain(ctx, was.Statement)); got != 1 || now.ID == "" {
		return nil, fmt.Errorf("the trace holds no statement that asks: %q", was.Statement)
	}
	hide.Trace(&now)
	return trace.Differences(was, &now), nil
}

// recorded answers as a model did, as long as it is asked the same in the same
// order.
func recorded(calls []trace.Call, hide *trace.Redactor) func(llm.Request) (llm.Reply, error) {
	var mu sync.Mutex
	next := 0
	return func(r llm.Request) (llm.Reply, error) {
		mu.Lock()
		defer mu.Unlock()
		if next >= len(calls) {
			return llm.Reply{}, &llm.ProviderError{Kind: llm.Unavailable, Reason: "no further call is recorded"}
		}
		c := calls[next]
		next++
		switch {
		case c.Task != r.Task || c.System != hide.Text(r.System) || c.User != hide.Text(r.User):
			return llm.Reply{}, &llm.ProviderError{Kind: llm.Unavailable, Reason: "the prompt is another than the recorded one"}
		case c.Failure != "":
			return llm.Reply{}, &llm.ProviderError{Kind: llm.Failure(c.Failure), Reason: c.Reason}
		}
		return llm.Reply{Text: c.Reply, PromptTokens: c.PromptTokens, CompletionTokens: c.CompletionTokens}, nil
	}
}
