package proxy

import (
	"errors"

	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/proxy/wire"
)

// judge handles the frames whose contents matter.
func (s *session) judge(h wire.Header) error {
	switch h.Type {
	case wire.Query:
		return s.query(h)
	case wire.Parse:
		return s.parse(h)
	case wire.Bind:
		return s.bind(h)
	case wire.Describe:
		return s.describe(h)
	case wire.Execute:
		return s.execute(h)
	case wire.Close:
		return s.close(h)
	case wire.FunctionCall:
		return s.functionCall(h)
	}
	return failure("08P01", "invalid frontend message type %d", h.Type)
}

// query judges a simple Query's text.
func (s *session) query(h wire.Header) error {
	if s.decider == nil && s.lent == nil {
		return s.forward(h, s.dueQuery())
	}
	body, err := s.up.Whole(h, s.limits.StatementBytes)
	if errors.Is(err, wire.ErrTooLong) {
		return s.tooLong(h, s.dueQuery())
	}
	if err != nil {
		return err
	}
	text, err := wire.QueryText(body)
	if err != nil {
		return s.misshapen(h, s.dueQuery(), err)
	}
	if !s.judges(text) {
		if err := s.scanQuery(text); err != nil {
			return err
		}
		return s.forward(h, s.dueQuery())
	}
	d, err := s.judgeQuery(string(text))
	if err != nil {
		return err
	}
	if !d.Untouched && s.lent != nil {
		text = []byte(d.Text)
	}
	if err := s.scanQuery(text); err != nil {
		s.answer = d // it is asked for again
		return err
	}
	due := s.dueQuery()
	due.runs, due.denial, due.renames, due.own = d.Runs, d.Denial, s.renamed(d.Renames), d.Own
	if d.Alters {
		s.alter()
	}
	if d.Untouched {
		return s.forward(h, due)
	}
	if st := s.repeatedQuery(h, d); st != nil {
		return s.queryRepeated(h, due, d, st)
	}
	frame, err := wire.AppendQuery(s.upBuf[:0], d.Text)
	return s.replace(h, due, frame, err)
}

// judges reports whether the Decider has to see a Query.
func (s *session) judges(text []byte) bool {
	return s.governed || s.decider != nil && (stmt.MayAsk(text) || !s.statements.none() && stmt.MayName(text))
}

// dueQuery is what a Query is owed, which frees the unnamed statement and
// portal.
func (s *session) dueQuery() owedReply {
	due := owedReply{kind: owesQuery, change: s.freeUnnamed()}
	if s.lent != nil {
		s.dropUnnamed(&due)
	}
	return due
}

// parse judges a prepared statement's text.
func (s *session) parse(h wire.Header) error {
	due := owedReply{kind: owesParse}
	if s.decider == nil && s.lent == nil {
		return s.forward(h, due)
	}
	body, err := s.up.Whole(h, s.limits.StatementBytes)
	if errors.Is(err, wire.ErrTooLong) {
		return s.parseTooLong(h, due)
	}
	if err != nil {
		return err
	}
	p, err := wire.ParseParse(body)
	if err != nil {
		return s.misshapen(h, due, err)
	}
	if !s.governed && (s.decider == nil || !stmt.MayAsk(p.Text) && !stmt.MayName(p.Text)) {
		if _, err := s.scan(p.Text); err != nil {
			return err
		}
		due.change = s.free(&s.statements, p.Name)
		return s.forward(h, due)
	}
	if s.statements.full(p.Name, len(body)) {
		return s.plant(h, due, failure("54000", "too many prepared statements"))
	}
	return s.parseJudged(h, due, p)
}

func (s *session) parseJudged(h wire.Header, due owedReply, p wire.ParseBody) error {
	oids, text := p.OIDs(), string(p.Text)
	d, err := s.judgeParse(text, oids)
	if err != nil {
		return err
	}
	if d.Untouched {
		_, err = s.scan(p.Text)
	} else {
		_, err = s.scan([]byte(d.Text))
	}
	if err != nil {
		s.answer = d // it is asked for again
		return err
	}
	if !s.governed && d.Untouched && len(d.Runs) == 0 {
		due.change = s.free(&s.statements, p.Name)
		return s.forward(h, due)
	}
	o := &object{decision: d, denial: d.Denial, bytes: len(p.Text) + len(d.Text)}
	s.loseAbsent(&due, p.Name)
	due.change = s.statements.set(p.Name, s.owed, o)
	due.denial, due.own = d.Denial, d.Own
	if d.Untouched {
		return s.forward(h, due)
	}
	if d.Told || planted(d) {
		oids = nil // they are of the client's text, not of ours
	}
	frame, err := wire.AppendParse(s.upBuf[:0], string(p.Name), d.Text, oids)
	if err != nil {
		return err
	}
	if st := s.repeatedBatch(h, d, p); st != nil {
		return s.parseRepeated(h, due, o, st, frame)
	}
	if s.lent != nil && !planted(d) {
		return s.sendParse(h, due, frame)
	}
	return s.replace(h, due, frame, err)
}

