package wire

import (
	"bytes"
	"encoding/binary"
)

// decoder takes a body apart. Every method says whether what it wants is
// there; strings are copies.
type decoder struct {
	rest []byte
}

// cstr is a string up to its NUL, still in the body's memory.
func (d *decoder) cstr() ([]byte, bool) {
	i := bytes.IndexByte(d.rest, 0)
	if i < 0 {
		return nil, false
	}
	s := d.rest[:i]
	d.rest = d.rest[i+1:]
	return s, true
}

func (d *decoder) str() (string, bool) {
	s, ok := d.cstr()
	return string(s), ok
}

func (d *decoder) byte() (byte, bool) {
	if len(d.rest) < 1 {
		return 0, false
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b, true
}

// count is a 16 bit count. Postgres reads these as unsigned.
func (d *decoder) count() (int, bool) {
	if len(d.rest) < 2 {
		return 0, false
	}
	n := binary.BigEndian.Uint16(d.rest)
	d.rest = d.rest[2:]
	return int(n), true
}

func (d *decoder) uint32() (uint32, bool) {
	if len(d.rest) < 4 {
		return 0, false
	}
	n := binary.BigEndian.Uint32(d.rest)
	d.rest = d.rest[4:]
	return n, true
}

func (d *decoder) bytes(n int) ([]byte, bool) {
	if n < 0 || len(d.rest) < n {
		return nil, false
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b, true
}

// value is a length of -1 for null, or a length and its bytes.
func (d *decoder) value() ([]byte, bool) {
	n, ok := d.uint32()
	if !ok {
		return nil, false
	}
	if int32(n) == -1 {
		return nil, true
	}
	return d.bytes(int(int32(n)))
}

// QueryText is the text of a Query's body, still in the body's memory.
func QueryText(body []byte) ([]byte, error) {
	d := decoder{body}
	text, ok := d.cstr()
	if !ok || len(d.rest) != 0 {
		return nil, malformed("invalid message format")
	}
	return text, nil
}

// ParseBody is a Parse, still in the body's memory. Types are the parameter types
// it declares, without their number.
type ParseBody struct {
	Name, Text []byte
	Types      []byte
}

// ParseParse takes a Parse's body apart.
func ParseParse(body []byte) (ParseBody, error) {
	d := decoder{body}
	name, ok1 := d.cstr()
	text, ok2 := d.cstr()
	n, ok3 := d.count()
	if !ok1 || !ok2 || !ok3 || len(d.rest) != 4*n {
		return ParseBody{}, malformed("invalid message format")
	}
	return ParseBody{Name: name, Text: text, Types: d.rest}, nil
}

// OIDs are the parameter types the client asked for, in memory of their own.
func (p ParseBody) OIDs() []uint32 {
	if len(p.Types) == 0 {
		return nil
	}
	oids := make([]uint32, len(p.Types)/4)
	for i := range oids {
		oids[i] = binary.BigEndian.Uint32(p.Types[4*i:])
	}
	return oids
}

// BindNames are a Bind's portal and statement, in the memory of the prefix of
// a body. ok is false where they don't fit into it.
func BindNames(prefix []byte) (portal, statement []byte, ok bool) {
	d := decoder{prefix}
	portal, ok1 := d.cstr()
	statement, ok2 := d.cstr()
	return portal, statement, ok1 && ok2
}

// BindBody is the whole of a Bind, in the body's memory.
type BindBody struct {
	Portal, Statement []byte
	// Params is how many parameters it has.
	Params int
	// results are the result format codes with their count, as they came.
	results []byte
}

// ParseBind takes a Bind's body apart.
func ParseBind(body []byte) (BindBody, error) {
	var b BindBody
	d := decoder{body}
	var ok1, ok2 bool
	b.Portal, ok1 = d.cstr()
	b.Statement, ok2 = d.cstr()
	formats, ok3 := d.count()
	_, ok4 := d.bytes(2 * formats)
	params, ok5 := d.count()
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 {
		return BindBody{}, malformed("invalid message format")
	}
	for range params {
		if _, ok := d.value(); !ok {
			return BindBody{}, malformed("invalid message format")
		}
	}
	b.Params, b.results = params, d.rest
	n, ok := d.count()
	if !ok || len(d.rest) != 2*n {
		return BindBody{}, malformed("invalid message format")
	}
	return b, nil
}

// Target is what a Describe or a Close means: kind 'S' for a prepared
// statement or 'P' for a portal, and its name in the body's memory.
func Target(body []byte) (kind byte, name []byte, err error) {
	d := decoder{body}
	kind, ok1 := d.byte()
	name, ok2 := d.cstr()
	if !ok1 || !ok2 || len(d.rest) != 0 {
		return 0, nil, malformed("invalid message format")
	}
	return kind, name, nil
}

// ExecutePortal is the portal of an Execute, from the prefix of its body.
func ExecutePortal(prefix []byte) (portal []byte, ok bool) {
	d := decoder{prefix}
	return d.cstr()
}

// CommandTag is the tag of a CommandComplete.
func CommandTag(body []byte) (string, error) {
	text, err := QueryText(body)
	return string(text), err
}

// Parameter reads a ParameterStatus's body.
func Parameter(body []byte) (name, value string, err error) {
	d := decoder{body}
	name, ok := d.str()
	if value, ok2 := d.str(); ok && ok2 && len(d.rest) == 0 {
		return name, value, nil
	}
	return "", "", malformed("invalid ParameterStatus")
}

// SASLInitial is a client's first SASL answer: the mechanism it chose and the
// mechanism's data.
func SASLInitial(body []byte) (mechanism string, data []byte, err error) {
	d := decoder{body}
	mechanism, ok1 := d.str()
	data, ok2 := d.value()
	if !ok1 || !ok2 || len(d.rest) != 0 {
		return "", nil, malformed("malformed SASL initial response")
	}
	return mechanism, data, nil
}

// Field looks up one field of an ErrorResponse or NoticeResponse, by its code
// ('C' the SQLSTATE, 'M' the message; manual, "Error and Notice Message
// Fields"), in the body's memory; nil where there is none.
func Field(body []byte, code byte) []byte {
	d := decoder{body}
	for {
		c, ok := d.byte()
		if !ok || c == 0 {
			return nil
		}
		value, ok := d.cstr()
		if !ok {
			return nil
		}
		if c == code {
			return value
		}
	}
}

// OnlyValue is the value of a DataRow that has one, still in the body's memory.
func OnlyValue(body []byte) ([]byte, error) {
	d := decoder{body}
	n, ok := d.count()
	v, known := d.value()
	if !ok || n != 1 || !known || v == nil || len(d.rest) > 0 {
		return nil, malformed("a row of one value was expected")
	}
	return v, nil
}
