package planner

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// fakePlanner answers with what it holds.
type fakePlanner struct {
	name     string
	proposal Proposal
	err      error
}

func (f fakePlanner) Name() string { return f.name }

func (f fakePlanner) Plan(context.Context, Input) (Proposal, error) { return f.proposal, f.err }

type refusal struct{}

func (refusal) Error() string    { return "the measure can't be added up" }
func (refusal) SQLState() string { return "PA006" }
func (refusal) Hint() string     { return "ASK 'arr this month'" }

func TestChain(t *testing.T) {
	declined := func(name string, d Declined) fakePlanner { return fakePlanner{name: name, err: &d} }
	readings := []Reading{{Text: "by opening", Ask: "ASK 'a'"}, {Text: "by closing", Ask: "ASK 'b'"}}
	for name, c := range map[string]struct {
		planners      []Planner
		source        string
		state, detail string
		hint          string
		steps         string
	}{
		"the first that answers wins": {
			planners: []Planner{declined("curated", Declined{Reason: "no"}), fakePlanner{name: "builtin", proposal: Proposal{Source: "builtin", Steps: []Step{{Stage: "builtin", Outcome: "ok"}}}},
				fakePlanner{name: "model", err: refusal{}}},
			source: "builtin", steps: "curated declined, builtin ok"},
		"a final error ends": {
			planners: []Planner{declined("curated", Declined{Reason: "no"}), fakePlanner{name: "builtin", err: refusal{}, proposal: Proposal{Steps: []Step{{Stage: "validate", Outcome: "rejected"}}}},
				fakePlanner{name: "model", proposal: Proposal{Source: "model"}}},
			state: "PA006", hint: "ASK 'arr this month'", steps: "curated declined, validate rejected"},
		"words without a match": {
			planners: []Planner{declined("curated", Declined{Reason: "no"}), declined("builtin", Declined{Reason: "why", Words: []string{"colour"}, Try: "ASK 'how many bikes'"})},
			state:    "PA002", detail: "why", hint: "ASK 'how many bikes'", steps: "curated declined, builtin declined"},
		"readings": {
			planners: []Planner{declined("builtin", Declined{Reason: "several", Readings: readings})},
			state:    "PA003", detail: "1. by opening\n2. by closing", hint: "ASK 'a'\nASK 'b'", steps: "builtin declined"},
		"one reading is no choice": {
			planners: []Planner{declined("builtin", Declined{Reason: "several", Readings: readings[:1]})},
			state:    "PA002", steps: "builtin declined"},
		"nobody": {state: "PA002"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := New(c.planners...).Plan(context.Background(), Input{})
			if p.Source != c.source || (err == nil) != (c.source != "") {
				t.Fatalf("source %q, error %v", p.Source, err)
			}
			steps := p.Steps
			if err != nil {
				steps = StepsOf(err)
				checkError(t, err, c.state, c.detail, c.hint)
			}
			if got := stepWords(steps); got != c.steps {
				t.Errorf("steps %q, want %q", got, c.steps)
			}
		})
	}
}

func checkError(t *testing.T, err error, state, detail, hint string) {
	t.Helper()
	var s interface{ SQLState() string }
	if !errors.As(err, &s) || s.SQLState() != state {
		t.Errorf("%v has not SQLSTATE %s", err, state)
	}
	var d interface{ Detail() string }
	if detail != "" && (!errors.As(err, &d) || d.Detail() != detail) {
		t.Errorf("%v has not the detail %q", err, detail)
	}
	var h interface{ Hint() string }
	if hint != "" && (!errors.As(err, &h) || h.Hint() != hint) {
		t.Errorf("%v has not the hint %q", err, hint)
	}
}

func stepWords(steps []Step) string {
	var out []string
	for _, s := range steps {
		out = append(out, s.Stage+" "+s.Outcome)
	}
	return strings.Join(out, ", ")
}

// TestChainStops holds that a cancelled question reaches no planner.
func TestChainStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := New(fakePlanner{name: "model", proposal: Proposal{Source: "model"}}).Plan(ctx, Input{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
}

// TestChainCost holds that calls count whoever answers, and where nobody does.
func TestChainCost(t *testing.T) {
	costs := func(err error, source string) fakePlanner {
		return fakePlanner{name: "model", err: err, proposal: Proposal{Source: source, ModelCalls: 1, Cost: Spend{10, 3}}}
	}
	for name, last := range map[string]fakePlanner{
		"answered": costs(nil, "model"),
		"refused":  costs(refusal{}, ""),
		"declined": costs(&Declined{Reason: "no"}, ""),
	} {
		p, _ := New(costs(&Declined{Reason: "no"}, ""), last).Plan(context.Background(), Input{})
		if p.ModelCalls != 2 || p.Cost != (Spend{20, 6}) {
			t.Errorf("%s: %d calls that cost %v", name, p.ModelCalls, p.Cost)
		}
	}
}
