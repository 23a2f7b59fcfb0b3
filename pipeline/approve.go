package pipeline

import (
	"context"
	"encoding/json"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/plans"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

var pinnedColumns = []policy.ToldColumn{{Name: "question", Type: "text"}, {Name: "plan_hash", Type: "text"}, {Name: "source", Type: "text"}}

// pinned is a row about a plan that was approved or taken back.
func pinned(question, hash, source string) (string, error) {
	return rows(map[string]any{"question": question, "plan_hash": hash, "source": source})
}

// askApprove pins the question's plan, when the statement is bound. That is no part of a
// transaction: what follows may fail, and the plan stays approved.
func (s *Session) askApprove(ctx context.Context, at *standing, st stmt.Statement, ask *stmt.Ask) (*verdict, error) {
	if err := s.mayApprove(at, st, ask); err != nil {
		return nil, err
	}
	a, err := s.answer(ctx, at, ask, false)
	if err != nil {
		return nil, err
	}
	c := a.own
	if c == nil {
		return nil, &Error{Code: "PA002", Message: "this question is answered by a query that has no plan"}
	}
	if _, err := s.authorize(ctx, &at, stmt.Statement{Tree: a.tree}, nil); err != nil {
		return nil, err
	}
	text, err := json.Marshal(c.Plan())
	if err != nil {
		return nil, err
	}
	return s.told(pinnedColumns, func(ctx context.Context) (string, error) {
		err := s.p.approvals.Approve(ctx, plans.Approved{Database: s.db.Name, Question: ask.Question, Plan: text, Hash: c.Hash(), By: s.who.User, At: s.p.now().UTC()})
		if err != nil {
			return "", s.unkept("the approved plan could not be kept", err)
		}
		return pinned(ask.Question, c.Hash(), a.proposal.Source)
	})
}

// askRevoke takes an approval back.
func (s *Session) askRevoke(at *standing, st stmt.Statement, ask *stmt.Ask) (*verdict, error) {
	if err := s.mayApprove(at, st, ask); err != nil {
		return nil, err
	}
	return s.told(pinnedColumns, func(ctx context.Context) (string, error) {
		gone, err := s.p.approvals.Revoke(ctx, s.db.Name, ask.Question)
		switch {
		case err != nil:
			return "", s.unkept("the approval could not be taken back", err)
		case gone == nil:
			return "", &Error{Code: "42704", Message: "no plan is approved for this question", Advice: "SHOW pgask.approved"}
		}
		return pinned(gone.Question, gone.Hash, "approved")
	})
}

// mayApprove refuses those who may not, and a PREPARE, which would do it when nobody
// looks.
func (s *Session) mayApprove(at *standing, st stmt.Statement, ask *stmt.Ask) error {
	role, err := at.rules.Policy.RoleFor(s.who)
	switch {
	case err != nil || !role.Approve:
		return &Error{Code: "42501", Message: "permission denied to approve plans", Details: "Roles with approve: true may.",
			Advice: "SHOW pgask.approved"}
	case st.Prepare != nil:
		return &Error{Code: "0A000", Message: "an approval can't be prepared by PREPARE", Advice: "ASK " + ask.Form.Word() + quoted(ask.Question)}
	case s.p.approvals == nil:
		return &Error{Code: "0A000", Message: "there is no place for approved plans here"}
	}
	return nil
}

// unkept is the failure of a store, whose own words are for the log.
func (s *Session) unkept(what string, err error) error {
	s.log.Error(what, "error", err)
	return &Error{Code: "58030", Message: what, Advice: "ask whoever runs pgask: its log has the reason"}
}

var approvedColumns = []policy.ToldColumn{{Name: "question", Type: "text"}, {Name: "plan_hash", Type: "text"},
	{Name: "approved_by", Type: "text"}, {Name: "approved_at", Type: "timestamptz"}, {Name: "plan", Type: "json"}}

// approved lists the approved plans of this database that this user would get.
func (s *Session) approved(ctx context.Context) (string, error) {
	at, err := s.stand(ctx)
	if err != nil || s.p.approvals == nil {
		return "[]", err
	}
	k, err := s.know(ctx, at)
	if err != nil {
		return "", err
	}
	all, err := s.p.approvals.Approved(ctx, s.db.Name)
	if err != nil {
		return "", s.unkept("approved plans could not be looked up", err)
	}
	in := planner.Input{Catalog: k.catalog, Semantic: k.semantic, Access: access(at.view), Today: s.p.today}
	out := []map[string]any{}
	for _, a := range all {
		p, err := plan.Decode(a.Plan)
		if err == nil {
			_, err = plan.Validate(p, in.Context())
		}
		if err == nil { // another names what this user may not know, or what is gone
			out = append(out, map[string]any{"question": a.Question, "plan_hash": a.Hash, "approved_by": a.By, "approved_at": a.At, "plan": a.Plan})
		}
	}
	return rows(out)
}
