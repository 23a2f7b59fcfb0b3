package pipeline

import (
	"context"

	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// Bind makes an execution of a prepared statement that the rules in force still
// allow.
func (s *Session) Bind(ctx context.Context, d *Decision) Binding {
	if d.verdict == nil {
		return Binding{}
	}
	s.takeUpAgain(d.verdict)
	if err := s.admitAgain(ctx, d.verdict); err != nil {
		return Binding{Denial: s.refused(d.verdict.kind, ended(ctx, err))}
	}
	if kind, err := s.current(ctx, d); err != nil {
		return Binding{Denial: s.refused(kind, ended(ctx, err))}
	}
	b := s.bound(d, s.run(d.verdict, s.p.now()))
	if d.verdict.tell == nil {
		return b
	}
	value, err := d.verdict.tell(ctx)
	if err != nil {
		return Binding{Denial: s.refused("tell", ended(ctx, err))}
	}
	b.Value = value
	return b
}

// BindNow is Bind where the answer is known already. It never blocks. The Run is made
// of the given one, which nobody uses any more.
func (s *Session) BindNow(d *Decision, run *Run) (Binding, bool) {
	if d.verdict == nil {
		return Binding{}, true
	}
	if d.verdict.tell != nil || s.Stale(d) || !s.p.audit.Ready() {
		return Binding{}, false
	}
	s.begin(run, d.verdict, s.p.now())
	return s.bound(d, run), true
}

// bound is the execution of a statement that is known to be allowed.
func (s *Session) bound(d *Decision, run *Run) Binding {
	v := d.verdict
	b := Binding{Run: run}
	if !d.source.prepares { // a PREPARE's own text names; what is bound is inside
		from := d.source
		from.prepares = true
		b.Renames = v.change(from)
	}
	return b
}

// Describe judges a prepared statement again if the rules were replaced since:
// its columns are as secret as its rows.
func (s *Session) Describe(ctx context.Context, d *Decision) *Denial {
	s.takeUpAgain(d.verdict)
	if kind, err := s.current(ctx, d); err != nil {
		return s.refused(kind, ended(ctx, err))
	}
	return nil
}

// Stale tells whether the rules or the schema that a prepared statement was
// judged by were replaced since.
func (s *Session) Stale(d *Decision) bool {
	from := &d.source
	return d.verdict != nil && (from.rules != s.p.Rules() || from.snap != nil && from.snap != s.db.Fresh())
}

// ExecuteNow tells that Execute has nothing to say of a portal. It never blocks.
func (s *Session) ExecuteNow(r *Run) bool { return !r.Executes() && s.p.audit.Ready() }

// Execute looks up what an EXECUTE behind a portal runs. Of others it only asks
// whether the audit log could have the line: they were judged when they were bound.
func (s *Session) Execute(ctx context.Context, r *Run) Execution {
	v := r.of
	s.message = nil
	s.takeUpAgain(v)
	if v.passes && r.Executes() {
		d, err := s.names.Prepared(v.facts.Prepared)
		if err == nil && !d.followed() {
			return Execution{}
		}
	}
	if err := s.admitAgain(ctx, v); err != nil {
		return Execution{Denial: s.refused(v.kind, ended(ctx, err))}
	}
	if !r.Executes() {
		return Execution{}
	}
	origin, err := s.stillHolds(ctx, v.facts.Prepared)
	if err != nil {
		return Execution{Denial: s.refused(v.kind, ended(ctx, err))}
	}
	if origin == nil {
		return Execution{}
	}
	return Execution{Trap: origin.trap, origin: origin}
}

// namesOurs tells whether statements that a passthrough session leaves to
// Postgres have to do with a prepared statement that was judged.
func (s *Session) namesOurs(statements []stmt.Statement) (bool, error) {
	for _, st := range statements {
		if st.Tree.GetDeallocateStmt() != nil {
			return true, nil
		}
		if e := st.Tree.GetExecuteStmt(); e != nil {
			if d, err := s.names.Prepared(e.Name); err != nil || d.followed() {
				return true, err
			}
		}
	}
	return false, nil
}

// passed is the verdict of a statement that is Postgres's own business. What it
// does with a question that was prepared is followed nevertheless.
func (s *Session) passed(ctx context.Context, st stmt.Statement) (*verdict, error) {
	v := &verdict{text: st.Text, kind: "pass", passes: true}
	if d := st.Tree.GetDeallocateStmt(); d != nil {
		v.facts = policy.Facts{Tag: "DEALLOCATE", Prepared: d.Name}
	}
	e := st.Tree.GetExecuteStmt()
	if e == nil {
		return v, nil
	}
	d, err := s.prepared(e.Name)
	if err != nil || !d.followed() {
		return v, err
	}
	v.kind, v.facts = "execute", policy.Facts{Tag: "EXECUTE", Rows: true, Prepared: e.Name, Cap: d.verdict.facts.Cap}
	if s.simple {
		v.origin, err = s.stillHolds(ctx, e.Name)
		s.trapOf(v.facts, v.origin)
	}
	return v, err
}
