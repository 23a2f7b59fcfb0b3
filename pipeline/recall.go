package pipeline

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/pgask/pgask/pipeline/stmt"
)

// Bounds of what an estimate is good for: a statement isn't estimated again for
// estimateHolds while its last estimate is below the role's limits by a factor of
// farBelow. Tables grow in the meantime, and plans change; not by that much.
const (
	estimateHolds = 5 * time.Minute
	farBelow      = 10
)

// ruling is what all statements of a message's text were judged to be. It is
// immutable, and serves all sessions of its standing.
type ruling struct {
	verdicts []*verdict
	// tags are what stood in front of the statements.
	tags []stmt.Tag
	// text is what is sent, trap the word in it.
	text string
	trap *Denial
	// until is when the estimates have to be made again; zero for never.
	until time.Time
}

// add adds a statement's verdict.
func (r *ruling) add(v *verdict, st stmt.Statement) {
	r.verdicts = append(r.verdicts, v)
	r.tags = append(r.tags, st.Tag)
}

// isFarBelow tells whether an estimate is below a limit, 0 for none, by far.
func isFarBelow(estimate, limit float64) bool { return limit == 0 || estimate <= limit/farBelow }

// repeats tells of statements whose verdict depends on nothing but the text and
// the standing. Others depend on what the session holds by name.
func repeats(tag string) bool {
	switch tag {
	case "SELECT", "COPY", "EXPLAIN", "SHOW", "SET", "RESET", "BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE":
		return true
	}
	return false
}

// QueryNow is the decision about a simple Query's text that was judged before, by
// this session or another that stands where it does, where nothing that
// decision rests on has changed. It never blocks.
func (s *Session) QueryNow(text string) (Decision, bool) {
	began := s.p.now()
	r := s.recall(text, nil, false)
	if r == nil || !r.holds(began) {
		return Decision{}, false
	}
	s.trap, s.simple, s.message, s.text = nil, true, nil, text
	return s.queried(text, r, began), true
}

// ParseNow is the same for a Parse.
func (s *Session) ParseNow(text string, oids []uint32) (Decision, bool) {
	r := s.recall(text, oids, true)
	if r == nil || !r.holds(s.p.now()) {
		return Decision{}, false
	}
	s.trap, s.simple, s.message, s.text = nil, false, nil, text
	return s.parsed(r, source{rules: s.at.rules, text: text, oids: oids}), true
}

// recall is what a text was judged to be at the session's standing; nil where that
// isn't known, the standing isn't that of the rules and schema in force, the audit
// log can't have it now, or the text of a Parse has more than its single statement.
func (s *Session) recall(text string, oids []uint32, single bool) *ruling {
	at := s.at
	if !s.governed || at == nil || at.rules != s.p.Rules() || at.snap != s.db.Fresh() || !s.p.audit.Ready() {
		return nil
	}
	r := s.p.verdicts.get(s.key(text, oids))
	if r != nil && single && len(r.verdicts) != 1 {
		return nil
	}
	return r
}

func (s *Session) key(text string, oids []uint32) textKey {
	return textKey{db: s.db, standing: s.at.number, text: text, types: packed(oids)}
}

// packed are type oids as a string.
func packed(oids []uint32) string {
	if len(oids) == 0 {
		return ""
	}
	b := make([]byte, 0, 4*len(oids))
	for _, o := range oids {
		b = binary.BigEndian.AppendUint32(b, o)
	}
	return string(b)
}

// holds reports whether the estimates still do.
func (r *ruling) holds(now time.Time) bool { return r.until.IsZero() || now.Before(r.until) }

// queried and parsed are the decisions that a ruling is for.
func (s *Session) queried(text string, r *ruling, began time.Time) Decision {
	runs := make([]*Run, len(r.verdicts))
	for i, v := range r.verdicts {
		runs[i] = s.run(v, began)
	}
	return Decision{Text: r.text, Runs: runs, Denial: r.trap, Own: s.own(text, r.text, r.verdicts), Repeats: r.repeats(), Alters: altering(r.verdicts)}
}

func (s *Session) parsed(r *ruling, from source) Decision {
	v := r.verdicts[0]
	from = s.judgedAt(from, v)
	from.trap, from.tag = r.trap, r.tags[0]
	return Decision{Text: v.text, Denial: r.trap, Own: s.own(from.text, v.text, r.verdicts), Repeats: r.repeats(), Alters: v.alters, verdict: v, source: from}
}

// recalled is recall for those who may wait: it asks Postgres again about
// statements whose estimate is too old or too near a limit, and nothing else
// about them.
func (s *Session) recalled(ctx context.Context, text string, oids []uint32, single bool) (*ruling, error) {
	if !s.governed {
		return nil, nil
	}
	if err := s.p.audit.Admit(ctx); err != nil {
		return nil, err
	}
	at, err := s.stand(ctx)
	if err != nil {
		return nil, nil // said once more when the statement is judged
	}
	r := s.recall(text, oids, single)
	if r == nil || r.holds(s.p.now()) {
		return r, nil
	}
	again := *r
	again.verdicts = make([]*verdict, len(r.verdicts))
	for i, v := range r.verdicts {
		w := *v
		w.receipt.EstimatedRows = nil
		if w.light, err = s.preflight(ctx, at, stmt.Statement{Text: text}, v.approved, oids, &w.receipt); err != nil {
			return nil, err
		}
		again.verdicts[i] = &w
	}
	s.remember(&again, text, oids)
	return &again, nil
}

// remember keeps a message's ruling for those who send the text again.
func (s *Session) remember(r *ruling, text string, oids []uint32) {
	if !s.governed || len(r.verdicts) == 0 || !s.p.standings.current(s.db, s.at.era) {
		return
	}
	r.until = time.Time{}
	now := s.p.now()
	for _, v := range r.verdicts {
		switch {
		case v.standing != s.at.number || !repeats(v.facts.Tag):
			return
		case !v.light:
			r.until = now
		case v.receipt.EstimatedRows != nil && r.until.IsZero():
			r.until = now.Add(estimateHolds)
		}
	}
	s.p.verdicts.put(s.key(text, oids), r, r.bytes()+len(text)+4*len(oids))
}

// Sizes in bytes of what a ruling holds besides texts, rounded up.
const (
	rulingBytes  = 1024
	verdictBytes = 2048
)

// bytes is about how much memory the ruling takes.
func (r *ruling) bytes() int {
	n := rulingBytes + len(r.text)
	for _, v := range r.verdicts {
		n += verdictBytes + len(v.text) + len(v.account)
		n += texts(v.facts.Scopes) + texts(v.facts.Masked) + texts(v.facts.Columns) + 32*len(v.facts.Tables)
		n += 2 * texts(v.receipt.Scopes)
	}
	return n
}

// texts is how much some texts take, with what leads to them.
func texts(all []string) int {
	n := 16 * len(all)
	for _, t := range all {
		n += len(t)
	}
	return n
}
