package wire

import "encoding/binary"

// Execution reports whether frames are those of one execution of the unnamed
// statement by the unnamed portal, and nothing else: Bind, perhaps a Describe of
// the portal, Execute and Sync, all of them whole.
func Execution(frames []byte) bool {
	d := decoder{frames}
	portal, statement, ok := BindNames(d.frame(Bind))
	if !ok || len(portal)+len(statement) > 0 {
		return false
	}
	if len(d.rest) > 0 && d.rest[0] == Describe {
		if kind, name, err := Target(d.frame(Describe)); err != nil || kind != 'P' || len(name) > 0 {
			return false
		}
	}
	portal, ok = ExecutePortal(d.frame(Execute))
	return ok && len(portal) == 0 && len(d.rest) == headerSize && d.rest[0] == Sync && binary.BigEndian.Uint32(d.rest[1:]) == 4
}

// frame is the body of the next frame, nil where it isn't of that kind or not
// there whole.
func (d *decoder) frame(kind byte) []byte {
	if len(d.rest) < headerSize || d.rest[0] != kind {
		return nil
	}
	end := int64(binary.BigEndian.Uint32(d.rest[1:])) + 1
	if end < headerSize || end > int64(len(d.rest)) {
		return nil
	}
	body := d.rest[headerSize:end]
	d.rest = d.rest[end:]
	return body
}
