package pipeline

import (
	"context"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/stmt"
)

// sqlTarget is what SQL of a model goes through before it is an answer: the same as
// when it is sent, without being sent.
func (s *Session) sqlTarget(at *standing) planner.SQLTarget {
	return planner.SQLTarget{Mode: planner.Mode(at.role.PlannerMode), Rows: at.role.Limits.Rows,
		Judge: func(ctx context.Context, st stmt.Statement) ([]string, error) {
			a, err := s.judged(ctx, at, st)
			return a.Facts().Columns, err
		},
		Scopes: func() map[catalog.Name]string {
			scopes := map[catalog.Name]string{}
			for _, g := range at.view.Describe() {
				scopes[g.Table] = g.Scope
			}
			return scopes
		}}
}
