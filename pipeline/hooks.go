package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/hook"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/stmt"
)

// Hooks are asked about answers, each kind in order: the next is told what the one before
// made of it.
type Hooks struct {
	PlanAfter, SQLBefore []*hook.Hook
}

// consult asks one hook about this user's question.
func (s *Session) consult(ctx context.Context, h *hook.Hook, e hook.Event) (hook.Reply, error) {
	began := s.p.now()
	e.Database, e.User, e.Roles = s.db.Name, s.who.User, s.who.Roles
	r, err := h.Ask(ctx, e)
	s.p.observe.Stage("hook", s.p.now().Sub(began))
	return r, s.hookFailed(err)
}

// hookFailed logs why a hook failed, and gives the error back.
func (s *Session) hookFailed(err error) error {
	if f, ok := errors.AsType[*hook.Failed](err); ok {
		s.log.Warn("hook failed", "hook", f.Hook, "reason", f.Reason, "error", f.Err)
	}
	return err
}

// planAfter has the hooks look at a plan, whoever made it. A plan that one of them changed
// is validated like any other.
func (s *Session) planAfter(ctx context.Context, at *standing, in planner.Input, a *answered) error {
	for _, h := range at.rules.Hooks.PlanAfter {
		c := a.proposal.Checked
		text, err := json.Marshal(c.Plan())
		if err != nil {
			return err
		}
		r, err := s.consult(ctx, h, hook.Event{Hook: "plan.after", Question: in.Question, Source: a.proposal.Source, PlanHash: c.Hash(), Plan: text})
		if err != nil {
			return err
		}
		if r.Decision != "modify" {
			a.step("plan.after", "ok", "allowed")
			continue
		}
		p, err := plan.Decode(r.Plan)
		if err == nil {
			c, err = plan.Validate(p, in.Context())
		}
		if err != nil {
			return s.hookFailed(h.Fail("its plan is rejected", err))
		}
		a.proposal.Checked = c.WithConfidence(a.proposal.Checked.Annotations().Confidence)
		a.changed("plan")
		a.step("plan.after", "ok", "modified: plan "+c.Hash())
	}
	return nil
}

// sqlBefore has the hooks look at what would be judged. SQL that one of them changed is
// judged from the beginning, in the place of the old.
func (s *Session) sqlBefore(ctx context.Context, at *standing, st stmt.Statement, question string, all []answered) (stmt.Statement, error) {
	for _, h := range at.rules.Hooks.SQLBefore {
		place := &st.Tree
		if p := st.Tree.GetPrepareStmt(); p != nil {
			place = &p.Query
		}
		text, err := stmt.Print(*place)
		if err != nil {
			return st, err
		}
		first := &all[0]
		e := hook.Event{Hook: "sql.before", Question: question, Source: first.proposal.Source, SQL: text}
		if c := first.proposal.Checked; c != nil {
			e.PlanHash = c.Hash()
		}
		r, err := s.consult(ctx, h, e)
		if err != nil {
			return st, err
		}
		if r.Decision != "modify" {
			first.step("sql.before", "ok", "allowed")
			continue
		}
		tree, err := s.instead(*place, r.SQL)
		if err != nil {
			return st, s.hookFailed(h.Fail("its SQL can't be used", err))
		}
		*place = tree
		first.changed("SQL")
		first.rewritten = true
		first.step("sql.before", "ok", "modified")
	}
	return st, nil
}

// instead parses what a hook gave: one statement of the same kind, which asks nothing.
func (s *Session) instead(old *pg_query.Node, text string) (*pg_query.Node, error) {
	statements, err := stmt.Parse(text, s.p.rewritten())
	if err != nil {
		return nil, err
	}
	if len(statements) != 1 {
		return nil, errors.New("it must be one statement")
	}
	st := statements[0]
	if _, asks := asked(st); asks || reflect.TypeOf(st.Tree.GetNode()) != reflect.TypeOf(old.GetNode()) {
		return nil, errors.New("it must be a statement of the same kind")
	}
	if calls, err := stmt.Asks(st.Tree); err != nil || len(calls) > 0 {
		return nil, errors.New("it asks a question itself")
	}
	return st.Tree, nil
}

// changed says in the answer what a hook did to it.
func (a *answered) changed(what string) {
	a.qualifiers = append(a.qualifiers, "the "+what+" was changed by a hook")
}

func (a *answered) step(stage, outcome, detail string) {
	a.proposal.Steps = append(a.proposal.Steps, planner.Step{Stage: stage, Outcome: outcome, Detail: detail})
}
