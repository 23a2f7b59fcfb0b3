package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/pgask/pgask/pipeline/audit"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/stmt"
)

// taken is what a refusal would be about.
type taken struct {
	text  string
	began time.Time
	// question is that of the statement at hand, and request its id where it is traced.
	question, request string
	// account, unless nil, is that of a statement that was judged before.
	account audit.Part
}

// From says, before the first statement, where the client connects from and
// what it calls itself.
func (s *Session) From(address, application string) {
	if s.p.audit == nil {
		return
	}
	s.from = audit.Session{Instance: s.p.audit.Instance(), User: s.who.User, Roles: s.who.Roles, Client: address,
		Database: s.db.Name, Application: audit.Sanitized(application)}.Part()
}

// takeUp begins with a message's text, takeUpAgain with a statement that was
// judged before; nil for one that never was.
func (s *Session) takeUp(text string, began time.Time) { s.taken = taken{text: text, began: began} }

func (s *Session) takeUpAgain(v *verdict) {
	s.taken = taken{began: s.p.now()}
	if v != nil {
		s.taken.account = v.account
	}
}

// admit refuses a statement of ours whose line couldn't be written.
func (s *Session) admit(ctx context.Context, st stmt.Statement) error {
	ask, asks := asked(st)
	if asks {
		s.taken.question = ask.Question
	}
	if _, sets := setsMessages(st); !s.governed && !asks && (!s.ours(st) || sets && !st.Tag.Governed) {
		return nil
	}
	return s.p.audit.Admit(ctx)
}

// admitAgain is admit for a statement that was judged before.
func (s *Session) admitAgain(ctx context.Context, v *verdict) error {
	if v.kind == "pass" || v.passes && v.kind == "set" {
		return nil
	}
	return s.p.audit.Admit(ctx)
}

// accountOf is what the audit log says of a judged statement.
func (s *Session) accountOf(v *verdict, st stmt.Statement) audit.Part {
	if s.p.audit == nil || v.passes {
		return nil
	}
	f, r := v.facts, v.receipt
	if f.Query != nil {
		f.Tables, f.Masked = f.Query.Tables, f.Query.Masked
	}
	of := audit.Statement{Scopes: r.Scopes, Masked: f.Masked, PolicyVersion: r.PolicyVersion, SchemaVersion: r.SchemaVersion}
	for _, t := range f.Tables {
		of.Tables = append(of.Tables, plan.TableName(t))
	}
	if r.Source != nil {
		of.Source = *r.Source
	}
	if r.PlanHash != nil {
		of.PlanHash = *r.PlanHash
	}
	if r.Annotations != nil {
		of.Annotations, _ = json.Marshal(r.Annotations) // words and a number always encode
	}
	s.versions(&of)
	question := v.question
	if ask, ok := asked(st); ok {
		question = ask.Question
	}
	ran := ""
	if v.kind == "ask" {
		ran = v.text
	}
	s.texts(&of, st.Text, question, ran)
	return of.Part()
}

// versions are those of the session's standing, where the statement has none.
func (s *Session) versions(of *audit.Statement) {
	if of.PolicyVersion == "" && s.at != nil {
		of.PolicyVersion, of.SchemaVersion = s.at.rules.Policy.Version(), s.at.snap.Version
	}
}

// texts enters the texts, or what stands for them. ran is the SQL of an answer.
func (s *Session) texts(of *audit.Statement, text, question, ran string) {
	if s.p.audit.Full() {
		of.Text, of.Question, of.SQL = text, question, ran
		return
	}
	sum := sha256.Sum256([]byte(text))
	of.Digest = hex.EncodeToString(sum[:])
	limits := s.p.limits
	if ran != "" {
		text, limits = ran, s.p.rewritten()
	}
	of.Fingerprint, _ = stmt.Fingerprint(text, limits) // what doesn't parse has none
}

// auditRefusal writes the line of a refusal, when it is made: whether Postgres
// gets as far as telling the client is another matter. What is refused for
// want of the log is counted there.
func (s *Session) auditRefusal(kind string, r *Receipt, err error) {
	if s.p.audit == nil {
		return
	}
	if _, ok := errors.AsType[*audit.Unwritable](err); ok {
		return
	}
	account := s.taken.account
	if account == nil {
		of := audit.Statement{PolicyVersion: r.PolicyVersion, SchemaVersion: r.SchemaVersion}
		if s.taken.text != "" {
			s.texts(&of, s.taken.text, s.taken.question, "")
		}
		account = of.Part()
	}
	o := audit.Outcome{Began: s.taken.began, RequestID: r.RequestID, Kind: kind, Verdict: r.Verdict}
	if o.Began.IsZero() {
		o.Began = s.p.now()
	}
	o.Took = s.p.now().Sub(o.Began)
	s.p.audit.Statement(s.from, account, o)
}

// auditExecution writes the line of an execution, which is about the statement
// whose rows it shows. What Postgres alone has judged has none.
func (s *Session) auditExecution(v, origin *verdict, o *Outcome, began time.Time, took time.Duration) {
	if s.p.audit == nil || v.passes && origin == v {
		return
	}
	if o.RequestID == "" {
		o.RequestID = requestID()
	}
	s.p.audit.Statement(s.from, origin.account, audit.Outcome{Began: began, Took: took, RequestID: o.RequestID,
		Kind: v.kind, Verdict: allowed, SQLState: o.SQLState, Rows: o.Shown, Truncated: o.Truncated, EstimatedRows: origin.receipt.EstimatedRows,
		Suspended: o.Suspended, Unfinished: o.Unfinished})
}

// Refused tells of a message that whoever carries it has refused by itself: it
// is too long, or names nothing.
func (s *Session) Refused(err error) {
	s.takeUp("", s.p.now())
	r := s.receipt(s.at)
	r.Verdict = sqlState(err)
	s.auditRefusal("protocol", &r, err)
}
