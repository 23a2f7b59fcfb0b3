package proxy

import (
	"runtime"
	"testing"
	"weak"
)

// TestLoginIsForgotten: what undoes a login at the session's end doesn't keep
// the login's own things until then, such as the client's certificates.
func TestLoginIsForgotten(t *testing.T) {
	s := New(Options{})
	defer s.Close()
	c := &connection{server: s}
	if err := c.checkTerms(); err != nil {
		t.Fatal(err)
	}
	c.keyed(7)
	leaves, login := c.leaves, weak.Make(c)
	c = nil
	runtime.GC()
	if login.Value() != nil {
		t.Error("the login is still there")
	}
	undo(leaves)
	if n := s.sessions.Load(); n != 0 {
		t.Errorf("%d sessions are counted", n)
	}
}
