package pipeline

import (
	"context"

	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// Bounds of what a session holds by SQL: names, and the bytes of what they
// stand for. Those that it holds by protocol messages have the same.
const (
	maxHeld      = 10_000
	maxHeldBytes = 32 << 20
)

// holds checks an approved statement against what the session holds: there must
// be room for one more, and what an EXECUTE runs must still be allowed.
func (s *Session) holds(ctx context.Context, a policy.Approved) error {
	switch f := a.Facts(); f.Tag {
	case "PREPARE", "DECLARE CURSOR":
		if !s.room(len(a.SQL())) {
			return &Error{Code: "54000", Message: "too many prepared statements and cursors", Advice: "DEALLOCATE ALL"}
		}
	case "EXECUTE":
		return s.stillHolds(ctx, f.Prepared)
	}
	return nil
}

func (s *Session) room(bytes int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.held.prepared {
		bytes += len(v.text)
	}
	for _, c := range s.held.cursors {
		bytes += len(c.verdict.text)
	}
	return bytes <= maxHeldBytes && len(s.held.prepared)+len(s.held.cursors) < maxHeld
}

// stillHolds judges a prepared statement again if the rules it was judged by
// were replaced since, as Bind does for those of the extended protocol.
func (s *Session) stillHolds(ctx context.Context, name string) error {
	s.mu.Lock()
	p := s.held.prepared[name]
	s.mu.Unlock()
	rules := s.p.Rules()
	switch {
	case p == nil && !s.governed:
		return &Error{Code: "0A000", Message: "this prepared statement was not judged when it was prepared",
			Advice: "/* pgask: governed */ PREPARE " + ident(name) + " AS …"}
	case p == nil && rules != s.opened:
		return rulesChanged()
	case p == nil: // its PREPARE may be on the way; if not, Postgres says so
		return nil
	case p.rules == rules:
		return nil
	}
	again, err := s.judgeAgain(ctx, p)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held.prepared[name] == p {
		s.held.prepared[name] = again
	}
	return nil
}

// judgeAgain judges a statement by the rules in force; what would run must be
// the same as before.
func (s *Session) judgeAgain(ctx context.Context, v *verdict) (*verdict, error) {
	statements, err := stmt.Parse(v.source, s.p.limits)
	if err != nil || len(statements) != 1 {
		return nil, rulesChanged()
	}
	trap := s.trap
	s.trap = v.trap
	again, err := s.judge(ctx, statements[0], nil)
	s.trap = trap
	if err != nil {
		return nil, err
	}
	if again.text != v.text {
		return nil, rulesChanged()
	}
	return again, nil
}

// rulesChanged is what Postgres says after a change of a table.
func rulesChanged() error {
	return &Error{Code: "0A000", Message: "cached plan must not change result type",
		Advice: "prepare the statement again: the rules for this user have changed"}
}
