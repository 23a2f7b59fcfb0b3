package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// hashLen is the length of a hash in a line.
const hashLen = 2 * sha256.Size

// genesis is in the place of the hash before the first line of all.
var genesis = string(bytes.Repeat([]byte{'0'}, hashLen))

const (
	prevKey = `,"prev":"`
	hashKey = `","hash":"`
	// tailLen is the length of what a chained line ends with.
	tailLen = len(prevKey) + hashLen + len(hashKey) + hashLen + len(`"}`)
)

// link appends a line, given without hashes and with its line feed, as the
// successor of the line that has the hash prev. The hash is the SHA-256 of the
// line's bytes from its beginning to the end of prev's value, so that checking
// it needs no JSON.
func link(b, line []byte, prev string) (out []byte, hash string) {
	begin := len(b)
	b = append(b, line[:len(line)-len("}\n")]...)
	b = append(append(b, prevKey...), prev...)
	sum := sha256.Sum256(b[begin:])
	b = append(b, hashKey...)
	b = hex.AppendEncode(b, sum[:])
	hash = string(b[len(b)-hashLen:])
	return append(b, "\"}\n"...), hash
}

// links takes the hashes off a line without its line feed; ok tells whether it
// has any, intact whether the line's bytes give its hash.
func links(line []byte) (prev, hash string, intact, ok bool) {
	if len(line) < tailLen+1 {
		return "", "", false, false
	}
	tail := line[len(line)-tailLen:]
	prevAt, hashAt := len(prevKey), len(prevKey)+hashLen+len(hashKey)
	if !bytes.HasPrefix(tail, []byte(prevKey)) || !bytes.Equal(tail[prevAt+hashLen:hashAt], []byte(hashKey)) || !bytes.HasSuffix(tail, []byte(`"}`)) {
		return "", "", false, false
	}
	prev, hash = string(tail[prevAt:prevAt+hashLen]), string(tail[hashAt:hashAt+hashLen])
	sum := sha256.Sum256(line[:len(line)-tailLen+prevAt+hashLen])
	return prev, hash, hex.EncodeToString(sum[:]) == hash, true
}
