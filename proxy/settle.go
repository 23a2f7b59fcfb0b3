package proxy

// settle holds the frame until it is known what earlier messages have done to a name.
// Their batches have ended with a Sync, or they are Queries, so their answers
// come without the client's help.
func (s *session) settle(space *names, name []byte) error {
	for c := space.unsettled(name, s.owed); c != nil; c = space.unsettled(name, s.owed) {
		if err := s.settleChange(c); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) settleChange(c *change) error {
	if c.known(s.owed) {
		return nil
	}
	return s.await(func() bool { return c.known(s.owed) })
}

// free notes that a message frees the name, where anything is known by it.
func (s *session) free(space *names, name []byte) *change {
	if !space.knows(name) {
		return nil
	}
	return space.set(name, s.owed, nil)
}

// freeUnnamed is what a simple Query does.
func (s *session) freeUnnamed() *change {
	c := s.free(&s.statements, nil)
	if p := s.free(&s.portals, nil); p != nil {
		p.also = c
		return p
	}
	return c
}

// forgetPortals makes room among the portals where Postgres has dropped all of
// them: outside a transaction.
func (s *session) forgetPortals() bool {
	if !s.quiet() || s.status != 'I' {
		return false
	}
	clear(s.portals.by)
	s.portals.unnamed = nil
	return true
}
