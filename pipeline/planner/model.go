package planner

import (
	"context"
	"fmt"
	"time"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/index"
	"github.com/pgask/pgask/pipeline/llm"
	"github.com/pgask/pgask/pipeline/plan"
)

// ModelOptions are the settings of a model planner.
type ModelOptions struct {
	// TopK is how many tables of a large schema the model sees.
	TopK int
	// Retries is how often a rejected plan may be made again.
	Retries int
	// Refine tells that a model is asked for advice before each retry.
	Refine bool
	// Opinions is how many plans are asked for, of which more than half must be the
	// same; 1 or less for no comparison. SQL isn't compared.
	Opinions int
	// ByResult tells that plans are the same, too, whose results are.
	ByResult bool
	// Mode is what the model answers roles with that say nothing of it; empty for plans.
	Mode Mode
	// FlatSchema has the reply hold the plan as a text, for providers that refuse
	// recursive schemas.
	FlatSchema bool
	// Linker knows the words of schemas, for what the model is told of the question; nil
	// for one of the model's own.
	Linker *Builtin
}

// Model asks a language model for a plan, or in mode sql for a SELECT. What the model
// says is checked like anybody's plan or statement, so that nothing in a question, a
// comment or a sampled value can widen what runs: at worst it costs the retries.
type Model struct {
	client  *llm.Client
	options ModelOptions
	schema  []byte
	indexes *indexes
}

// defaultTopK is index.top_k's default.
const defaultTopK = 8

// NewModel makes the planner. It asks nothing yet.
func NewModel(client *llm.Client, o ModelOptions) (*Model, error) {
	if o.TopK <= 0 {
		o.TopK = defaultTopK
	}
	if o.Mode == "" {
		o.Mode = ModePlan
	}
	if o.Linker == nil {
		o.Linker = NewBuiltin()
	}
	var schema []byte = flatReplySchema
	if !o.FlatSchema {
		var err error
		if schema, err = replySchema(plan.Schema()); err != nil {
			return nil, fmt.Errorf("model planner: %w", err)
		}
	}
	return &Model{client: client, options: o, schema: schema, indexes: newIndexes()}, nil
}

// Name is the planner's name in planner.order.
func (m *Model) Name() string { return "model" }

// Plan asks the model, as often as the retries allow. Errors are a *Declined
// where the model may not be asked or finds no answer, *PlanningFailed
// (PA001), a policy's refusal as it is, *llm.ProviderError (PA009), *Overspent (53400),
// *Abstained (PA008), or wrap context.Canceled. The proposal holds steps and cost in every case.
func (m *Model) Plan(ctx context.Context, in Input) (Proposal, error) {
	a := &attempts{model: m, in: in, mode: m.mode(in), proposal: Proposal{Source: "model"}}
	if a.mode == ModeSQL {
		a.proposal.Source = sourceSQL
	}
	if !in.Model {
		return a.proposal, a.declined("the model is off for this role", nil)
	}
	if in.Last != nil && !tellable(in) {
		return a.proposal, a.declined("the last plan holds what no model may be told", nil)
	}
	tables := a.retrieve(ctx)
	if len(tables) == 0 {
		return a.proposal, a.declined("no table fits any word of the question", nil)
	}
	p := m.prompt(in, tables)
	a.step("render", "ok", fmt.Sprintf("%d bytes of system message, %d of user message", len(p.system()), len(p.user(nil, nil))), 0)
	err := a.run(ctx, p)
	if err == nil && a.mode == ModePlan && m.options.Opinions > 1 {
		err = a.confirm(ctx, p)
	}
	return a.proposal, err
}

// Prompt is what the model would be told of a question first.
func (m *Model) Prompt(ctx context.Context, in Input) (system, user string) {
	tables, _ := m.retrieve(ctx, in)
	p := m.prompt(in, tables)
	return p.system(), p.user(nil, nil)
}

func (a *attempts) retrieve(ctx context.Context) []*catalog.Table {
	start := time.Now()
	tables, detail := a.model.retrieve(ctx, a.in)
	a.step("retrieve", "ok", detail, time.Since(start))
	return tables
}

// retrieve finds the tables that the question is about, and says how.
func (m *Model) retrieve(ctx context.Context, in Input) ([]*catalog.Table, string) {
	x := m.indexes.of(in)
	var near []index.Near
	if in.Near != nil && !x.Whole(m.options.TopK) {
		near = in.Near(ctx)
	}
	said := in.Question
	if in.Last != nil { // a follow-up leaves out what it is about
		said = in.Last.Question + " " + said
	}
	tables := x.Tables(said, near, m.options.TopK)
	detail := fmt.Sprintf("%d of %d tables", len(tables), x.Len())
	if len(near) > 0 {
		detail += fmt.Sprintf(", by words and %d near chunks", len(near))
	}
	return tables, detail
}
