package pipeline

// messages follows client_min_messages through judged SETs, so that notices of
// our own are silenced as Postgres's are.
type messages struct {
	// now is the level in force, committed the one a rollback returns to; empty
	// is the default, notice.
	now, committed string
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
	if m.undone {
		m.now = m.committed
	}
	m.committed, m.undone = m.now, false
}

// Ready follows the backend's ReadyForQuery status.
func (s *Session) Ready(status byte) {
	if status != 'I' {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages.ready()
}

// audible leaves out the notices that the session silenced.
func (s *Session) audible(all []Notice) []Notice {
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
