package wire

import (
	"encoding/binary"
	"io"
	"strings"
)

// Request codes that stand where a start-up message has its version.
const (
	cancelRequest = 1234<<16 | 5678
	sslRequest    = 1234<<16 | 5679
	gssRequest    = 1234<<16 | 5680
)

// Protocol versions: the oldest that is spoken and the newest.
const (
	Version30 = 3 << 16
	Version32 = 3<<16 | 2
)

// maxStartup is Postgres's MAX_STARTUP_PACKET_LENGTH, in bytes.
const maxStartup = 10000

// maxKey is the longest cancel key of protocol 3.2, in bytes.
const maxKey = 256

// StartupKind tells what an initial packet asks for.
type StartupKind int

// Kinds of initial packets. The zero kind is none.
const (
	_ StartupKind = iota
	StartupSSL
	StartupGSS
	StartupCancel
	StartupSession
)

// Startup is an initial packet: the only ones without a type byte.
type Startup struct {
	Kind StartupKind
	// Version of a session's protocol, major<<16 | minor.
	Version uint32
	// Params of a session without the options of the protocol itself, whose
	// names are in Options.
	Params  map[string]string
	Options []string
	// PID and Key of a cancel request.
	PID uint32
	Key []byte
}

// ReadStartup reads one initial packet and not a byte more, so that bytes
// behind an SSLRequest stay where only the TLS handshake finds them.
func ReadStartup(src io.Reader) (Startup, error) {
	body, err := readSized(src, maxStartup, "invalid length of startup packet")
	if err != nil {
		return Startup{}, err
	}
	if len(body) < 4 {
		return Startup{}, malformed("invalid length of startup packet")
	}
	code := binary.BigEndian.Uint32(body)
	body = body[4:]
	switch {
	case code == sslRequest && len(body) == 0:
		return Startup{Kind: StartupSSL}, nil
	case code == gssRequest && len(body) == 0:
		return Startup{Kind: StartupGSS}, nil
	case code == cancelRequest:
		return cancelStartup(body)
	case code == sslRequest || code == gssRequest:
		return Startup{}, malformed("invalid length of startup packet")
	}
	return sessionStartup(code, body)
}

func cancelStartup(body []byte) (Startup, error) {
	if len(body) < 8 || len(body) > 4+maxKey {
		return Startup{}, malformed("invalid length of cancel request")
	}
	return Startup{Kind: StartupCancel, PID: binary.BigEndian.Uint32(body), Key: body[4:]}, nil
}

// sessionStartup takes the names and values apart. A version other than 3 is
// returned without them: its packets look as they like.
func sessionStartup(version uint32, body []byte) (Startup, error) {
	s := Startup{Kind: StartupSession, Version: version, Params: map[string]string{}}
	if version>>16 != Version30>>16 {
		return s, nil
	}
	d := decoder{body}
	for {
		name, ok := d.str()
		if !ok {
			return Startup{}, malformed("invalid startup packet layout: expected terminator as last byte")
		}
		if name == "" {
			break
		}
		value, ok := d.str()
		if !ok {
			return Startup{}, malformed("invalid startup packet layout: expected terminator as last byte")
		}
		if strings.HasPrefix(name, "_pq_.") {
			s.Options = append(s.Options, name)
		} else {
			s.Params[name] = value
		}
	}
	if len(d.rest) != 0 {
		return Startup{}, malformed("invalid startup packet layout: expected terminator as last byte")
	}
	return s, nil
}

// ReadMessage reads one whole message of at most limit bytes, and not a byte
// more: for the exchange before the relay starts.
func ReadMessage(src io.Reader, limit int) (byte, []byte, error) {
	var kind [1]byte
	if _, err := io.ReadFull(src, kind[:]); err != nil {
		return 0, nil, err
	}
	body, err := readSized(src, limit, "invalid message length")
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return kind[0], body, err
}

// readSized reads a length, which counts itself, and what it announces. bad is
// the error of a length out of range.
func readSized(src io.Reader, limit int, bad string) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(src, size[:]); err != nil {
		return nil, err
	}
	n := int32(binary.BigEndian.Uint32(size[:]))
	if n < 4 || int64(n) > int64(limit) {
		return nil, &Malformed{bad}
	}
	body := make([]byte, n-4)
	if _, err := io.ReadFull(src, body); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return body, nil
}

// AppendCancelRequest builds the packet that a cancel connection consists of.
func AppendCancelRequest(dst []byte, pid uint32, key []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(12+len(key)))
	dst = binary.BigEndian.AppendUint32(dst, cancelRequest)
	dst = binary.BigEndian.AppendUint32(dst, pid)
	return append(dst, key...)
}

// AppendSSLRequest builds the packet that asks for TLS.
func AppendSSLRequest(dst []byte) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(dst, 8), sslRequest)
}
