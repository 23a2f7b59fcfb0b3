package pool

import (
	"bufio"
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

// restore makes the backend what it was after its login: ROLLBACK where a
// transaction is open, then DISCARD ALL, each of which Postgres must confirm
// with the replies that they have and no other. Then ParameterStatuses are what
// a new session is to be told.
//
// It is the caller's that Postgres waits for a message, outside an unfinished
// extended batch: DISCARD ALL could commit what that has done.
//
// DISCARD ALL takes back session authorization and role, settings (to those of
// the start-up parameters), prepared statements, cursors, LISTEN, advisory
// locks, temporary tables, sequence caches and plans. It leaves loaded libraries
// and what extensions keep in the process, such as PL/Perl's %_SHARED or
// connections of dblink; a setting with a prefix that was SET is empty
// afterwards instead of unknown; setseed() lasts.
func (b *Backend) restore() error {
	if err := b.Conn.SetDeadline(time.Now().Add(resetTimeout)); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	commands := []string{"DISCARD ALL"}
	if b.TxStatus != 'I' {
		commands = []string{"ROLLBACK", "DISCARD ALL"}
	}
	var out []byte
	for _, c := range commands {
		out, _ = wire.AppendQuery(out, c) // fails for texts that are too long
	}
	if _, err := b.Conn.Write(out); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	in := bufio.NewReader(b.Conn)
	for _, c := range commands {
		if err := b.confirmed(in, c); err != nil {
			return fmt.Errorf("reset: %w", err)
		}
	}
	if in.Buffered() > 0 {
		return fmt.Errorf("reset: %d bytes came behind it", in.Buffered())
	}
	b.TxStatus = 'I'
	return b.Conn.SetDeadline(time.Time{})
}

// confirmed reads the replies to one command: its tag and then ReadyForQuery,
// outside a transaction.
func (b *Backend) confirmed(in *bufio.Reader, command string) error {
	done := false
	for {
		kind, body, err := readReply(in)
		if err != nil {
			return err
		}
		switch {
		case kind == wire.ParameterStatus:
			name, value, err := wire.Parameter(body)
			if err != nil {
				return err
			}
			b.ParameterStatuses[name] = value
		case kind == wire.NoticeResponse, kind == wire.NotificationResponse:
			// for the session that has left
		case kind == wire.CommandComplete && !done && string(body) == command+"\x00":
			done = true
		case kind == wire.ReadyForQuery && done && string(body) == "I":
			return nil
		default:
			return fmt.Errorf("%s: unexpected reply of type %q", command, kind)
		}
	}
}

// readReply reads one frame.
func readReply(in io.Reader) (kind byte, body []byte, err error) {
	var header [5]byte
	if _, err := io.ReadFull(in, header[:]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(header[1:])
	if size < 4 || size > maxReset {
		return 0, nil, fmt.Errorf("reply of type %q has length %d", header[0], size)
	}
	body = make([]byte, size-4)
	_, err = io.ReadFull(in, body)
	return header[0], body, err
}
