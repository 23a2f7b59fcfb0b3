package pipeline

import (
	"crypto/rand"
	"encoding/hex"
)

// plant makes a fresh planted word for err: unguessable, so that no statement
// of a client can be mistaken for it.
func plant(err error) *Denial {
	var b [16]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	return &Denial{Word: "denied_" + hex.EncodeToString(b[:]), Err: err}
}

// denied is the Decision that refuses a whole message.
func denied(d *Denial) Decision { return Decision{Text: d.Word, Denial: d} }
