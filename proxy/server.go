package proxy

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/proxy/poll"
)

// Server accepts clients and serves their sessions on loops.
type Server struct {
	opts    Options
	limits  Limits
	metrics Metrics
	log     *slog.Logger

	tls         tlsConfigs
	census      *census
	throttle    *auth.Throttle
	keys        keyring
	cancelSlots chan struct{}
	cancellers  *census
	links       *links
	loops       *poll.Loops
	sessions    atomic.Int64 // logging in or logged in

	// ctx ends with Close: everything is cut.
	ctx  context.Context
	stop context.CancelFunc

	mu        sync.Mutex
	closed    bool                  // guarded by mu; nobody may begin to listen
	draining  bool                  // guarded by mu; sessions are asked to end
	listeners map[net.Listener]bool // guarded by mu; true for those of ServeCancels
	conns     map[net.Conn]*session // guarded by mu; nil before the session is ready
	serving   sync.WaitGroup        // Add is guarded by mu; Serve and sessions
	peers     sync.WaitGroup        // Add is guarded by mu; ServeCancels and its connections

	spare spare
}

// New makes a server; Serve starts it.
func New(o Options) *Server {
	s := &Server{
		opts:      o,
		limits:    o.Limits.withDefaults(),
		metrics:   o.Metrics,
		log:       o.Logger,
		keys:      keyring{instance: o.Cluster.Instance, keys: map[uint32]keyed{}},
		listeners: map[net.Listener]bool{},
		conns:     map[net.Conn]*session{},
	}
	if s.metrics == nil {
		s.metrics = noMetrics{}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.census, s.throttle = newCensus(), auth.NewThrottle(s.limits.LoginFailures)
	s.loops = poll.NewLoops(0)
	s.cancelSlots = make(chan struct{}, s.limits.Cancels)
	s.cancellers = newCensus()
	s.links = newLinks(max(s.limits.Cancels/2, 1))
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// terms are what a connection may be.
type terms struct {
	cancels bool // only a cancel request, which goes no further than here
	crowded bool // only a cancel request: there are no descriptors for more
}

// start serves a connection on a goroutine of its own until it is a session,
// which a loop serves. Connections that are
// no sessions yet are bounded, too, with room for cancel requests.
func (s *Server) start(accepted net.Conn, t terms) {
	conn := net.Conn(poll.New(accepted))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil || len(s.conns) >= 2*s.limits.Clients+s.limits.Cancels {
		_ = conn.Close()
		return
	}
	s.conns[conn] = nil
	group := s.group(t.cancels)
	group.Add(1)
	go s.serve(conn, t, func() {
		s.forget(conn)
		group.Done()
	})
}

// group is who waits for a listener and its connections.
func (s *Server) group(cancels bool) *sync.WaitGroup {
	if cancels {
		return &s.peers
	}
	return &s.serving
}

// serve runs one connection until it ends or is a session. gone is called when
// that has ended.
func (s *Server) serve(conn net.Conn, t terms, gone func()) {
	leaves := []func(){gone}
	if t.crowded {
		leaves = append(leaves, func() { s.spare.hold() })
	}
	leaves = append(leaves, func() { _ = conn.Close() })
	// Close cuts a connection that has not become a session; a session ends
	// itself.
	stop := context.AfterFunc(s.ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer stop() // else the context would hold what never became a session
	c := &connection{server: s, conn: conn, terms: t, leaves: leaves, log: s.log.With("remote", RemoteName(conn.RemoteAddr()))}
	if !c.serve(stop) {
		c.leave()
	}
}

// adopt makes the session known to Shutdown. It reports false when that asks
// sessions to end already.
func (s *Server) adopt(conn net.Conn, session *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return false
	}
	s.conns[conn] = session
	return true
}

func (s *Server) forget(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
}

// asked gives everybody who is to be asked to end; who comes later, adopt
// asks.
func (s *Server) asked() map[net.Conn]*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = true
	all := make(map[net.Conn]*session, len(s.conns))
	for conn, session := range s.conns {
		all[conn] = session
	}
	return all
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}
