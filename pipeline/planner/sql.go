package planner

import (
	"context"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// Mode is what a model answers with.
type Mode string

// The modes of a model.
const (
	ModePlan Mode = "plan" // a plan, which is checked and compiled
	ModeSQL  Mode = "sql"  // one SELECT, which is judged like a person's
)

// sourceSQL is the source of answers that a model wrote as SQL.
const sourceSQL = "model_sql"

// SQLTarget is what SQL that a model writes has to go through. A question whose
// target can't judge is answered with a plan.
type SQLTarget struct {
	// Mode is the role's own, empty for that of planner.mode.
	Mode Mode
	// Judge authorizes a statement for the asker and has Postgres plan it, without
	// running it. It gives the names of its columns, nil where they aren't known.
	Judge func(ctx context.Context, st stmt.Statement) ([]string, error)
	// Scopes gives the row rules that are added to tables, as the policy spells them.
	Scopes func() map[catalog.Name]string
	// Rows is the most rows that an answer shows, 0 for no cap.
	Rows int64
}

// mode is what the model answers this question with. What asks for a plan gets one.
func (m *Model) mode(in Input) Mode {
	switch {
	case in.PlanOnly || in.SQL.Judge == nil:
		return ModePlan
	case in.SQL.Mode != "":
		return in.SQL.Mode
	}
	return m.options.Mode
}
