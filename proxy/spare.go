package proxy

import (
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// spare is a descriptor that is kept for telling clients that there are none
// left.
type spare struct {
	mu   sync.Mutex
	file *os.File // guarded by mu
}

// crowdedPatience is how long a client may keep the spare descriptor.
const crowdedPatience = time.Second

// hold opens the descriptor, unless it is open, and reports whether there was
// one to be had.
func (s *spare) hold() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		s.file, _ = os.Open(os.DevNull) // nil without room
	}
	return s.file != nil
}

// release closes it and reports whether it was open.
func (s *spare) release() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return false
	}
	_ = s.file.Close() // nothing was written to it
	s.file = nil
	return true
}

func outOfDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// acceptSpare takes the next client with the spare descriptor, where err says
// that there is no other. Only a client for whom there is room by then is
// welcome.
func (s *Server) acceptSpare(ln net.Listener, err error, cancels bool) bool {
	if !outOfDescriptors(err) || !s.spare.release() {
		return false
	}
	conn, err := ln.Accept()
	room := s.spare.hold()
	if err != nil {
		return false
	}
	s.start(conn, terms{cancels: cancels, crowded: !room})
	return true
}
