package pool

import (
	"crypto/tls"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/wire"
)

// Backend is a logged-in connection to Postgres. Whoever it is lent to owns
// it, except for the unexported fields, until it gives it back: sessions with
// Release, transactions with Return or Discard.
type Backend struct {
	Conn net.Conn
	PID  uint32
	// SecretKey has 4 to 256 bytes.
	SecretKey []byte
	// ParameterStatuses are what Postgres last reported. A borrower notes in
	// it what it sees Postgres report.
	ParameterStatuses map[string]string
	// TxStatus is of the last ReadyForQuery. A borrower sets it before it gives
	// the backend back.
	TxStatus byte
	// Buffered are bytes that were read from Conn after the login's
	// ReadyForQuery: the session reads them before it reads Conn.
	Buffered []byte
	// Waited is how long this loan had to wait for a place.
	Waited time.Duration
	// Release is Return(true), once: of two calls the second does nothing.
	Release func()
	// Keep is what borrowers keep with the backend from loan to loan. A reset
	// empties it.
	Keep any

	pool *Pool
	lot  *lot
	// shape is what a request must have for this backend to fit it.
	shape string
	// greeting is what Postgres reported during the login.
	greeting map[string]string
	// generation is the pool's when the backend was dialled.
	generation int
	// single says that nobody may use the backend after its first borrower.
	single bool
	born   time.Time
	// expires is the end of its lifetime; zero is never.
	expires time.Time
	// address is what was dialled.
	address string
	// poll is beneath Conn for borrowers on loops, else nil. home is the loop that
	// it is attached to while it is idle.
	poll *poll.Conn
	home *poll.Loop
	// hijacked is how the connection was made, for Cancel.
	hijacked *pgconn.HijackedConn

	onKill   func()    // guarded by pool.mu
	killed   bool      // guarded by pool.mu
	resetter *resetter // guarded by pool.mu
	state    state     // guarded by pool.mu
	since    time.Time // of state; guarded by pool.mu
}

// state is what a backend is doing.
type state int

const (
	lent state = iota
	idling
	resetting
	gone
)

// String is the word that statistics use.
func (s state) String() string { return [...]string{"active", "idle", "reset", "gone"}[s] }

// OnKill has f called by [Pool.Kill] as long as this loan lasts, on any
// goroutine, or at once where that has come already. The borrower then gives the
// backend back. Without it, Conn is closed under a borrower that blocks; one on
// a loop is not told.
func (b *Backend) OnKill(f func()) {
	b.pool.mu.Lock()
	b.onKill = f
	killed := b.killed
	b.pool.mu.Unlock()
	if killed {
		f()
	}
}

// goodbye is how long saying Terminate may take.
const goodbye = time.Second

// terminate is the message.
var terminate = []byte{wire.Terminate, 0, 0, 0, 4}

// quit ends a connection on which Postgres waits for the next message. The
// Terminate keeps the session from counting as abandoned.
func (b *Backend) quit() {
	b.on(b.leave)
}

func (b *Backend) leave() {
	if b.poll != nil {
		_ = b.poll.Detach() // for the Terminate not to be kept for later
	}
	_ = b.Conn.SetWriteDeadline(time.Now().Add(goodbye))
	_, _ = b.Conn.Write(terminate) // one that is closed already needs none
	b.close()
}

// close ends a connection of which nobody knows what state it is in. It never
// waits: TLS's farewell, which may, is left out.
func (b *Backend) close() {
	if t, ok := b.Conn.(*tls.Conn); ok {
		_ = t.NetConn().Close()
	}
	_ = b.Conn.Close() // nobody could use the error
}
