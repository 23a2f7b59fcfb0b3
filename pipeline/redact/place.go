package redact

import (
	"unicode/utf8"

	"github.com/pgask/pgask/pipeline/stmt"
)

// place is where in the client's text an error is.
type place struct {
	// position counts characters from 1, 0 for none.
	position int
	// constant tells that a constant of the client's stands there, value which.
	constant bool
	value    string
}

// maxPlaced bounds the texts in which places are looked up, in bytes: both are
// parsed for it.
const maxPlaced = 32 << 10

// find looks a position of the sent text up in the client's. It is certain only
// where both trees have the same node at the same place of the tree.
func (o *Own) find(position int) place {
	if o == nil || position <= 0 || len(o.Client) > maxPlaced || len(o.Sent) > 4*maxPlaced {
		return place{}
	}
	at, ok := byteAt(o.Sent, position)
	if !ok {
		return place{}
	}
	p, ok := stmt.Counterpart(o.Client, o.Sent, at)
	if !ok {
		return place{}
	}
	return place{position: utf8.RuneCountInString(o.Client[:p.At]) + 1, constant: p.Constant, value: p.Value}
}

// byteAt is the byte at which the position-th character begins.
func byteAt(text string, position int) (int, bool) {
	n := 0
	for i := range text {
		if n++; n == position {
			return i, true
		}
	}
	return 0, false
}
