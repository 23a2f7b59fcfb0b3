package poll

import (
	"runtime"
	"sync"
)

// Loops are the loops of a process. They are started when they are needed.
type Loops struct {
	mu     sync.Mutex
	most   int     // guarded by mu
	loops  []*Loop // guarded by mu
	next   int     // guarded by mu
	closed bool    // guarded by mu
}

// NewLoops makes at most n loops; 0 means one for every two processors, which
// leaves the others to Postgres and to what is no loop.
func NewLoops(n int) *Loops {
	if n <= 0 {
		n = max(runtime.GOMAXPROCS(0)/2, 1)
	}
	return &Loops{most: n}
}

// Next is the loop for the next session, in turn; nil after Close.
func (s *Loops) Next() *Loop {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	if len(s.loops) < s.most {
		s.loops = append(s.loops, Start())
	}
	l := s.loops[s.next%len(s.loops)]
	s.next++
	return l
}

// Close closes all loops.
func (s *Loops) Close() {
	s.mu.Lock()
	loops := s.loops
	s.loops, s.closed = nil, true
	s.mu.Unlock()
	for _, l := range loops {
		l.Close()
	}
}
