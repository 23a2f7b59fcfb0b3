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
	reasonNotConfigured = "not_configured"   // switched off, or no query for this database
	reasonNoCandidates  = "no_candidates"    // no question of the file is this one
	reasonParamInvalid  = "param_invalid"    // a value that its parameter doesn't take
	reasonParamMissing  = "param_missing"    // a required value that the question doesn't state
	reasonPolicyDenied  = "policy_denied"    // the asker may not read a table of the query
	reasonFailed        = "execution_failed" // Postgres can't plan the query
	reasonBelowFloor    = "below_floor"      // no question of the file is enough like this one
	reasonModelFailed   = "model_failed"     // the model gave no choice
	reasonNone          = "none_of_these"    // the model chose no query
	reasonUnknown       = "unknown_query"    // the model chose what it wasn't offered
)

// Curated answers a question that somebody wrote down, with the query that
// they verified. It never changes the query: values become typed constants of
// its tree.
type Curated struct {
	enabled bool
	floor   float64 // how alike a question must be for a model to be asked
	topK    int     // how many queries it chooses from
	queries []*verified
}

// verified is a curated query that passed all checks.
type verified struct {
	configs.CuratedQuery
	tree   *pg_query.Node
	params []string // the name of each place $n
	tables []relation
	forms  []template
	// about are the subjects of each form, and of the description.
	about [][]string
}

// Name is the planner's name in configuration and sources.
func (c *Curated) Name() string { return sourceCurated }

// Plan answers with the query whose question this is. The error is always a
// *Declined, whose steps hold the reason.
func (c *Curated) Plan(ctx context.Context, in Input) (Proposal, error) {
	start := time.Now()
	use, err := c.pick(ctx, in)
	return use.proposal(Proposal{}, Step{Stage: c.Name(), Took: time.Since(start)}, err)
}

// use is a verified query with the values that it is asked with.
type use struct {
	query  *verified
	values map[string]any
	tree   *pg_query.Node
}

// proposal completes a proposal, and the step that led to it. Nobody is told of a
// query that he may not run.
func (u use) proposal(p Proposal, step Step, err error) (Proposal, error) {
	if err != nil {
		step.Outcome, step.Detail = "declined", err.Error()
		var why *declineReason
		if errors.As(err, &why) && why.code == reasonPolicyDenied {
			step.Public = reasonNoCandidates
		}
		return p, &Declined{Reason: "no verified query answers it", Steps: []Step{step}}
	}
	step.Outcome, step.Detail = "ok", u.query.ID
	p.Source, p.Query, p.Curated, p.Steps = sourceCurated, u.tree, &CuratedUse{ID: u.query.ID, Values: u.values}, []Step{step}
	return p, nil
}

const sourceCurated = "curated"

// declineReason is a reason code, with what it is about.
type declineReason struct{ code, about string }

func (d *declineReason) Error() string {
	if d.about == "" {
		return d.code
	}
	return d.code + ": " + d.about
}

// pick finds the query. Where one matches but can't be used, the next that
// matches is tried; the first failure is the reason.
func (c *Curated) pick(ctx context.Context, in Input) (use, error) {
	here, err := c.searched(in)
	if err != nil {
		return use{}, err
	}
	var first error
	for _, m := range matches(here, in.Question) {
		u, err := m.query.use(ctx, in, m.texts)
		if err == nil {
			return u, nil
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = &declineReason{code: reasonNoCandidates}
	}
	return use{}, first
}

// searched are the queries of the question's database, or why none is looked for.
func (c *Curated) searched(in Input) ([]*verified, error) {
	here := c.forDatabase(in.Database)
	switch {
	case !c.enabled || len(here) == 0 || in.PlanOnly:
		return nil, &declineReason{code: reasonNotConfigured}
	case len(in.Question) > maxQuestion:
		return nil, &declineReason{code: reasonNoCandidates}
	}
	return here, nil
}

// use checks the texts of values, the asker's tables and the query itself.
func (q *verified) use(ctx context.Context, in Input, texts map[string]string) (use, error) {
	values, err := q.values(texts)
	if err != nil {
		return use{}, err
	}
	if err := q.readable(in.Catalog); err != nil {
		return use{}, err
	}
	tree, err := q.bind(values)
	if err != nil {
		return use{}, &declineReason{code: reasonFailed, about: q.ID}
	}
	if in.Try != nil {
		switch err := in.Try(ctx, tree); {
		case errors.Is(err, ErrDenied):
			return use{}, &declineReason{code: reasonPolicyDenied}
		case err != nil:
			return use{}, &declineReason{code: reasonFailed, about: q.ID}
		}
	}
	return use{query: q, values: values, tree: tree}, nil
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
