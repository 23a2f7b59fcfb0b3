package pool

import "testing"

// TestPanicOnLoop: a panic about a backend that is idle or being reset costs that backend, not the process.
func TestPanicOnLoop(t *testing.T) {
	p := keeping(t, 1)
	l := startLoop(t)
	s := borrow(t, p, Request{Loop: l})
	s.ask(t, "SET DateStyle = 'German'")
	s.b.ParameterStatuses = nil // to write there panics
	s.giveBack(true)
	settled(p)
	if n := p.InUse(); n != 0 {
		t.Errorf("%d backends in use", n)
	}
	s = borrow(t, p, Request{Loop: l})
	b := s.b
	s.giveBack(false)
	done := make(chan struct{})
	l.Post(func() {
		defer close(done)
		_ = b.poll.Close()
		b.poll = nil // to read there panics
		watcher{b}.Ready()
	})
	<-done
	if n := p.InUse(); n != 0 {
		t.Errorf("%d backends in use", n)
	}
}
