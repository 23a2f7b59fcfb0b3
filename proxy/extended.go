package proxy

import (
	"context"
	"errors"
	"slices"

	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/proxy/wire"
)

// maxPrefix is how many bytes of a Bind or Execute are read for its names.
// They begin the message; Postgres's own names have 63 bytes, but prepared
// statements and portals may have longer ones.
const maxPrefix = 2 << 10

// bind judges a Bind: which statement it runs, and for whom the rows count.
func (s *session) bind(h wire.Header) error {
	due := owedReply{kind: owesBind}
	if !s.governed && s.statements.none() && s.portals.none() {
		return s.forward(h, due)
	}
	prefix, err := s.up.Prefix(h, maxPrefix)
	if err != nil {
		return err
	}
	portal, name, ok := wire.BindNames(prefix)
	if !ok {
		return s.misshapen(h, due, &wire.Malformed{Reason: "invalid or over-long names in Bind"})
	}
	if err := s.settle(&s.statements, name); err != nil {
		return err
	}
	o := s.statements.get(name, s.owed)
	if err := s.settleProvided(o); err != nil {
		return err
	}
	switch {
	case o != nil && planted(o.decision):
		return s.forward(h, due) // its Parse fails, and this is skipped
	case o != nil:
		return s.bindKnown(h, due, portal, o)
	case s.governed:
		return s.plant(h, due, noStatement(name))
	}
	due.change = s.free(&s.portals, portal)
	return s.forward(h, due)
}

// bindKnown binds a statement that was judged.
func (s *session) bindKnown(h wire.Header, due owedReply, portal []byte, o *object) error {
	if o.decision.Told { // all of it is needed
		portal = slices.Clone(portal)
		if _, err := s.up.Whole(h, s.limits.StatementBytes); err != nil && !errors.Is(err, wire.ErrTooLong) {
			return err
		}
	}
	made := s.portals.portal(portal, s.owed)
	b, err := s.binding(o.decision, &made.run)
	if err != nil {
		return err
	}
	if s.portals.full(portal, 0) && !s.forgetPortals() {
		return s.plant(h, due, failure("54000", "too many portals"))
	}
	due.run, due.denial = b.Run, b.Denial
	if due.denial == nil {
		due.denial = o.denial
	}
	due.own = o.decision.Own
	due.change = s.portals.bind(portal, s.owed, made, object{run: b.Run, denial: due.denial, renames: b.Renames, own: due.own})
	if o.decision.Alters {
		s.alter()
	}
	switch {
	case b.Denial != nil:
		s.repeating.spoil()
		frame, err := wire.AppendBindNothing(s.upBuf[:0], string(portal), b.Denial.Word)
		return s.replace(h, due, frame, err)
	case o.decision.Told:
		return s.bindTold(h, due, b.Value)
	case s.repeating.begun:
		return s.bindRepeated(h, due)
	}
	if err := s.provide(o); err != nil {
		return err
	}
	return s.forward(h, due)
}

// binding asks the Decider about a Bind.
func (s *session) binding(d *pipeline.Decision, run *pipeline.Run) (pipeline.Binding, error) {
	if s.answer == nil {
		if b, ok := s.decider.BindNow(d, run); ok {
			s.metrics.Judged(Untouched)
			return b, nil
		}
	}
	return decide(s, func(ctx context.Context) (pipeline.Binding, Verdict) {
		b := s.decider.Bind(ctx, d)
		if b.Denial == nil && ctx.Err() != nil {
			b = pipeline.Binding{Denial: s.decider.Cancelled()}
		}
		switch {
		case b.Denial != nil:
			return b, Denied
		case d.Told:
			return b, Replaced
		}
		return b, Untouched
	})
}

// bindTold gives a statement of ours its one parameter. The client, which sees
// none, must not send any.
func (s *session) bindTold(h wire.Header, due owedReply, value string) error {
	body, err := s.up.Whole(h, s.limits.StatementBytes)
	if errors.Is(err, wire.ErrTooLong) {
		return s.plant(h, due, s.errTooLong())
	}
	if err != nil {
		return err
	}
	b, err := wire.ParseBind(body)
	if err != nil {
		return s.plant(h, due, err)
	}
	if b.Params != 0 {
		return s.plant(h, due, failure("08P01",
			"bind message supplies %d parameters, but prepared statement %q requires 0", b.Params, b.Statement))
	}
	frame, err := wire.AppendBind(s.upBuf[:0], b, value)
	if err == nil && s.lent != nil {
		return s.sendBind(h, due, frame)
	}
	return s.replace(h, due, frame, err)
}

