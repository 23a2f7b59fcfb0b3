package pipeline

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/pipeline/audit"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/redact"
	"github.com/pgask/pgask/policy"
)

// Session judges the statements of one client session. Query, Parse and Bind
// belong to the client's direction; what its Runs call when statements
// complete, and Ready, belong to the backend's, which may run at the same time.
type Session struct {
	p     *Pipeline
	db    *Database
	who   auth.Principal
	login auth.Login
	log   *slog.Logger
	// governed sessions have every statement judged; others only asked and
	// tagged ones.
	governed bool
	// at is where the session stands; upstream only.
	at *standing
	// trap is what the statements of the message at hand raise when they pass
	// the row cap; nil where that is only noticed. Upstream only.
	trap *Denial
	// names are the session's prepared statements. simple tells of a Query at
	// hand, and message what its statements so far do to names. Upstream only.
	names   Names
	simple  bool
	message []*NameChange
	// cleaning tells that the message being judged only cleans the session up.
	cleaning bool
	// gather is the column of the question at hand whose rows are told; nil for others.
	// Upstream only.
	gather *policy.ToldColumn
	// watched is its number of rows, where its statement tells of ties; 0 for others.
	watched int64
	// from is who the client is, for the audit log, and taken what is being
	// judged for it; upstream only.
	from  audit.Part
	taken taken
	// text is the message's. Upstream only.
	text string
	// trial is what Postgres said of the last statement that was tried for the question
	// at hand; nil for nothing. Upstream only.
	trial *trial
	// dry tells that nothing runs, for commands that only look.
	dry bool
	// tracing is the trace of the question being judged, nil for none; upstream only.
	tracing *tracing

	// finishing is finish, for all Runs.
	finishing func(*Run, Outcome) []Notice

	mu   sync.Mutex // guards what both loops touch, below
	last conclusion
	// lastPlan is that of the last answer that ran, for ASK MORE; nil for none with a plan.
	lastPlan *planner.Last
	messages messages
	held     held
}

// Open starts a session of who on db, which logs in to Postgres as login. A
// governed session waits for its catalog.
func (p *Pipeline) Open(ctx context.Context, who auth.Principal, db *Database, login auth.Login, log *slog.Logger) (*Session, error) {
	s := &Session{p: p, db: db, who: who, login: login, log: log,
		names: unnamed{}, held: held{map[string]*opened{}}}
	s.finishing = s.finish
	role, err := p.Rules().Policy.RoleFor(who)
	if err != nil {
		return nil, err
	}
	s.governed = role.Governed
	s.From("", "")
	if s.governed {
		if _, err := s.stand(ctx); err != nil {
			return nil, err
		}
	}
	p.counters.sessions.Add(1)
	return s, nil
}

// Close ends the session.
func (s *Session) Close() { s.p.counters.sessions.Add(-1) }

// Governed tells whether every statement must be judged.
func (s *Session) Governed() bool { return s.governed }

// stand returns the session's standing, made anew where rules or schema
// changed since.
func (s *Session) stand(ctx context.Context) (*standing, error) {
	snap, err := s.db.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return s.standOn(snap)
}

func (s *Session) standOn(snap *catalog.Snapshot) (*standing, error) {
	rules := s.p.Rules()
	if s.at != nil && s.at.rules == rules && s.at.snap == snap {
		return s.at, nil
	}
	at, began, err := s.p.standings.get(s.place(rules, snap), s.who.Attributes, func() (*standing, error) {
		role, err := s.judgingRole(rules)
		if err != nil {
			return nil, err
		}
		view, err := role.View(snap, s.who.Attributes)
		if err != nil {
			return nil, err
		}
		return &standing{rules: rules, role: role, snap: snap, view: view}, nil
	})
	if began {
		s.p.verdicts.drop(func(k textKey) bool { return k.db == s.db })
	}
	if err != nil {
		return nil, err
	}
	s.at = at
	return at, nil
}

// judgingRole is the role that judges: the user's own, or for a passthrough
// user's tagged statements the one that stands in for it.
func (s *Session) judgingRole(rules *Rules) (*policy.Role, error) {
	role, err := rules.Policy.RoleFor(s.who)
	if err != nil {
		return nil, err
	}
	if role.Governed != s.governed {
		return nil, &Error{Code: "0A000", Message: "the mode of this user's role changed",
			Advice: "connect again"}
	}
	if s.governed {
		return role, nil
	}
	return rules.Policy.Seatbelt(s.who)
}

// receipt opens the receipt of a statement judged at this standing.
func (s *Session) receipt(at *standing) Receipt {
	r := Receipt{RequestID: requestID(), Verdict: allowed, Scopes: []string{}, Qualifiers: []string{}}
	if at != nil {
		r.SchemaVersion, r.PolicyVersion = at.snap.Version, at.rules.Policy.Version()
	}
	return r
}

// refused plants a refusal and counts it. Its receipt is the session's last one
// once the client gets the error: what was sent before it is still to end.
func (s *Session) refused(kind string, err error) *Denial {
	r := s.receipt(s.at)
	if s.taken.request != "" {
		r.RequestID = s.taken.request
	}
	r.Verdict = sqlState(err)
	s.p.counters.statements.Add(1)
	s.p.counters.denied.Add(1)
	s.p.observe.Judged(kind, r.Verdict)
	s.log.Debug("statement refused", "request", r.RequestID, "sqlstate", r.Verdict, "error", err)
	if r.Verdict == "XX000" {
		s.log.Error("statement failed inside", "request", r.RequestID, "error", err)
		err = &Error{Code: "XX000", Message: fmt.Sprintf("internal error, request %s", r.RequestID)}
	}
	if own, ok := errors.AsType[*Error](err); ok {
		err = own // what it wraps is for the log
	} else if pg, ok := errors.AsType[*pgconn.PgError](err); ok && s.governed { // of a question of our own
		err = reported((*redact.Own)(nil).Error(redact.Report{Code: pg.Code, Message: pg.Message}))
	}
	s.auditRefusal(kind, &r, err)
	d := plant(err)
	d.receipt = func() { s.keep(conclusion{of: &r, refused: true}) }
	return d
}

// Cancelled refuses what was just decided: the client has cancelled it meanwhile.
func (s *Session) Cancelled() *Denial {
	return s.refused("sql", errCancelled)
}

// keep makes it the session's last one.
func (s *Session) keep(e conclusion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = e
}

// requestID is what connects a receipt, an error and the log.
func requestID() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
