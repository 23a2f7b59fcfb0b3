package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pgask/pgask/pipeline/answer"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// The columns of the forms that tell about a question instead of answering it.
var (
	sqlColumns     = []policy.ToldColumn{{Name: "sql", Type: "text"}, {Name: "source", Type: "text"}, {Name: "plan_hash", Type: "text"}}
	planColumns    = []policy.ToldColumn{{Name: "plan", Type: "json"}, {Name: "annotations", Type: "json"}}
	explainColumns = []policy.ToldColumn{{Name: "stage", Type: "text"}, {Name: "outcome", Type: "text"},
		{Name: "detail", Type: "text"}, {Name: "ms", Type: "float8"}}
)

// askAbout is ASK SQL, PLAN or EXPLAIN: a statement of ours whose one parameter
// is computed when it is bound.
func (s *Session) askAbout(ctx context.Context, st stmt.Statement, ask *stmt.Ask) (*verdict, error) {
	columns, about := sqlColumns, s.aboutSQL
	switch ask.Form {
	case stmt.FormPlan:
		columns, about = planColumns, s.aboutPlan
	case stmt.FormExplain:
		columns, about = explainColumns, s.aboutStages
	}
	// SQL and PLAN of a question without an answer fail where they are parsed,
	// as the question itself would.
	tell := func(ctx context.Context) (string, error) {
		at, err := s.stand(ctx)
		if err != nil {
			return "", err
		}
		return about(ctx, at, ask)
	}
	value, err := tell(ctx)
	if err != nil {
		return nil, err
	}
	if st.Prepare == nil {
		return s.told(columns, once(value, tell))
	}
	a, err := policy.ToldPrepare(st.Prepare.Name, columns, value)
	return &verdict{text: a.SQL(), kind: "told", facts: a.Facts(), quiet: true}, err
}

// once gives the value that is there already, and computes it anew after that:
// a question is not planned twice for one execution.
func once(value string, tell func(context.Context) (string, error)) func(context.Context) (string, error) {
	used := false
	return func(ctx context.Context) (string, error) {
		if !used {
			used = true
			return value, nil
		}
		return tell(ctx)
	}
}

// told is a statement that gives back rows which we computed.
func (s *Session) told(columns []policy.ToldColumn, tell func(context.Context) (string, error)) (*verdict, error) {
	a, err := policy.Told(columns)
	return &verdict{text: a.SQL(), kind: "told", told: columns, tell: tell, quiet: true}, err
}

// aboutSQL is what would run for this user.
func (s *Session) aboutSQL(ctx context.Context, at *standing, ask *stmt.Ask) (string, error) {
	a, err := s.answer(ctx, at, ask, false)
	if err != nil {
		return "", err
	}
	all := []answered{a}
	st, err := s.sqlBefore(ctx, at, stmt.Statement{Tree: a.tree}, ask.Question, all)
	if err != nil {
		return "", err
	}
	approved, err := s.authorize(ctx, &at, st, nil)
	if err != nil {
		return "", err
	}
	if err := s.abstain(at, all[0], len(approved.Facts().Scopes) > 0); err != nil {
		return "", err
	}
	var r Receipt
	a.stamp(&r)
	return rows(map[string]any{"sql": stmt.Pretty(approved.SQL()), "source": r.Source, "plan_hash": r.PlanHash})
}

// aboutPlan is the plan and what can be said of its answer.
func (s *Session) aboutPlan(ctx context.Context, at *standing, ask *stmt.Ask) (string, error) {
	a, err := s.answer(ctx, at, ask, false)
	if err != nil {
		return "", err
	}
	c := a.proposal.Checked
	if c == nil {
		return "", &Error{Code: "PA002", Message: "this question is answered by a query that has no plan"}
	}
	return rows(map[string]any{"plan": c.Plan(), "annotations": struct {
		plan.Annotations
		Qualifiers []string `json:"qualifiers"`
	}{rounded(c.Annotations()), append(c.Qualifiers(), a.qualifiers...)}})
}

