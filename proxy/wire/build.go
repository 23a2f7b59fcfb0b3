package wire

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
)

// ErrUnfit says that a value can't be put into a message: it holds a NUL, which
// would forge the field after it, or the message would be too long, which
// would forge the message after it.
var ErrUnfit = errors.New("a value does not fit into a protocol message")

// builder appends one message. The first misfit sticks.
type builder struct {
	b     []byte
	start int
	bad   bool
}

func begin(dst []byte, kind byte) builder {
	dst = append(dst, kind, 0, 0, 0, 0)
	return builder{b: dst, start: len(dst) - 4}
}

func (m *builder) str(s string) {
	m.bad = m.bad || strings.IndexByte(s, 0) >= 0
	m.b = append(append(m.b, s...), 0)
}

func (m *builder) uint16(n int) {
	m.bad = m.bad || n < 0 || n > math.MaxUint16
	m.b = binary.BigEndian.AppendUint16(m.b, uint16(n))
}

func (m *builder) uint32(n uint32) { m.b = binary.BigEndian.AppendUint32(m.b, n) }

// end fills the length in. On a misfit dst is returned as it was.
func (m *builder) end() ([]byte, error) {
	n := len(m.b) - m.start
	if m.bad || n-4 > maxFrame {
		return m.b[:m.start-1], ErrUnfit
	}
	binary.BigEndian.PutUint32(m.b[m.start:], uint32(n))
	return m.b, nil
}

// must is end for messages that can't misfit.
func (m *builder) must() []byte {
	binary.BigEndian.PutUint32(m.b[m.start:], uint32(len(m.b)-m.start))
	return m.b
}

// AppendQuery builds a Query.
func AppendQuery(dst []byte, text string) ([]byte, error) {
	m := begin(dst, Query)
	m.str(text)
	return m.end()
}

// AppendParse builds a Parse.
func AppendParse(dst []byte, name, text string, oids []uint32) ([]byte, error) {
	m := begin(dst, Parse)
	m.str(name)
	m.str(text)
	m.uint16(len(oids))
	for _, oid := range oids {
		m.uint32(oid)
	}
	return m.end()
}

// AppendBind builds the Bind of a statement with one text parameter. Portal
// and result formats are those of b, as they came.
func AppendBind(dst []byte, b BindBody, value string) ([]byte, error) {
	m := begin(dst, Bind)
	m.str(string(b.Portal))
	m.str(string(b.Statement))
	m.uint16(0) // no format codes: all text
	m.uint16(1)
	m.bad = m.bad || len(value) > maxFrame
	m.uint32(uint32(len(value)))
	m.b = append(append(m.b, value...), b.results...)
	return m.end()
}

// AppendBindNothing builds a Bind of the statement without parameters; it is
// for a statement that doesn't exist.
func AppendBindNothing(dst []byte, portal, statement string) ([]byte, error) {
	m := begin(dst, Bind)
	m.str(portal)
	m.str(statement)
	m.uint16(0)
	m.uint16(0)
	m.uint16(0)
	return m.end()
}

// AppendDescribe builds a Describe: of a prepared statement for kind 'S', of a
// portal for 'P'.
func AppendDescribe(dst []byte, kind byte, name string) ([]byte, error) {
	m := begin(dst, Describe)
	m.b = append(m.b, kind)
	m.str(name)
	return m.end()
}

// AppendClose builds a Close: of a prepared statement for kind 'S', of a portal
// for 'P'.
func AppendClose(dst []byte, kind byte, name string) ([]byte, error) {
	m := begin(dst, Close)
	m.b = append(m.b, kind)
	m.str(name)
	return m.end()
}

// AppendNoParameters builds the ParameterDescription of a statement without
// parameters.
func AppendNoParameters(dst []byte) []byte {
	m := begin(dst, ParameterDescription)
	m.uint16(0)
	return m.must()
}

// AppendCommandComplete builds a CommandComplete.
func AppendCommandComplete(dst []byte, tag string) ([]byte, error) {
	m := begin(dst, CommandComplete)
	m.str(tag)
	return m.end()
}

// AppendDataRow is a row of one value.
func AppendDataRow(dst, value []byte) ([]byte, error) {
	m := begin(dst, DataRow)
	m.uint16(1)
	m.uint32(uint32(len(value)))
	m.b = append(m.b, value...)
	return m.end()
}

// AppendParameterStatus builds a ParameterStatus.
func AppendParameterStatus(dst []byte, name, value string) ([]byte, error) {
	m := begin(dst, ParameterStatus)
	m.str(name)
	m.str(value)
	return m.end()
}

// AppendBackendKeyData builds a BackendKeyData. A key has 4 to 256 bytes.
func AppendBackendKeyData(dst []byte, pid uint32, key []byte) ([]byte, error) {
	m := begin(dst, BackendKeyData)
	m.bad = len(key) < 4 || len(key) > maxKey
	m.uint32(pid)
	m.b = append(m.b, key...)
	return m.end()
}

// AppendReadyForQuery builds a ReadyForQuery.
func AppendReadyForQuery(dst []byte, status byte) []byte {
	m := begin(dst, ReadyForQuery)
	m.b = append(m.b, status)
	return m.must()
}

// AppendNegotiateProtocolVersion builds the answer to a client that asked for
// more than there is: the version that will be spoken, and the options that
// are not known.
func AppendNegotiateProtocolVersion(dst []byte, version uint32, options []string) ([]byte, error) {
	m := begin(dst, NegotiateProtocolVersion)
	m.uint32(version)
	m.uint32(uint32(len(options)))
	for _, o := range options {
		m.str(o)
	}
	return m.end()
}

// Authentication request codes.
const (
	authOK           = 0
	authSASL         = 10
	authSASLContinue = 11
	authSASLFinal    = 12
)

// AppendAuthenticationOK builds an AuthenticationOk.
func AppendAuthenticationOK(dst []byte) []byte {
	m := begin(dst, Authentication)
	m.uint32(authOK)
	return m.must()
}

// AppendAuthenticationSASL offers SASL mechanisms, the better first.
func AppendAuthenticationSASL(dst []byte, mechanisms ...string) ([]byte, error) {
	m := begin(dst, Authentication)
	m.uint32(authSASL)
	for _, mechanism := range mechanisms {
		m.str(mechanism)
	}
	m.str("")
	return m.end()
}

// AppendAuthenticationSASLData builds an AuthenticationSASLContinue, or, for
// the last one, an AuthenticationSASLFinal.
func AppendAuthenticationSASLData(dst, data []byte, final bool) []byte {
	m := begin(dst, Authentication)
	code := uint32(authSASLContinue)
	if final {
		code = authSASLFinal
	}
	m.uint32(code)
	m.b = append(m.b, data...)
	return m.must()
}

// AppendExecute builds an Execute of all rows of the portal.
func AppendExecute(dst []byte, portal string) ([]byte, error) {
	m := begin(dst, Execute)
	m.str(portal)
	m.uint32(0)
	return m.end()
}
