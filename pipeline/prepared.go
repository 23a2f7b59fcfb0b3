package pipeline

import (
	"context"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// Bounds of what a session holds by SQL: cursors, and the bytes of what they
// stand for.
const (
	maxHeld      = 10_000
	maxHeldBytes = 32 << 20
)

// holds checks an approved statement against what the session holds: there must
// be room for one more, and what an EXECUTE runs must still be allowed; origin
// is that. An EXECUTE that was parsed finds its name when it is executed.
func (s *Session) holds(ctx context.Context, a policy.Approved) (origin *verdict, err error) {
	full := false
	switch f := a.Facts(); f.Tag {
	case "PREPARE":
		full = !s.names.Room(f.Prepared, len(a.SQL()))
	case "DECLARE CURSOR":
		full = !s.room(len(a.SQL()))
	case "EXECUTE":
		if s.simple {
			return s.stillHolds(ctx, f.Prepared)
		}
	}
	if full {
		return nil, &Error{Code: "54000", Message: "too many prepared statements and cursors", Advice: "DEALLOCATE ALL"}
	}
	return nil, nil
}

func (s *Session) room(bytes int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.held.cursors {
		bytes += len(c.verdict.text)
	}
	return bytes <= maxHeldBytes && len(s.held.cursors) < maxHeld
}

// stillHolds is the verdict of a prepared statement that an EXECUTE names, by
// the rules in force.
func (s *Session) stillHolds(ctx context.Context, name string) (*verdict, error) {
	d, err := s.prepared(name)
	switch {
	case err != nil:
		return nil, err
	case d == nil && s.governed:
		return nil, &Error{Code: "26000", Message: "prepared statement " + quotedName(name) + " does not exist"}
	case d == nil || !s.governed && d.verdict == nil:
		return nil, &Error{Code: "0A000", Message: "this prepared statement was not judged when it was prepared",
			Advice: "/* pgask: governed */ PREPARE " + ident(name) + " AS …"}
	case !d.executable():
		return nil, &Error{Code: "0A000", Message: "this prepared statement can't be executed by EXECUTE",
			Advice: "run its text"}
	}
	_, err = s.current(ctx, d)
	return d.verdict, err
}

// executable tells whether an EXECUTE may run a prepared statement. Postgres
// would also run a FETCH, a SET or another EXECUTE that was parsed, whose
// effects are not this EXECUTE's, and a told statement with a client's value.
func (d *Decision) executable() bool {
	if d.verdict == nil || d.source.prepares {
		return true
	}
	switch d.verdict.facts.Tag {
	case "SELECT", "EXPLAIN", "SHOW":
		return !d.Told
	}
	return false
}

// followed tells of what a passthrough session's EXECUTE has to do with.
func (d *Decision) followed() bool { return d != nil && d.verdict != nil && d.executable() }

func quotedName(name string) string { return `"` + name + `"` }

// current judges a prepared statement again if the rules or the schema it was
// judged by were replaced since. Where that changes what would run, the client must prepare it
// anew, as after a change of a table. The error is of that kind of statement.
func (s *Session) current(ctx context.Context, d *Decision) (kind string, err error) {
	if !s.Stale(d) {
		return "", nil
	}
	trap, simple, message, text, taken := s.trap, s.simple, s.message, s.text, s.taken
	defer func() { s.trap, s.simple, s.message, s.text, s.taken = trap, simple, message, text, taken }()
	again, kind, err := s.prepare(ctx, d.source)
	if err != nil {
		return kind, err
	}
	if again.verdict == nil || again.Text != d.Text {
		return "bind", rulesChanged()
	}
	d.verdict, d.source = again.verdict, again.source
	return "", nil
}

// source is what a prepared statement was judged from.
type source struct {
	rules *Rules
	// snap is the schema that it was judged by; nil where that doesn't matter.
	snap *catalog.Snapshot
	text string
	oids []uint32
	trap *Denial
	// prepares tells of the text of a PREPARE, with its tag, instead of that
	// of a Parse.
	prepares bool
	tag      stmt.Tag
}

// prepare judges a Parse, for the first time or again, or a PREPARE again. The
// error is of that kind of statement.
func (s *Session) prepare(ctx context.Context, from source) (d Decision, kind string, err error) {
	s.trap, s.simple, s.message, s.text = from.trap, false, nil, from.text
	from.rules = s.p.Rules() // before they are used: a reload may come now
	s.takeUp(from.text, s.p.now())
	if from.prepares {
		return s.prepareAgain(ctx, from)
	}
	if from.trap == nil { // else the text has to have its word again
		switch r, err := s.recalled(ctx, from.text, from.oids, true); {
		case err != nil:
			return d, "sql", err
		case r != nil:
			from.rules = s.at.rules
			return s.parsed(r, from), "", nil
		}
	}
	trapped := from.trap != nil
	statements, mine, err := s.parse(from.text)
	switch {
	case err != nil:
		return d, "unparsed", err
	case !mine:
		return Decision{Untouched: true}, "", nil
	case len(statements) == 0:
		return d, "", nil
	case len(statements) > 1:
		return d, "unparsed", &Error{Code: "42601", Message: "cannot insert multiple commands into a prepared statement"}
	}
	v, err := s.judge(ctx, statements[0], from.oids)
	if err != nil {
		return d, kindOf(statements[0]), err
	}
	if !trapped {
		r := &ruling{text: v.text, trap: s.trap}
		r.add(v, statements[0])
		s.remember(r, from.text, from.oids)
	}
	from = s.judgedAt(from, v)
	from.trap, from.tag = s.trap, statements[0].Tag
	return Decision{Text: v.text, Denial: s.trap, Told: v.tell != nil, Own: s.own(from.text, v.text, []*verdict{v}), Alters: v.alters, verdict: v, source: from}, "", nil
}

// prepareAgain judges the statement of a PREPARE again.
func (s *Session) prepareAgain(ctx context.Context, from source) (d Decision, kind string, err error) {
	statements, err := stmt.Parse(from.text, s.p.limits)
	if err != nil || len(statements) != 1 {
		return d, "unparsed", rulesChanged()
	}
	statements[0].Tag = from.tag
	v, err := s.judge(ctx, statements[0], nil)
	if err != nil {
		return d, kindOf(statements[0]), err
	}
	c := v.change(s.judgedAt(from, v))
	if c == nil || c.To == nil {
		return d, "unparsed", rulesChanged()
	}
	return *c.To, "", nil
}

// judgedAt notes the schema that a statement was judged by. Answers keep their
// plan: made anew, it might be another.
func (s *Session) judgedAt(from source, v *verdict) source {
	from.snap = nil
	if s.at != nil && v.kind != "ask" && !v.passes {
		from.snap = s.at.snap
	}
	return from
}

// rulesChanged is what Postgres says after a change of a table.
func rulesChanged() error {
	return &Error{Code: "0A000", Message: "cached plan must not change result type",
		Advice: "prepare the statement again: the rules for this user have changed"}
}
