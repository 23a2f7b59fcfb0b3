package pool

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/pgask/pgask/proxy/wire"
)

// resetTimeout is how long undoing a session may take.
const resetTimeout = 2 * time.Second

// maxReset is the longest reply to a reset, in bytes: a notice, or a parameter.
const maxReset = 64 << 10

// reset makes a backend what it was after its login: ROLLBACK where a
// transaction is open, then DISCARD ALL, each of which Postgres must confirm
// with the replies that they have and no other. Then ParameterStatuses are what
// a new session is to be told.
//
// It is the borrower's that Postgres waits for a message, outside an unfinished
// extended batch: DISCARD ALL could commit what that has done.
//
// DISCARD ALL takes back session authorization and role, settings (to those of
// the start-up parameters), prepared statements, cursors, LISTEN, advisory
// locks, temporary tables, sequence caches and plans. It leaves loaded libraries
// and what extensions keep in the process, such as PL/Perl's %_SHARED or
// connections of dblink; a setting with a prefix that was SET is empty
// afterwards instead of unknown; setseed() lasts.
type reset struct {
	b        *Backend
	commands []string // not confirmed yet
	tagged   bool     // the first has its CommandComplete
	in       []byte   // what was read and is no whole reply yet
}

func newReset(b *Backend) *reset {
	r := &reset{b: b, commands: []string{"ROLLBACK", "DISCARD ALL"}}
	if b.TxStatus == 'I' {
		r.commands = r.commands[1:]
	}
	return r
}

// ask sends the commands.
func (r *reset) ask(to io.Writer) error {
	var out []byte
	for _, c := range r.commands {
		out, _ = wire.AppendQuery(out, c) // fails for texts that are too long
	}
	_, err := to.Write(out)
	return err
}

// read takes in what one read gives. It reports whether that was the end.
func (r *reset) read(from io.Reader) (done bool, err error) {
	var chunk [1024]byte
	n, err := from.Read(chunk[:])
	r.in = append(r.in, chunk[:n]...)
	for len(r.in) >= 5 {
		size := binary.BigEndian.Uint32(r.in[1:])
		if size < 4 || size > maxReset {
			return false, fmt.Errorf("reset: a reply of type %q has length %d", r.in[0], size)
		}
		if uint32(len(r.in)-1) < size {
			break
		}
		if err := r.reply(r.in[0], r.in[5:1+size]); err != nil {
			return false, err
		}
		r.in = r.in[1+size:]
	}
	if len(r.commands) == 0 {
		r.b.TxStatus = 'I'
		return true, nil
	}
	if n > 0 {
		return false, nil // an error that came with bytes comes again
	}
	return false, err
}

// reply takes one reply.
func (r *reset) reply(kind byte, body []byte) error {
	switch {
	case len(r.commands) == 0: // none is due
	case kind == wire.ParameterStatus:
		name, value, err := wire.Parameter(body)
		if err != nil {
			return err
		}
		r.b.ParameterStatuses[name] = value
		return nil
	case kind == wire.NoticeResponse, kind == wire.NotificationResponse:
		return nil // for the session that has left
	case kind == wire.CommandComplete && !r.tagged && string(body) == r.commands[0]+"\x00":
		r.tagged = true
		return nil
	case kind == wire.ReadyForQuery && r.tagged && string(body) == "I":
		r.commands, r.tagged = r.commands[1:], false
		return nil
	}
	return fmt.Errorf("reset: unexpected reply of type %q", kind)
}

// restore resets the backend over a connection that blocks.
func (b *Backend) restore() error {
	if err := b.Conn.SetDeadline(time.Now().Add(resetTimeout)); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	r := newReset(b)
	if err := r.ask(b.Conn); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	for {
		done, err := r.read(b.Conn)
		if err != nil {
			return err
		}
		if done {
			break
		}
	}
	if len(r.in) > 0 {
		return fmt.Errorf("reset: %d bytes came behind it", len(r.in))
	}
	return b.Conn.SetDeadline(time.Time{})
}
