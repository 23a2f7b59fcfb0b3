package planner

import (
	"context"
	"errors"
	"fmt"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/stmt"
)

// The reasons for which a curated query does not answer, as ASK EXPLAIN shows
// them.
const (
	reasonNotConfigured = "not_configured" // switched off, or no query for this database
	reasonNoCandidates  = "no_candidates"  // no question of the file is this one
	reasonParamInvalid  = "param_invalid"  // a value that its parameter doesn't take
	reasonParamMissing  = "param_missing"  // a required value that the question doesn't state
	reasonPolicyDenied  = "policy_denied"  // the asker may not read a table of the query
	reasonFailed        = "execution_failed"
)

// Curated answers a question that somebody wrote down, with the query that
// they verified. It never changes the query: values become typed constants of
// its tree.
type Curated struct {
	enabled bool
	queries []*verified
}

// verified is a curated query that passed all checks.
type verified struct {
	configs.CuratedQuery
	tree   *pg_query.Node
	params []string // the name of each place $n
	tables []relation
	forms  []template
}

// Name is the planner's name in configuration and sources.
func (c *Curated) Name() string { return "curated" }

// Plan answers with the query whose question this is. The error is always a
// *Declined, whose steps hold the reason.
func (c *Curated) Plan(_ context.Context, in Input) (Proposal, error) {
	start := time.Now()
	q, values, err := c.pick(in)
	step := Step{Stage: c.Name(), Outcome: "ok", Took: time.Since(start)}
	if err != nil {
		step.Outcome, step.Detail = "declined", err.Error()
		return Proposal{}, &Declined{Reason: "no verified query answers it", Steps: []Step{step}}
	}
	tree, err := q.bind(values)
	if err != nil {
		step.Outcome, step.Detail = "failed", reasonFailed
		return Proposal{}, &Declined{Reason: "no verified query answers it", Steps: []Step{step}}
	}
	step.Detail = q.ID
	return Proposal{Source: c.Name(), Query: tree, Curated: &CuratedUse{ID: q.ID, Values: values}, Steps: []Step{step}}, nil
}

// declineReason is a reason code, with what it is about.
type declineReason struct{ code, about string }

func (d *declineReason) Error() string {
	if d.about == "" {
		return d.code
	}
	return d.code + ": " + d.about
}

// pick finds the query. Where one matches but its values don't pass, the next
// that matches is tried; the first failure is the reason.
func (c *Curated) pick(in Input) (*verified, map[string]any, error) {
	here := c.forDatabase(in.Database)
	if !c.enabled || len(here) == 0 || in.PlanOnly {
		return nil, nil, &declineReason{code: reasonNotConfigured}
	}
	if len(in.Question) > maxQuestion {
		return nil, nil, &declineReason{code: reasonNoCandidates}
	}
	var first error
	for _, m := range matches(here, in.Question) {
		values, err := m.query.values(m.texts)
		if err == nil {
			err = m.query.readable(in.Catalog)
		}
		if err == nil {
			return m.query, values, nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = &declineReason{code: reasonNoCandidates}
	}
	return nil, nil, first
}

func (c *Curated) forDatabase(name string) []*verified {
	var out []*verified
	for _, q := range c.queries {
		if q.Database == name || q.Database == "" {
			out = append(out, q)
		}
	}
	return out
}

// bind is the query with its values as typed constants.
func (q *verified) bind(values map[string]any) (*pg_query.Node, error) {
	consts := make([]*pg_query.Node, len(q.params))
	for i, name := range q.params {
		n, err := stmt.Const(values[name], sqlType(q.Params[name].Type, values[name]))
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", name, err)
		}
		consts[i] = n
	}
	tree := stmt.Bind(q.tree, consts)
	if tree == nil {
		return nil, errors.New("the query has a place without a value")
	}
	return tree, nil
}
