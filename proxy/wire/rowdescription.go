package wire

import (
	"bytes"
	"encoding/binary"
)

// fieldRest is what follows a field's name in a RowDescription: the table's
// oid (4 bytes), the column's number (2), then type, size, modifier and format
// (4, 2, 4, 2). Manual, "Message Formats".
const fieldRest = 18

// AppendTableless appends the RowDescription of that body with no field
// belonging to a table: names, types and formats stay.
func AppendTableless(dst, body []byte) ([]byte, error) {
	start := len(dst)
	dst = append(dst, RowDescription, 0, 0, 0, 0)
	binary.BigEndian.PutUint32(dst[start+1:], uint32(len(body)+4))
	dst = append(dst, body...)
	bad := &Malformed{Reason: "invalid RowDescription from the backend"}
	if len(body) < 2 {
		return nil, bad
	}
	rest := dst[start+7:]
	for range binary.BigEndian.Uint16(body) {
		name := bytes.IndexByte(rest, 0)
		if name < 0 || len(rest) < name+1+fieldRest {
			return nil, bad
		}
		clear(rest[name+1 : name+7])
		rest = rest[name+1+fieldRest:]
	}
	if len(rest) != 0 {
		return nil, bad
	}
	return dst, nil
}