// planted reports whether a decision's text is the planted word.
func planted(d *pipeline.Decision) bool { return d.Denial != nil && d.Text == d.Denial.Word }

// planting is a decision against a whole message.
func planting(d *pipeline.Denial) pipeline.Decision {
	return pipeline.Decision{Text: d.Word, Denial: d}
}

func newDenial(err error) *pipeline.Denial {
	return &pipeline.Denial{Word: "denied_" + randomHex(16), Err: err}
}

// forward notes what the frame is owed and passes it.
func (s *session) forward(h wire.Header, due owedReply) error {
	if s.lent != nil {
		return s.forwardLent(h, due)
	}
	s.owed.push(due)
	s.up.Pass(h)
	return nil
}

// replace notes what the frame is owed and sends another in its place.
func (s *session) replace(h wire.Header, due owedReply, frame []byte, err error) error {
	if err != nil {
		return err
	}
	s.owed.push(due)
	s.keep(frame)
	return s.up.Replace(h, frame)
}

// keep keeps the memory that a frame was built in for the next one.
func (s *session) keep(frame []byte) {
	s.upBuf = frame[:0]
	if cap(frame) > maxKept {
		s.upBuf = nil
	}
}

// maxKept is the most bytes that a session keeps for building its next frame.
const maxKept = 16 << 10

// plant sends a frame of the same kind that fails, and has the error replaced
// by err. Everything else about the conversation is Postgres's own.
func (s *session) plant(h wire.Header, due owedReply, err error) error {
	s.metrics.Judged(Denied)
	if s.governed {
		s.decider.Refused(err)
	}
	return s.plantDenial(h, due, newDenial(err))
}

func (s *session) plantDenial(h wire.Header, due owedReply, d *pipeline.Denial) error {
	due.denial = d
	s.repeating.spoil()
	var frame []byte
	var bad error
	switch h.Type {
	case wire.Parse: // by a name, since it would drop the unnamed statement
		frame, bad = wire.AppendParse(s.upBuf[:0], d.Word, d.Word, nil)
	case wire.Bind:
		frame, bad = wire.AppendBindNothing(s.upBuf[:0], "", d.Word)
	case wire.Describe:
		frame, bad = wire.AppendDescribe(s.upBuf[:0], 'S', d.Word)
	case wire.Execute:
		frame, bad = wire.AppendExecute(s.upBuf[:0], d.Word)
	default: // Query, FunctionCall
		frame, bad = wire.AppendQuery(s.upBuf[:0], d.Word)
	}
	return s.replace(h, due, frame, bad)
}

// misshapen is a frame that can't be taken apart. Postgres words the error for
// a relay; for a governed session the frame doesn't get that far.
func (s *session) misshapen(h wire.Header, due owedReply, err error) error {
	if s.governed {
		return s.plant(h, due, err)
	}
	s.pin()
	return s.forward(h, due)
}

// pin keeps the backend, because something goes there that can't be read.
func (s *session) pin() {
	if s.lent != nil {
		s.lent.pinned = true
	}
}

// tooLong is a statement over the limit: it can't be judged.
func (s *session) tooLong(h wire.Header, due owedReply) error {
	if !s.governed {
		s.pin()
		return s.forward(h, due)
	}
	return s.plant(h, due, s.errTooLong())
}

// parseTooLong must still read the name, which no longer means what it did.
func (s *session) parseTooLong(h wire.Header, due owedReply) error {
	if s.governed || s.lent != nil {
		return s.plant(h, due, s.errTooLong())
	}
	prefix, err := s.up.Prefix(h, maxPrefix)
	if err != nil {
		return err
	}
	if name, ok := wire.ExecutePortal(prefix); ok {
		due.change = s.free(&s.statements, name)
	}
	return s.forward(h, due)
}

func (s *session) errTooLong() error {
	return failure("54000", "statement is longer than %d bytes", s.limits.StatementBytes)
}

// functionCall is SQL by another name. It can't be judged, so a governed
// session doesn't have it.
func (s *session) functionCall(h wire.Header) error {
	if !s.governed {
		return s.forward(h, owedReply{kind: owesFunction})
	}
	return s.plant(h, s.dueQuery(),
		&Failure{Code: "42501", Message: "function calls by the protocol's own message are not allowed", Advice: "Use SELECT function(…)."})
}
