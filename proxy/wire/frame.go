package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Message types that a client sends (manual, "Message Formats").
const (
	Query        = 'Q'
	Parse        = 'P'
	Bind         = 'B'
	Describe     = 'D'
	Execute      = 'E'
	Close        = 'C'
	Sync         = 'S'
	Flush        = 'H'
	FunctionCall = 'F'
	CopyData     = 'd' // in both directions
	CopyDone     = 'c' // in both directions
	CopyFail     = 'f'
	Password     = 'p' // PasswordMessage and every SASL answer
	Terminate    = 'X'
)

// Message types that a backend sends.
const (
	Authentication           = 'R'
	BackendKeyData           = 'K'
	BindComplete             = '2'
	CloseComplete            = '3'
	CommandComplete          = 'C'
	CopyInResponse           = 'G'
	CopyOutResponse          = 'H'
	CopyBothResponse         = 'W'
	DataRow                  = 'D'
	EmptyQueryResponse       = 'I'
	ErrorResponse            = 'E'
	FunctionCallResponse     = 'V'
	NegotiateProtocolVersion = 'v'
	NoData                   = 'n'
	NoticeResponse           = 'N'
	NotificationResponse     = 'A'
	ParameterDescription     = 't'
	ParameterStatus          = 'S'
	ParseComplete            = '1'
	PortalSuspended          = 's'
	ReadyForQuery            = 'Z'
	RowDescription           = 'T'
)

// headerSize is the type byte and the length, in bytes.
const headerSize = 5

// maxFrame is the largest body that is forwarded, in bytes: Postgres takes no
// message of 1 GiB or more (PQ_LARGE_MESSAGE_LIMIT), and sends none.
const maxFrame = 1<<30 - 1

// Header is a frame's type and the size of its body in bytes, without the
// length field itself.
type Header struct {
	Type byte
	Size int
}

// Body is the body of a frame that was built.
func Body(frame []byte) []byte { return frame[headerSize:] }

// Rebuild is a frame that was built, with other bytes in place of the first n of
// its body.
func Rebuild(frame []byte, n int, with []byte) []byte {
	rest := frame[headerSize+n:]
	made := binary.BigEndian.AppendUint32([]byte{frame[0]}, uint32(4+len(with)+len(rest)))
	return append(append(made, with...), rest...)
}

// Malformed is a frame or message that breaks the protocol. The connection
// can't go on, since where the next frame begins is unknown.
type Malformed struct {
	Reason string
}

// Error is the reason.
func (m *Malformed) Error() string { return m.Reason }

// SQLState is protocol_violation.
func (m *Malformed) SQLState() string { return "08P01" }

func malformed(format string, args ...any) error {
	return &Malformed{Reason: fmt.Sprintf(format, args...)}
}

// ErrTooLong says that a frame which must be read whole is over the limit. It
// is still unread: it may be passed or dropped.
var ErrTooLong = errors.New("message is over the size limit")
