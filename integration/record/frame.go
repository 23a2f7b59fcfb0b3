package record

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Side is who said something.
type Side byte

// The two sides of a connection.
const (
	Client Side = 'C'
	Server Side = 'S'
)

// Kinds of what has no type byte on the wire. Encryption requests, cancel
// requests and start-up packets are all Initial.
const (
	Initial byte = 0
	Answer  byte = 1 // the one byte that answers an encryption request
)

// Codes at the beginning of an initial packet.
const (
	sslRequest    = 80877103
	gssRequest    = 80877104
	cancelRequest = 80877102
)

// maxFrame bounds what the relay takes for a length, in bytes.
const maxFrame = 1 << 30

// Frame is one message of one side.
type Frame struct {
	From Side
	Kind byte
	Body []byte // without type and length
}

// Bytes are the frame as it was on the wire.
func (f Frame) Bytes() []byte {
	var out []byte
	switch f.Kind {
	case Answer:
		return f.Body
	case Initial:
	default:
		out = []byte{f.Kind}
	}
	return append(binary.BigEndian.AppendUint32(out, uint32(len(f.Body)+4)), f.Body...)
}

// IsCancel tells a request to cancel another session.
func (f Frame) IsCancel() bool { return f.initial() == cancelRequest }

// IsEncryption tells a request for TLS or GSSAPI.
func (f Frame) IsEncryption() bool { return f.initial() == sslRequest || f.initial() == gssRequest }

// initial is the code of an initial packet, 0 for every other frame.
func (f Frame) initial() uint32 {
	if f.Kind != Initial || len(f.Body) < 4 {
		return 0
	}
	return binary.BigEndian.Uint32(f.Body)
}

// Read reads one frame of a side. Frames are typed but for the client's up to
// and including its start-up packet.
func Read(src io.Reader, from Side, typed bool) (Frame, error) {
	f := Frame{From: from}
	header := make([]byte, 5)
	if !typed {
		header = header[1:]
	}
	if _, err := io.ReadFull(src, header); err != nil {
		return f, err
	}
	if typed {
		f.Kind, header = header[0], header[1:]
	}
	length := binary.BigEndian.Uint32(header)
	if length < 4 || length > maxFrame {
		return f, fmt.Errorf("frame %q has length %d", f.Kind, length)
	}
	f.Body = make([]byte, length-4)
	_, err := io.ReadFull(src, f.Body)
	return f, err
}
