package proxy

import (
	"context"
	"net"

	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/wire"
)

// Backend is a logged-in connection to Postgres in the state after its first
// ReadyForQuery. The session owns it until it calls Release.
type Backend struct {
	// Conn can be used again if it is a poll.Conn or has one beneath it.
	Conn net.Conn
	// PID and SecretKey cancel what the backend runs, where Cancel is nil.
	PID       uint32
	SecretKey []byte
	// ParameterStatuses are shown to the client. The session keeps them and
	// TxStatus as Postgres reports them.
	ParameterStatuses map[string]string
	TxStatus          byte
	// Notices are shown to the client before its first ReadyForQuery.
	Notices []wire.Report
	// Buffered has been read from Conn already.
	Buffered []byte
	// Cancel asks Postgres to cancel what the backend runs, and waits until it
	// has read the request. Nil sends it to Conn's address, without TLS.
	Cancel func(ctx context.Context) error
	// Attach brings Conn to a loop and handler, from wherever it is, and calls
	// then there. Nil is for a Conn that is nowhere attached.
	Attach func(l *poll.Loop, h poll.Handler, then func(error))
	// OnKill, unless nil, has f called, on any goroutine, when somebody wants the
	// backend back.
	OnKill func(f func())
	// Return, which lent backends have, gives it back on its loop. With reset
	// something may be left in it that has to be undone first.
	Return func(reset bool)
	// Release is called once, after the last cancel was read. Conn has been
	// closed before, unless every reply that was owed has been read: then it is
	// still attached, and this is called on its loop.
	Release func()

	// kept is what is known of a lent backend from loan to loan.
	kept *kept
}

// release gives the backend back after a session's last word, for whatever that
// may have left in it.
func (b *Backend) release() {
	if b.Return != nil {
		b.Return(true)
		return
	}
	b.Release()
}

// attach brings the backend to a loop.
func (b *Backend) attach(l *poll.Loop, conn *poll.Conn, h poll.Handler, then func(error)) {
	if b.Attach != nil {
		b.Attach(l, h, then)
		return
	}
	if !l.Post(func() { then(conn.Attach(l, h)) }) {
		then(net.ErrClosed)
	}
}
