package pipeline

import (
	"context"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/answer"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/stmt"
)

// asked tells whether a statement is a question, and which: an ASK, or any
// statement behind a comment that asks.
func asked(st stmt.Statement) (*stmt.Ask, bool) {
	if st.Ask != nil {
		return st.Ask, true
	}
	if st.Tag.Question != "" {
		return &stmt.Ask{Question: st.Tag.Question}, true
	}
	return nil, false
}

// answered is a question that was planned: its tree and what is known of it.
type answered struct {
	ask      *stmt.Ask
	proposal planner.Proposal
	tree     *pg_query.Node
	// own is the plan as its planner made it, before any hook.
	own *plan.Checked
	// amends is the answer that this one follows up; nil for none.
	amends *planner.Last
	// qualifiers are said besides the plan's.
	qualifiers []string
	// budget is what models may still cost; nil where none was asked for.
	budget *planner.Budget
	// watched is how many rows the answer has, where its statement gives one more if that
	// ties with the last of them; 0 for others.
	watched int64
	// rewritten tells that a hook has put other SQL in the place of the plan's.
	rewritten bool
}

// ask answers a statement that is a question.
func (s *Session) ask(ctx context.Context, st stmt.Statement, ask *stmt.Ask) (*verdict, error) {
	v, err := s.askForm(ctx, st, ask)
	if st.Ask == nil { // a comment's
		return v, inForm(err, asTable)
	}
	return v, inForm(err, asStatement(st, ask))
}

func (s *Session) askForm(ctx context.Context, st stmt.Statement, ask *stmt.Ask) (*verdict, error) {
	at, err := s.mayAsk(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case ask.Form == stmt.FormSQL, ask.Form == stmt.FormPlan, ask.Form == stmt.FormExplain:
		return s.askAbout(ctx, st, ask)
	case ask.Form == stmt.FormApprove:
		return s.askApprove(ctx, at, st, ask)
	case ask.Form == stmt.FormRevoke:
		return s.askRevoke(at, st, ask)
	}
	return s.askRows(ctx, at, st, ask) // and tells them, as the form says
}

// mayAsk is the session's standing, for those who may ask.
func (s *Session) mayAsk(ctx context.Context) (*standing, error) {
	at, err := s.stand(ctx)
	if err != nil {
		return nil, err
	}
	if role, err := at.rules.Policy.RoleFor(s.who); err != nil || !role.Ask {
		return nil, &Error{Code: "42501", Message: "permission denied to ask questions",
			Advice: "write the query in SQL"}
	}
	s.p.counters.asks.Add(1)
	return at, nil
}

// askRows compiles the question to the statement that answers it.
func (s *Session) askRows(ctx context.Context, at *standing, st stmt.Statement, ask *stmt.Ask) (*verdict, error) {
	a, err := s.answer(ctx, at, ask, true)
	if err != nil {
		return nil, err
	}
	tree := a.tree
	if st.Prepare != nil {
		tree = &pg_query.Node{Node: &pg_query.Node_PrepareStmt{
			PrepareStmt: &pg_query.PrepareStmt{Name: st.Prepare.Name, Query: tree}}}
	}
	s.gather = gathers(ask)
	defer func() { s.gather = nil }()
	all := []answered{a} // to which hooks add
	v, err := s.approveAnswers(ctx, at, stmt.Statement{Text: st.Text, Tree: tree}, ask.Question, nil, all...)
	if err == nil && s.gather != nil {
		v.teller, err = s.teller(ctx, at, ask, all[0], v)
	}
	return v, err
}

// askInside answers the ask() calls of a larger statement, then judges the
// whole.
func (s *Session) askInside(ctx context.Context, st stmt.Statement, calls []stmt.AskCall, oids []uint32) (*verdict, error) {
	at, err := s.mayAsk(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]answered, len(calls))
	for i, c := range calls {
		if all[i], err = s.answer(ctx, at, &stmt.Ask{Question: c.Question, Reading: c.Reading}, false); err != nil {
			return nil, inForm(err, asTable)
		}
		if p := all[i].proposal.Checked; p != nil && p.Ties() > 0 { // what the statement makes of the rows, nobody sees
			all[i].qualifiers = append(slices.Clip(all[i].qualifiers), answer.MayTie(p.Ties()))
		}
	}
	for i, c := range calls {
		stmt.ReplaceAsk(st.Tree, c, all[i].tree)
	}
	v, err := s.approveAnswers(ctx, at, st, questions(calls), oids, all...)
	if err == nil {
		v.question = questions(calls)
	}
	return v, err
}

// questions are those of ask() calls, as one text.
func questions(calls []stmt.AskCall) string {
	all := make([]string, len(calls))
	for i, c := range calls {
		all[i] = c.Question
	}
	return strings.Join(all, "\n")
}

