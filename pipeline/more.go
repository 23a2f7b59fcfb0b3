package pipeline

import (
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/planner"
)

// followUp makes a question one about the session's last plan, which may not hold any
// more: it is validated like any other.
func (s *Session) followUp(in *planner.Input) error {
	s.mu.Lock()
	in.Last = s.lastPlan
	s.mu.Unlock()
	if in.Last == nil {
		return &Error{Code: "PA002", Message: "there is no plan in this session to amend", Advice: "ASK 'your question'"}
	}
	c, err := plan.Validate(in.Last.Plan, in.Context())
	if err != nil {
		return err
	}
	in.Last = &planner.Last{Question: in.Last.Question, Plan: c.Plan(), Qualifiers: in.Last.Qualifiers, Several: in.Last.Several}
	in.PlanOnly, in.Afresh = true, true
	return nil
}

// amended is what an answer says besides its plan, with what is left of that of the answer
// that it follows up.
func amended(p planner.Proposal, before *planner.Last) planner.Proposal {
	own := p.Qualifiers
	p.Qualifiers = slices.Clone(before.Qualifiers)
	for _, q := range own {
		if !slices.Contains(p.Qualifiers, q) {
			p.Qualifiers = append(p.Qualifiers, q)
		}
	}
	if p.Checked != nil {
		was, is := before.Plan.Limit, p.Checked.Plan().Limit
		p.Several = p.Several || before.Several && was != nil && is != nil && *was == *is
	}
	return p
}

// last is what a follow-up of an answer would amend. What a hook made of it isn't: the
// hook is asked about the follow-up again.
func (a *answered) last(question string) *planner.Last {
	if a.own == nil {
		return nil
	}
	if a.amends != nil {
		question = together(a.amends.Question, question)
	}
	return &planner.Last{Question: question, Plan: a.own.Plan(), Qualifiers: a.proposal.Qualifiers, Several: a.proposal.Several}
}

// Resume makes an answer the session's last one, as if it had just run.
func (s *Session) Resume(last *planner.Last) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastPlan = last
}

// together is a question with what amends it.
func together(question, amendment string) string {
	all := question + ", " + amendment
	return strings.ToValidUTF8(all[max(0, len(all)-maxFollowed):], "")
}

// maxFollowed is how many bytes of a question and what amended it are kept, the latest:
// follow-ups have no end, and the plan holds what the first of them said.
const maxFollowed = 4000

// followed notes the session's last answer once it has run.
func (s *Session) followed(v *verdict, o Outcome) {
	if v.kind != "ask" || o.SQLState != "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastPlan = v.follow
}