// describe keeps a told statement's parameter out of sight.
func (s *session) describe(h wire.Header) error {
	prefix, err := s.up.Prefix(h, maxPrefix)
	if err != nil {
		return err
	}
	if len(prefix) > 0 && prefix[0] == 'P' {
		return s.forward(h, owedReply{kind: owesColumns})
	}
	due := owedReply{kind: owesDescribe}
	if !s.governed && s.statements.none() {
		return s.forward(h, due)
	}
	kind, name, err := wire.Target(prefix)
	if err == nil && kind != 'S' {
		err = failure("08P01", "invalid DESCRIBE message subtype %d", kind)
	}
	if err != nil {
		return s.misshapen(h, due, err)
	}
	if err := s.settle(&s.statements, name); err != nil {
		return err
	}
	o := s.statements.get(name, s.owed)
	if err := s.settleProvided(o); err != nil {
		return err
	}
	switch {
	case o != nil && !planted(o.decision):
		return s.describeKnown(h, due, o)
	case o != nil: // its Parse fails, and this is skipped
	case s.governed:
		return s.plant(h, due, noStatement(name))
	}
	return s.forward(h, due)
}

// describeKnown describes a statement that the rules in force still allow.
func (s *session) describeKnown(h wire.Header, due owedReply, o *object) error {
	due.told, due.denial, due.own = o.decision.Told, o.denial, o.decision.Own
	if s.answer == nil && !s.decider.Stale(o.decision) {
		if err := s.provide(o); err != nil {
			return err
		}
		return s.forward(h, due)
	}
	denial, err := decide(s, s.denying(func(ctx context.Context) *pipeline.Denial { return s.decider.Describe(ctx, o.decision) }))
	if err != nil {
		return err
	}
	if denial != nil {
		due.told = false
		return s.plantDenial(h, due, denial)
	}
	if err := s.provide(o); err != nil {
		return err
	}
	return s.forward(h, due)
}

// execute finds out whose rows are coming.
func (s *session) execute(h wire.Header) error {
	due := owedReply{kind: owesExecute}
	if !s.governed && s.portals.none() {
		return s.forward(h, due)
	}
	prefix, err := s.up.Prefix(h, maxPrefix)
	if err != nil {
		return err
	}
	name, ok := wire.ExecutePortal(prefix)
	if !ok {
		return s.misshapen(h, due, &wire.Malformed{Reason: "invalid or over-long name in Execute"})
	}
	if err := s.settle(&s.portals, name); err != nil {
		return err
	}
	o := s.portals.get(name, s.owed)
	switch {
	case o != nil:
		return s.executeKnown(h, due, o)
	case s.governed:
		// A cursor of DECLARE is a portal, too, whose rows only its FETCH may
		// count.
		return s.plant(h, due, failure("34000", "portal %q does not exist", name))
	}
	return s.forward(h, due)
}

// executeKnown executes a portal whose statement was judged.
func (s *session) executeKnown(h wire.Header, due owedReply, o *object) error {
	denial, err := s.again(&due, o)
	if err != nil {
		return err
	}
	if denial != nil {
		return s.plantDenial(h, due, denial)
	}
	due.run, due.denial, due.own = o.run, o.denial, o.own
	if c := s.rename(o.renames); c != nil {
		due.change = c // it is no EXECUTE
	}
	return s.forward(h, due)
}

// close frees a name.
func (s *session) close(h wire.Header) error {
	due := owedReply{kind: owesClose}
	if s.statements.none() && s.portals.none() {
		return s.forward(h, due)
	}
	prefix, err := s.up.Prefix(h, maxPrefix)
	if err != nil {
		return err
	}
	kind, name, err := wire.Target(prefix)
	if err != nil {
		return s.forward(h, due) // closing what has no name of ours harms nobody
	}
	space := &s.statements
	if kind == 'P' {
		space = &s.portals
	}
	due.change = s.free(space, name)
	return s.forward(h, due)
}

func noStatement(name []byte) error {
	if len(name) == 0 {
		return failure("26000", "unnamed prepared statement does not exist")
	}
	return failure("26000", "prepared statement %q does not exist", name)
}
