package pipeline

// held is what a session keeps open between statements and that later
// statements read from: cursors. What they say of themselves is what their
// origin was judged to be. Prepared statements, which messages name as well,
// are with Names.
type held struct {
	cursors map[string]*opened
}

// opened is a cursor with the rows it may still give.
type opened struct {
	budget  *Budget
	verdict *verdict
}

// origin is the verdict whose result an execution shows: FETCH shows another
// statement's.
func (s *Session) origin(v *verdict) *verdict {
	if v.facts.Tag != "FETCH" {
		return v
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.held.cursors[v.facts.Cursor]; c != nil {
		return c.verdict
	}
	return v
}

// cursor is the budget of an open cursor, shared by all its fetches. A cursor
// that no DECLARE opened is a portal of the protocol, whose rows are counted
// where it is executed: FETCH shows none of them.
func (s *Session) cursor(name string) *Budget {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.held.cursors[name]; c != nil {
		return c.budget
	}
	return &Budget{spent: true}
}

// Bound notes that a portal of the protocol has a name now, which no cursor has
// then: a FETCH by it must not be taken for one from a cursor that was there.
func (s *Session) Bound(portal string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held.cursors, portal)
}

// settle applies what an ended execution changed in the session.
func (s *Session) settle(v *verdict, o Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.SQLState != "" || o.Tag == "ROLLBACK" {
		s.messages.undone = true
	}
	if o.SQLState == "" {
		s.settled(v)
	}
}

func (s *Session) settled(v *verdict) {
	f := &v.facts
	if f.Set != nil && f.Set.Name == messagesSetting {
		s.messages.set(f.Set)
	}
	switch f.Tag {
	case "DECLARE CURSOR":
		s.held.cursors[f.Cursor] = &opened{budget: &Budget{Cap: f.Cap}, verdict: v}
	case "CLOSE CURSOR":
		if f.Cursor == "" { // CLOSE ALL
			clear(s.held.cursors)
		}
		delete(s.held.cursors, f.Cursor)
	case "DISCARD ALL":
		s.messages, s.lastPlan = messages{}, nil
		clear(s.held.cursors)
	}
}
