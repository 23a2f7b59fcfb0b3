package planner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// Builtin answers without a model: every content word of a question must have
// a part in the plan, and the plan must be the only one that gives it one.
type Builtin struct {
	// MinConfidence is how sure a reading must be to be an answer, from 0 to 1.
	MinConfidence float64

	mu    sync.Mutex
	cache map[lexiconKey]*lexicon
	order []lexiconKey
}

// lexiconKey identifies what a lexicon was built from. Roles see different
// snapshots of one schema, so the snapshot itself is part of it.
type lexiconKey struct {
	snapshot *catalog.Snapshot
	semantic string // the model's version
}

// maxLexicons bounds the cache: one for each role, schema and reload in use.
const maxLexicons = 64

// NewBuiltin makes a built-in planner with an empty cache.
func NewBuiltin() *Builtin { return &Builtin{cache: map[lexiconKey]*lexicon{}} }

// Name is the planner's name in configuration and sources.
func (b *Builtin) Name() string { return "builtin" }

// lexicon is the index for a snapshot and a model, built once.
func (b *Builtin) lexicon(c *catalog.Snapshot, m *semantic.Model) *lexicon {
	key := lexiconKey{snapshot: c}
	if m != nil {
		key.semantic = m.Version
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if x, ok := b.cache[key]; ok {
		return x
	}
	x := buildLexicon(c, m)
	if len(b.order) >= maxLexicons {
		delete(b.cache, b.order[0])
		b.order = b.order[1:]
	}
	b.cache[key] = x
	b.order = append(b.order, key)
	return x
}

// reading is one complete plan of a question.
type reading struct {
	plan *plan.Plan
	key  string
	cost float64
	f    frame
	// parsed is the frame of all words, f of those that the plan's last step was made of.
	parsed frame
	said   []string // what words were read as that aren't the schema's
	// about tells readers what a plan of several parts is about; empty where the plan does.
	about string
	// basis is the plan that another one was made of, as the confidence counts it; nil for none.
	basis *plan.Plan
	// meant are the columns that words were taken for, by their positions, and -1 for those of
	// time groups.
	meant map[int]*catalog.Column
}

// text is a reading in one line.
func (r reading) text() string { return cmp.Or(r.about, describe(r.plan)) }

// Plan reads the question. The error is *Declined, or the validator's where a
// plan was understood but measures or guarantees forbid it.
func (b *Builtin) Plan(_ context.Context, in Input) (Proposal, error) {
	if in.Last != nil {
		return b.amend(in)
	}
	start := time.Now()
	x := b.lexicon(in.Catalog, in.Semantic)
	if len(in.Question) > maxQuestion {
		return Proposal{}, &Declined{Reason: fmt.Sprintf("the question is longer than %d bytes", maxQuestion)}
	}
	q := newQuestion(x, in)
	if len(q.parser.toks) > maxWords {
		return Proposal{}, &Declined{Reason: fmt.Sprintf("the question has more than %d words", maxWords)}
	}
	readings, why := q.readings()
	if len(readings) == 0 {
		if err := q.unshared(why); err != nil {
			return b.rejected(err, []Step{{Stage: "link", Outcome: "ok", Detail: q.linked(), Took: time.Since(start)}})
		}
	}
	best, err := q.best(readings, why)
	if err != nil {
		var d *Declined
		if errors.As(err, &d) {
			d.Steps = []Step{{Stage: "link", Outcome: "ok", Detail: q.linked(), Took: time.Since(start)},
				{Stage: b.Name(), Outcome: "declined", Detail: d.Reason}}
		}
		return Proposal{}, err
	}
	steps := []Step{{Stage: "link", Outcome: "ok", Detail: q.explain(best), Took: time.Since(start)}}
	checked, err := plan.Validate(best.plan, in.Context())
	if err != nil {
		return b.rejected(q.averaged(q.perTime(q.advise(err, best.f), best.f), best.f), steps)
	}
	if in.Columns != nil && !Fit(checked.Columns(), in.Columns) {
		err := demanded(checked.Columns(), in.Columns)
		steps = append(steps, Step{Stage: b.Name(), Outcome: "declined", Detail: err.Error()})
		return Proposal{}, &Declined{Reason: strings.TrimPrefix(err.Error(), "plan rejected: "), Try: "ASK " + literal(in.Question) + " WITH (columns = " + literal(columnList(checked.Columns())) + ")", Steps: steps}
	}
	checked = checked.WithConfidence(best.signals().confidence())
	sure := checked.Annotations().Confidence
	if sure < b.MinConfidence {
		reason := fmt.Sprintf("it may mean %s, but that isn't sure enough", describe(best.plan))
		steps = append(steps, Step{Stage: b.Name(), Outcome: "declined", Detail: "confidence " + plan.Confidence(sure) + ", less than " + plan.Confidence(b.MinConfidence)})
		return Proposal{}, &Declined{Reason: reason, Try: q.try(nil), Steps: steps}
	}
	steps = append(steps, Step{Stage: b.Name(), Outcome: "ok", Detail: "confidence " + plan.Confidence(sure), Took: time.Since(start)})
	return Proposal{Source: b.Name(), Checked: checked, Qualifiers: best.said, Several: best.f.several && best.plan.Limit != nil, Steps: steps}, nil
}

// rejected passes on what the asker can repair (measures and guarantees); a
// plan that is wrong in itself was our mistake, so we decline.
func (b *Builtin) rejected(err error, steps []Step) (Proposal, error) {
	var coded interface{ SQLState() string }
	if errors.As(err, &coded) && coded.SQLState() != "PA005" {
		steps = append(steps, Step{Stage: "validate", Outcome: "rejected", Detail: err.Error()})
		return Proposal{Steps: steps}, err
	}
	steps = append(steps, Step{Stage: b.Name(), Outcome: "declined", Detail: err.Error()})
	return Proposal{}, &Declined{Reason: "the words fit together, but not into a valid plan", Steps: steps}
}

// plans are the plans over every way to join.
func (b *builder) plans(cost float64) ([]reading, error) {
	if b.f.both[0] != nil || b.f.except != nil {
		return b.split(cost)
	}
	needed, filters, err := b.tablesNeeded()
	if err != nil {
		return nil, err
	}
	trees, err := b.trees(needed, filters)
	if err != nil {
		return nil, err
	}
	var out []reading
	for _, t := range trees {
		c := *b
		c.tree, c.semi = t, semis(t, needed)
		p, err := c.build()
		if err != nil {
			return out, err
		}
		key, err := planJSON(unnamed(p))
		if err != nil {
			return out, err
		}
		out = append(out, reading{plan: p, key: key, cost: cost + 0.01*float64(len(t.steps)), f: b.f, said: b.readAs(), meant: b.meant()})
	}
	return out, nil
}

// meant are the columns that words were taken for.
func (b *builder) meant() map[int]*catalog.Column {
	out := map[int]*catalog.Column{}
	for m, c := range b.picks {
		out[m.at] = c.column
	}
	for at, c := range b.dates {
		out[at] = c.column
	}
	return out
}

// planJSON is a plan as people type it.
func planJSON(p *plan.Plan) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(p); err != nil {
		return "", fmt.Errorf("write plan: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
}

// unnamed is a plan without its outputs' names, by which plans that mean the
// same may differ.
func unnamed(p *plan.Plan) *plan.Plan {
	q := *p
	q.Select = slices.Clone(p.Select)
	for i := range q.Select {
		q.Select[i].As = ""
	}
	return &q
}

// maxWords is how long a question may be: nobody asks longer ones in a sentence.
const maxWords = 60

// maxQuestion is the longest question, in bytes, whose words are looked at.
const maxQuestion = 4000

// literal is a text as an SQL string literal.
func literal(s string) string {
	quotedText := "'" + strings.ReplaceAll(s, "'", "''") + "'"
	if strings.ContainsRune(s, '\\') {
		return "E" + strings.ReplaceAll(quotedText, `\`, `\\`)
	}
	return quotedText
}
