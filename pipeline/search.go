package pipeline

import (
	"context"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/index"
	"github.com/pgask/pgask/pipeline/plan"
)

// compile makes a plan's SELECT. What it searches for is embedded here, since a plan does no I/O.
func (s *Session) compile(ctx context.Context, checked *plan.Checked) (*pg_query.Node, error) {
	c, err := s.embedded(ctx, checked)
	if err != nil {
		return nil, err
	}
	return plan.Compile(c), nil
}

// embedded is the plan with the vectors of what it searches for.
func (s *Session) embedded(ctx context.Context, checked *plan.Checked) (*plan.Checked, error) {
	texts := checked.Searches()
	if len(texts) == 0 {
		return checked, nil
	}
	vectors, err := s.p.embedder.Documents(ctx, texts)
	if err != nil {
		return nil, err
	}
	return checked.WithVectors(vectors), nil
}

// embedderOf is the configured embedder, else the built-in one: it knows words and not what they
// mean, and makes the same vector of the same text.
func embedderOf(e index.Embedder) index.Embedder {
	if e == nil {
		return index.NewLexical(nil)
	}
	return e
}
