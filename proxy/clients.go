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
	sessions := s.keys.sessions()
	looks := make(chan Client, len(sessions))
	asked := 0
	for _, one := range sessions {
		if one.loop.Post(func() { looks <- one.look() }) {
			asked++
		}
	}
	for range asked {
		out = append(out, <-looks)
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
	target.kill(errShutdown)
	return true
}

// about is what doesn't change of a session; its key will have the PID.
func (c *connection) about(b *Backend) Client {
	return Client{BackendPID: b.PID, User: c.start.Params["user"], Database: c.database(),
		Application: c.start.Params["application_name"], Remote: c.raw.RemoteAddr(), TLS: c.tls != nil, Since: time.Now()}
}

// look tells what a session is at, and for how long. It is called on its loop.
func (s *session) look() Client {
	c := s.about
	c.State, c.Idle = s.state(), time.Since(s.active)
	return c
}

// state is in the words of pg_stat_activity.
func (s *session) state() string {
	switch {
	case s.working():
		return "active"
	case s.status == 'T':
		return "idle in transaction"
	case s.status == 'E':
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

// RemoteName is how a client's address is shown: the clients of a Unix-domain
// socket have none.
func RemoteName(addr net.Addr) string {
	if _, unix := addr.(*net.UnixAddr); unix {
		return "local"
	}
	return addr.String()
}
