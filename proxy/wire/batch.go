package wire

import "strings"

// AppendBindTexts builds the Bind of a statement with parameters in text
// format; what it returns is in text format, too.
func AppendBindTexts(dst []byte, portal, statement string, values ...string) ([]byte, error) {
	m := begin(dst, Bind)
	m.str(portal)
	m.str(statement)
	m.uint16(0) // no format codes: all text
	m.uint16(len(values))
	for _, v := range values {
		m.bad = m.bad || len(v) > maxFrame || strings.IndexByte(v, 0) >= 0
		m.uint32(uint32(len(v)))
		m.b = append(m.b, v...)
	}
	m.uint16(0)
	return m.end()
}

// AppendSync builds a Sync.
func AppendSync(dst []byte) []byte {
	m := begin(dst, Sync)
	return m.must()
}

// AppendParseOf builds the Parse of a statement of that name whose body, from
// the text on, is that of a Parse that came.
func AppendParseOf(dst []byte, name, rest string) ([]byte, error) {
	m := begin(dst, Parse)
	m.str(name)
	m.bad = m.bad || len(rest) > maxFrame
	m.b = append(m.b, rest...)
	return m.end()
}