// aboutStages is one row a stage; a question that fails shows where.
func (s *Session) aboutStages(ctx context.Context, at *standing, ask *stmt.Ask) (string, error) {
	began := s.p.now()
	a, err := s.answer(ctx, at, ask, false)
	stages := steps(a.proposal.Steps, err, told)
	stage := func(name string, err error, detail string) {
		outcome := "ok"
		if err != nil {
			outcome, detail = sqlState(err), refused(err)
		}
		stages = append(stages, stageRow{name, outcome, detail, took(s.p.now().Sub(began))})
		began = s.p.now()
	}
	detail := "source " + a.proposal.Source
	if c := a.proposal.Checked; c != nil {
		detail += ", plan " + answer.ShortHash(c.Hash())
	}
	stage("plan", err, detail)
	if err == nil {
		s.explainRest(ctx, at, ask, a, stage)
	}
	return rows(stages)
}

// explainRest shows what happens to a compiled answer before it would run.
func (s *Session) explainRest(ctx context.Context, at *standing, ask *stmt.Ask, a answered, stage func(string, error, string)) {
	st, err := s.sqlBefore(ctx, at, stmt.Statement{Tree: a.tree}, ask.Question, []answered{a})
	if len(at.rules.Hooks.SQLBefore) > 0 {
		stage("sql.before", err, "asked")
	}
	if err != nil {
		return
	}
	approved, err := s.authorize(ctx, &at, st, nil)
	stage("authorize", err, limited(approved.Facts()))
	if err != nil {
		return
	}
	if err := s.abstain(at, a, len(approved.Facts().Scopes) > 0); err != nil {
		stage("abstain", err, "")
		return
	}
	r := s.receipt(at)
	_, err = s.preflight(ctx, at, stmt.Statement{}, approved, nil, &r)
	detail := "off"
	if r.EstimatedRows != nil {
		detail = fmt.Sprintf("about %d rows", *r.EstimatedRows)
	}
	stage("preflight", err, detail)
}

// refused is an error in a row: of an ambiguous question, with what can be chosen.
func refused(err error) string {
	if n, ok := errors.AsType[*planner.NotAnswerable](err); ok && n.Readings != nil {
		return n.Error() + "\n" + n.Detail()
	}
	return err.Error()
}

// limited says by what an answer's rows are limited.
func limited(f policy.Facts) string {
	scopes, rowCap := "no scopes", "no row cap"
	if len(f.Scopes) > 0 {
		scopes = "scopes: " + strings.Join(f.Scopes, ", ")
	}
	if f.Cap > 0 {
		rowCap = fmt.Sprintf("row cap %d", f.Cap)
	}
	return scopes + "; " + rowCap
}

type stageRow struct {
	Stage   string  `json:"stage"`
	Outcome string  `json:"outcome"`
	Detail  string  `json:"detail"`
	MS      float64 `json:"ms"`
}

// told is what the asker may know of a step, and known what an operator may.
func told(x planner.Step) string  { return cmp.Or(x.Public, x.Detail) }
func known(x planner.Step) string { return x.Detail }

// steps are the planners' own accounts, also of a question that none answered.
func steps(all []planner.Step, err error, detail func(planner.Step) string) []stageRow {
	if len(all) == 0 {
		all = planner.StepsOf(err)
	}
	out := make([]stageRow, len(all))
	for i, x := range all {
		out[i] = stageRow{x.Stage, x.Outcome, detail(x), took(x.Took)}
	}
	return out
}

// rows is the parameter of a told statement: a JSON array of records.
func rows(v any) (string, error) {
	if one, ok := v.(map[string]any); ok {
		v = []any{one}
	}
	return plainJSON(v)
}

// plainJSON has < and > as they are: people read it, and no browser.
func plainJSON(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}