// approveAnswers authorizes a statement that holds answers and attaches their
// receipts and notices.
func (s *Session) approveAnswers(ctx context.Context, at *standing, st stmt.Statement, question string, oids []uint32, all ...answered) (*verdict, error) {
	r := s.receipt(at)
	st, err := s.sqlBefore(ctx, at, st, question, all)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		a.stamp(&r)
	}
	s.watched = 0
	if len(all) == 1 && !all[0].rewritten {
		s.watched = all[0].watched
	}
	defer func() { s.watched = 0 }()
	v, err := s.approve(ctx, at, r, st, oids)
	if err != nil {
		return nil, err
	}
	v.kind = "ask"
	if err := s.annotate(at, v, all); err != nil {
		return nil, err
	}
	if len(all) == 1 {
		v.follow = all[0].last(question)
	}
	for _, a := range all {
		v.steps = append(v.steps, a.proposal.Steps...)
		v.learn(a.proposal.Ran)
	}
	told := answer.Receipt{Source: *r.Source, Scopes: v.receipt.Scopes, Qualifiers: v.receipt.Qualifiers}
	if r.Curated != nil {
		told.Curated, told.Values = r.Curated.ID, r.Curated.Values
	}
	told.PlanHash, told.Annotations = v.receipt.PlanHash, annotated(*v.receipt.Annotations)
	v.notices = noticeOf(told)
	if s.watched > 0 {
		told.Qualifiers = append(slices.Clip(told.Qualifiers), answer.Tied(s.watched))
	}
	v.tied = noticeOf(told)
	return v, nil
}

func noticeOf(told answer.Receipt) []Notice {
	message, detail := answer.Notice(told)
	return []Notice{{Severity: "NOTICE", Code: "00000", Message: message, Detail: detail}}
}

// stamp enters an answer into the receipt; several answers in one statement
// add up, and the first names the source.
func (a answered) stamp(r *Receipt) {
	if r.Source == nil {
		source := a.proposal.Source
		r.Source, r.Curated = &source, a.proposal.Curated
	}
	r.ModelCalls += a.proposal.ModelCalls
	r.Qualifiers = append(r.Qualifiers, a.qualifiers...)
	c := a.proposal.Checked
	if c == nil {
		return
	}
	if r.PlanHash == nil {
		hash := c.Hash()
		r.PlanHash = &hash
	}
	r.Qualifiers = append(r.Qualifiers, c.Qualifiers()...)
}

// answer plans a question and compiles the plan: where its rows are watched, to a statement
// that tells of ties.
func (s *Session) answer(ctx context.Context, at *standing, ask *stmt.Ask, watched bool) (answered, error) {
	began := s.p.now()
	in, err := s.input(ctx, at, ask)
	if err == nil && ask.Form == stmt.FormMore {
		err = s.followUp(&in)
	}
	if err != nil {
		return answered{}, err
	}
	s.tracing.amends(in.Last)
	in.SQL, in.Budget = s.sqlTarget(at), s.budget(at)
	p, err := s.propose(ctx, at, ask, in)
	s.p.observe.Stage("plan", s.p.now().Sub(began))
	s.p.observe.Answered(p.Source, p.ModelCalls, p.Cost.Tokens, p.Cost.Money)
	s.tracing.planned(p, err)
	if err != nil {
		return answered{proposal: p}, err
	}
	if in.Last != nil {
		p = amended(p, in.Last)
	}
	a := answered{ask: ask, proposal: p, tree: p.Query, own: p.Checked, amends: in.Last, qualifiers: p.Qualifiers, budget: in.Budget}
	if p.Several {
		a.qualifiers = append(slices.Clip(a.qualifiers), answer.Several(*p.Checked.Plan().Limit))
	}
	if p.Checked != nil {
		if err := s.planAfter(ctx, at, in, &a); err != nil {
			return a, err
		}
		c, err := s.embedded(ctx, a.proposal.Checked)
		if err != nil {
			return a, err
		}
		if a.tree = plan.Compile(c); watched {
			a.tree, a.watched = plan.Watched(c)
		}
	}
	return a, s.fit(ctx, at, &a, ask)
}

// fit puts an answer into the columns that the asker wants, if any.
func (s *Session) fit(ctx context.Context, at *standing, a *answered, ask *stmt.Ask) error {
	want, err := s.wantedColumns(ask)
	if err != nil || want == nil {
		return err
	}
	var have []plan.Column
	if c := a.proposal.Checked; c != nil {
		have = c.Columns()
	} else {
		approved, err := s.authorize(ctx, &at, stmt.Statement{Tree: a.tree}, nil)
		if err != nil {
			return err
		}
		for _, name := range approved.Facts().Columns {
			have = append(have, plan.Column{Name: name})
		}
	}
	a.tree, err = shape(ask.Question, a.tree, have, want)
	return err
}

// propose asks the planners, or takes the plan that was supplied or chosen.
func (s *Session) propose(ctx context.Context, at *standing, ask *stmt.Ask, in planner.Input) (planner.Proposal, error) {
	switch {
	case ask.HasPlan:
		return supplied(ask, in)
	case ask.Reading > 0:
		return chosen(ctx, at.rules.Planners, ask.Reading, in)
	}
	if ask.Form == stmt.FormPlan || ask.Form == stmt.FormApprove {
		in.PlanOnly = true
	}
	return at.rules.Planners.Plan(ctx, in)
}

// input is the question with what its asker may know.
func (s *Session) input(ctx context.Context, at *standing, ask *stmt.Ask) (planner.Input, error) {
	k, err := s.know(ctx, at)
	if err != nil {
		return planner.Input{}, err
	}
	want, err := s.wantedColumns(ask)
	if err != nil {
		return planner.Input{}, err
	}
	return planner.Input{Question: ask.Question, Columns: columnsOf(want), Database: s.db.Name, Catalog: k.catalog, Hidden: at.view.Hidden(),
		Near: s.near(at, k, ask.Question), Try: s.tries(at), Result: s.results(at, ask), SchemaVersion: at.snap.Version, Sees: at.view.Digest(), Semantic: k.semantic, Access: access(at.view), Now: s.p.now(), Today: s.p.today, Model: at.role.Model}, nil
}
