package planner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pgask/pgask/pipeline/llm"
	"github.com/pgask/pgask/pipeline/plans"
)

// matcherTask is the task that routing chooses the model for.
const matcherTask = "matcher"

// Matcher answers a question that is like one of curated.yaml with the query that a
// model chooses. The model sees questions, descriptions and parameters, never SQL, and
// what it says is an id and values, which are checked like those of a question.
type Matcher struct {
	curated *Curated
	client  *llm.Client
	// said keeps replies by what was asked, so that a question that comes again
	// costs nothing, whoever answers it in the end.
	said plans.Memory
}

// NewMatcher makes the planner of questions that c doesn't know word for word.
func NewMatcher(c *Curated, client *llm.Client) *Matcher { return &Matcher{curated: c, client: client} }

// Name is the planner's name in steps.
func (m *Matcher) Name() string { return "matcher" }

// Plan asks the model once, where there is something to choose from. The error is
// always a *Declined, whose steps hold the reason.
func (m *Matcher) Plan(ctx context.Context, in Input) (Proposal, error) {
	start := time.Now()
	var p Proposal
	use, err := m.choose(ctx, in, &p)
	return use.proposal(p, Step{Stage: m.Name(), Took: time.Since(start)}, err)
}

// choose finds candidates and has the model pick. Its cost goes to p.
func (m *Matcher) choose(ctx context.Context, in Input, p *Proposal) (use, error) {
	found, err := m.candidates(ctx, in)
	if err != nil {
		return use{}, err
	}
	text, err := m.ask(ctx, in, found, p)
	if err != nil {
		return use{}, err
	}
	c, err := decodeChoice(text)
	if err != nil {
		return use{}, &declineReason{code: reasonModelFailed, about: "the reply isn't a choice"}
	}
	if c.QueryID == noneOfThese {
		return use{}, &declineReason{code: reasonNone}
	}
	i := slices.IndexFunc(found, func(f candidate) bool { return f.query.ID == c.QueryID })
	if i < 0 {
		return use{}, &declineReason{code: reasonUnknown}
	}
	q := found[i].query
	texts, err := c.texts(q)
	if err != nil {
		return use{}, err
	}
	return q.use(ctx, in, texts)
}

// candidates are the queries to choose from, or why no model is asked. Those that the
// asker may not read, or that wouldn't run, aren't among them. A question of the file
// itself that couldn't be used isn't asked again: the model would have to guess.
func (m *Matcher) candidates(ctx context.Context, in Input) ([]candidate, error) {
	here, err := m.curated.searched(in)
	if err != nil {
		return nil, err
	}
	if !in.Model {
		return nil, &declineReason{code: reasonNotConfigured, about: "the model is off for this role"}
	}
	if len(matches(here, in.Question)) > 0 {
		return nil, &declineReason{code: reasonNoCandidates}
	}
	var found []candidate
	for _, c := range candidates(here, in.Question) {
		if len(found) == 0 && c.similarity < m.curated.floor {
			return nil, &declineReason{code: reasonBelowFloor, about: fmt.Sprintf("%.2f", c.similarity)}
		}
		if len(found) == m.curated.topK {
			break
		}
		if c.query.offered(ctx, in) {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return nil, &declineReason{code: reasonNoCandidates}
	}
	return found, nil
}

// offered tells whether the asker could have the query, with some values.
func (q *verified) offered(ctx context.Context, in Input) bool {
	_, err := q.use(ctx, in, q.exampleTexts())
	return err == nil
}

// ask makes the one call, unless the same was asked before.
func (m *Matcher) ask(ctx context.Context, in Input, found []candidate, p *Proposal) (string, error) {
	r := llm.Request{Task: matcherTask, System: chooseFrom(found), User: "[QUESTION]\n" + in.Question,
		SchemaName: "choice", Schema: []byte(choiceSchema)}
	sum := sha256.Sum256([]byte(strings.Join([]string{m.client.Model(matcherTask), r.System, r.User}, "\x00")))
	key := hex.EncodeToString(sum[:])
	if known, err := m.said.Get(ctx, []string{key}); err == nil && known != nil {
		m.client.Recalled(ctx, r, string(known))
		return string(known), nil
	}
	a := attempts{model: &Model{client: m.client}, in: in}
	reply, err := a.call(ctx, r)
	p.ModelCalls, p.Cost = a.proposal.ModelCalls, a.proposal.Cost
	if err != nil {
		why := &declineReason{code: reasonModelFailed}
		var provider *llm.ProviderError
		if errors.As(err, &provider) {
			why.about = provider.Detail()
		}
		return "", why
	}
	m.said.Keep(key, []byte(reply.Text))
	return reply.Text, nil
}
