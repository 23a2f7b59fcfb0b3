package pipeline

import (
	"context"
	"strings"
	"time"

	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// Query judges the text of a simple Query: all its statements together, one
// denial denies the message.
func (s *Session) Query(ctx context.Context, text string) Decision {
	began := s.p.now()
	s.trap, s.simple, s.message, s.text = nil, true, nil, text
	s.takeUp(text, began)
	switch r, err := s.recalled(ctx, text, nil, false); {
	case err != nil:
		return denied(s.refused("sql", ended(ctx, err)))
	case r != nil:
		return s.queried(text, r, began)
	}
	statements, mine, err := s.parse(text)
	if err != nil {
		return denied(s.refused("unparsed", err))
	}
	if !mine {
		return Decision{Untouched: true}
	}
	texts := make([]string, len(statements))
	runs := make([]*Run, len(statements))
	r := &ruling{}
	s.cleaning = cleansUp(statements)
	defer func() { s.cleaning = false }()
	for i, st := range statements {
		rules := s.p.Rules()
		v, err := s.judge(ctx, st, nil)
		if err != nil {
			return denied(s.refused(kindOf(st), ended(ctx, err)))
		}
		s.message = append(s.message, v.change(s.judgedAt(source{rules: rules, text: st.Text, trap: v.trap, prepares: true, tag: st.Tag}, v)))
		if texts[i], err = v.literal(ctx); err != nil {
			return denied(s.refused(kindOf(st), ended(ctx, err)))
		}
		runs[i] = s.run(v, began)
		r.add(v, st)
	}
	joined := strings.Join(texts, "; ")
	if err := s.countAgain(joined, len(texts)); err != nil {
		return denied(s.refused("unparsed", err))
	}
	r.text, r.trap = joined, s.trap
	s.remember(r, text, nil)
	return Decision{Text: joined, Runs: runs, Renames: s.message, Denial: s.trap, Own: s.own(text, joined, r.verdicts), Alters: altering(r.verdicts)}
}

// Parse judges the text of a Parse message; oids are the parameter types it
// declares.
func (s *Session) Parse(ctx context.Context, text string, oids []uint32) Decision {
	d, kind, err := s.prepare(ctx, source{text: text, oids: oids})
	if err != nil {
		return denied(s.refused(kind, ended(ctx, err)))
	}
	return d
}

// parse reads a message. In a session that isn't governed, mine tells whether
// anything in it is ours to judge; what the parser can't read there is left to
// Postgres unless it asks for judgement.
func (s *Session) parse(text string) (statements []stmt.Statement, mine bool, err error) {
	statements, err = stmt.Parse(text, s.p.limits)
	if s.governed {
		return statements, true, err
	}
	if err != nil {
		if stmt.Claims(text) {
			return nil, true, err
		}
		return nil, false, nil
	}
	for _, st := range statements {
		if s.ours(st) {
			return statements, true, s.divisible(text, len(statements))
		}
	}
	named, err := s.namesOurs(statements)
	if err != nil || !named || s.divisible(text, len(statements)) != nil {
		return nil, false, err
	}
	return statements, true, nil
}

// divisible refuses to take a passthrough session's message apart where it may
// not have the statements that it seems to: with standard_conforming_strings
// off, which such a session may set, a backslash keeps a literal open that ends
// there for us, and what stands in it would run.
func (s *Session) divisible(text string, n int) error {
	if n < 2 || !strings.Contains(text, `\`) {
		return nil
	}
	return &Error{Code: "0A000", Message: "statements with a backslash can't be sent together with a question or a tag",
		Advice: "send them one by one"}
}

// ours tells whether a passthrough session's statement takes our path.
func (s *Session) ours(st stmt.Statement) bool {
	if st.Ask != nil || st.Tag.Question != "" || st.Tag.Governed {
		return true
	}
	if _, ok := shown(st); ok {
		return true
	}
	if _, ok := setsMessages(st); ok {
		return true
	}
	calls, err := stmt.Asks(st.Tree)
	return err != nil || len(calls) > 0
}

// judge gives one statement its verdict, where the audit log can have it.
func (s *Session) judge(ctx context.Context, st stmt.Statement, oids []uint32) (*verdict, error) {
	if err := s.admit(ctx, st); err != nil {
		return nil, err
	}
	s.trial = nil
	defer func() { s.trial = nil }()
	v, err := s.traced(ctx, st, oids)
	if err == nil {
		v.account = s.accountOf(v, st)
		v.alters = alters(v)
	}
	return v, err
}

// weigh is what judge does about the statement itself.
func (s *Session) weigh(ctx context.Context, st stmt.Statement, oids []uint32) (*verdict, error) {
	if ask, ok := asked(st); ok {
		return s.ask(ctx, st, ask)
	}
	if name, ok := shown(st); ok {
		return s.show(ctx, name)
	}
	if !s.governed && !st.Tag.Governed {
		if to, ok := setsMessages(st); ok {
			return &verdict{text: st.Text, kind: "set", facts: policy.Facts{Tag: discards(st), Set: to}, quiet: true, passes: true}, nil
		}
	}
	calls, err := stmt.Asks(st.Tree)
	if err != nil {
		return nil, err
	}
	if len(calls) > 0 {
		return s.askInside(ctx, st, calls, oids)
	}
	if !s.governed && !st.Tag.Governed {
		return s.passed(ctx, st)
	}
	return s.ordinary(ctx, st, oids)
}

// ordinary authorizes SQL that a person wrote.
func (s *Session) ordinary(ctx context.Context, st stmt.Statement, oids []uint32) (*verdict, error) {
	at, err := s.stand(ctx)
	if err != nil {
		return nil, err
	}
	v, err := s.approve(ctx, at, s.receipt(at), st, oids)
	if err == nil {
		v.standing = s.at.number
		v.repeats = repeatsPrepared(v)
	}
	return v, s.placed(st, err)
}

// approve authorizes a statement and weighs its cost. Every statement that
// reads data passes here, whoever wrote it.
func (s *Session) approve(ctx context.Context, at *standing, r Receipt, st stmt.Statement, oids []uint32) (*verdict, error) {
	began := s.p.now()
	a, err := s.authorize(ctx, &at, st, oids)
	s.p.observe.Stage("authorize", s.p.now().Sub(began))
	if err != nil {
		return nil, err
	}
	r.SchemaVersion, r.PolicyVersion = at.snap.Version, at.rules.Policy.Version()
	f := a.Facts()
	r.Scopes = append(r.Scopes, f.Scopes...)
	if f.Cap > 0 {
		cap := f.Cap
		r.RowCap = &cap
	}
	origin, err := s.holds(ctx, a)
	if err != nil {
		return nil, err
	}
	light, err := s.preflight(ctx, at, st, a, oids, &r)
	if err != nil {
		return nil, err
	}
	s.trapOf(f, origin)
	return &verdict{approved: a, light: light, origin: origin, trap: s.trap, text: a.SQL(), kind: strings.ToLower(f.Tag),
		facts: f, receipt: r, quiet: control[f.Tag]}, nil
}

// control are the statements that leave no receipt: settings and transaction
// control.
var control = map[string]bool{"SET": true, "RESET": true, "SHOW": true, "BEGIN": true, "START TRANSACTION": true, "COMMIT": true,
	"ROLLBACK": true, "SAVEPOINT": true, "RELEASE": true, "UNLISTEN": true, "DISCARD PLANS": true, "DISCARD SEQUENCES": true, "DISCARD TEMP": true}

// authorize asks the policy; where it refuses, the schema may have changed
// under the snapshot, so a refusal by an old one is not final.
func (s *Session) authorize(ctx context.Context, at **standing, st stmt.Statement, oids []uint32) (policy.Approved, error) {
	o := policy.Options{ParamTypes: oids, Cap: true, OnTruncateError: s.trapWord(*at), CleanUp: s.cleaning, Gather: s.gather, Watched: s.watched}
	a, err := (*at).view.Authorize(st, o)
	if err == nil {
		return a, nil
	}
	snap, again := s.db.Refresh(ctx)
	if again != nil || snap == (*at).snap {
		return a, err
	}
	fresh, again := s.standOn(snap)
	if again != nil {
		return a, err
	}
	*at = fresh
	return fresh.view.Authorize(st, o)
}

// countAgain demands that the joined texts are still exactly the statements
// that were judged.
func (s *Session) countAgain(joined string, n int) error {
	if n < 2 {
		return nil
	}
	again, err := stmt.Parse(joined, s.p.rewritten())
	if err != nil || len(again) != n {
		return &Error{Code: "0A000", Message: "these statements can't be sent together",
			Advice: "send them one by one"}
	}
	return nil
}

func kindOf(st stmt.Statement) string {
	if _, ok := asked(st); ok {
		return "ask"
	}
	return "sql"
}

// took is a stage's duration in milliseconds.
func took(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
