package pipeline

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

const messagesSetting = "client_min_messages"

// messages follows client_min_messages through judged SETs, so that notices of
// our own are silenced as Postgres's are.
type messages struct {
	// now is the level in force, committed the one a rollback returns to; empty
	// is the default, notice.
	now, committed string
	// local is a level that ends with the transaction (SET LOCAL).
	local bool
	// undone tells that the transaction that ends at the next ReadyForQuery
	// was rolled back.
	undone bool
}

// silences tells whether a message of that severity is left out.
func (m *messages) silences(severity string) bool {
	switch m.now {
	case "error":
		return true
	case "warning":
		return severity == "NOTICE"
	}
	return false
}

// ready settles the level when a transaction is over (ReadyForQuery with
// status I).
func (m *messages) ready() {
	if m.undone || m.local {
		m.now = m.committed
	}
	m.committed, m.undone, m.local = m.now, false, false
}

// set puts a level in force that a statement has just set.
func (m *messages) set(to *policy.Setting) {
	m.now, m.local = strings.ToLower(to.Value), to.Local
}

// Ready follows the backend's ReadyForQuery status.
func (s *Session) Ready(status byte) {
	if status != 'I' {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages.ready()
	if len(s.held.cursors) > 0 {
		clear(s.held.cursors) // they ended with the transaction
	}
}

// audible leaves out the notices that the session silenced.
func (s *Session) audible(all []Notice) []Notice {
	if len(all) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Notice
	for _, n := range all {
		if !s.messages.silences(n.Severity) {
			out = append(out, n)
		}
	}
	return out
}

// discards is the tag of a DISCARD ALL, else empty.
func discards(st stmt.Statement) string {
	if st.Tree.GetDiscardStmt().GetTarget() == pg_query.DiscardMode_DISCARD_ALL {
		return "DISCARD ALL"
	}
	return ""
}

// setsMessages tells whether a statement that policy didn't judge sets
// client_min_messages, by itself or with all other settings, and to what.
func setsMessages(st stmt.Statement) (*policy.Setting, bool) {
	to := &policy.Setting{Name: messagesSetting, Default: true}
	if d := st.Tree.GetDiscardStmt(); d != nil {
		return to, d.Target == pg_query.DiscardMode_DISCARD_ALL
	}
	set := st.Tree.GetVariableSetStmt()
	if set == nil {
		return nil, false
	}
	switch {
	case set.Kind == pg_query.VariableSetKind_VAR_RESET_ALL:
		return to, true
	case !strings.EqualFold(set.Name, messagesSetting):
		return nil, false
	case set.Kind == pg_query.VariableSetKind_VAR_SET_VALUE && len(set.Args) == 1:
		to.Value, to.Default, to.Local = set.Args[0].GetAConst().GetSval().GetSval(), false, set.IsLocal
	}
	return to, true
}
