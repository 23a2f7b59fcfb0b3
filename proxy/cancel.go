package proxy

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/pgask/pgask/proxy/wire"
)

// keyring knows which session a cancel request means. Keys are our own, so a
// client can cancel what it runs through us and nothing else.
type keyring struct {
	instance uint8

	mu   sync.Mutex
	keys map[uint32]keyed // guarded by mu
}

type keyed struct {
	secret  []byte
	session *session
}

// Lengths of secrets in bytes: what protocol 3.0 has room for, and what
// Postgres itself gives clients of 3.2.
const (
	shortSecret = 4
	longSecret  = 32
)

// A pid is a bit that says whether the request has been forwarded, eight bits
// of instance and a number: the secret of protocol 3.0 has no room for those.
// Keys have the first bit clear, since some clients read it as a sign.
const (
	forwarded  = 1 << 31
	numberBits = 23
)

func instanceOf(pid uint32) uint8 { return uint8(pid >> numberBits) }

// cut makes a key for the session. Its pid isn't 0, and no other living session
// has it. It is the backend's own where it can be: clients know their
// notifications by it, and people find a session in pg_stat_activity and end it.
// The secret is always ours.
func (k *keyring) cut(s *session, version uint32) (pid uint32, secret []byte) {
	size := shortSecret
	if version >= wire.Version32 {
		size = longSecret
	}
	secret = make([]byte, size)
	rand.Read(secret) // never fails (crypto/rand)
	k.mu.Lock()
	defer k.mu.Unlock()
	if s.backend != nil {
		pid = s.backend.PID
	}
	if k.instance != 0 || pid>>numberBits != 0 {
		pid = 0
	}
	for pid == 0 || k.taken(pid) {
		var b [4]byte
		rand.Read(b[:])
		pid = uint32(k.instance)<<numberBits | binary.BigEndian.Uint32(b[:])>>(32-numberBits)
	}
	s.about.PID = pid
	k.keys[pid] = keyed{secret, s}
	return pid, secret
}

// taken tells whether a living session has the pid; k.mu is held. One that has
// given its backend back is about to forget it.
func (k *keyring) taken(pid uint32) bool {
	held, found := k.keys[pid]
	return found && !held.session.cancels.over()
}

// forget is called when the session is over. Where another has its backend by
// now, the pid is that one's.
func (k *keyring) forget(pid uint32) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.taken(pid) {
		delete(k.keys, pid)
	}
}

func (k *keyring) find(pid uint32, secret []byte) *session {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, ok := k.keys[pid]
	if !ok || subtle.ConstantTimeCompare(found.secret, secret) != 1 {
		return nil
	}
	return found.session
}

// cancels are the cancel requests of one session: those under way, and the
// decision that one of them can end.
type cancels struct {
	mu       sync.Mutex
	stopped  bool               // guarded by mu
	deciding context.CancelFunc // guarded by mu; nil when nothing is being decided
	tale     context.CancelFunc // guarded by mu; nil when none is being made
	under    sync.WaitGroup     // Add is guarded by mu
}

// begin counts a request in, unless the session is over.
func (c *cancels) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return false
	}
	c.under.Add(1)
	if c.deciding != nil {
		c.deciding()
	}
	if c.tale != nil {
		c.tale()
	}
	return true
}

// decide notes what ends the decision at hand; nil when it is made.
func (c *cancels) decide(cancel context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deciding = cancel
}

// telling notes what ends the making of a tale; nil when it is made.
func (c *cancels) telling(cancel context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tale = cancel
}

func (c *cancels) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopped
}

func (c *cancels) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
}

// wait returns when no request is under way any more: the backend could get
// the cancel in its next session otherwise.
func (c *cancels) wait() { c.under.Wait() }

// cancel does what a cancel request asks. A decision at work ends; what the
// backend runs is cancelled by Postgres. Where nothing runs, nothing is sent,
// since it could only hit what comes later.
func (s *session) cancel(ctx context.Context) (bool, error) {
	if !s.cancels.begin() {
		return false, nil
	}
	defer s.cancels.under.Done()
	type answer struct {
		backend *Backend
		ended   bool // it waited, and does no more
	}
	found := make(chan answer, 1)
	if !s.post(func() {
		b, ended := s.cancelled()
		found <- answer{b, ended}
	}) {
		return false, nil
	}
	a := <-found
	if a.backend == nil {
		return a.ended, nil
	}
	defer s.post(s.cancelRead)
	return true, a.backend.cancel(ctx)
}

// cancelled is on the loop: it finds what a cancel request is about. A lent
// backend stays until it has been read.
func (s *session) cancelled() (b *Backend, ended bool) {
	switch {
	case s.over:
		return nil, false
	case s.quiet():
		return nil, s.cancelQueued()
	case s.lent != nil:
		s.lent.cancels++
	}
	return s.backend, false
}

// cancelRead is on the loop: the backend has got the cancel request.
func (s *session) cancelRead() {
	if s.lent == nil {
		return
	}
	s.lent.cancels--
	s.giveIdle()
}

// cancel uses the backend's own way, else a plain connection to its address.
func (b *Backend) cancel(ctx context.Context) error {
	if b.Cancel != nil {
		return b.Cancel(ctx)
	}
	if len(b.SecretKey) == 0 {
		return nil // the server gave no key: it can't be asked
	}
	var d net.Dialer
	to := b.Conn.RemoteAddr()
	conn, err := d.DialContext(ctx, to.Network(), to.String())
	if err != nil {
		return fmt.Errorf("cancel at backend: %w", err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if _, err := conn.Write(wire.AppendCancelRequest(nil, b.PID, b.SecretKey)); err != nil {
		return fmt.Errorf("cancel at backend: %w", err)
	}
	// Postgres closes the connection when it has signalled the process.
	if _, err := io.Copy(io.Discard, conn); err != nil && !hungUp(err) {
		return fmt.Errorf("cancel at backend: %w", err)
	}
	return nil
}
