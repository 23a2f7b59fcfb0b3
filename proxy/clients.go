package proxy

import (
	"net"
	"slices"
	"time"
)

// Client is a session as administrators see it.
type Client struct {
	// PID is the one of its cancel key.
	PID uint32
	// BackendPID is 0 where it has no backend at the moment, or one without.
	BackendPID     uint32
	User, Database string
	Application    string // as it named itself when it connected
	Remote         net.Addr
	TLS            bool
	// State is active, idle, idle in transaction, or idle in failed transaction.
	State string
	// Since is when it logged in, Idle for how long nothing has moved.
	Since time.Time
	Idle  time.Duration
}

// Clients are the sessions there are, oldest first.
func (s *Server) Clients() []Client {
	var out []Client
	for _, one := range s.keys.sessions() {
		c := one.about
		c.State, c.Idle = one.look()
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Client) int { return a.Since.Compare(b.Since) })
	return out
}

// Kill ends a session with 57P01, by its PID; false where there is none.
func (s *Server) Kill(pid uint32) bool {
	target := s.keys.byPID(pid)
	if target == nil {
		return false
	}
	target.end(errShutdown)
	return true
}

// about is what doesn't change of a session; its key will have the PID.
func (c *connection) about(b *Backend) Client {
	return Client{BackendPID: b.PID, User: c.start.Params["user"], Database: c.database(),
		Application: c.start.Params["application_name"], Remote: c.raw.RemoteAddr(), TLS: c.tls != nil, Since: time.Now()}
}

// look tells what a session is at, and for how long.
func (s *session) look() (state string, idle time.Duration) {
	return s.state(), time.Since(time.Unix(0, s.active.Load()))
}

// state is in the words of pg_stat_activity.
func (s *session) state() string {
	switch {
	case !s.quiet():
		return "active"
	case s.status.Load() == 'T':
		return "idle in transaction"
	case s.status.Load() == 'E':
		return "idle in failed transaction"
	}
	return "idle"
}

func (k *keyring) sessions() []*session {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []*session
	for _, one := range k.keys {
		out = append(out, one.session)
	}
	return out
}

func (k *keyring) byPID(pid uint32) *session {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys[pid].session
}
