package planner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/plans"
)

// PlanStore keeps plans of models by key. Get gives that under the first key that has
// one, nil for none; Keep doesn't wait.
type PlanStore interface {
	Get(ctx context.Context, keys []string) ([]byte, error)
	Keep(key string, plan []byte)
}

// lookTimeout is how long a question waits for a store that doesn't answer.
const lookTimeout = 2 * time.Second

// Cache answers a question with the plan that a model made for it before. What it
// finds is validated, and then authorized, like a new plan.
type Cache struct {
	store   PlanStore
	version string
	observe func(outcome string)
	log     *slog.Logger
}

// NewCache makes a planner over a store. version is that of the planner whose plans
// it keeps, see [ModelVersion]; observe hears hit, miss or failed of each question.
func NewCache(store PlanStore, version string, observe func(outcome string), log *slog.Logger) *Cache {
	return &Cache{store: store, version: version, observe: observe, log: log}
}

// Name is the planner's name in configuration and sources.
func (c *Cache) Name() string { return "cache" }

// Plan answers with a plan that is kept. The error is always a *Declined.
func (c *Cache) Plan(ctx context.Context, in Input) (Proposal, error) {
	start := time.Now()
	checked, outcome, detail := c.look(ctx, in)
	if outcome != "" {
		c.observe(outcome)
	}
	step := Step{Stage: c.Name(), Outcome: "ok", Detail: detail, Took: time.Since(start)}
	if checked == nil {
		step.Outcome = "declined"
		return Proposal{}, &Declined{Reason: "no plan is kept of it", Steps: []Step{step}}
	}
	return Proposal{Source: c.Name(), Checked: checked, Steps: []Step{step}}, nil
}

// look finds a plan that is still valid. outcome is empty where nothing is cached.
func (c *Cache) look(ctx context.Context, in Input) (checked *plan.Checked, outcome, detail string) {
	if in.SchemaVersion == "" {
		return nil, "", "nothing is kept without a version of the schema"
	}
	if in.Afresh {
		return nil, "", "it isn't looked for"
	}
	ctx, stop := context.WithTimeout(ctx, lookTimeout)
	defer stop()
	var keys []string
	for _, spelled := range []bool{false, true} {
		keys = append(keys, c.key(in, spelled, ""), c.key(in, spelled, dateOf(in)))
	}
	text, err := c.store.Get(ctx, keys)
	switch {
	case err != nil:
		c.log.Warn("plans that are kept can't be looked up", "error", err)
		return nil, "failed", "the plans that are kept can't be looked up"
	case text == nil:
		return nil, "miss", "miss"
	}
	p, err := plan.Decode(text)
	if err == nil {
		checked, err = plan.Validate(p, in.Context())
	}
	if err == nil {
		err = demanded(checked.Columns(), in.Columns)
	}
	if err != nil {
		return nil, "miss", "the plan that is kept isn't valid any more: " + err.Error()
	}
	return checked.WithConfidence(confidence(1)), "hit", "plan " + checked.Hash()[:12]
}

// Learn gives what is to be called once the plan has run to its end. A plan with
// dates of its own is right on this day only, and one with a text of the question only where
// that is spelled alike: another case may be another value.
func (c *Cache) Learn(in Input, made *plan.Plan) func() {
	if in.SchemaVersion == "" || in.Last != nil {
		return nil
	}
	text, err := json.Marshal(made)
	if err != nil {
		return nil // a plan was JSON before
	}
	day := ""
	if dated(text, in.Question) {
		day = dateOf(in)
	}
	question := strings.ToLower(in.Question)
	spelled := slices.ContainsFunc(literalTexts(text), func(value string) bool { return strings.Contains(question, strings.ToLower(value)) })
	key := c.key(in, spelled, day)
	return func() { c.store.Keep(key, text) }
}

// key is what two questions share that have the same plan: a digest, since it names
// what people asked, and what they may see. With spelled the question's case counts.
func (c *Cache) key(in Input, spelled bool, day string) string {
	parts := []string{plans.Key(in.Question), in.Database, in.SchemaVersion, "", c.version, in.Sees, day, ""}
	if spelled {
		parts[7] = plans.Normalize(in.Question)
	}
	if in.Semantic != nil {
		parts[3] = in.Semantic.Version
	}
	for _, column := range in.Columns {
		parts = append(parts, column.Name, column.Type)
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return "" // strings can be marshalled
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// ModelVersion is what plans of a model depend on besides the question and the schema: the
// rules that it is told, the plan language and its name.
func ModelVersion(model string) string {
	sum := sha256.Sum256([]byte(rules() + "\x00" + string(plan.Schema()) + "\x00" + model))
	return hex.EncodeToString(sum[:8])
}
